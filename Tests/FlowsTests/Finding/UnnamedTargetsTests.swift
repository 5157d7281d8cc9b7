import Captures
import Flows
import OAuth
import TestSupport
import Testing

/// Answers to requests that have neither a redirect URI nor a state: they bring a code alone.
struct UnnamedTargetsTests {
    /// An app's own pages have a `code`, too: a country, or a voucher that one page links to on another.
    @Test(arguments: [("de", []), ("SPRING-VOUCHER-2026", [("Referer", "https://shop.example/")])])
    func codeOfAnAppsOwnPageIsNoAnswer(code: String, headers: [(String, String)]) throws {
        var capture = CaptureBuilder()
        let request = "https://idp.example/authorize?response_type=code&client_id=shop"
        let callback = "https://shop.example/cb?code=code-of-one-0001"
        capture.redirect("https://shop.example/login", to: request)
        capture.get(request, body: .html("<form method=post action=/login><input name=user></form>"))
        capture.post("https://idp.example/login", [("user", "a")], 302, answer: [("Location", callback)])
        capture.redirect(callback, to: "/home")
        capture.get("https://shop.example/cart?code=\(code)", headers: headers, body: .html("<h1>Cart</h1>"))
        let flow = try #require(capture.flows.first)
        #expect(capture.flows.count == 1)
        #expect(flow.authorizationResponses.map(\.callback) == [3])
    }

    /// A script of the provider's sends the browser back.
    @Test func codeThatAPageOfTheProvidersBringsIsAnAnswer() throws {
        var capture = CaptureBuilder()
        let request = "https://idp.example/authorize?response_type=code&client_id=shop"
        capture.redirect("https://shop.example/login", to: request)
        capture.get(request, body: .html("<script src=/login.js></script>"))
        capture.get(
            "https://shop.example/cb?code=code-of-one-0001",
            headers: [("Referer", "https://idp.example/"), ("Sec-Fetch-Site", "cross-site")]
        )
        let flow = try #require(capture.flows.first)
        #expect(flow.authorizationResponses.map(\.callback) == [2])
    }

    /// Of a pushed request the browser shows nothing, and the answer is posted (OAuth 2.0 Form Post Response Mode, section 2); a page of
    /// the app's own may post the like.
    @Test(arguments: [
        ("Referer", "https://idp.example/", true), ("Referer", "https://shop.example/", false),
        ("Origin", "https://shop.example", false),
    ])
    func answerThatAPageOfTheProvidersPostsIsFound(header: String, page: String, isFound: Bool) {
        let code = "code-of-one-0001"
        let state = "state-of-one-0001"
        let form = """
            <form method=post action=https://shop.example/cb><input type=hidden name=code value=\(code)>\
            <input type=hidden name=state value=\(state)></form><script>document.forms[0].submit()</script>
            """
        var capture = CaptureBuilder()
        let request = "https://idp.example/authorize?client_id=shop&request_uri=urn%3Aexample%3Apushed-1"
        capture.redirect("https://shop.example/login", to: request)
        capture.get(request, body: .html(form))
        capture.post(
            "https://shop.example/cb",
            [("code", code), ("state", state)],
            500,
            headers: [(header, page)],
            body: .html("no")
        )
        #expect(capture.flows.flatMap(\.authorizationResponses).map(\.callback) == (isFound ? [2] : []))
        #expect(capture.flows.map(\.ending) == [isFound ? .failure : .incomplete])
    }

    /// Nothing but its page says where the provider sends the answer: what had sent the browser there was not recorded.
    @Test(arguments: [("https://idp.example", [1]), ("https://partner.example", [])])
    func answerIsPostedToWhomThePageKnows(page: String, callbacks: [Int]) {
        var capture = CaptureBuilder()
        let request = "https://idp.example/authorize?client_id=shop&request_uri=urn%3Aexample%3Apushed-1"
        capture.get(request, body: .html("<div id=root></div><script src=a.js></script>"))
        let answer = [("code", "code-of-one-0001"), ("state", "state-of-one-0001")]
        capture.post("https://shop.example/cb", answer, headers: [("Origin", page)], body: .html("Welcome"))
        #expect(capture.flows.flatMap(\.authorizationResponses).compactMap(\.callback) == callbacks)
    }

    /// A script of the page's tells whoever counts its errors.
    @Test(arguments: [("navigate", [1]), ("cors", []), ("no-cors", [])])
    func whatAScriptOfThePageSendsIsNoAnswer(mode: String, callbacks: [Int]) {
        var capture = CaptureBuilder()
        let request = "https://idp.example/authorize?client_id=shop&request_uri=urn%3Aexample%3Apushed-1"
        capture.get(request, body: .html("<div id=root></div><script src=a.js></script>"))
        let headers = [("Origin", "https://idp.example"), ("Sec-Fetch-Mode", mode)]
        let told = [("error", "login_required"), ("state", "state-of-one-0001")]
        capture.post("https://errors.example/report", told, headers: headers, body: .html("ok"))
        #expect(capture.flows.flatMap(\.authorizationResponses).compactMap(\.callback) == callbacks)
    }

    /// The provider's half is not in the capture: what the app redirects to is none of its answers.
    @Test func redirectOfTheAppIsNoAnswerWhereTheProviderIsNotSeen() {
        var capture = CaptureBuilder()
        let request = "https://idp.example/authorize?response_type=code&client_id=shop"
        capture.redirect("https://shop.example/login", to: request)
        capture.redirect(
            "https://shop.example/offers",
            to: "https://partner.example/?code=SPRING-VOUCHER-2026"
        )
        capture.get("https://partner.example/?code=SPRING-VOUCHER-2026", body: .html("<h1>Offers</h1>"))
        #expect(capture.flows.allSatisfy { $0.authorizationResponses.isEmpty })
    }
}
