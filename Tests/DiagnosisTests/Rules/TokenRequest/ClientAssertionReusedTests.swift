import Captures
import Diagnosis
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct ClientAssertionReusedTests {
    private let rule = "client-assertion-reused"
    private let broken = "token-request/client-assertion-reused"

    @Test func namesBothRequests() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places == ["0 jwt.claims jti", "4 jwt.claims jti", "4 response.body error"])
        #expect(finding.notes == ["sent first", "sent again"])
    }

    @Test func leavesTwoAssertionsAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func saysNothingWhereTheProviderTookIt() throws {
        #expect(try Recording(broken).granted().finding(rule) == nil)
    }

    @Test(arguments: [503, 429]) func leavesARetryUnderLoadAlone(status: Int) throws {
        #expect(try Recording(broken).answering("/token", status).finding(rule) == nil)
    }

    @Test func saysNothingOfARefusedCode() throws {
        #expect(
            try Recording(broken).answering("/token", 400, ["error": "invalid_grant"]).finding(rule) == nil
        )
    }

    @Test func knowsAnAssertionWithoutAnIdentifierByItsText() throws {
        let recording = try Recording(broken).asserting { $0["jti"] = nil }
        #expect(recording.finding(rule) == nil)
        let both = recording.asserting(to: "/par") { $0["jti"] = nil }
        #expect(both.finding(rule)?.places.first == "0 jwt.claims ")
    }

    @Test func leavesTheSameIdentifierOfAnotherClientAlone() throws {
        let recording = try Recording(broken).asserting(to: "/par") { $0["iss"] = "shop-admin" }
        #expect(recording.finding(rule) == nil)
    }
}
