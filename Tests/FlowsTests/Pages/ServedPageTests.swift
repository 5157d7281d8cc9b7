import Captures
import Flows
import TestSupport
import Testing

/// What an app serves behind its callback shows that it let its user in, be it what the browser has already (304).
struct ServedPageTests {
    private static let form = "<form method=post><input name=user><input type=password name=password></form>"

    /// A page may have the form to sign in with for whoever wants it.
    @Test(arguments: [
        (200, "application/json", Outcome.success), (304, "application/json", .success),
        (401, "application/json", .failure), (304, "text/html", .success), (200, "text/css", .failure),
    ])
    func formToSignInWithIsNotTheEndWhereMoreIsServed(status: Int, type: String, expected: Outcome) {
        let found = ShopLogin.endings {
            $1.authorize(&$0)
            $1.answer(&$0)
            $0.redirect($1.callbackURL, to: "/login", headers: ShopLogin.browser)
            $0.get("https://shop.example/login", headers: ShopLogin.browser, body: .html(Self.form))
            let body = Body(text: "{}", mediaType: type)
            $0.get("https://shop.example/me", status, headers: ShopLogin.browser, body: body)
        }
        #expect(found == [expected])
    }

    @Test(arguments: [
        ("sid=abc123; Path=/", Outcome.success), ("flash=x; Path=/", .failure),
        ("theme=; Max-Age=0", .failure),
    ])
    func formToSignInWithIsNotTheEndBehindANewSession(cookie: String, expected: Outcome) {
        let found = ShopLogin.endings {
            $1.authorize(&$0)
            $1.answer(&$0)
            $0.get(
                $1.callbackURL,
                302,
                headers: ShopLogin.browser,
                answer: [("Set-Cookie", cookie), ("Location", "/login")]
            )
            $0.get("https://shop.example/login", headers: ShopLogin.browser, body: .html(Self.form))
        }
        #expect(found == [expected])
    }

    /// What stands in the fragment no server is seen to get.
    @Test(
        arguments: [(nil, .incomplete), (200, .success), (304, .success), (302, .incomplete)]
            as [(Int?, Outcome)]
    )
    func pageBehindTheOneThatReadsTheFragmentKnowsItsUser(status: Int?, expected: Outcome) {
        let found = ShopLogin.endings { capture, login in
            let answer = FormBody.encode([("code", login.code), ("state", login.state)])
            let asked = login.authorizationURL + "&response_mode=fragment"
            capture.get(asked, headers: ShopLogin.browser, body: .html(Self.form))
            capture.redirect(
                login.issuer + "/login",
                to: login.redirectURI + "#" + answer,
                headers: ShopLogin.browser
            )
            capture.get(login.redirectURI, headers: ShopLogin.browser, body: .html("<div id=app></div>"))
            guard let status else { return }
            capture.get("https://shop.example/home", status, headers: ShopLogin.browser, body: .html("hi"))
        }
        #expect(found == [expected])
    }

    @Test(arguments: [(nil, .failure), (200, .success), (304, .success)] as [(Int?, Outcome)])
    func answerThatARedirectLostIsNotTheEndWhereAPageIsServed(status: Int?, expected: Outcome) {
        let found = ShopLogin.endings { capture, login in
            login.authorize(&capture)
            login.answer(&capture)
            capture.redirect(login.callbackURL, to: "/cb/", headers: ShopLogin.browser)
            capture.get("https://shop.example/cb/", 400, headers: ShopLogin.browser, body: .html("no"))
            guard let status else { return }
            capture.get("https://shop.example/home", status, headers: ShopLogin.browser, body: .html("hi"))
        }
        #expect(found == [expected])
    }
}
