import Captures
import Flows
import OAuth
import TestSupport
import Testing

/// What comes after a login, and breaks a flow that went well until then or leaves it be.
struct EndingAfterwardsTests {
    private func ending(_ build: (inout CaptureBuilder, ShopLogin) -> Void) -> [Outcome] {
        ShopLogin.endings(build)
    }

    @Test(arguments: ["<h1>Sorry to see you go</h1>", "<title>Your session has expired</title><p>Bye"])
    func logoutThatSaysGoodbyeIsNone(page: String) {
        let found = ending {
            $1.whole(&$0)
            $0.get("\($1.issuer)/logout?client_id=shop", headers: ShopLogin.browser, body: .html(page))
        }
        #expect(found == [.success])
    }

    @Test func logoutThatEndsOnAPageOfErrorsIsAFailure() {
        let found = ending {
            $1.whole(&$0)
            $0.get(
                "\($1.issuer)/logout?client_id=shop&post_logout_redirect_uri=https%3A%2F%2Fshop.example%2Fbye",
                headers: ShopLogin.browser,
                body: .html("<h1>Error</h1><ul><li>post_logout_redirect_uri: Enter a valid URL.</li></ul>")
            )
        }
        #expect(found == [.failure])
    }

    /// It asks the provider about the token, with a secret of its own.
    @Test(arguments: [(401, Outcome.failure), (200, .success)])
    func apiThatIsRefusedItsQuestionAboutTheTokenBreaksTheFlow(status: Int, expected: Outcome) {
        let found = ending {
            $1.whole(&$0)
            $0.step = 0
            $0.get(
                "https://api.example/orders",
                500,
                headers: [("Authorization", "Bearer access-of-\($1.state)")],
                body: .json("{}")
            )
            $0.post(
                "\($1.issuer)/introspect",
                [("token", "access-of-\($1.state)")],
                status,
                headers: ShopLogin.backend,
                body: .json(status == 200 ? #"{"active":true}"# : #"{"error":"invalid_client"}"#)
            )
        }
        #expect(found == [expected])
    }

    /// With the client refused the tokens live on, whereas a kind of token that the endpoint does not take back is no fault of
    /// the login (RFC 7009, sections 2.1 and 2.2.1).
    @Test(arguments: [
        (401, "", Outcome.failure), (401, "unauthorized", .failure), (400, "invalid_client", .failure),
        (400, "unsupported_token_type", .success), (401, "invalid_token", .success),
        (200, "", .success),
    ])
    func revocationThatTheClientIsRefusedEndsTheLogin(status: Int, error: String, expected: Outcome) {
        func found(_ more: (inout CaptureBuilder, ShopLogin) -> Void) -> [Outcome] {
            ending {
                $1.whole(&$0)
                revoke(&$0, $1, status, error)
                more(&$0, $1)
            }
        }
        #expect(found { _, _ in } == [expected])
        #expect(found { revoke(&$0, $1, 200, "") } == [.success])
        // Signed out all the same.
        #expect(found { signOut(&$0, $1) } == [.success])
        let revokedBehind = ending {
            $1.whole(&$0)
            signOut(&$0, $1)
            revoke(&$0, $1, status, error)
        }
        #expect(revokedBehind == [.success])
    }

    private func signOut(_ capture: inout CaptureBuilder, _ login: ShopLogin) {
        capture.redirect(
            "\(login.issuer)/logout?client_id=shop&post_logout_redirect_uri=https%3A%2F%2Fshop.example%2Fbye",
            to: "https://shop.example/bye",
            headers: ShopLogin.browser
        )
    }

    private func revoke(_ capture: inout CaptureBuilder, _ login: ShopLogin, _ status: Int, _ error: String) {
        capture.post(
            "\(login.issuer)/revoke",
            [("token", "refresh-of-\(login.state)"), ("client_id", "shop"), ("client_secret", "made-up")],
            status,
            headers: ShopLogin.backend,
            body: .json(error.isEmpty ? "{}" : "{\"error\":\"\(error)\"}")
        )
    }

    @Test(arguments: [(404, Outcome.success), (403, .success), (500, .success), (401, .failure)])
    func whatAnAPISaysOfItsRecordsIsNoAffairOfTheLogin(status: Int, outcome: Outcome) {
        let found = ending { capture, login in
            login.authorize(&capture)
            login.callback(&capture)
            login.token(&capture)
            capture.get(
                "https://api.example/orders/7",
                status,
                headers: ShopLogin.backend + [("Authorization", "Bearer access-of-" + login.state)],
                body: .json("{}")
            )
        }
        #expect(found == [outcome])
    }

    @Test func keysThatTheClientIsRefusedAreTheEndOfIt() {
        func found(_ more: (inout CaptureBuilder, ShopLogin) -> Void) -> [Outcome] {
            ending { capture, login in
                var app = login
                app.redirectURI = "com.example.shop:/cb"
                app.discovery(&capture)
                app.authorize(&capture)
                app.answer(&capture)
                app.token(
                    &capture,
                    body:
                        #"{"access_token":"access-of-\#(app.state)","id_token":"a.b.c","token_type":"Bearer"}"#
                )
                capture.get(app.issuer + "/jwks", 503, headers: ShopLogin.backend, body: .html("<p>no</p>"))
                more(&capture, app)
            }
        }
        #expect(found { _, _ in } == [.failure])
        #expect(found { $1.userInfo(&$0) } == [.success])
        let lost = found { capture, _ in
            guard var last = capture.exchanges.last else { return }
            last.response = nil
            last.failure = "net::ERR_CONNECTION_RESET"
            capture.add(last)
        }
        #expect(lost == [.failure])
        let again = found { capture, login in
            capture.get(login.issuer + "/jwks", headers: ShopLogin.backend, body: .json(#"{"keys":[]}"#))
        }
        #expect(again == [.success])
    }

    /// An API says so in its body, without a challenge (RFC 6750, section 3.1).
    @Test(arguments: [("insufficient_scope", Outcome.failure), ("forbidden", .success)])
    func scopeThatAnAPIMissesEndsTheLogin(error: String, expected: Outcome) {
        let found = ending {
            $1.whole(&$0)
            $0.get(
                "https://api.example/orders",
                403,
                headers: ShopLogin.backend + [("Authorization", "Bearer access-of-\($1.state)")],
                body: .json("{\"error\":\"\(error)\"}")
            )
        }
        #expect(found == [expected])
    }

    /// GitHub names the scopes with each answer, also of what it refuses for the load.
    @Test(arguments: [
        ("X-RateLimit-Remaining", "12", Outcome.failure), ("X-RateLimit-Remaining", "0", .success),
        ("Retry-After", "60", .success),
    ])
    func scopesBesideARefusalForTheLoadAreNotMissing(name: String, value: String, expected: Outcome) {
        let found = ending {
            $1.whole(&$0)
            $0.get(
                "https://api.example/orders",
                403,
                headers: ShopLogin.backend + [("Authorization", "Bearer access-of-\($1.state)")],
                answer: [
                    ("X-OAuth-Scopes", "read:user"), ("X-Accepted-OAuth-Scopes", "repo"), (name, value),
                ],
                body: .json(#"{"message":"no"}"#)
            )
        }
        #expect(found == [expected])
    }

    /// RFC 9449, section 7.1, has 401 for it.
    @Test(arguments: [("invalid_dpop_proof", Outcome.failure), ("invalid_request", .success)])
    func proofThatIsRefusedWith400EndsTheLogin(error: String, expected: Outcome) {
        let found = ending {
            $1.whole(&$0)
            $0.get(
                "https://api.example/orders",
                400,
                headers: ShopLogin.backend + [("Authorization", "DPoP access-of-\($1.state)")],
                body: .json("{\"error\":\"\(error)\"}")
            )
        }
        #expect(found == [expected])
    }

    /// A challenge for the client's credentials, and one that names the token (RFC 6750, section 3).
    @Test(arguments: [(#"Basic realm="idp""#, Outcome.failure), (#"Bearer error="invalid_token""#, .success)])
    func challengeToARevocationTellsWhoIsRefused(challenge: String, expected: Outcome) {
        let found = ending {
            $1.whole(&$0)
            $0.post(
                "\($1.issuer)/revoke",
                [("token", "refresh-of-\($1.state)"), ("client_id", "shop")],
                401,
                headers: ShopLogin.backend,
                answer: [("WWW-Authenticate", challenge)]
            )
        }
        #expect(found == [expected])
    }

    /// Back by a script, or within the time that a user takes to confirm.
    @Test(
        arguments: [
            ("<p>Signing you out</p>", "https://shop.example/bye?x=1", 0, .success),
            ("<p>Signing you out</p>", "https://shop.example/bye", 400, .incomplete),
            ("<p>Signing you out</p>", "https://shop.example/", 0, .incomplete),
            (#"<meta http-equiv="refresh" content="0;url=https://shop.example/bye">"#, nil, 0, .success),
            (#"<meta http-equiv="refresh" content="0;url=https://idp.example/login">"#, nil, 0, .incomplete),
            ("<p>Invalid redirect uri</p>", nil, 0, .failure),
        ] as [(String, String?, Int64, Outcome)]
    )
    func logoutEndsWhereTheBrowserIs(page: String, next: String?, seconds: Int64, expected: Outcome) {
        let found = ending { capture, login in
            login.whole(&capture)
            capture.get(
                "\(login.issuer)/logout?client_id=shop&post_logout_redirect_uri=https%3A%2F%2Fshop.example%2Fbye",
                headers: ShopLogin.browser,
                body: .html(page)
            )
            capture.wait(seconds)
            if let next { capture.get(next, headers: ShopLogin.browser, body: .html("bye")) }
        }
        #expect(found == [expected])
    }

    /// Its user's agent tells whose login it is.
    @Test(arguments: [
        ("interaction_required", [Outcome.success, .success]), ("invalid_grant", [.failure, .success]),
    ])
    func refreshThatWantsItsUserIsMendedByALogin(error: String, expected: [Outcome]) {
        let found = ending {
            $0.post(
                $1.issuer + "/token",
                [
                    ("grant_type", "refresh_token"), ("refresh_token", "refresh-of-before-0001"),
                    ("client_id", "shop"),
                ],
                400,
                headers: ShopLogin.browser,
                body: .json("{\"error\":\"\(error)\"}")
            )
            $1.frontChannel(&$0)
            $1.token(&$0)
        }
        #expect(found == expected)
    }

    /// A refresh that did not reach the provider ends a login, unless the same client got tokens later.
    @Test(
        arguments: [
            ("net::ERR_CONNECTION_REFUSED", nil, [.failure]), ("net::ERR_EMPTY_RESPONSE", nil, [.success]),
            ("net::ERR_CONNECTION_REFUSED", "shop", [.success, .success]),
            ("net::ERR_CONNECTION_REFUSED", "blog", [.failure, .success]),
        ] as [(String, String?, [Outcome])]
    )
    func refreshThatIsCutOffEndsTheLogin(failure: String, client: String?, expected: [Outcome]) {
        var capture = CaptureBuilder()
        ShopLogin().whole(&capture)
        let refresh = ShopLogin().refresh(&capture)
        if let client {
            var later = ShopLogin("two")
            later.client = client
            later.authorize(&capture)
            later.answer(&capture)
            later.callback(&capture)
            later.token(&capture)
        }
        var exchanges = capture.exchanges
        exchanges[refresh].response = nil
        exchanges[refresh].failure = failure
        #expect(FlowFinder.flows(in: Capture(exchanges)).map(\.ending) == expected)
    }
}
