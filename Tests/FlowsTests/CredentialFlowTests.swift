import Captures
import Flows
import JOSE
import OAuth
import TestSupport
import Testing

/// Logins without redirects: the browser or the system hands the app an ID token.
struct CredentialFlowTests {
    private static let claims =
        #"{"iss":"https://accounts.google.com","aud":"123.apps.example","sub":"10769","exp":1780003600,"nonce":"n-1"}"#

    private static func token(_ claims: String = claims) -> String {
        [#"{"alg":"RS256","kid":"k1"}"#, claims, "signature"].map { Base64URL.encode($0.utf8) }
            .joined(separator: ".")
    }

    private static func posting(
        _ body: Body,
        to url: String = "https://shop.example/auth",
        _ status: Int = 200
    )
        -> Exchange
    {
        Exchange(
            startedAt: Timestamp(seconds: 0),
            duration: .milliseconds(20),
            request: RecordedRequest(
                method: "POST",
                url: RecordedURL(url),
                headers: HeaderFields(),
                body: body
            ),
            response: status == 0 ? nil : RecordedResponse(status: status)
        )
    }

    private static func flows(_ exchange: Exchange, after login: ShopLogin? = nil) -> [Flow] {
        var capture = CaptureBuilder()
        login?.authorize(&capture)
        capture.add(exchange)
        return FlowFinder.flows(in: capture.capture)
    }

    /// As Chromium did it: `navigator.credentials.get`, and what the page and its server made of the token.
    @Test func browsersOwnRequestAndWhatCameOfItAreOneFlow() throws {
        let name = "Tests/Recordings/fedcm-chromium.har"
        let capture = try CaptureReader.read(bytes: Fixtures.bytes(name), name: name)
        let flows = FlowFinder.flows(in: capture)
        let flow = try #require(flows.first)
        #expect(flows.count == 1)
        #expect(flow.grant == "credential" && flow.clientID == "shop" && flow.ending == .success)
        #expect(flow.issuer == "http://localhost:37421")
        #expect(
            flow.steps.map(\.kind).filter { $0 != .userInteraction } == [
                .identityAssertionRequest, .authorizationResponse, .discovery, .jwks,
            ]
        )
        // The provider's documents that only a browser asks for, the user's accounts among them.
        #expect(Set([4, 5, 6]).isSubset(of: flow.exchanges))
        let response = try #require(flow.authorizationResponses.first)
        #expect(response.deliveredBy == 7 && response.callback == 10 && response.mode == .credential)
        #expect(flow.idTokens.map(\.token.place.name) == ["credential"])
        #expect(flow.steps.flatMap(\.tokens).map(\.signature) == [.valid])
    }

    @Test(arguments: [
        "credential", "id_token", "idToken", "identityToken", "identity_token",
    ]) func tokenThatAnAppSendsToItsServerIsALogin(name: String) throws {
        let form = FormBody.encode([("client_id", "123.apps.example"), (name, Self.token())])
        for body in [
            Body(text: form, mediaType: FormBody.mediaType),
            .json(#"{"\#(name)":"\#(Self.token())","client_id":"123.apps.example"}"#),
        ] {
            let flow = try #require(Self.flows(Self.posting(body)).first)
            #expect(flow.grant == "credential" && flow.ending == .success)
            #expect(flow.clientID == "123.apps.example" && flow.provider == .google)
            #expect(flow.idTokens.map(\.token.place.name) == [name])
            #expect(try #require(Self.flows(Self.posting(body, 401)).first).ending == .failure)
            #expect(try #require(Self.flows(Self.posting(body, 0)).first).ending == .incomplete)
        }
    }

    @Test func sentOnceMoreItIsTheSameLogin() throws {
        var capture = CaptureBuilder()
        let body = Body.json(#"{"idToken":"\#(Self.token())"}"#)
        capture.add(Self.posting(body, 503))
        capture.add(Self.posting(body, 200))
        let flows = FlowFinder.flows(in: capture.capture)
        #expect(flows.map(\.exchanges) == [[0, 1]] && flows.first?.ending == .success)
    }

    @Test(arguments: [
        Body.json(#"{"value":"\#(token())"}"#),
        .json(#"{"credential":"hunter2"}"#),
        .json(#"{"credential":"\#(token(#"{"iss":"https://idp.example","scope":"read"}"#))"}"#),
        .json(#"{"credential":"eyJhbGciOiJub25lIn0"}"#),
        .json("{"),
    ]) func otherThingsAreNone(body: Body) {
        #expect(Self.flows(Self.posting(body)).isEmpty)
    }

    /// An app that signs in with redirects hands what it got to its server, too.
    @Test func tokenOfALoginWithRedirectsBelongsToThat() {
        let login = ShopLogin()
        let ofClient = Self.token(#"{"iss":"https://idp.example","aud":["shop"],"sub":"1"}"#)
        let ofNonce = Self.token(
            #"{"iss":"https://idp.example","aud":"api","sub":"1","nonce":"nonce-\#(login.state)"}"#
        )
        for token in [ofClient, ofNonce] {
            let exchange = Self.posting(.json(#"{"idToken":"\#(token)"}"#))
            #expect(Self.flows(exchange, after: login).map(\.grant) == ["authorization_code"])
        }
        // A provider that signs in with another one takes its token as a password's stead.
        let atProvider = Self.posting(
            .json(#"{"credential":"\#(Self.token())"}"#),
            to: "https://idp.example/login/google"
        )
        #expect(Self.flows(atProvider, after: login).map(\.grant) == ["authorization_code"])
        let another = Self.posting(.json(#"{"credential":"\#(Self.token())"}"#))
        #expect(Self.flows(another, after: login).map(\.grant) == ["authorization_code", "credential"])
    }

    /// The system gives an app both, and the app's server exchanges the code.
    @Test(arguments: [(200, 200, Outcome.success), (400, 500, .failure), (200, 500, .failure)])
    func codeThatComesAlongIsExchangedInTheSameFlow(token: Int, callback: Int, outcome: Outcome) {
        var login = ShopLogin()
        login.code = "c46359e7ee0fc4df6a370c6a7.0.mryut"
        var capture = CaptureBuilder()
        let body = #"{"identityToken":"\#(Self.token())","authorizationCode":"\#(login.code)"}"#
        capture.add(Self.posting(.json(body), callback))
        login.token(&capture, status: token, body: token == 400 ? #"{"error":"invalid_grant"}"# : nil)
        let flows = FlowFinder.flows(in: capture.capture)
        #expect(flows.count == 1)
        #expect(flows.first?.exchanges == [0, 1])
        #expect(flows.map(\.ending) == [outcome])
    }
}
