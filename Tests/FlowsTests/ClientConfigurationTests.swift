import Captures
import Flows
import OAuth
import TestSupport
import Testing

/// Clients that read, change and delete their registrations (RFC 7592).
struct ClientConfigurationTests {
    private static let clientURI = "https://idp.example/register/shop-0123456789"

    /// A call about a registration with a token; an answer without text has no body.
    private func call(_ method: String, _ url: String, _ status: Int, _ answer: String?, token: String)
        -> Exchange
    {
        var request = RecordedRequest(method: method, url: RecordedURL(url))
        request.headers.append("Authorization", "Bearer \(token)")
        if ["POST", "PUT"].contains(method) {
            request.body = .json(#"{"redirect_uris":["https://shop.example/cb"]}"#)
        }
        var headers = HeaderFields()
        if answer != nil { headers.append("Content-Type", "application/json") }
        return Exchange(
            startedAt: Timestamp(seconds: 0),
            duration: .milliseconds(20),
            request: request,
            response: RecordedResponse(status: status, headers: headers, body: answer.map(Body.json))
        )
    }

    private func information(uri: String = clientURI, token: String) -> String {
        """
        {"client_id":"shop-0123456789","client_secret":"a-secret-0123456789","registration_client_uri":"\(uri)",\
        "registration_access_token":"\(token)","redirect_uris":["https://shop.example/cb"]}
        """
    }

    /// Registered, read (with another token in the answer), changed, deleted, and looked for once more.
    private func managed(at uri: String = clientURI) -> Capture {
        var capture = CaptureBuilder()
        capture.add(
            call(
                "POST",
                "https://idp.example/register",
                201,
                information(uri: uri, token: "t1"),
                token: "initial"
            )
        )
        capture.add(call("GET", uri, 200, information(uri: uri, token: "t2"), token: "t1"))
        capture.add(call("PUT", uri, 200, information(uri: uri, token: "t3"), token: "t2"))
        capture.add(call("DELETE", uri, 204, nil, token: "t3"))
        capture.add(call("GET", uri, 401, nil, token: "t3"))
        return capture.capture
    }

    /// As Curity and Keycloak have it, ForgeRock and Spring, and where nothing in it names the client.
    @Test(arguments: [
        clientURI, "https://idp.example/register?client_id=shop-0123456789", "https://idp.example/c/6f1c9b2e",
    ])
    func callsAboutARegistrationAreStepsOfItsFlow(uri: String) throws {
        let flows = FlowFinder.flows(in: managed(at: uri))
        let flow = try #require(flows.first)
        #expect(flows.count == 1)
        #expect(
            flow.steps.map(\.kind) == [
                .clientRegistration, .clientReadRequest, .clientUpdateRequest, .clientDeleteRequest,
                .clientReadRequest,
            ]
        )
        #expect(flow.registrations.map(\.registeredClient) == Array(repeating: "shop-0123456789", count: 5))
        // That it is gone was to be expected.
        #expect(flow.ending == .success)
    }

    @Test func addressAndTokensLeadToTheCalls() throws {
        let flow = try #require(FlowFinder.flows(in: managed()).first)
        let address = try #require(flow.links.first { $0.name == "registration_client_uri" })
        #expect(address.origin.place.exchange == 0)
        #expect(address.uses.map(\.place.exchange) == [1, 2, 3, 4])
        #expect(address.uses.allSatisfy { $0.place.part == .requestURL })
        let tokens = flow.links.filter { $0.name == "registration_access_token" }
        #expect(tokens.map(\.origin.place.exchange) == [0, 1, 2])
        #expect(tokens.map { $0.uses.map(\.place.exchange) } == [[1], [2], [3, 4]])
    }

    /// Behind a proxy, or in a recording that begins later.
    @Test(arguments: [
        ("GET", "https://idp.example/clients-registrations/openid-connect/shop-0123456789", 200, true),
        ("GET", "https://idp.example/register?client_id=shop-0123456789", 200, true),
        ("GET", "https://idp.example/register/shop-0000", 200, false),
        ("GET", "https://idp.example/users/shop-0123456789", 200, false),
        ("DELETE", "https://idp.example/register/shop-0123456789", 204, false),
    ])
    func answerConfirmsWhatTheAddressNames(method: String, url: String, status: Int, isOne: Bool) {
        var capture = CaptureBuilder()
        capture.add(
            call(method, url, status, status == 200 ? information(token: "t2") : nil, token: "t1-0123456789")
        )
        #expect((FlowFinder.flows(in: capture.capture).first?.registrations.count == 1) == isOne)
    }

    /// What a provider has below the path at which clients register: its UserInfo endpoint, and an API of its own.
    @Test(arguments: [
        ("connect", "connect/userinfo", "a-token", 0), ("clients", "clients/orders", "a-token", 0),
        ("clients", "clients/orders", "another-token", 1),
    ])
    func whatAnAccessTokenIsRefusedForIsNoRegistration(
        at path: String,
        asked: String,
        token: String,
        count: Int
    ) {
        var capture = CaptureBuilder()
        capture.get(
            "https://idp.example/.well-known/openid-configuration",
            body: .json(
                """
                {"issuer":"https://idp.example","registration_endpoint":"https://idp.example/\(path)",\
                "token_endpoint":"https://idp.example/token","userinfo_endpoint":"https://idp.example/connect/userinfo"}
                """
            )
        )
        var tokens = call("POST", "https://idp.example/token", 200, #"{"access_token":"a-token"}"#, token: "")
        tokens.request.headers = HeaderFields()
        tokens.request.body = Body(
            text: "grant_type=client_credentials&client_id=shop",
            mediaType: FormBody.mediaType
        )
        capture.add(tokens)
        capture.add(call("GET", "https://idp.example/" + asked, 403, nil, token: token))
        #expect(CaptureIndex(capture.capture).registrations.count == count)
    }

    /// A page at which people sign up, which carries the login's client along.
    @Test func pageToSignUpIsNoRead() {
        var capture = CaptureBuilder()
        capture.add(
            call("POST", "https://idp.example/register", 201, information(token: "t1"), token: "initial")
        )
        capture.get(
            "https://idp.example/register?client_id=shop-0123456789",
            body: .html("<form><input name=email></form>")
        )
        #expect(FlowFinder.flows(in: capture.capture).flatMap(\.steps).map(\.kind) == [.clientRegistration])
    }

    /// With each answer about its registration a client may get another secret: what was signed before stays right.
    @Test func earlierSecretsOfAClientAreKnown() {
        var capture = CaptureBuilder()
        for (method, secret) in [("POST", "first"), ("GET", "second"), ("GET", "second"), ("GET", "")] {
            let url = "https://idp.example/register" + (method == "POST" ? "" : "/shop")
            let answer = #"{"client_id":"shop","client_secret":"\#(secret)","redirect_uris":[]}"#
            capture.add(call(method, url, 200, answer, token: "t"))
        }
        let index = CaptureIndex(capture.capture)
        #expect(index.clients.allSecrets["shop"] == ["first", "second"])
        #expect(index.knownSecrets["shop"] == "second")
    }
}
