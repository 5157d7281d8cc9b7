import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

/// What an API says that is about something else than the token: its keys, the client's certificate, the sign-in, a proof.
extension BearerRejectedTests {
    @Test(
        arguments: [
            ("gold", nil, true), ("silver gold", nil, true), ("gold", "max_age=\"5\"", false),
            (nil, nil, false),
            ("silver", nil, false),
        ] as [(String?, String?, Bool)]
    )
    func leavesAStepUpAlone(acr: String?, age: String?, isOne: Bool) throws {
        let first = try Recording(broken).answering(
            "/orders",
            header: "WWW-Authenticate",
            "Bearer error=\"insufficient_user_authentication\", acr_values=\"gold\""
                + (age.map { ", " + $0 } ?? "")
        )
        #expect(first.finding(rule) != nil)
        var second = try Recording(broken).asking("state", "another-state-1").asking(
            "nonce",
            "another-nonce-1"
        )
        .asking("acr_values", acr)
        second.exchanges = second.exchanges.prefix { $0.request.url.path != "/callback" }.map { exchange in
            var exchange = exchange
            exchange.startedAt = exchange.startedAt + .seconds(60)
            return exchange
        }
        let recording = Recording(first.exchanges + second.exchanges)
        #expect((recording.finding(rule) == nil) == isOne)
        #expect(recording.outcomes.first == (isOne ? .success : .failure))
    }

    /// The back end's half has no request for the second login, only its code and what it opened.
    @Test func leavesAStepUpAloneThatTheBackEndSawOfIt() throws {
        let first = try Recording(broken).answering(
            "/orders",
            header: "WWW-Authenticate",
            "Bearer error=\"insufficient_user_authentication\", acr_values=\"gold\""
        ).without { !["/token", "/orders", "/jwks"].contains($0.request.url.path) }
        #expect(first.finding(rule) != nil)
        var second = first.sending("code", "another-code-of-a-second-login").answering("/orders", 200)
        second.exchanges = second.exchanges.map { exchange in
            var exchange = exchange
            exchange.startedAt = exchange.startedAt + .seconds(60)
            return exchange
        }
        #expect(Recording(first.exchanges + second.exchanges).finding(rule) == nil)
        #expect(Recording(first.exchanges + second.answering("/orders", 401).exchanges).finding(rule) != nil)
    }

    /// Envoy's words, and Spring's.
    @Test(arguments: [
        "Jwks remote fetch is failed",
        "An error occurred while attempting to decode the Jwt: Couldn't retrieve remote JWK set: timed out",
    ])
    func saysThatTheAPIHasNoKeys(words: String) throws {
        let recording = try Recording("resource-calls/audience-mismatch.near-miss").answering(
            "/orders",
            header: "WWW-Authenticate",
            "Bearer error=\"invalid_token\", error_description=\"\(words)\""
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.title == "The API could not get the keys to verify the access token with")
    }

    /// Twitch and gateways want more than a token.
    @Test(arguments: [("Client ID is missing", true), ("Unauthorized", false)])
    func namesWhatTheAPIWantsBesideTheToken(words: String, fires: Bool) throws {
        let recording = try Recording(broken).editingLast("/orders") { exchange in
            exchange.response?.headers.remove("WWW-Authenticate")
        }
        .answering("/orders", 401, ["error": "Unauthorized", "message": .string(words)])
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect((finding.title == "The API wants something of the client beside the access token") == fires)
    }

