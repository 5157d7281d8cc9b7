import Captures
import Diagnosis
import Flows
import JSON
import OAuth
import Testing

struct TokenInvalidGrantTests {
    private let rule = "token-invalid-grant"
    private let broken = "token-request/token-invalid-grant"

    @Test func saysWhatWasCheckedAndFoundRight() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places == ["4 response.body error"])
        #expect(
            finding.notes == [
                "checked: redirect URI the same, verifier fits, code sent once, client the same, code 0 s old"
            ]
        )
    }

    @Test func leavesAnotherErrorAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func doesNotCallRightWhatIsWrong() throws {
        let finding = try #require(
            Recording(broken).sending("code_verifier", String(repeating: "a", count: 43)).finding(rule)
        )
        #expect(!finding.isPrimary)
        #expect(finding.notes.first?.contains("verifier") == false)
    }

    @Test func standsForARefreshAsWell() throws {
        let recording = try Recording(broken + ".near-miss").answering(
            "/token",
            400,
            ["error": "invalid_grant"]
        )
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.outcomes == [.failure])
    }

    @Test func isANoteWhereTheNextTryIsTaken() throws {
        var recording = try Recording(broken)
        var second = try #require(recording.exchanges.last)
        second.startedAt = second.startedAt + .milliseconds(100)
        recording.exchanges.append(second)
        recording = recording.answering(
            "/token",
            200,
            ["access_token": "not-a-token", "token_type": "Bearer"]
        )
        #expect(recording.finding(rule)?.severity == .note)
    }

    @Test func saysNothingWhereTheAnswerWasNotSaved() throws {
        #expect(try Recording(broken).withoutBodies(of: "/token").finding(rule) == nil)
    }
}
