import Captures
import Diagnosis
import Flows
import JSON
import OAuth
import Testing

struct AccessTokenExpiredTests {
    private let rule = "access-token-expired"
    private let broken = "resource-calls/access-token-expired"

    @Test func namesLifetimeAgeAndAnswer() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "4 response.body expires_in", "- timing age", "6 request.url ",
                "6 response.header WWW-Authenticate",
            ]
        )
        #expect(finding.evidence[0].value == "600")
        #expect(finding.evidence[1].value.hasPrefix("16 min"))
    }

    @Test func leavesATokenAloneThatIsRefreshed() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    @Test func leavesEarlierCallsAlone() throws {
        let recording = try Recording(broken).editingAnswer(of: "/token") { $0["expires_in"] = 1200 }
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("bearer-rejected") != nil)
    }

    @Test func goesByTheRecorderWhereAServerStatesNoTime() throws {
        let recording = try Recording(broken).answering("/orders", header: "Date", nil)
        #expect(recording.finding(rule) != nil)
        #expect(recording.editingAnswer(of: "/token") { $0["expires_in"] = 1200 }.finding(rule) == nil)
    }

    @Test func readsAStringToo() throws {
        #expect(
            try Recording(broken).editingAnswer(of: "/token") { $0["expires_in"] = "600" }.finding(rule)
                != nil
        )
    }

    @Test func leavesOtherTokensAndReasonsAlone() throws {
        let other = try Recording(broken).editingLast("/orders") { exchange in
            exchange.request.headers.fields.removeAll { $0.name == "Authorization" }
            exchange.request.headers.append("Authorization", "Bearer of-nobody")
        }
        #expect(other.finding(rule) == nil)
        #expect(
            try Recording(broken).editingLast("/orders") { $0.response?.status = 403 }.finding(rule) == nil
        )
        let scope = try Recording(broken).answering(
            "/orders",
            header: "WWW-Authenticate",
            "Bearer error=insufficient_scope"
        )
        #expect(scope.finding(rule) == nil)
    }

    @Test func abstainsWhereTheLifetimeIsNotKnown() throws {
        let recording = try Recording(broken).editingAnswer(of: "/token") { $0["expires_in"] = nil }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }
}