    /// RFC 9470, section 3.
    @Test func tellsAnAPIThatWantsAStrongerSignIn() throws {
        let challenge =
            "Bearer error=\"insufficient_user_authentication\", acr_values=\"phr\", max_age=\"300\""
        let recording = try Recording(broken).answering("/orders", header: "WWW-Authenticate", challenge)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && finding.title == "The API wants a stronger or a fresher sign-in")
        #expect(try Recording(broken).finding(rule)?.title != finding.title)
    }

    /// A token is bound to the certificate that it was issued over.
    @Test func tellsOfAnotherCertificate() throws {
        let recording = try Recording("resource-calls/bearer-rejected").editingLast("/orders") { exchange in
            exchange.response?.headers.remove("www-authenticate")
            exchange.response?.body = Body(
                text:
                    #"{"message":"Token endpoint was called with a different certificate. Fingerprints mismatch"}"#,
                mediaType: "application/json"
            )
        }
        let finding = try #require(recording.finding("bearer-rejected"))
        #expect(finding.title == "The client's certificate is not the expected one")
    }

    /// A client that got an access token by this form.
    private static func granted(_ form: [(String, String)]) -> CaptureBuilder {
        var capture = CaptureBuilder()
        capture.post(
            "https://id.harbour.example/token",
            form,
            body: .json(#"{"access_token":"2YotnFZF-1","token_type":"Bearer","expires_in":300}"#)
        )
        return capture
    }

    /// Adds a request that carries that token: JSON, and how it is answered.
    private static func call(
        _ url: String,
        _ body: String,
        _ status: Int,
        _ answer: String,
        in capture: inout CaptureBuilder
    ) {
        capture.post(
            url,
            json: body,
            status,
            headers: [("Authorization", "Bearer 2YotnFZF-1")],
            body: .json(answer)
        )
    }

    /// A wallet that gets a token and no credential for it.
    @Test(arguments: [
        ("invalid_nonce", "c_nonce"), ("unknown_credential_configuration", "credential_configuration_id"),
        ("out_of_stock", nil),
    ])
    func credentialThatIsRefusedIsTold(error: String, remedy: String?) throws {
        var capture = Self.granted([
            ("grant_type", "urn:ietf:params:oauth:grant-type:pre-authorized_code"),
            ("pre-authorized_code", "oaKazRN8I0IbtZ0C7JuMn5"), ("client_id", "wallet"),
        ])
        func ask(_ status: Int, _ answer: String) {
            let asked = #"{"credential_configuration_id":"pid"}"#
            Self.call("https://issuer.harbour.example/credential", asked, status, answer, in: &capture)
        }
        ask(400, #"{"error":"\#(error)"}"#)
        let refused = Recording(capture.exchanges)
        #expect(refused.finding(rule)?.isPrimary == (remedy == nil ? nil : true))
        if let remedy { #expect(try #require(refused.finding(rule)).fix.contains(remedy)) }
        // With the next nonce it went well.
        ask(200, #"{"credentials":[]}"#)
        #expect(Recording(capture.exchanges).finding(rule) == nil)
    }

    /// An API has errors of its own by the same names.
    @Test func otherAPIsNonceIsNoCredential() {
        var capture = Self.granted([
            ("grant_type", "client_credentials"), ("client_id", "shop"), ("client_secret", "not-a-secret-1"),
        ])
        let answer = #"{"error":"invalid_nonce"}"#
        Self.call("https://api.shop.example/orders", #"{"article":7}"#, 400, answer, in: &capture)
        let recording = Recording(capture.exchanges)
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.success])
    }

    /// The header went off with the call, and did not get to the server.
    @Test(arguments: [
        ("Bearer", #"{"message":"Missing Authorization header"}"#, true),
        ("Bearer error=\"invalid_request\", error_description=\"No access token was provided\"", "{}", true),
        ("Bearer", #"{"message":"Unauthorized"}"#, false),
        // One sentence for a token that is not there and one that is not good: Azure's gateway, and others.
        ("Bearer", #"{"message":"Unauthorized. Access token is missing or invalid."}"#, false),
        ("Bearer", #"{"message":"Invalid or missing access token"}"#, false),
    ])
    func tellsAServerThatSawNoToken(challenge: String, body: String, isTold: Bool) throws {
        let recording = try Recording(broken).answering("/orders", header: "WWW-Authenticate", challenge)
            .editingLast("/orders") { $0.response?.body = .json(body) }
        let finding = try #require(recording.finding(rule))
        #expect((finding.title == "The server says that no access token came, and one was sent") == isTold)
    }

    /// What an API's challenge names is refused, whatever the status; a failure without one is not the token's.
    @Test(arguments: [(400, true), (500, true), (500, false)])
    func challengeIsReadAtEveryStatus(status: Int, isChallenged: Bool) throws {
        var recording = try Recording(broken).answering("/orders", status)
        if !isChallenged { recording = recording.answering("/orders", header: "WWW-Authenticate", nil) }
        #expect((recording.finding(rule)?.isPrimary == true) == isChallenged)
        #expect(recording.outcomes == [isChallenged ? .failure : .success])
    }

    /// UserInfo answered with the page that a browser without a session gets, or a redirect to it, and the app failed over it.
    @Test(arguments: [
        (200, Body.html("<title>Sign in</title><form method=post><input name=user>"), true),
        (302, Body.html(""), true), (200, Body.json(#"{"sub":"alice"}"#), false),
        // Told of as what the app's server asked for in vain.
        (200, Body.html("<h1>Maintenance"), false),
    ])
    func pageInPlaceOfClaimsIsTold(status: Int, body: Body, fires: Bool) throws {
        var recording = try Recording("discovery/jwks-unreachable")
        let grant = try #require(recording.exchanges[5].response?.body?.bytes)
        let token = try #require(JSONParser.parse(grant).object?["access_token"]?.string)
        recording.exchanges[6].request.url = RecordedURL("https://id.harbour.example/userinfo")
        recording.exchanges[6].request.headers.append("Authorization", "Bearer \(token)")
        recording.exchanges[6].response = RecordedResponse(status: status, body: body)
        if status == 302 {
            recording.exchanges[6].response?.redirect(to: "https://id.harbour.example/sign-in")
        }
        let finding = recording.finding(rule)
        #expect((finding?.title == "UserInfo answered with a sign-in page instead of claims") == fires)
        #expect((finding?.isPrimary == true) == fires)
        #expect(recording.outcomes == [.failure])
        // An app that went on did without the claims.
        #expect(recording.goingOn.finding(rule) == nil)
    }

    /// A token is used as soon as it was issued, so that a slow clock of the API takes it for one from the future.
    @Test(arguments: [
        (
            "Token used too early, 1774084522 < 1774084530. Check that your computer's clock is set correctly.",
            true
        ),
        ("The token is not yet valid (iat)", true), ("token used before issued", true),
        ("jwt not active", true), ("Jwt used before 2026-03-21T09:15:30Z", true),
        ("Unauthorized", false), ("The token is expired, revoked or not yet valid", false),
    ])
    func tellsOfAClockThatIsSlow(words: String, isTold: Bool) throws {
        let recording = try Recording(broken).answering("/orders", 401, ["message": .string(words)])
        let finding = try #require(recording.finding(rule))
        #expect((finding.title == "The API takes the token for one from the future") == isTold)
        #expect(finding.fix.contains("NTP") == isTold)
    }

    /// Envoy's words with 403 are the whole of its answer: of the token, or of a policy that lets nothing through at this origin.
    @Test(
        arguments: [
            ("Jwt issuer is not configured", "Jwt issuer is not configured", true),
            ("RBAC: access denied", "RBAC: access denied", true), ("RBAC: access denied", nil, false),
            ("RBAC: access denied", "[]", false), ("Forbidden", "Forbidden", false),
        ] as [(String, String?, Bool)]
    )
    func readsWhatAMeshSaysFirst(first: String, second: String?, fires: Bool) throws {
        var recording = try Recording(broken)
        recording.exchanges[6].response = RecordedResponse(
            status: 403,
            body: Body(text: first, mediaType: "text/plain")
        )
        if let second {
            var other = recording.exchanges[6]
            other.startedAt = other.startedAt + .seconds(1)
            other.request.url = RecordedURL("https://\(other.request.url.host ?? "")/customers")
            other.response = RecordedResponse(
                status: second == "[]" ? 200 : 403,
                body: Body(text: second, mediaType: "text/plain")
            )
            recording.exchanges.append(other)
        }
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary == true) == fires)
        #expect((finding?.fix.contains("AuthorizationPolicy") ?? false) == (fires && first.hasPrefix("RBAC")))
        #expect(recording.outcomes == [fires ? .failure : .success])
    }

    /// Two things of one kind that the user is not to see are no API that is closed.
    @Test(arguments: [("/orders/17", "/orders/18", false), ("/v1/orders/17", "/v1/customers/17", true)])
    func addressesThatDifferByNumbersAreOne(first: String, second: String, fires: Bool) throws {
        var recording = try Recording(broken)
        let host = recording.exchanges[6].request.url.host ?? ""
        recording.exchanges[6].response = RecordedResponse(
            status: 403,
            body: Body(text: "RBAC: access denied", mediaType: "text/plain")
        )
        recording.exchanges[6].request.url = RecordedURL("https://\(host)\(first)")
        var other = recording.exchanges[6]
        other.startedAt = other.startedAt + .seconds(1)
        other.request.url = RecordedURL("https://\(host)\(second)")
        recording.exchanges.append(other)
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect(recording.outcomes == [fires ? .failure : .success])
    }

    /// GitHub's API wants to know what calls it.
    @Test(arguments: [
        ("Please make sure your request has a User-Agent header", true), ("Not accessible", false),
    ])
    func tellsAnAPIThatWantsTheCallersName(words: String, isTold: Bool) throws {
        let recording = try recording(answering: 403, words, callback: 500)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && finding.fix.contains("send a User-Agent") == isTold)
    }

    /// oidc-provider-mock has 400 and access_denied for what it did not issue.
    @Test(arguments: [
        ("undefined", 500, "without the access token"), ("null", 302, "without the access token"),
        ("another-token-of-somebody", 500, "that this login did not get"),
        ("another-token-of-somebody", 302, "that this login did not get"),
    ])
    func tellsWhatUserInfoWasShownInPlaceOfTheToken(token: String, callback: Int, words: String) throws {
        let recording = try Recording("healthy/web-code-flow")
            .without { callback == 500 && $0.request.url.path == "/" }
            .sendingHeader("Authorization", "Bearer " + token, to: "/userinfo")
            .answering("/userinfo", 400, ["error": "access_denied"])
            .editing { exchange in
                guard exchange.request.url.path == "/callback", callback == 500 else { return }
                exchange.response = RecordedResponse(status: 500)
            }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && finding.title.hasSuffix(words))
        #expect(
            finding.places.prefix(3) == [
                "7 response.body ", "7 request.url ", "7 request.header Authorization",
            ]
        )
        #expect(recording.outcomes == [.failure])
    }

    /// A header that ends behind its scheme is a request that nobody can read, for which RFC 6750 has 400 (section 3.1).
    @Test(arguments: [
        ("Bearer", 400, "The call has a scheme for its access token, and no token"),
        ("Bearer ", 403, "The call has a scheme for its access token, and no token"),
        (
            "Bearer TpeBtiO4eaIWoGlYvnTqOq5MaL24cL8NFrTr", 400,
            "The access token was changed on the way to the API"
        ),
    ])
    func tellsWhatBecameOfTheTokenWhateverTheStatus(header: String, status: Int, title: String) throws {
        let recording = try Recording("healthy/web-code-flow")
            .sendingHeader("Authorization", header, to: "/userinfo")
            .answering("/userinfo", status, ["error": "invalid_request"])
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && finding.title == title)
    }

    /// A capture that was saved without tokens says nothing of the one that was shown.
    @Test func leavesATokenThatWasTakenOutAlone() throws {
        let recording = try Recording("healthy/web-code-flow").sanitized
            .answering("/userinfo", 400, ["error": "access_denied"])
        #expect(recording.finding(rule) == nil)
    }
}
