import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct APIAudienceNotRequestedTests {
    private let rule = "api-audience-not-requested"
    private let broken = "resource-calls/api-audience-not-requested"

    @Test func namesTheRequestTheTokenAndTheAnswer() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "1 request.query audience", "6 request.header Authorization", "6 request.url ",
                "6 response.body ",
            ]
        )
        #expect(finding.notes.contains("opaque"))
    }

    @Test(arguments: ["audience", "resource"]) func leavesALoginAloneThatAsked(name: String) throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
        #expect(try Recording(broken).asking(name, "https://api.orders.example").finding(rule) == nil)
        #expect(try Recording(broken).sending(name, "https://api.orders.example").finding(rule) == nil)
    }

    @Test func elsewhereThanAtAuth0TheAnswerHasToSaySo() throws {
        let recording = try Recording(broken).answering("/orders", 401, ["message": "Unauthorized"])
        #expect(recording.finding(rule) == nil)
        let atAuth0 = recording.editing { exchange in
            exchange.request.url = RecordedURL(
                exchange.request.url.text.replacing("id.harbour.example", with: "harbour.eu.auth0.com")
            )
        }
        #expect(atAuth0.finding(rule) != nil)
        // What was good enough there before is refused for something else.
        var taken = atAuth0
        var again = try #require(taken.exchanges.last)
        taken.exchanges[taken.exchanges.count - 1].response = RecordedResponse(status: 200)
        again.startedAt = again.endedAt + .seconds(20)
        taken.exchanges.append(again)
        #expect(taken.finding(rule) == nil)
        #expect(taken.finding("bearer-rejected") != nil)
    }

    @Test(arguments: [
        "jwt malformed", "Invalid Compact JWS", "Not enough segments", "IDX14100: JWT is not well formed",
        "An error occurred while attempting to decode the Jwt: Malformed token",
        "Invalid JWT serialization: Missing dot delimiter(s)", "Not enough or too many segments",
        "JWT strings must contain exactly 2 period characters. Found: 0", "Wrong number of segments",
        "token is malformed: token contains an invalid number of segments",
        "oidc: malformed jwt: go-jose/go-jose: compact JWS format must have three parts",
        "Jwt is not in the form of Header.Payload.Signature with two dots and 3 sections",
        "IDX12741",
        "JWT must have 3 tokens",
    ])
    func knowsTheWords(words: String) throws {
        let recording = try Recording(broken).answering("/orders", 401, ["message": .string(words)])
        #expect(recording.finding(rule) != nil)
    }

    @Test func leavesJWTsTheProviderAndIntrospectionAlone() throws {
        let jwt = try Recording("resource-calls/audience-mismatch").answering(
            "/orders",
            401,
            ["m": "jwt malformed"]
        )
        #expect(jwt.finding(rule) == nil)
        let provider = try Recording(broken).editingLast("/orders") {
            $0.request.url = RecordedURL("https://id.harbour.example/api/orders")
        }
        #expect(provider.finding(rule) == nil)
        var asked = try Recording(broken)
        let token = try #require(asked.flows.first?.tokenRequests.first?.accessToken)
        var question = asked.exchanges[4]
        question.request.url = RecordedURL("https://id.harbour.example/introspect")
        question.request.body = Body(text: "token=\(token)", mediaType: FormBody.mediaType)
        question.response?.body = Body(text: #"{"active":false}"#, mediaType: "application/json")
        question.startedAt = asked.exchanges[6].startedAt
        asked.exchanges.append(question)
        #expect(asked.finding(rule) == nil)
    }

    @Test func abstainsWithoutTheRequest() throws {
        let recording = try Recording(broken).withoutAuthorization
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    /// Auth0's opaque token is no fault of its own where the API could read it.
    @Test(arguments: [("The token expired", false), ("insufficient_scope", false), ("Unauthorized", true)])
    func leavesAnotherReasonOfTheAPIAlone(words: String, fires: Bool) throws {
        let recording = try Recording(broken).answering("/orders", 401, ["message": .string(words)]).editing {
            $0.request.url = RecordedURL(
                $0.request.url.text.replacing("id.harbour.example", with: "harbour.eu.auth0.com")
            )
        }
        #expect((recording.finding(rule) != nil) == fires)
    }
}
