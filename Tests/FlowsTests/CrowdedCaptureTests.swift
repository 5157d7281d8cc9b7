import Captures
import Flows
import JOSE
import OAuth
import TestSupport
import Testing

/// What stands beside a login in the captures of real days: other users, other windows, scanners, tries that are repeated.
struct CrowdedCaptureTests {
    private static let shop = ShopLogin()

    private func stray(_ capture: inout CaptureBuilder, _ query: String) {
        capture.get("https://shop.example/cb?\(query)", 400, headers: ShopLogin.browser)
    }

    // MARK: - The same values in each login

    /// An app whose state stands in its code: the request of the next user is the very same, and the app sends the browser anew.
    @Test func requestBehindALoginThatWentWellIsTheNextOne() {
        let found = FlowFinder.flows { capture in
            for name in ["one", "two"] {
                var login = ShopLogin(name)
                login.state = "state-that-never-changes"
                capture.redirect(
                    "https://shop.example/login",
                    to: login.authorizationURL,
                    headers: ShopLogin.browser
                )
                login.authorize(&capture)
                login.answer(&capture)
                login.callback(&capture)
                login.token(&capture)
            }
        }
        #expect(found.map(\.exchanges) == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]])
        #expect(found.map(\.ending) == [.success, .success])
    }

    // MARK: - Answers to nobody's request

    @Test(arguments: ["code=scanner-0001&state=scanner", "code=old-0001", "error=access_denied&state=x"])
    func scannerAtTheCallbackIsPartOfNoLogin(query: String) throws {
        for isBefore in [true, false] {
            let found = FlowFinder.flows { capture in
                Self.shop.authorize(&capture)
                if isBefore { stray(&capture, query) }
                Self.shop.answer(&capture)
                Self.shop.callback(&capture)
                Self.shop.token(&capture)
                if !isBefore { stray(&capture, query) }
            }
            let flow = try #require(found.first)
            #expect(found.count == 1 && flow.ending == .success)
            #expect(flow.authorizationResponses.compactMap(\.code) == [Self.shop.code])
        }
    }

    /// An app that takes an answer with a foreign state, in the browser whose login is open, does not look at it.
    @Test func answerThatTheAppTakesIsTold() throws {
        let cookie = "session=5f0c2a91-7d3e-4b1a"
        let found = FlowFinder.flows { capture in
            capture.redirect(
                "https://shop.example/login",
                to: Self.shop.authorizationURL,
                headers: ShopLogin.browser + [("Cookie", cookie)]
            )
            Self.shop.authorize(&capture)
            capture.redirect(
                "https://shop.example/cb?code=attackers-0001&state=attackers",
                to: "/home",
                headers: ShopLogin.browser + [("Cookie", cookie)]
            )
            Self.shop.answer(&capture)
            Self.shop.callback(&capture)
        }
        #expect(found.first?.authorizationResponses.compactMap(\.code) == ["attackers-0001", Self.shop.code])
    }

    /// What comes back without the login's own answer is all that there is of it.
    @Test func otherStateAloneIsTheLogins() throws {
        let found = FlowFinder.flows { capture in
            Self.shop.authorize(&capture)
            stray(&capture, "code=changed-0001&state=changed")
        }
        #expect(found.count == 1 && found.first?.authorizationResponses.count == 1)
    }

    @Test func loginThatBeganBeforeTheRecordingIsOneOfItsOwn() throws {
        let early = ShopLogin("early")
        let late = ShopLogin("late")
        let found = FlowFinder.flows { capture in
            late.authorize(&capture)
            early.answer(&capture)
            early.callback(&capture)
            early.token(&capture)
            late.answer(&capture)
            late.callback(&capture)
            late.token(&capture)
        }
        #expect(found.count == 2 && found.allSatisfy { $0.ending == .success })
        for (flow, login) in zip(found, [late, early]) {
            #expect(flow.tokenRequests.map(\.code) == [login.code])
            #expect(flow.authorizationResponses.compactMap(\.code) == [login.code])
        }
        #expect(found.map(\.authorizationRequests.count) == [1, 0])
    }

    /// The recording ends before the later login has its own answer: the verifier tells that this one is another's.
    @Test func codeThatAnotherVerifierRedeemedIsAnothers() throws {
        var early = ShopLogin("early")
        early.verifier = "KmRBgV8Wq1tHnVw3mJ2cX5yD7fG9hK4lP6oR8sT0uA1e"
        let late = ShopLogin("late")
        let found = FlowFinder.flows { capture in
            late.authorize(&capture)
            early.answer(&capture)
            early.callback(&capture)
            early.token(&capture)
        }
        #expect(found.count == 2 && found.first?.authorizationResponses.isEmpty == true)
        // With the login's own verifier it is the login's, whatever came back as state.
        var changed = ShopLogin("changed")
        changed.verifier = late.verifier
        let one = FlowFinder.flows { capture in
            late.authorize(&capture)
            changed.answer(&capture)
            changed.callback(&capture)
            changed.token(&capture)
        }
        #expect(one.count == 1 && one.first?.authorizationResponses.count == 1)
    }

