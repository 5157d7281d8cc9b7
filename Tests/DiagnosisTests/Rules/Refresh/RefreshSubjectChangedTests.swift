import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct RefreshSubjectChangedTests {
    private let rule = "refresh-subject-changed"
    private let broken = "refresh/refresh-subject-changed"

    /// The ID token of the refresh, with other claims.
    private func refreshed(_ claims: String) throws -> Recording {
        try Recording(broken).editingAnswer(of: "/token") {
            $0["id_token"] = .string("\(encoded("{\"alg\":\"RS256\"}")).\(encoded(claims)).c2lnbmF0dXJl")
        }
    }

    @Test func namesBothSubjects() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["4 jwt.claims sub", "6 jwt.claims sub"])
        #expect(finding.evidence.map(\.value) == ["alice", "bob"])
        #expect(recording.outcomes == [.failure])
    }

    @Test func leavesTheSameSubjectAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func comparesIssuerAndAudienceToo() throws {
        let other = try refreshed(#"{"iss":"https://id.other.example","sub":"alice","aud":"shop-web"}"#)
        #expect(other.finding(rule)?.places.first == "4 jwt.claims iss")
        let audience = try refreshed(#"{"iss":"https://id.harbour.example","sub":"alice","aud":"shop-app"}"#)
        #expect(audience.finding(rule)?.places.first == "4 jwt.claims aud")
        // One that is missing is not another's.
        let missing = try refreshed(#"{"iss":"https://id.harbour.example","sub":"alice"}"#)
        #expect(missing.finding(rule) == nil)
        #expect(missing.finding("id-token-claims-missing") != nil)
    }

    /// Two refreshes of one instant, with a token that stays: neither descends from one that stands behind it.
    @Test func comparesWithTheLoginWhereTwoRefreshesBeganAtOnce() throws {
        var recording = try Recording(broken)
        let token = try #require(recording.flows.first?.tokenRequests.first?.issuedRefreshToken)
        recording = recording.editingAnswer(of: "/token") { $0["refresh_token"] = .string(token) }
        recording.exchanges.append(recording.exchanges[6])
        #expect(recording.finding(rule)?.places == ["4 jwt.claims sub", "6 jwt.claims sub"])
    }

    @Test func leavesARefreshWithoutIDTokenAlone() throws {
        let recording = try Recording(broken).editingAnswer(of: "/token") { $0["id_token"] = nil }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) == nil)
    }

    @Test func abstainsWithoutTheLogin() throws {
        let recording = Recording(Array(try Recording(broken).exchanges.suffix(1)))
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }
}
