import Captures
import Diagnosis
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct RefreshWrongClientTests {
    private let rule = "refresh-wrong-client"
    private let broken = "refresh/refresh-wrong-client"

    @Test func namesBothClients() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "4 request.body client_id", "6 request.body client_id", "6 response.body error",
            ]
        )
        #expect(finding.evidence.prefix(2).map(\.value) == ["shop-web", "shop-jobs"])
    }

    @Test func leavesClientsOfOneFamilyAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func leavesTheSameClientAlone() throws {
        #expect(try Recording(broken).sending("client_id", "shop-web").finding(rule) == nil)
    }

    @Test func leavesARefusalForLoadAlone() throws {
        #expect(try Recording(broken).answering("/token", 503).finding(rule) == nil)
    }

    @Test func abstainsWithoutTheLogin() throws {
        let recording = Recording(Array(try Recording(broken).exchanges.suffix(1)))
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }
}
