import Captures
import Diagnosis
import Flows
import JSON
import OAuth
import Testing

struct IDTokenKidUnknownTests {
    private let rule = "id-token-kid-unknown"
    private let broken = "id-token/id-token-kid-unknown"

    @Test func namesTheKeyTheKeySetAndTheOneThatHasIt() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.variant == "rotated")
        #expect(finding.places == ["6 jwt.header kid", "1 response.body keys", "7 response.body keys"])
        #expect(finding.evidence.map(\.value) == ["2026-03", "2025-11", "2025-11, 2026-03"])
        #expect(finding.notes[0].hasSuffix("Cache-Control: max-age=3600"))
    }

    @Test func leavesAClientAloneThatFetchedTheKeysAgain() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    @Test func isAbsentWhereNoKeySetHasIt() throws {
        let recording = try Recording(broken).editingAnswer(of: "/jwks") { $0["keys"] = [] }
        #expect(recording.finding(rule)?.variant == "absent")
    }

    @Test func isAWarningWhereTheClientWentOn() throws {
        let recording = try Recording(broken + ".near-miss").without { exchange in
            exchange.request.url.path == "/jwks" && exchange.response?.body?.text?.contains("2026-03") == true
        }
        #expect(recording.finding(rule)?.severity == .warning)
        #expect(recording.finding(rule)?.variant == "absent")
        #expect(recording.outcomes == [.success])
    }

    @Test func leavesAFirstKeySetThatComesLateAlone() throws {
        var recording = try Recording(broken)
        let first = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/jwks" })
        recording.exchanges.remove(at: first)
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) == nil)
    }

    @Test func abstainsWithoutAKeySet() throws {
        let recording = try Recording(broken).without { $0.request.url.path == "/jwks" }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test(arguments: [
        #"{"alg":"RS256"}"#, #"{"alg":"HS256","kid":"2026-03"}"#, #"{"alg":"none","kid":"2026-03"}"#,
    ])
    func saysNothingOfOtherTokens(header: String) throws {
        let recording = try Recording(broken).editingAnswer(of: "/token") { object in
            let parts = object["id_token"]?.string?.split(separator: ".") ?? []
            object["id_token"] = .string("\(encoded(header)).\(parts[1]).\(parts[2])")
        }
        #expect(recording.finding(rule) == nil)
    }
}
