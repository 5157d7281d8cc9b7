import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct PARClientMismatchTests {
    private let rule = "par-client-mismatch"
    private let broken = "authorization-request/par-client-mismatch"

    @Test func namesBothClients() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == [
                "0 request.body client_id", "2 request.query client_id", "2 response.body ",
            ]
        )
        #expect(finding.evidence.map(\.value).prefix(2) == ["shop-backend", "shop-web"])
    }

    /// Whatever the provider makes of the client that it gets.
    @Test func goesBeforeAClientThatIsNotKnown() throws {
        let recording = try Recording(broken).saying("Client not found.")
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.finding("client-id-unknown")?.effectOf == rule)
    }

    @Test func readsTheClientFromBasicCredentials() throws {
        let recording = try Recording(broken + ".near-miss")
        #expect(recording.finding(rule) == nil)
        #expect(recording.flows.flatMap(\.authorizationRequests).first?.pushed == 0)
        #expect(
            recording.asking("client_id", "shop-app").finding(rule)?.places.first
                == "0 request.header Authorization"
        )
    }

    @Test func readsTheClientFromAnAssertion() throws {
        let assertion =
            encoded("{\"alg\":\"none\"}") + "."
            + encoded("{\"iss\":\"shop-backend\",\"sub\":\"shop-backend\"}") + "."
        let recording = try Recording(broken).sending("client_id", nil, to: "/par").sending(
            "client_assertion",
            assertion,
            to: "/par"
        )
        #expect(recording.finding(rule)?.places.first == "0 request.body client_assertion")
        #expect(recording.finding("client-assertion-subject") == nil)
        // Its own form says otherwise: then it is the assertion that is wrong.
        let other = recording.sending("client_id", "shop-web", to: "/par")
        #expect(other.finding(rule) == nil)
        #expect(other.finding("client-assertion-subject") != nil)
    }

    @Test(arguments: [nil, ""]) func leavesAClientThatIsMissingToAnotherRule(client: String?) throws {
        let recording = try Recording(broken).asking("client_id", client)
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("authz-missing-parameter")?.variant == "client_id")
    }

    @Test(arguments: [nil, ""]) func abstainsWhereThePushNamesNobody(client: String?) throws {
        let recording = try Recording(broken).sending("client_id", client, to: "/par")
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test func onlyWarnsWhereTheProviderTookIt() throws {
        #expect(try Recording(broken).saying("Sign in", status: 200).finding(rule)?.severity == .warning)
    }
}
