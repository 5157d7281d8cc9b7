import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import Testing

/// Claims that are right by all that the capture has, and that the provider refuses: the refusal's own finding tells it, and no rule.
struct StatedAssertionRefusalTests {
    private let audience = "client-assertion-audience"
    private let time = "client-assertion-time"
    private let symptom = "token-invalid-client"
    private let audienceTitle = "The provider says that the client assertion is not addressed to it"
    private let timeTitle = "The provider refused the client assertion for its time"

    /// The answer in these words to an assertion with this audience.
    private func refused(
        _ words: String,
        _ error: String = "invalid_client",
        audience: String = "https://id.harbour.example/token"
    ) throws -> Recording {
        try Recording("token-request/client-assertion-audience").asserting { $0["aud"] = .string(audience) }
            .answering(
                "/token",
                error == "invalid_client" ? 401 : 400,
                ["error": .string(error), "error_description": .string(words)]
            )
    }

    /// One of the two that providers take, at a provider that takes the other alone.
    @Test(arguments: [
        ("Client assertion audience claim does not match Realm issuer", true),
        ("The audience claim for client_assertion must be the endpoint invoked for the request.", true),
        ("The client_assertion token is expired.", false), ("Invalid client", false),
    ]) func listedAudienceIsToldWithTheRefusal(words: String, isOfTheAudience: Bool) throws {
        let recording = try refused(words)
        #expect(recording.finding(audience) == nil)
        let finding = try #require(recording.finding(symptom))
        #expect(finding.isPrimary)
        #expect((finding.title == audienceTitle) == isOfTheAudience)
        guard isOfTheAudience else { return }
        #expect(
            finding.evidence.contains {
                $0.place.name == "aud" && $0.value == "https://id.harbour.example/token" && $0.note == nil
            }
        )
        #expect(finding.explanation.contains("one of them alone"))
    }

    /// The words are held against the assertion that they are said of, not against the one before, whose audience is wrong.
    @Test func secondTryIsToldByItself() throws {
        let words = "Client assertion audience claim does not match Realm issuer"
        var recording = try refused(words, audience: "https://staging.id.harbour.example")
        #expect(recording.finding(symptom)?.title != audienceTitle)
        let second = try refused(words).asserting { $0["jti"] = "another-one" }
        var again = try #require(second.exchanges.last { $0.request.url.path == "/token" })
        again.startedAt = again.startedAt + .milliseconds(100)
        recording.exchanges.append(again)
        #expect(recording.finding(audience)?.places.first == "5 jwt.claims aud")
        #expect(recording.finding(symptom)?.title == audienceTitle)
        #expect(recording.finding(symptom)?.places.contains("6 jwt.claims aud") == true)
    }

    /// Canvas has a general name for it.
    @Test(arguments: [
        ("the 'aud' is invalid", true), ("the 'code' is invalid", false),
        ("the 'aud' of the request object is invalid", false),
    ])
    func audienceUnderAGeneralNameIsToldWithTheRefusal(words: String, isTold: Bool) throws {
        let recording = try refused(words, "invalid_request")
        #expect(recording.finding(audience) == nil)
        let finding = try #require(recording.finding("token-endpoint-error"))
        #expect((finding.title == audienceTitle) == isTold)
    }

    /// A grant that is a token has an aud of its own.
    @Test(arguments: ["assertion", "subject_token"])
    func leavesTheAudienceOfAGrantAlone(name: String) throws {
        let recording = try refused("the 'aud' is invalid", "invalid_request").sending(name, "not-a-token")
        #expect(recording.finding(audience) == nil)
        #expect(recording.finding("token-endpoint-error")?.title != audienceTitle)
    }

    @Test func audienceOnTheProvidersHostIsNotJudgedWithoutMetadata() throws {
        let recording = try refused(
            "Invalid token audience",
            audience: "https://id.harbour.example/realms/shop"
        )
        .without { $0.request.url.path == "/.well-known/openid-configuration" }
        #expect(recording.finding(audience) == nil)
        #expect(recording.abstention(audience) != nil)
        #expect(recording.finding(symptom)?.title == audienceTitle)
    }

    /// Where the audience is wrong by the capture, the rule says so, and nothing else is said of it.
    @Test func audienceThatIsWrongIsTheRules() throws {
        let recording = try refused("Invalid audience", audience: "https://staging.id.harbour.example")
        #expect(recording.finding(audience)?.isPrimary == true)
        #expect(recording.finding(symptom)?.title != audienceTitle)
    }

    // MARK: - Times

    /// The answer in these words to an assertion that holds for two minutes from now on.
    private func timely(_ words: String, _ error: String = "invalid_client", _ status: Int = 401) throws
        -> Recording
    {
        let recording = try Recording("token-request/client-assertion-time")
        let date = recording.exchanges.last { $0.request.url.path == "/token" }?.response?.headers.first(
            "date"
        )
        let now = try #require(date.flatMap { Timestamp(httpDate: $0) }).seconds
        return recording.asserting { claims in
            claims["iat"] = .number(JSONNumber(now))
            claims["exp"] = .number(JSONNumber(now + 120))
        }
        .answering("/token", status, ["error": .string(error), "error_description": .string(words)])
    }

    /// With the provider's clock and without.
    @Test(arguments: [
        ("Client assertion is not within its valid time range", true), ("Token is not active", true),
        ("The client_assertion token is expired.", true),
        ("Client assertion contains an invalid signature", false),
    ]) func timesThatAreRightAreToldWithTheRefusal(words: String, isOfTheTime: Bool) throws {
        let recording = try timely(words)
        for one in [recording, recording.answering("/token", header: "Date", nil)] {
            #expect(one.finding(time) == nil)
            let finding = try #require(one.finding(symptom))
            #expect(finding.isPrimary)
            #expect((finding.title == timeTitle) == isOfTheTime)
            #expect(finding.places.contains { $0.hasSuffix("jwt.claims exp") } == isOfTheTime)
        }
    }

    /// Other things expire as well.
    @Test(arguments: [
        ("invalid_request", "The authorization session has expired", false),
        ("invalid_request_object", "The request object has expired", false),
        ("invalid_request", "The JWT assertion has expired", true),
        ("invalid_client", "Token is expired", true),
        ("invalid_client", "JWT is has expired or is not valid", false),
    ])
    func takesWordsForItThatAreOfIt(error: String, words: String, isTold: Bool) throws {
        let recording = try timely(words, error, 400)
        #expect(recording.finding(time) == nil)
        let finding = recording.finding(symptom) ?? recording.finding("token-endpoint-error")
        #expect((finding?.title == timeTitle) == isTold)
    }

    // MARK: - What is missing

    @Test func missingIdentifierIsToldWhereNothingElseIsWrong() throws {
        let title = "The client assertion has no jti"
        let refused = try Recording("token-request/client-assertion-audience.near-miss")
        #expect(refused.finding(symptom)?.title != title)
        let recording = refused.asserting { $0["jti"] = nil }
        let finding = try #require(recording.finding(symptom))
        #expect(finding.isPrimary && finding.title == title)
        #expect(finding.places.last?.hasSuffix("jwt.claims jti") == true)
        #expect(recording.finding("client-assertion-subject") == nil)
        // It names the client by itself (RFC 7521, section 4.2), in a server's half.
        let half = recording.withoutAuthorization.sending("client_id", nil)
        #expect(half.finding(symptom)?.title == title)
        // Another client than the login's is the likelier fault, and so is the address.
        let other = recording.sending("client_id", nil).asserting { claims in
            claims["iss"] = .string("shop-admin")
            claims["sub"] = .string("shop-admin")
        }
        #expect(other.finding("code-wrong-client")?.isPrimary == true)
        #expect(other.finding(symptom)?.title != title)
        let wrong = try Recording("token-request/client-assertion-audience").asserting { $0["jti"] = nil }
        #expect(wrong.finding(symptom)?.title != title)
        #expect(recording.granted().finding(symptom) == nil)
    }
}
