import Captures
import Flows
import OAuth
import TestSupport
import Testing

/// Pushed authorization requests (RFC 9126) where only the server's half of a login was recorded.
struct PushedRequestTests {
    private static let otherChallenge = "JBbiqONGWPaAmwXk_8bT6UnlPfrn65D32eZlJS-zGG0"
    private static let otherVerifier = "another-verifier-of-nobody-0123456789-abcdef"
    private static let refused = #"{"error":"invalid_grant"}"#

    @discardableResult
    private func push(
        _ login: ShopLogin,
        _ capture: inout CaptureBuilder,
        status: Int = 201,
        challenge: String? = nil
    ) -> Int {
        let form = login.request.map { $0.0 == "code_challenge" ? ($0.0, challenge ?? $0.1) : $0 }
        let answer =
            status == 201
            ? #"{"request_uri":"urn:ietf:params:oauth:request_uri:\#(login.state)","expires_in":90}"#
            : #"{"error":"invalid_request"}"#
        return capture.post(
            login.issuer + "/par",
            form,
            status,
            headers: ShopLogin.backend,
            body: .json(answer)
        )
    }

    /// What the app's server does for the next user, while the first one is at the provider's page.
    @Test func pushForAnotherLoginIsNoPageOfAnOpenOne() {
        var capture = CaptureBuilder()
        let (first, second) = (ShopLogin("one"), ShopLogin("two"))
        first.authorize(&capture)
        push(second, &capture)
        capture.get(
            second.issuer + "/authorize?client_id=shop&request_uri=urn:ietf:params:oauth:request_uri:"
                + second.state,
            headers: ShopLogin.browser
        )
        first.answer(&capture)
        first.callback(&capture)
        first.token(&capture)
        #expect(capture.flows.map(\.exchanges) == [[0, 3, 4, 5], [1, 2]])
        #expect(capture.flows.first?.steps.filter { $0.kind == .userInteraction }.map(\.exchange) == [3])
    }

