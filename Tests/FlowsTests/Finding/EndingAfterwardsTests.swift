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
}
