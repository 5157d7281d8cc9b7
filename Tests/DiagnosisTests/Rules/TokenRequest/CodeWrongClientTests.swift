import Captures
import Diagnosis
import DiagnosisTestSupport
import JSON
import Testing

struct CodeWrongClientTests {
    private let rule = "code-wrong-client"
    private let broken = "token-request/code-wrong-client"

    @Test(arguments: [
        ("shop-web ", "white space around it"), ("Shop-Web", "differs in upper and lower case only"),
        ("shop-web\u{200b}", "has U+200B"),
    ])
    func saysThatItIsASpelling(client: String, note: String) throws {
        let recording = try Recording(broken).asking("client_id", "shop-web").sending("client_id", client)
        let finding = try #require(recording.finding(rule))
        #expect(finding.title == "The token request spells the client_id in another way than the login did")
        #expect(finding.evidence[1].note?.contains(note) == true, "\(finding.evidence[1].note ?? "")")
        #expect(try #require(Recording(broken).finding(rule)).title.contains("by another client"))
    }

    @Test func namesBothClients() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "1 request.query client_id", "4 request.body client_id", "4 response.body error",
            ]
        )
        #expect(finding.evidence.map(\.value).prefix(2) == ["shop-web", "shop-web-staging"])
    }

    @Test func leavesAnotherSpellingOfTheIDAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func leavesAnAcceptedExchangeAlone() throws {
        let recording = try Recording(broken).granted()
        #expect(recording.finding(rule) == nil)
    }

    @Test func readsTheUserOfBasicCredentials() throws {
        let recording = try Recording("token-request/token-invalid-client").asking("client_id", "shop-app")
        let finding = recording.finding(rule)
        #expect(finding?.places[1] == "4 request.header Authorization")
        #expect(try Recording("token-request/token-invalid-client").finding(rule) == nil)
    }

    /// Where the login's own client had its tokens before, two parties exchange one code, unless the provider refuses the client itself.
    @Test(arguments: [(400, "invalid_grant", false), (401, "invalid_client", true)])
    func leavesASpentCodeToItsRule(status: Int, error: String, isOne: Bool) throws {
        let recording = try Recording("token-request/code-reused").sending("client_id", "shop-admin")
            .answering("/token", status, ["error": .string(error)])
        #expect((recording.finding(rule) != nil) == isOne)
        #expect((recording.finding("code-reused") == nil) == isOne)
    }

    @Test(arguments: [nil, ""]) func saysNothingWithoutAClient(client: String?) throws {
        let recording = try Recording(broken).sending("client_secret", nil)
        #expect(recording.sending("client_id", client).finding(rule) == nil)
        #expect(recording.asking("client_id", client).finding(rule) == nil)
    }

    /// Many put the id into the header as it is, and it is the same client's.
    @Test(arguments: [("shop+web", false), ("shop+app", true)])
    func idThatIsNotEncodedIsNoOther(sent: String, fires: Bool) throws {
        let credentials = Base64.encode("\(sent):not-a-secret".utf8)
        let recording = try Recording(broken).asking("client_id", "shop+web").sending("client_id", nil)
            .sending("client_secret", nil)
            .sendingHeader("Authorization", "Basic \(credentials)", to: "/token")
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test(arguments: [429, 503]) func saysNothingOfLoad(status: Int) throws {
        #expect(try Recording(broken).answering("/token", status).finding(rule) == nil)
    }

    /// What the endpoint broke down over may be the client that it did not reckon with; one that has its tokens in the end was none.
    @Test(arguments: [false, true]) func namesTheClientThatTheEndpointBrokeDownOver(isTaken: Bool) throws {
        var recording = try Recording(broken).answering("/token", 500)
        if isTaken {
            let taken = try Recording(broken).granted()
            var later = try #require(taken.exchanges.last { $0.request.url.path == "/token" })
            later.startedAt = later.endedAt + .milliseconds(500)
            recording.exchanges.append(later)
        }
        #expect((recording.finding(rule) != nil) == !isTaken)
        #expect(isTaken || recording.finding(rule)?.severity == .error)
    }

    @Test func leavesAnAssertionThatContradictsTheBodyToItsOwnRule() throws {
        let header = encoded("{\"alg\":\"ES256\"}")
        let claims = encoded("{\"iss\":\"shop-admin\",\"sub\":\"shop-admin\"}")
        let recording = try Recording(broken).sending("client_secret", nil).sending("client_id", "shop-web")
            .sending("client_assertion", "\(header).\(claims).c2ln")
        #expect(recording.finding(rule) == nil)
    }

    @Test func readsTheSubjectOfAnAssertion() throws {
        let header = encoded("{\"alg\":\"ES256\"}")
        let claims = encoded("{\"iss\":\"shop-admin\",\"sub\":\"shop-admin\"}")
        let recording = try Recording(broken).sending("client_secret", nil).sending("client_id", nil)
            .sending("client_assertion", "\(header).\(claims).c2ln")
        #expect(recording.finding(rule)?.evidence[1].value == "shop-admin")
    }

    @Test func abstainsWhereTheTokenRequestWasNotSaved() throws {
        let recording = try Recording(broken).withMetadata().withoutBodies(of: "/token")
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    /// A public client that brings another one's code may not have it, and is not asked for a secret.
    @Test func goesBeforeASecretThatIsNotThere() throws {
        let recording = try Recording(broken).sending("client_secret", nil)
            .answering("/token", 400, ["error": "unauthorized_client"])
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.finding("client-auth-missing")?.effectOf == rule)
    }
}
