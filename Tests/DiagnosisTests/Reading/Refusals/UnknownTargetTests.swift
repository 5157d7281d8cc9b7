import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

/// Names for the service that a token is to be for, of which the provider alone says that they are wrong.
struct UnknownTargetTests {
    private let rule = "resource-indicator-mismatch"

    /// An app of SMART names the FHIR server by `aud`.
    @Test(arguments: [
        ("An invalid audience was specified on the authorize request.", true), ("Invalid aud: unknown", true),
        ("The launch context is unknown", false),
    ])
    func tellsAFHIRServerThatIsNotKnown(words: String, isOne: Bool) throws {
        let login = try Recording("authorization-response/authorization-error")
            .redirecting(with: [("error", "invalid_request"), ("error_description", words)])
        let asking = login.asking("aud", "https://fhir.example/r4")
        let finding = try #require(asking.finding("authorization-error"))
        #expect(finding.isPrimary)
        #expect((finding.title == "The provider knows no FHIR server of this address") == isOne)
        #expect((finding.places.last == "1 request.query aud") == isOne)
        #expect(asking.finding(rule) == nil)
        #expect(login.finding("authorization-error")?.title != finding.title || !isOne)
    }

    /// A user who may not have tokens for it says nothing of its address.
    @Test func refusalOfTheUserIsNoneOfTheServer() throws {
        let recording = try Recording("authorization-response/authorization-error")
            .redirecting(with: [("error", "access_denied"), ("error_description", "user not in audience")])
            .asking("aud", "https://fhir.example/r4")
        #expect(recording.findings.allSatisfy { !$0.title.contains("FHIR server") })
    }

    /// The same of a request that the app's server pushes.
    @Test(arguments: [("Invalid audience", true), ("The launch context is unknown", false)])
    func tellsOfOneThatWasPushed(words: String, isOne: Bool) throws {
        let recording = try Recording("authorization-request/par-rejected")
            .sending("aud", "https://fhir.example/r4", to: "/par")
            .answering("/par", 400, ["error": "invalid_request", "error_description": .string(words)])
        let finding = try #require(recording.finding("par-rejected"))
        #expect(finding.isPrimary)
        #expect((finding.title == "The provider knows no FHIR server of this address") == isOne)
        #expect((finding.evidence.last?.value == "https://fhir.example/r4") == isOne)
    }

    /// Auth0 calls the resource an audience, and names the one that it does not know.
    @Test(arguments: [
        ("https://api.harbour.example/UserInfo", true), ("https://api.harbour.example/other", false),
        (nil, false),
    ])
    func knowsAnAudienceThatNoAPIHas(audience: String?, isOne: Bool) throws {
        let recording = try Recording("authorization-request/scope-rejected").asking("audience", audience)
            .redirecting(with: [
                ("error", "access_denied"),
                ("error_description", "Service not found: https://api.harbour.example/UserInfo"),
            ])
        let finding = try #require(recording.finding("authorization-error"))
        #expect(finding.isPrimary)
        #expect((finding.title == "The provider knows no API of this audience") == isOne)
        #expect((finding.places.last == "2 request.query audience") == isOne)
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.failure])
    }

    /// Google's word for the client that an app names as its server's.
    @Test(arguments: [("invalid_audience", true), ("invalid_request", false)])
    func knowsAnAudienceOfAServer(error: String, isOne: Bool) throws {
        let recording = try Recording("healthy/native-app").sending("audience", "shop-server")
            .answering("/token", 400, ["error": .string(error)]).without { $0.request.url.path != "/token" }
            .editing { $0.request.url = RecordedURL("https://oauth2.googleapis.com/token") }
        let finding = try #require(recording.finding("token-endpoint-error"))
        #expect((finding.title == "The provider knows no server of this app by the audience") == isOne)
        #expect((finding.evidence.last?.value == "shop-server") == isOne)
        #expect(recording.finding(rule) == nil)
    }
}