    @Test func callsOfAnotherUserAreNotTheLogins() throws {
        let found = FlowFinder.flows { capture in
            Self.shop.whole(&capture)
            capture.wait(30)
            capture.get(
                "https://idp.example/userinfo",
                headers: ShopLogin.backend + [("Authorization", "Bearer access-of-somebody-else-0001")],
                body: .json(#"{"sub":"bob"}"#)
            )
        }
        #expect(found.count == 2 && found.first?.exchanges.contains(6) == false)
        #expect(found.map(\.ending) == [.success, .success])
        // What the client spoils itself is its own.
        let spoiled = FlowFinder.flows { capture in
            Self.shop.authorize(&capture)
            Self.shop.answer(&capture)
            Self.shop.callback(&capture)
            Self.shop.token(&capture)
            capture.get(
                "https://idp.example/userinfo",
                401,
                headers: ShopLogin.backend + [("Authorization", "Bearer access-of-somebody-else-0001")]
            )
        }
        #expect(spoiled.count == 1 && spoiled.first?.ending == .failure)
    }

    // MARK: - Two at once

    @Test(arguments: [nil, "always"] as [String?])
    func pageKnowsWhoseAnswerItIs(state: String?) throws {
        let found = FlowFinder.flows { capture in
            for name in ["one", "two"] {
                let query = [
                    ("response_type", "code"), ("client_id", "shop"), ("redirect_uri", Self.shop.redirectURI),
                    ("nonce", "nonce-of-\(name)"),
                ]
                capture.get(
                    "https://idp.example/authorize?"
                        + FormBody.encode(query + (state.map { [("state", $0)] } ?? [])),
                    headers: ShopLogin.browser,
                    body: .html(
                        "<form method=post action='/login?execution=\(name)-4f0c2a91-7d3e'><input name=user></form>"
                    )
                )
            }
            for name in ["one", "two"] {
                let answer = [("code", "code-of-\(name)-0001")] + (state.map { [("state", $0)] } ?? [])
                let callback = Self.shop.redirectURI + "?" + FormBody.encode(answer)
                capture.post(
                    "https://idp.example/login?execution=\(name)-4f0c2a91-7d3e",
                    [("user", name)],
                    302,
                    headers: ShopLogin.browser,
                    answer: [("Location", callback)]
                )
                capture.redirect(callback, to: "/home", headers: ShopLogin.browser)
            }
        }
        #expect(found.count == 2)
        for (flow, name) in zip(found, ["one", "two"]) {
            #expect(flow.authorizationRequests.first?.nonce == "nonce-of-\(name)")
            #expect(flow.authorizationResponses.map(\.code) == ["code-of-\(name)-0001"])
        }
    }

    // MARK: - Clocks

    @Test func tokenRequestByASlowerClockFindsItsCode() throws {
        var capture = CaptureBuilder()
        Self.shop.authorize(&capture)
        let token = Self.shop.token(&capture)
        Self.shop.answer(&capture)
        Self.shop.callback(&capture)
        let other = ShopLogin("two")
        other.authorize(&capture)
        let found = FlowFinder.flows(in: capture.capture)
        #expect(found.count == 2 && found.first?.tokenRequests.map(\.exchange) == [token])
        #expect(found.first?.ending == .success && found.last?.tokenRequests.isEmpty == true)
    }

    @Test func callsWithATokenThatWaitsAreItsLoginsToo() throws {
        var capture = CaptureBuilder()
        let earlier = ShopLogin("two")
        earlier.whole(&capture)
        Self.shop.authorize(&capture)
        Self.shop.token(&capture)
        let call = Self.shop.userInfo(&capture)
        Self.shop.answer(&capture)
        Self.shop.callback(&capture)
        let found = FlowFinder.flows(in: capture.capture)
        #expect(found.count == 2 && found.last?.exchanges.contains(call) == true)
        #expect(found.last?.messages.map(\.exchange) == found.last?.messages.map(\.exchange).sorted())
    }

    /// All of the login stands before its request.
    @Test func answerByASlowerClockFindsItsRequest() throws {
        var capture = CaptureBuilder()
        Self.shop.answer(&capture)
        Self.shop.callback(&capture)
        Self.shop.token(&capture)
        Self.shop.authorize(&capture)
        let found = FlowFinder.flows(in: capture.capture)
        #expect(found.count == 1 && found.first?.tokenRequests.count == 1)
        #expect(found.first?.authorizationResponses.count == 1)
    }

    // MARK: - Tries

    private func clientCredentials(_ capture: inout CaptureBuilder, _ status: Int, scope: String = "api") {
        capture.post(
            "https://idp.example/token",
            [("grant_type", "client_credentials"), ("client_id", "batch"), ("scope", scope)],
            status,
            headers: ShopLogin.backend,
            body: status == 200 ? .json(#"{"access_token":"at-0001-batch","token_type":"Bearer"}"#) : nil
        )
    }

    @Test func tryThatIsRepeatedWithSuccessIsOneFlow() {
        let found = FlowFinder.flows { capture in
            clientCredentials(&capture, 503)
            clientCredentials(&capture, 429)
            clientCredentials(&capture, 200)
            clientCredentials(&capture, 200)
        }
        #expect(found.map(\.tokenRequests.count) == [3, 1] && found.map(\.ending) == [.success, .success])
        let refused = FlowFinder.flows { capture in
            clientCredentials(&capture, 400)
            clientCredentials(&capture, 200)
            clientCredentials(&capture, 503)
            clientCredentials(&capture, 200, scope: "other")
            capture.wait(300)
            clientCredentials(&capture, 200)
        }
        #expect(refused.map(\.tokenRequests.count) == [1, 1, 1, 1, 1])
    }

    @Test func triesOfTwoUsersAreTwo() {
        func exchange(_ capture: inout CaptureBuilder, _ user: String, _ status: Int) {
            capture.post(
                "https://idp.example/token",
                [
                    ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("client_id", "api"),
                    ("assertion", "eyJhbGciOiJub25lIn0.\(Base64URL.encode(user.utf8)).c2ln"),
                ],
                status,
                body: status == 200
                    ? .json(#"{"access_token":"at-0001-\#(user)","token_type":"Bearer"}"#) : nil
            )
        }
        let found = FlowFinder.flows { capture in
            exchange(&capture, "alice", 503)
            exchange(&capture, "bob", 200)
        }
        #expect(found.map(\.ending) == [.failure, .success])
    }

    @Test func mistypedCodeAndTheNextTryAreOneFlow() {
        func step(_ capture: inout CaptureBuilder, _ code: String, _ status: Int, _ answer: String) {
            capture.post(
                "https://shop.ciamlogin.com/shop/oauth2/v2.0/token",
                [
                    ("grant_type", "oob"), ("client_id", "app"), ("oob", code),
                    ("continuation_token", "oaF1LlqsajAIxNKu8iS2G8NP"),
                ],
                status,
                body: .json(answer)
            )
        }
        let found = FlowFinder.flows { capture in
            step(
                &capture,
                "123",
                400,
                #"{"error":"invalid_grant","suberror":"invalid_oob_value","continuation_token":"BYOvfZ8UzDzV8fUkkibj"}"#
            )
            step(&capture, "456", 200, #"{"access_token":"at-0001-native","token_type":"Bearer"}"#)
        }
        #expect(found.count == 1 && found.first?.ending == .success)
    }

    @Test func switchOfOrganizationsGoesOnWithTheLogin() {
        let found = FlowFinder.flows { capture in
            Self.shop.whole(&capture)
            capture.post(
                "https://idp.example/token",
                [
                    ("grant_type", "organization_switch"), ("token", "access-of-\(Self.shop.state)"),
                    ("switching_organization", "10084a8d"), ("client_id", "shop"),
                ],
                body: .json(#"{"access_token":"at-0002-organization","token_type":"Bearer"}"#)
            )
        }
        #expect(found.count == 1 && found.first?.tokenRequests.count == 2)
    }

    // MARK: - Behind a logout

    private func signedOut(_ then: (inout CaptureBuilder) -> Void) -> Outcome? {
        FlowFinder.flows { capture in
            Self.shop.whole(&capture)
            capture.redirect(
                "https://idp.example/end_session?client_id=shop&post_logout_redirect_uri=https%3A%2F%2Fshop.example%2F",
                to: "https://shop.example/",
                headers: ShopLogin.browser
            )
            capture.get("https://shop.example/", headers: ShopLogin.browser)
            then(&capture)
        }.first?.ending
    }

    @Test func otherWindowsLearnOfALogoutByARefusal() {
        let call = { (capture: inout CaptureBuilder) in
            _ = capture.get(
                "https://idp.example/userinfo",
                401,
                headers: ShopLogin.backend + [("Authorization", "Bearer access-of-\(Self.shop.state)")]
            )
        }
        #expect(signedOut(call) == .success)
        #expect(
            signedOut { capture in
                capture.post(
                    "https://idp.example/token",
                    [
                        ("grant_type", "refresh_token"),
                        ("refresh_token", "refresh-of-\(Self.shop.state)"), ("client_id", "shop"),
                    ],
                    400,
                    headers: ShopLogin.backend,
                    body: .json(#"{"error":"invalid_grant","error_description":"Session not active"}"#)
                )
            } == .success
        )
        // Nobody signed out.
        let found = FlowFinder.flows { capture in
            Self.shop.whole(&capture)
            call(&capture)
        }
        #expect(found.first?.ending == .failure)
    }
}
