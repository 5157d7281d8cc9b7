import Captures
import Flows
import OAuth
import TestSupport
import Testing

/// Requests that are made again for one login: by a provider's own page, or by a client that was told what it lacks.
struct CarriedOnRequestTests {
    private static let own = [
        ("response_type", "code"), ("client_id", "web"), ("redirect_uri", "https://app.example/cb"),
        ("state", "Zk3vQ9xT1b7LmP2c"),
    ]
    private static let further = [
        ("nonce", "n0NceVa1ue8675309"), ("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
        ("code_challenge_method", "S256"),
    ]

    private func flows(
        _ continuation: [(String, String)],
        asked: [(String, String)] = own + further,
        at endpoint: String = "https://idp.example/oauth/authorize"
    ) -> [Flow] {
        var capture = CaptureBuilder()
        capture.get(
            "https://idp.example/oauth/authorize?\(FormBody.encode(asked))",
            body: .html("<form method=post>Allow?</form>")
        )
        capture.post(
            endpoint,
            continuation,
            302,
            answer: [("Location", "https://app.example/cb?code=Xc0ffee98765&state=Zk3vQ9xT1b7LmP2c")]
        )
        capture.get("https://app.example/cb?code=Xc0ffee98765&state=Zk3vQ9xT1b7LmP2c")
        return FlowFinder.flows(in: capture.capture)
    }

    @Test(arguments: [0, 1, 2, 3]) func formOfConsentThatDropsParametersIsTheSameLogin(kept: Int) throws {
        let flows = flows(Self.own + Self.further.prefix(kept))
        let flow = try #require(flows.first)
        #expect(flows.count == 1 && flow.ending == .success)
        let login = try #require(flow.logins.first)
        #expect(flow.logins.count == 1)
        // The client's request is what it is judged by.
        #expect(login.request.nonce == "n0NceVa1ue8675309" && login.request.codeChallenge != nil)
        #expect(login.response?.code == "Xc0ffee98765")
    }

    /// A parameter without a value is none (RFC 6749, section 3.1): Django's form has a field for each.
    @Test func formOfConsentWithEmptyFieldsIsTheSameLogin() throws {
        let own = Self.own + Self.further.dropFirst()
        let flows = flows(own + [("nonce", ""), ("resource", "")], asked: own)
        let flow = try #require(flows.first)
        #expect(flows.count == 1 && flow.ending == .success)
        #expect(flow.logins.count == 1 && flow.logins.first?.request.nonce == nil)
    }

    @Test func requestWithAnotherNonceIsAnotherLogin() {
        #expect(flows(Self.own + [("nonce", "another8675309nonce")]).count == 2)
        #expect(flows(Self.own.map { $0.0 == "client_id" ? ("client_id", "other") : $0 }).count == 2)
        #expect(flows(Self.own, at: "https://other.example/oauth/authorize").count == 2)
    }

    /// WSO2's page has them all but where it is told to keep them back.
    @Test(
        "A page whose address names the request without its values is one of its login.",
        // The last two are the same to the eye alone.
        arguments: [("web", "web", 0), ("web", "other", 1), ("caf\u{e9}", "cafe\u{301}", 1)]
    )
    func pageThatRepeatsTheNamesIsThePage(asked: String, client: String, others: Int) throws {
        var capture = CaptureBuilder()
        let own = Self.own.map { $0.0 == "client_id" ? ("client_id", asked) : $0 }
        let named = [("response_type", "code"), ("client_id", client)]
        let page =
            "https://idp.example/pages/login.do?"
            + FormBody.encode(named + [Self.own[2], ("sessionDataKey", "7c1d3b52-5d6f-4d3f")])
        capture.redirect(
            "https://idp.example/oauth/authorize?\(FormBody.encode(own + Self.further))",
            to: page
        )
        capture.get(
            page,
            body: .html("<form method=post action=/go><input type=password name=password></form>")
        )
        capture.post(
            "https://idp.example/go",
            [("password", "hunter2")],
            302,
            answer: [("Location", "https://app.example/cb?code=Xc0ffee98765&state=Zk3vQ9xT1b7LmP2c")]
        )
        capture.get("https://app.example/cb?code=Xc0ffee98765&state=Zk3vQ9xT1b7LmP2c")
        let flows = FlowFinder.flows(in: capture.capture)
        #expect(flows.count == 1 + others)
        #expect(flows.first?.authorizationRequests.count == 1)
        #expect(others == 1 || flows.first?.exchanges == [0, 1, 2, 3])
    }

    @Test(arguments: [("Zk3vQ9xT1b7LmP2c", 1), ("anotherState12345", 2)])
    func pushThatIsRefusedTwiceIsOneLogin(state: String, count: Int) {
        var capture = CaptureBuilder()
        let answer = Body.json(#"{"error":"use_dpop_nonce"}"#)
        capture.post("https://idp.example/par", Self.own + Self.further, 401, body: answer)
        capture.post(
            "https://idp.example/par",
            Self.own.dropLast() + [("state", state)] + Self.further,
            400,
            body: .json(#"{"error":"invalid_request"}"#)
        )
        let flows = FlowFinder.flows(in: capture.capture)
        #expect(flows.count == count)
        #expect(flows.flatMap(\.exchanges) == [0, 1])
    }
}