    /// One that was refused, at a host for certificates that the metadata name beside their own.
    @Test(arguments: [
        (#""pushed_authorization_request_endpoint":"https://mtls.idp.example/par""#, [[0, 1, 2]]),
        (
            #""mtls_endpoint_aliases":{"pushed_authorization_request_endpoint":"https://mtls.idp.example/par"}"#,
            [[0, 1, 2]]
        ), (#""pushed_authorization_request_endpoint":"https://mtls.idp.example/other""#, [[0, 1], [2]]),
    ])
    func goesWithTheMetadataThatNameItsEndpoint(member: String, expected: [[Int]]) {
        var capture = CaptureBuilder()
        capture.get(
            "https://idp.example/.well-known/openid-configuration",
            headers: ShopLogin.backend,
            body: .json(
                """
                {"issuer":"https://idp.example","authorization_endpoint":"https://idp.example/authorize",\
                "token_endpoint":"https://idp.example/token","jwks_uri":"https://idp.example/jwks",\(member)}
                """
            )
        )
        capture.get(
            "https://idp.example/jwks",
            headers: ShopLogin.backend,
            body: .json(#"{"keys":[]}"#)
        )
        capture.post(
            "https://mtls.idp.example/par",
            ShopLogin("one").request,
            400,
            headers: ShopLogin.backend,
            body: .json(#"{"error":"invalid_request_object"}"#)
        )
        #expect(capture.flows.map(\.exchanges) == expected)
    }

    @Test func goesWithTheTokenRequestWhoseVerifierOpensIt() {
        var capture = CaptureBuilder()
        push(ShopLogin("one"), &capture)
        push(ShopLogin("two"), &capture, challenge: Self.otherChallenge)
        ShopLogin("one").token(&capture)
        #expect(capture.flows.map(\.exchanges) == [[0, 2], [1]])
        #expect(capture.flows.map(\.ending) == [.success, .incomplete])
    }

    /// By client and redirect URI: a wrong verifier is to be compared, and with nothing but its own request.
    @Test(arguments: [(1, [[0, 1]]), (2, [[0], [1], [2]])])
    func goesWithATokenRequestThatCanBeNoOthers(count: Int, expected: [[Int]]) {
        var capture = CaptureBuilder()
        for number in 1...count { push(ShopLogin("number-\(number)"), &capture) }
        var login = ShopLogin("number-1")
        login.verifier = Self.otherVerifier
        login.token(&capture, status: 400, body: Self.refused)
        #expect(capture.flows.map(\.exchanges) == expected)
    }

    @Test(
        arguments: [
            ("another-client", "https://shop.example/cb", 1), ("shop", "https://other.example/cb", 1),
            ("shop", "https://shop.example/cb", 601),
        ] as [(String, String, Int64)]
    )
    func leavesTheTokenRequestOfAnotherAlone(client: String, redirectURI: String, seconds: Int64) {
        var capture = CaptureBuilder()
        push(ShopLogin(), &capture)
        capture.wait(seconds)
        var login = ShopLogin()
        login.client = client
        login.redirectURI = redirectURI
        login.verifier = Self.otherVerifier
        login.token(&capture, status: 400, body: Self.refused)
        #expect(capture.flows.map(\.exchanges) == [[0], [1]])
    }

    /// The provider has compared the verifier itself.
    @Test func tokensForAnotherVerifierAreThoseOfAnotherLogin() {
        var capture = CaptureBuilder()
        push(ShopLogin(), &capture)
        var login = ShopLogin()
        login.verifier = Self.otherVerifier
        login.token(&capture)
        #expect(capture.flows.map(\.exchanges) == [[0], [1]])
    }

    /// A mark in the place of one of the two cannot be compared.
    @Test(arguments: [("REDACTED", nil), (otherVerifier, "REDACTED")] as [(String, String?)])
    func verifierOrChallengeThatWasTakenOutIsNoOthers(verifier: String, challenge: String?) {
        var capture = CaptureBuilder()
        push(ShopLogin(), &capture, challenge: challenge)
        var login = ShopLogin()
        login.verifier = verifier
        login.token(&capture)
        #expect(capture.flows.map(\.exchanges) == [[0, 1]])
    }

    /// Clients that make up one verifier and keep it, or push a second time.
    @Test func lastOfTheSameChallengeBeforeTheTokenRequestIsItsOwn() {
        var capture = CaptureBuilder()
        push(ShopLogin("one"), &capture)
        ShopLogin("one").token(&capture)
        push(ShopLogin("two"), &capture)
        push(ShopLogin("two"), &capture)
        ShopLogin("two").token(&capture)
        push(ShopLogin("three"), &capture)
        #expect(capture.flows.map(\.exchanges) == [[0, 1], [2], [3, 4], [5]])
    }

    @Test(arguments: [(201, Outcome.incomplete), (400, .failure)])
    func aloneEndsNoLogin(status: Int, expected: Outcome) {
        var capture = CaptureBuilder()
        push(ShopLogin(), &capture, status: status)
        #expect(capture.flows.map(\.ending) == [expected])
    }

    @Test func standsForTheRequestThatNoBrowserWasSeenToBring() throws {
        var capture = CaptureBuilder()
        push(ShopLogin(), &capture)
        ShopLogin().token(&capture)
        let flow = try #require(capture.flows.first)
        #expect(flow.logins.isEmpty)
        let login = try #require(flow.askedLogins.first)
        #expect(flow.askedLogins.count == 1)
        #expect(login.request.exchange == 0 && login.request.state == ShopLogin().state)
        #expect(login.response == nil)
        #expect(login.tokenRequests.map(\.exchange) == [1])
    }

    @Test func isNoLoginOfItsOwnWhereABrowserBroughtIt() throws {
        var capture = CaptureBuilder()
        push(ShopLogin(), &capture)
        let reference = FormBody.encode([
            ("client_id", "shop"), ("request_uri", "urn:ietf:params:oauth:request_uri:\(ShopLogin().state)"),
        ])
        capture.get("https://idp.example/authorize?\(reference)", headers: ShopLogin.browser)
        ShopLogin().callback(&capture)
        ShopLogin().token(&capture)
        let flow = try #require(capture.flows.first)
        #expect(capture.flows.count == 1)
        #expect(flow.askedLogins.map(\.request.exchange) == [1])
    }

    /// Which of two was answered with it nobody knows.
    @Test(arguments: [(["one"], [[0, 1]]), (["one", "two"], [[0], [1], [2]])])
    func goesWithTheRequestUnlessItMayBeAnother(names: [String], expected: [[Int]]) {
        var capture = CaptureBuilder()
        for name in names {
            let login = ShopLogin(name)
            capture.post(
                login.issuer + "/par",
                login.request,
                201,
                headers: ShopLogin.backend,
                body: Body(content: .missing)
            )
        }
        let login = ShopLogin("one")
        capture.get(
            login.issuer + "/authorize?client_id=shop&request_uri=urn:ietf:params:oauth:request_uri:one",
            headers: ShopLogin.browser
        )
        #expect(capture.flows.map(\.exchanges) == expected)
        if names.count == 1 {
            #expect(capture.flows.first?.authorizationRequests.first?.state == login.state)
        }
    }
}
