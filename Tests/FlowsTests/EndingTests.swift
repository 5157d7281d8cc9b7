import Captures
import Flows
import TestSupport
import Testing

/// How a login ended by its answers alone.
struct EndingTests {
    private func ending(_ build: (inout CaptureBuilder, ShopLogin) -> Void) -> [Outcome] {
        var capture = CaptureBuilder()
        build(&capture, ShopLogin())
        return capture.flows.map(\.ending)
    }

    @Test func loginPageLeftOpenIsIncomplete() { #expect(ending { $1.authorize(&$0) } == [.incomplete]) }

    @Test func callbackWithoutItsBackChannelIsASuccessWhenTheAppGoesOn() {
        #expect(
            ending {
                $1.authorize(&$0)
                $1.answer(&$0)
                $1.callback(&$0)
            } == [.success]
        )
    }

    @Test func callbackThatTheAppRefusesIsAFailure() {
        #expect(
            ending {
                $1.authorize(&$0)
                $0.get($1.callbackURL, 400, headers: ShopLogin.browser, body: .html("no"))
            } == [.failure]
        )
    }

    @Test func errorOfTheProviderIsAFailureAndADenialIsCancelled() {
        for (error, expected) in [("server_error", Outcome.failure), ("access_denied", .cancelled)] {
            let found = ending {
                $1.authorize(&$0)
                $0.redirect(
                    $1.redirectURI + "?error=\(error)&state=\($1.state)",
                    to: "/home",
                    headers: ShopLogin.browser
                )
            }
            #expect(found == [expected], "\(error)")
        }
    }

    @Test func refusedCodeIsAFailure() {
        #expect(
            ending {
                $1.authorize(&$0)
                $1.callback(&$0)
                $1.token(&$0, status: 400, body: #"{"error":"invalid_grant"}"#)
            } == [.failure]
        )
    }

    @Test func retryThatSucceedsMakesItASuccess() {
        #expect(
            ending {
                $1.authorize(&$0)
                $1.callback(&$0)
                $1.token(&$0, status: 503, body: "{}")
                $1.token(&$0)
            } == [.success]
        )
    }

    @Test func codeInACustomSchemeThatNobodyExchangesIsIncomplete() {
        let found = ending { capture, login in
            var app = login
            app.redirectURI = "com.example.shop:/cb"
            app.authorize(&capture)
            app.answer(&capture)
        }
        #expect(found == [.incomplete])
    }

    @Test func errorInsideAnAnswerWithStatus200IsAFailure() {
        #expect(
            ending {
                $1.authorize(&$0)
                $1.callback(&$0)
                $1.token(&$0, body: #"{"error":"bad_verification_code"}"#)
            } == [.failure]
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
}
