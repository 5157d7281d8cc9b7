import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct AuthTimeStaleTests {
    private let rule = "auth-time-stale"
    private let broken = "id-token/auth-time-stale"

    @Test func namesTheLimitAndTheAge() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == ["1 request.query max_age", "4 jwt.claims auth_time", "4 response.header Date"]
        )
        #expect(finding.notes == ["60 min before the answer"])
        #expect(try Recording(broken).finding("callback-rejected-by-app")?.effectOf == rule)
    }

    @Test func putsUpWithAMinute() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    /// As some providers write it.
    @Test func readsDigitsInAString() throws {
        func inAString(_ recording: Recording) -> Recording {
            recording.editingIDToken { claims in
                claims["auth_time"] = claims["auth_time"].map { .string(JSONWriter.text(of: $0)) }
            }
        }
        let old = try #require(inAString(Recording(broken)).finding(rule))
        #expect(old.notes == ["60 min before the answer"])
        #expect(try inAString(Recording(broken + ".near-miss")).finding(rule) == nil)
    }

    @Test func theClaimIsRequired() throws {
        let recording = try Recording(broken).editingIDToken { $0["auth_time"] = nil }
        #expect(recording.finding(rule)?.evidence[1].value == "missing")
        #expect(recording.asking("max_age", nil).finding(rule) == nil)
    }

    @Test func saysNothingWhereNothingWasAsked() throws {
        #expect(try Recording(broken).asking("max_age", nil).finding(rule) == nil)
    }

    @Test func aLoginAskedForAnewHasToBeNew() throws {
        let recording = try Recording(broken).asking("max_age", nil).asking("prompt", "login")
        #expect(
            recording.finding(rule)?.places == [
                "1 request.query prompt", "4 jwt.claims auth_time", "1 response.header Date",
            ]
        )
        #expect(recording.answering("/authorize", header: "Date", nil).finding(rule) == nil)
    }

    @Test func leavesAFreshSignInAloneHoweverLongConsentTakes() throws {
        var recording = try Recording(broken).asking("max_age", "0").asking("prompt", "login")
        let asked = try #require(
            recording.exchanges[1].response?.headers.first("date").flatMap { Timestamp(httpDate: $0) }
        )
        for index in recording.exchanges.indices.dropFirst(2) {
            recording.exchanges[index].startedAt = recording.exchanges[index].startedAt + .seconds(600)
            recording.exchanges[index].response?.headers.remove("Date")
        }
        recording = recording.editingIDToken { $0["auth_time"] = .number(JSONNumber(asked.seconds + 10)) }
        #expect(recording.finding(rule) == nil)
    }

    @Test func isAWarningWhereTheClientWentOn() throws {
        #expect(try Recording(broken).goingOn.finding(rule)?.severity == .warning)
    }

    @Test func readsWhatTheClientRegistered() throws {
        let recording = try Recording("id-token/id-token-alg-unexpected.near-miss").editingAnswer(
            of: "/register"
        ) {
            $0["require_auth_time"] = true
        }
        #expect(recording.finding(rule)?.places.first == "0 response.body require_auth_time")
    }

    @Test func abstainsOnAnEncryptedToken() throws {
        let recording = try Recording(broken).withEncryptedIDToken
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }
}
