import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct TokenEndpointErrorTests {
    private let rule = "token-endpoint-error"
    private let broken = "token-request/token-endpoint-error"

    @Test func restatesTheAnswer() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places == ["0 response.body error"])
        #expect(finding.evidence[0].value == "tenant_suspended: The tenant is suspended")
    }

    @Test func whatTheAnswerRepeatsOfTheRequestIsCut() throws {
        let secret = "not-a-secret-of-anyone"
        let recording = try Recording("healthy/web-code-flow").editingLast("/token") { exchange in
            let words = "The secret \(secret) of this client was not taken"
            exchange.response = RecordedResponse(
                status: 400,
                body: Body(text: words, mediaType: "text/plain")
            )
        }
        let finding = try #require(recording.finding("token-endpoint-error"))
        let values = finding.evidence.map(\.value)
        #expect(values.contains { $0.contains("of this client was not taken") }, "\(values)")
        #expect(!values.contains { $0.contains(secret) }, "\(values)")
    }

    @Test func leavesADeviceThatWaitsAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    /// Of a poll that was saved without its answer's body the status says that the user has not decided yet, mostly.
    @Test(arguments: [(400, false), (428, false), (403, true)])
    func leavesAPollAloneThatMayBePending(status: Int, fires: Bool) throws {
        let recording = try Recording("logout-and-device/device-code-expired").editing { exchange in
            guard exchange.request.url.path == "/token" else { return }
            exchange.response = RecordedResponse(status: status, body: Body(content: .missing))
        }
        #expect((recording.finding(rule) != nil) == fires)
        #expect(recording.outcomes == [fires ? .failure : .incomplete])
        // Nor does anybody know that it is so.
        let title = recording.finding("login-abandoned")?.title
        #expect(title == (fires ? nil : "The device got no tokens while it was recorded"))
    }

    @Test(
        arguments: [
            (400, "invalid_grant", false), (401, "invalid_client", false), (401, nil, false),
            (400, "slow_down", false),
            (400, "use_dpop_nonce", true), (500, nil, true), (200, "bad_verification_code", true),
            (404, nil, true),
            (400, "unauthorized_client", true), (401, "invalid_dpop_proof", true), (302, nil, false),
        ] as [(Int, String?, Bool)]
    ) func knowsWhichAnswersAreItsOwn(status: Int, error: String?, isOne: Bool) throws {
        let recording = try Recording(broken).answering(
            "/token",
            status,
            error.map { ["error": .string($0)] }
        )
        #expect((recording.finding(rule) != nil) == isOne)
    }

    /// Google, ForgeRock and Cognito have a name for it.
    @Test(arguments: [("redirect_uri_mismatch", true), ("unauthorized_client", false)])
    func tellsARedirectURIThatIsTakenForAnother(error: String, fires: Bool) throws {
        let recording = try Recording("healthy/web-code-flow").answering(
            "/token",
            400,
            ["error": .string(error), "error_description": "Bad Request"]
        )
        let title = recording.finding(rule)?.title
        #expect((title == "The provider takes the token request's redirect URI for another one") == fires)
    }

    @Test func tellsWhereItWasLedAway() throws {
        var recording = try Recording("healthy/web-code-flow")
        let index = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/token" })
        recording.exchanges[index].response = RecordedResponse(status: 301)
        recording.exchanges[index].response?.redirect(to: "https://id.harbour.example/token/")
        let finding = try #require(recording.finding(rule))
        #expect(finding.places == ["\(index) response.status ", "\(index) response.location "])
        #expect(finding.evidence[1].value == "https://id.harbour.example/token/")
        #expect(finding.severity == .error)
    }

    /// A token in another's place, and none.
    @Test func tellsARefreshTokenThatIsSentAsACode() throws {
        let recording = try Recording("healthy/web-code-flow").refreshing(to: "another-refresh-token-42")
        let index = try #require(recording.exchanges.lastIndex { $0.request.url.path == "/token" })
        var broken = recording
        broken.exchanges[index].request.body = Body(
            text: FormBody.encode([
                ("grant_type", "authorization_code"), ("client_id", "shop-web"),
                ("code", "a-refresh-token-8675309"),
            ]),
            mediaType: FormBody.mediaType
        )
        for (error, rule) in [("invalid_request", rule), ("invalid_grant", "token-invalid-grant")] {
            let finding = try #require(
                broken.answering("/token", 400, ["error": .string(error)]).finding(rule)
            )
            #expect(finding.title == "A refresh token is sent as a code")
            #expect(finding.places.contains("\(index) request.body code"))
            #expect(finding.fix.contains("grant_type=refresh_token"))
        }
    }

    /// Apple's and Google's libraries for apps hand out both, and have no codes that look like tokens.
    @Test(arguments: [
        ("https://appleid.apple.com", "https://appleid.apple.com/auth/token", true),
        ("https://accounts.google.com", "https://appleid.apple.com/auth/token", false),
        ("https://accounts.google.com", "https://oauth2.googleapis.com/token", true),
        ("https://id.harbour.example", "https://id.harbour.example/token", false),
    ])
    func tellsAnIDTokenThatIsSentAsACode(issuer: String, endpoint: String, isTold: Bool) throws {
        var exchange = try #require(
            Recording("provider-specific/apple-client-secret-invalid").exchanges.last {
                $0.request.url.path == "/token"
            }
        )
        exchange.request.url = RecordedURL(endpoint)
        let claims = #"{"iss":"\#(issuer)","sub":"001","aud":"example.shop.app"}"#
        let token = [#"{"alg":"RS256","kid":"k1"}"#, claims].map(encoded).joined(separator: ".") + ".AAAA"
        let path = exchange.request.url.path
        let finding = try #require(
            Recording([exchange]).sending("code", token, to: path)
                .answering(path, 400, ["error": "invalid_grant"]).finding("token-invalid-grant")
        )
        #expect((finding.title == "An ID token is sent as a code") == isTold)
        #expect(finding.fix.contains("serverAuthCode") == isTold)
    }

    /// One that the capture has is known at every provider.
    @Test func tellsADeliveredIDTokenThatIsSentAsACode() throws {
        let recording = try Recording("healthy/web-code-flow").refreshing(to: "another-refresh-token-42")
        let index = try #require(recording.exchanges.lastIndex { $0.request.url.path == "/token" })
        let token = try #require(recording.flows.first?.tokenRequests.first?.answer.parameters["id_token"])
        var broken = recording
        broken.exchanges[index].request.body = Body(
            text: FormBody.encode([
                ("grant_type", "authorization_code"), ("client_id", "shop-web"), ("code", token),
            ]),
            mediaType: FormBody.mediaType
        )
        let finding = try #require(
            broken.answering("/token", 400, ["error": "invalid_grant"]).finding("token-invalid-grant")
        )
        #expect(finding.title == "An ID token is sent as a code")
        #expect(finding.notes.first == "delivered as id_token")
    }

    /// As Keycloak, Entra and GitHub say it.
    @Test(arguments: [
        (400, "invalid_grant", "token-invalid-grant"),
        (400, "bad_verification_code", "token-endpoint-error"),
        (200, "incorrect_device_code", "token-error-with-200"),
    ])
    func tellsAUserCodeThatIsSentAsADeviceCode(status: Int, error: String, rule: String) throws {
        let polled = Recording(
            Array(try Recording("logout-and-device/device-code-expired").exchanges.prefix(2))
        )
        .answering("/token", status, ["error": .string(error)])
        let recording = polled.sending("device_code", "WDJB-MJHT")
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.title == "The user's code is sent as the device's")
        #expect(
            finding.places.prefix(2) == ["0 response.body user_code", "1 request.body device_code"]
        )
        #expect(finding.evidence.allSatisfy { !$0.value.contains("WDJB-MJHT") })
        #expect(recording.outcomes == [.failure])
        // Refused for another reason.
        #expect(polled.finding(rule)?.title != finding.title)
        #expect(polled.sending("device_code", "WDJB-MJHX").finding(rule)?.title != finding.title)
        // Asked with the right one behind it.
        var right = polled.exchanges[1]
        right.startedAt = recording.exchanges[1].endedAt + .seconds(6)
        right.response = RecordedResponse(
            status: 200,
            body: .json(#"{"access_token":"an-access-token-4711","token_type":"Bearer"}"#)
        )
        let mended = Recording(recording.exchanges + [right])
        #expect(mended.outcomes == [.success])
        #expect(mended.finding(rule)?.severity ?? .note == .note)
    }

    @Test(arguments: [("", true), ("undefined", true), ("a-refresh-token-8675309", false)])
    func tellsARefreshWithoutAToken(token: String, isMissing: Bool) throws {
        let recording = try Recording("healthy/web-code-flow").refreshing(to: "another-refresh-token-42")
            .sending("refresh_token", token.isEmpty ? nil : token)
            .answering("/token", 400, ["error": "invalid_request", "error_description": "No refresh token"])
        let finding = try #require(recording.finding(rule))
        #expect((finding.title == "The refresh has no refresh token") == isMissing)
        #expect(finding.fix.contains("keycloak-js") == isMissing)
    }

    /// The GET that a client makes of it is no login of its own, nor what is wrong.
    @Test func whatTheRedirectMadeOfTheRequestBelongsToIt() throws {
        var recording = try Recording("healthy/web-code-flow")
        let index = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/token" })
        recording.exchanges[index].response = RecordedResponse(status: 301)
        recording.exchanges[index].response?.redirect(to: "https://id.harbour.example/token/")
        var followed = recording.exchanges[index]
        followed.request.method = "GET"
        followed.request.url = RecordedURL("https://id.harbour.example/token/")
        followed.request.body = nil
        followed.response = RecordedResponse(status: 405)
        followed.startedAt = followed.startedAt + .milliseconds(1)
        recording.exchanges.insert(followed, at: index + 1)
        #expect(recording.flows.count == 1)
        #expect(recording.finding(rule)?.places.first == "\(index) response.status ")
        #expect(recording.finding(rule)?.fix.contains("a slash at the end") == true)
        #expect(recording.finding("token-request-format") == nil)
    }

    /// 307 and 308 keep the form.
    @Test func isNoneWhereItWasLedToTheTokens() throws {
        var recording = try Recording("healthy/web-code-flow")
        let index = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/token" })
        var first = recording.exchanges[index]
        first.response = RecordedResponse(status: 308)
        first.response?.redirect(to: "https://id.harbour.example/token/")
        recording.exchanges[index].request.url = RecordedURL("https://id.harbour.example/token/")
        recording.exchanges[index].startedAt = first.startedAt + .milliseconds(1)
        recording.exchanges.insert(first, at: index)
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.success])
    }

    @Test func isNeverPrimaryBesideACause() throws {
        let recording = try Recording("token-request/client-type-mismatch")
        #expect(recording.finding(rule)?.isPrimary == false)
        #expect(recording.finding(rule)?.effectOf == "client-type-mismatch")
    }

    @Test func isNoneWhereTheNonceWasBroughtBack() throws {
        #expect(try Recording("token-request/dpop-nonce-ignored.near-miss").finding(rule) == nil)
        #expect(try Recording("token-request/dpop-nonce-ignored").finding(rule) != nil)
    }

    /// What the second half of the request met with is all that went wrong.
    @Test func isNoneWhereTheNonceWasBroughtBackAndTheCodeWasRefused() throws {
        let recording = try Recording("token-request/dpop-nonce-ignored.near-miss").editingLast("/token") {
            $0.response?.status = 400
            $0.response?.body = Body(text: #"{"error":"invalid_grant"}"#, mediaType: "application/json")
        }
        #expect(recording.finding("token-invalid-grant")?.isPrimary == true)
        #expect(recording.finding(rule) == nil)
    }

    @Test func isNoneWhereTheUserSaysNoOnAnotherDevice() throws {
        let recording = try Recording(broken + ".near-miss").answering(
            "/token",
            400,
            ["error": "access_denied"]
        )
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.cancelled])
    }

    @Test func saysWhatWasCheckedOfACode() throws {
        let recording = try Recording("healthy/web-code-flow").answering(
            "/token",
            403,
            ["error": "invalid_code"]
        )
        let note = try #require(recording.finding(rule)?.notes.first)
        #expect(
            note
                == "checked: redirect URI the same, verifier fits, code sent once, client the same, code 0 s old"
        )
    }

    /// Nothing is at the address that the client asks.
    @Test(arguments: [(404, true), (405, true), (403, false)])
    func namesTheAddressWhereNothingIs(status: Int, isNamed: Bool) throws {
        let recording = try Recording("healthy/web-code-flow").answering("/token", status)
        let finding = try #require(recording.finding(rule))
        let index = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/token" })
        #expect(finding.places.contains("\(index) request.url ") == isNamed)
        #expect(finding.fix.contains("token_endpoint") == isNamed)
    }

    /// The client has one address for both; what fails there may be the token endpoint all the same.
    @Test(arguments: [(400, true), (200, true), (503, false)])
    func codeThatIsTakenToTheAuthorizationEndpointIsTold(status: Int, isTold: Bool) throws {
        let recording = try Recording("healthy/web-code-flow").editing { exchange in
            if exchange.request.url.path == "/callback" { exchange.response = RecordedResponse(status: 500) }
            guard exchange.request.url.path == "/token" else { return }
            exchange.request.url = RecordedURL("https://id.harbour.example/authorize")
            exchange.response = RecordedResponse(
                status: status,
                body: Body(text: "<title>Sign in</title>", mediaType: "text/html")
            )
        }
        let title = "The token request went to the authorization endpoint"
        guard isTold else { return #expect(recording.finding(rule).map { $0.title != title } == true) }
        let finding = try #require(recording.findings.first { $0.isPrimary })
        #expect(finding.rule == (status == 200 ? "token-response-not-json" : rule))
        #expect(finding.title == title)
        #expect(finding.notes.suffix(1) == ["where it is"])
        #expect(recording.outcomes == [.failure])
    }

    /// A program without a user, which knows of logins by the metadata alone.
    @Test func credentialsThatAreTakenToTheAuthorizationEndpointAreTold() throws {
        let login = try Recording("healthy/web-code-flow").sending("grant_type", "client_credentials")
        let kept = login.exchanges.filter {
            ["/.well-known/openid-configuration", "/token"].contains($0.request.url.path)
        }
        let recording = Recording(kept).editing { exchange in
            guard exchange.request.url.path == "/token" else { return }
            exchange.request.url = RecordedURL("https://id.harbour.example/authorize")
            exchange.response = RecordedResponse(
                status: 400,
                body: Body(text: "<title>Error</title>", mediaType: "text/html")
            )
        }
        let finding = try #require(recording.findings.first { $0.isPrimary })
        #expect(finding.title == "The token request went to the authorization endpoint")
        #expect(finding.explanation.contains("where the provider's logins begin"))
        #expect(finding.notes.suffix(1) == ["where it is"])
        #expect(recording.outcomes == [.failure])
    }

    /// Strava, HubSpot: JSON of their own.
    @Test func showsTheWordsOfAnAnswerWithoutAnError() throws {
        let recording = try Recording("healthy/web-code-flow").answering(
            "/token",
            400,
            ["status": "BAD_AUTH_CODE", "message": "missing or unknown auth code"]
        )
        let values = try #require(recording.finding(rule)).evidence.map(\.value)
        #expect(values.first == "400")
        #expect(values.last?.contains("missing or unknown auth code") == true)
    }

    /// Facebook, Zoom.
    @Test(
        arguments: [
            (
                ["error": ["message": "Not now", "type": "OAuthException", "code": 2]],
                "OAuthException: Not now"
            ),
            (["error": "invalid_request", "reason": "Not now"], "invalid_request: Not now"),
            (["error": ["fields": ["a", "b"]]], #"{"fields":["a","b"]}"#),
        ] as [(JSONValue, String)]
    )
    func readsTheWordsBesideAnError(json: JSONValue, words: String) throws {
        let finding = try #require(Recording(broken).answering("/token", 400, json).finding(rule))
        #expect(finding.evidence[0].value == words)
    }

    /// The second step comes as a request of its own, with the token that the refusal brought.
    @Test(arguments: [true, false]) func secondFactorThatWasGivenIsNoError(isGiven: Bool) throws {
        let recording = try Recording("healthy/native-app").withoutAuthorization.answering(
            "/token",
            403,
            ["error": "mfa_required", "mfa_token": "Fe26.2*abcdefgh"]
        )
        let first = try #require(recording.exchanges.last { $0.request.url.path == "/token" })
        var second = first
        second.startedAt = second.startedAt + .seconds(9)
        second.request.body = Body(
            text:
                "grant_type=http%3A%2F%2Fauth0.com%2Foauth%2Fgrant-type%2Fmfa-otp&otp=1&mfa_token=Fe26.2*abcdefgh",
            mediaType: FormBody.mediaType
        )
        second.response = RecordedResponse(
            status: 200,
            body: .json("{\"access_token\":\"a.b\",\"token_type\":\"Bearer\"}")
        )
        let found = Recording(isGiven ? [first, second] : [first]).finding(rule)
        #expect((found == nil) == isGiven)
    }

    /// The certificate of the connection (RFC 8705) is in no message: what is said of it is all that is known.
    @Test(arguments: [
        ("Transport certificate not found in the request", "No client certificate reached the server"),
        (
            "Client certificate missing, or its thumbprint and one in the refresh token did NOT match",
            "The client's certificate is not the expected one"
        ), ("Missing parameter", nil),
    ])
    func tellsOfTheClientsCertificate(words: String, title: String?) throws {
        let recording = try Recording("token-request/token-endpoint-error").answering(
            "/token",
            400,
            ["error": "invalid_request", "error_description": .string(words)]
        )
        let finding = try #require(recording.finding("token-endpoint-error"))
        #expect(finding.title.contains("ertificate") == (title != nil))
        if let title { #expect(finding.title == title) }
    }

    /// A proxy that wants credentials of its own answers 407, and the endpoint has no part in it.
    @Test func tellsAProxyThatWantsToKnowItsUser() throws {
        let recording = try Recording("token-request/token-endpoint-error").editingLast("/token") {
            exchange in
            exchange.response = RecordedResponse(
                status: 407,
                headers: HeaderFields([("Proxy-Authenticate", "Basic realm=\"proxy\"")]),
                body: Body(text: "<title>407 Proxy Authentication Required</title>", mediaType: "text/html")
            )
        }
        let finding = try #require(recording.finding("token-endpoint-error"))
        #expect(finding.title == "A proxy on the way to the provider asks for credentials of its own")
        #expect(finding.places.last == "0 response.header Proxy-Authenticate")
    }

    /// Said of a request without a code as of one that is refused with invalid_grant for it; of another one nobody knows.
    @Test(arguments: [(nil, true), ("undefined", true), ("another-code", false)] as [(String?, Bool)])
    func saysThatTheCodeIsMissing(code: String?, isMissing: Bool) throws {
        let recording = try Recording("token-request/token-invalid-grant").sending("code", code)
            .answering("/token", 400, ["error": "invalid_request"])
        let finding = try #require(recording.finding("token-endpoint-error"))
        #expect(finding.isPrimary)
        #expect((finding.title == "The app asked for tokens without a code") == isMissing)
    }
}
