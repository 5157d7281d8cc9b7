import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct BasicCredentialsEncodingTests {
    private let rule = "basic-credentials-encoding"
    private let broken = "token-request/basic-credentials-encoding"

    /// The registered secret, and the text between "Basic " and its Base64.
    private func recording(registered: String?, credentials: String) throws -> Recording {
        var recording = try Recording(broken).editing { exchange in
            guard exchange.request.headers.contains("authorization") else { return }
            exchange.request.headers.replace(
                "Authorization",
                with: "Basic " + Base64.encode(credentials.utf8)
            )
        }
        if let registered {
            recording = recording.editingAnswer(of: "/register") { $0["client_secret"] = .string(registered) }
        } else {
            recording = recording.without { $0.request.url.path == "/register" }
        }
        return recording
    }

    private func client() throws -> String { try #require(Recording(broken).flows.first?.clientID) }

    @Test func namesTheSideAndTheCharacters() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.variant == "not-encoded")
        #expect(
            finding.places == [
                "5 request.header Authorization", "0 response.body client_secret", "5 response.body error",
            ]
        )
        #expect(finding.notes.first == "secret in the header, with 1 \"+\" and 1 \"%\"")
        #expect(recording.finding("client-secret-mismatch") == nil)
    }

    @Test func leavesCharactersAloneThatDecodingKeeps() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(
        arguments: [
            ("a+b", "a%2Bb", "not-decoded"), ("a+b", "a%252Bb", "encoded-twice"), ("a b", "a b", nil),
            ("ab", "ab", nil), ("a+b/c", "a+b%2Fc", "plus-as-space"), ("a+b", "entirely-different", nil),
            // A percent sign that begins no escape, on which some stumble; a space that became a plus, and that an escape.
            ("50%", "50%", "not-encoded"), ("a b", "a%2Bb", "encoded-twice"),
        ] as [(String, String, String?)]
    ) func comparesWithTheRegistration(
        registered: String,
        sent: String,
        variant: String?
    ) throws {
        let finding = try recording(registered: registered, credentials: "\(client()):\(sent)").finding(rule)
        #expect(finding?.variant == variant)
        #expect((finding == nil) == (variant == nil))
    }

    @Test(arguments: [("a+b%41cdefghijk", 13), ("ab%41cdefghijk", 12), ("a+bcdefghijk", 12)])
    func showsBothReadingsWithoutARegistration(secret: String, count: Int) throws {
        let finding = try recording(registered: nil, credentials: "\(client()):\(secret)").finding(rule)
        #expect(finding?.evidence.count == 3)
        #expect(finding?.notes[1] == "form-decoded: \(count) characters")
    }

    @Test func findsAColonInTheClientID() throws {
        let recording = try recording(registered: nil, credentials: "urn:shop:secret").asking(
            "client_id",
            "urn:shop"
        )
        #expect(recording.finding(rule)?.variant == "colon")
    }

    private let adfs = """
        MSIS9692: Received invalid OAuth request. The Basic Authorization header must have ClientID and ClientSecret UrlEncoded then \
        separated by ':'.
        """

    /// The id up to the colon is no other client's.
    @Test func aClientIDThatIsCutAtItsColonIsNoOtherClient() throws {
        let recording = try recording(registered: nil, credentials: "https://shop.example/app:secret")
            .asking("client_id", "https://shop.example/app")
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.variant == "colon")
        #expect(recording.finding("code-wrong-client") == nil)
    }

    /// AD FS has `invalid_request` for it, and not 401.
    @Test(
        arguments: [
            ("https://shop.example/app", "https://shop.example/app:secret", "colon"),
            ("shop", "shop:a+b%41", nil),
        ] as [(String, String, String?)]
    ) func readsTheWordsOfAProviderThatWantsThemEncoded(
        client: String,
        credentials: String,
        variant: String?
    ) throws {
        let asked = try recording(registered: nil, credentials: credentials).asking("client_id", client)
        let recording = asked.answering(
            "/token",
            400,
            ["error": "invalid_request", "error_description": .string(adfs)]
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.variant == variant)
        #expect(finding.explanation.hasPrefix("The provider takes the client id and the secret form-encoded"))
        #expect(recording.finding("code-wrong-client") == nil)
        let other = asked.answering("/token", 400, ["error": "invalid_request", "error_description": "x"])
        #expect(other.finding(rule) == nil)
    }

    /// What form-decoding leaves as it is reads alike either way, whatever the provider says: its words stand with the refusal.
    @Test(arguments: ["shop:a:b", "shop:a~b/c="]) func leavesValuesAloneThatDecodingKeeps(credentials: String)
        throws
    {
        let recording = try recording(registered: nil, credentials: credentials).asking("client_id", "shop")
            .answering("/token", 400, ["error": "invalid_request", "error_description": .string(adfs)])
        #expect(recording.finding(rule) == nil)
        let finding = try #require(recording.finding("token-endpoint-error"))
        #expect(finding.isPrimary)
        #expect(finding.title == "The provider wants the Basic credentials form-encoded")
        #expect(finding.notes.suffix(2) == ["client id in the header", "secret in the header"])
    }

    /// The media type is called what the encoding is.
    @Test(arguments: [
        ("shop:a:b", "HTTP Basic needs Content-Type application/x-www-form-urlencoded"),
        ("shop:s3cret", "HTTP Basic credentials have to be urlencoded"),
        ("shop-web:s3_cr.e*t", "HTTP Basic credentials have to be urlencoded"),
    ])
    func saysNothingOfOtherWordsThatSoundAlike(credentials: String, words: String) throws {
        let recording = try recording(registered: nil, credentials: credentials).asking("client_id", "shop")
            .answering("/token", 400, ["error": "invalid_request", "error_description": .string(words)])
        #expect(recording.finding(rule) == nil)
        let told = recording.finding("token-endpoint-error")?.title
        #expect(told != nil && told != "The provider wants the Basic credentials form-encoded")
    }

    @Test func saysNothingWhereTheProviderTookIt() throws {
        #expect(try Recording(broken).granted().finding(rule) == nil)
    }

    /// The last request to the token endpoint once more, some time later.
    private func again(_ recording: Recording, after seconds: Int64, _ edit: (inout Exchange) -> Void) throws
        -> Recording
    {
        var exchange = try #require(recording.exchanges.last { $0.request.url.path == "/token" })
        exchange.startedAt = exchange.startedAt + .seconds(seconds)
        edit(&exchange)
        return Recording(recording.exchanges + [exchange])
    }

    /// What was made up for at once hides no refresh that was refused for good.
    @Test func refusalForGoodComesBeforeOneThatWasMadeUpFor() throws {
        let refused = try Recording(broken)
        let header = try #require(refused.exchanges.last?.request.headers.first("authorization"))
        let encoded = try "\(client()):a%2Bb%252Bc4BFoYuUHiWYKS4L_b02T8_nK"
        let granted = try again(refused, after: 1) { exchange in
            exchange.request.headers.replace(
                "Authorization",
                with: "Basic " + Base64.encode(encoded.utf8)
            )
            exchange.response = RecordedResponse(
                status: 200,
                body: .json(
                    #"{"access_token":"not-a-token","token_type":"Bearer","refresh_token":"refresh-0123456789"}"#
                )
            )
        }
        #expect(granted.finding(rule)?.severity == .note)
        let refresh = try again(granted, after: 600) { exchange in
            exchange.request.headers.replace("Authorization", with: header)
            exchange.request.body = Body(
                text: "grant_type=refresh_token&refresh_token=refresh-0123456789",
                mediaType: FormBody.mediaType
            )
            exchange.response = refused.exchanges.last?.response
        }
        let finding = try #require(refresh.finding(rule))
        #expect(finding.isPrimary && finding.severity == .error)
        #expect(finding.places.first == "7 request.header Authorization")
    }

    /// Each call is read by itself: another secret is no misread one.
    @Test func readsEachOfSeveralCalls() throws {
        let header = try #require(
            try Recording(broken).exchanges.last?.request.headers.first("authorization")
        )
        let wrong = try recording(
            registered: "a+b%2Bc4BFoYuUHiWYKS4L_b02T8_nK",
            credentials: "\(client()):wrong"
        )
        let both = try again(wrong, after: 1) {
            $0.request.headers.replace("Authorization", with: header)
        }
        #expect(both.finding("client-secret-mismatch")?.places.first == "5 request.header Authorization")
        #expect(both.finding(rule)?.places.first == "6 request.header Authorization")
        let twice = try again(Recording(broken), after: 1) { _ in }
        #expect(
            twice.finding(rule)?.places == [
                "5 request.header Authorization", "0 response.body client_secret", "5 response.body error",
                "6 request.header Authorization", "6 response.body error",
            ]
        )
    }

    @Test func saysNothingOfASecretInTheBody() throws {
        let recording = try Recording("token-request/client-auth-missing").sending("client_secret", "a+b%41")
        #expect(recording.finding(rule) == nil)
    }
}
