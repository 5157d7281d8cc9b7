import Captures
import Flows
import OAuth
import TestSupport
import Testing

/// Two people at once whose requests are the very same: their browsers tell them apart.
struct BrowsersTests {
    enum Mark: CaseIterable {
        case cookies
        case agents
        case addresses
    }

    /// A browser and what it does; its client makes up nothing for a login, or always the same.
    private struct Browser {
        var name: String
        var mark: Mark
        var state: String?

        private var headers: [(String, String)] {
            [("User-Agent", mark == .agents ? "Mozilla/5.0 (\(name))" : "Mozilla/5.0")]
                + (mark == .addresses ? [("X-Forwarded-For", "192.0.2.\(name.utf8.count)")] : [])
        }

        private var answered: [(String, String)] { state.map { [("state", $0)] } ?? [] }

        private func sending(_ cookie: String) -> [(String, String)] {
            headers + [("Cookie", "\(cookie)=\(cookie)-of-\(name)-0001")]
        }

        private func setting(_ cookie: String) -> (String, String) {
            ("Set-Cookie", "\(cookie)=\(cookie)-of-\(name)-0001; Path=/; HttpOnly")
        }

        var request: String {
            "https://idp.example/authorize?"
                + FormBody.encode(
                    [
                        ("response_type", "code"), ("client_id", "shop"),
                        ("redirect_uri", "https://shop.example/cb"),
                    ] + answered
                )
        }

        func start(_ capture: inout CaptureBuilder) -> Int {
            capture.get(
                "https://shop.example/login",
                302,
                headers: headers,
                answer: [("Location", request), setting("shop")]
            )
        }

        func authorize(_ capture: inout CaptureBuilder) -> Int {
            capture.get(
                request,
                headers: headers,
                answer: mark == .cookies ? [setting("session")] : [],
                body: .html("<form method=post action=/login><input name=user></form>")
            )
        }

        func answer(_ capture: inout CaptureBuilder) -> [Int] {
            let callback =
                "https://shop.example/cb?" + FormBody.encode([("code", "code-of-\(name)-0001")] + answered)
            let page = capture.post(
                "https://idp.example/login",
                [("user", name)],
                302,
                headers: mark == .cookies ? sending("session") : headers,
                answer: [("Location", callback)]
            )
            let end = capture.redirect(callback, to: "/home", headers: sending("shop"))
            return [page, end]
        }
    }

    private static let states = [nil, "state-that-never-changes"]

    @Test(arguments: Mark.allCases, states) func sameRequestOfAnotherBrowserIsAnotherLogin(
        mark: Mark,
        state: String?
    ) {
        let browsers = ["ann", "boris"].map { Browser(name: $0, mark: mark, state: state) }
        var capture = CaptureBuilder()
        let requests = browsers.map { $0.authorize(&capture) }
        for browser in browsers { _ = browser.answer(&capture) }
        let found = capture.flows
        #expect(found.map { $0.authorizationRequests.map(\.exchange) } == requests.map { [$0] })
    }

    /// Pages without any value of a login are their browser's.
    @Test(arguments: Mark.allCases, states) func pagesAndAnswersAreThoseOfTheirBrowsers(
        mark: Mark,
        state: String?
    ) {
        let browsers = ["ann", "boris"].map { Browser(name: $0, mark: mark, state: state) }
        var capture = CaptureBuilder()
        var exchanges = browsers.map { [$0.authorize(&capture)] }
        for place in [0, 1] { exchanges[place] += browsers[place].answer(&capture) }
        #expect(capture.flows.map(\.exchanges) == exchanges)
    }

    /// A broker sends both to a sign-in at another host, whose pages have nothing of the login but the browser's cookie.
    @Test func pagesAtAnotherHostAreThoseOfTheirBrowsers() {
        let browsers = ["ann", "boris"].map { Browser(name: $0, mark: .cookies, state: "state-of-\($0)") }
        var capture = CaptureBuilder()
        var exchanges = browsers.map { [$0.authorize(&capture)] }
        for (place, browser) in browsers.enumerated() {
            let cookie = "sso=sso-of-\(browser.name)-0001"
            let page = "https://sso.example/start?id=\(browser.name)"
            exchanges[place].append(
                capture.redirect(
                    "https://idp.example/broker",
                    to: page,
                    headers: [("Cookie", "session=session-of-\(browser.name)-0001")]
                )
            )
            exchanges[place].append(
                capture.get(
                    page,
                    answer: [("Set-Cookie", "\(cookie); Path=/")],
                    body: .html("<p>Sign in</p>")
                )
            )
        }
        for (place, browser) in browsers.enumerated() {
            let cookie = "sso=sso-of-\(browser.name)-0001"
            exchanges[place].append(
                capture.post("https://sso.example/in", [("user", "x")], headers: [("Cookie", cookie)])
            )
        }
        #expect(capture.flows.map(\.exchanges) == exchanges)
    }

    /// As out of an app's own view of the web into the browser of the system.
    @Test func loginThatItsUserGoesOnWithInAnotherBrowserIsOne() {
        let browsers = ["ann", "boris"].map { Browser(name: $0, mark: .agents, state: "state-of-one-0001") }
        var capture = CaptureBuilder()
        let exchanges = browsers.map { $0.authorize(&capture) }
        let answer = browsers[1].answer(&capture)
        #expect(capture.flows.map(\.exchanges) == [exchanges + answer])
    }

    /// Nor are its pages there those of an older login that was left in that browser.
    @Test func pagesOfABrowserAreThoseOfTheLoginThatWentOnThere() {
        let ann = Browser(name: "ann", mark: .agents, state: "state-of-one-0001")
        let (left, boris) = (
            Browser(name: "boris", mark: .agents, state: "state-of-two-0001"),
            Browser(name: "boris", mark: .agents, state: ann.state)
        )
        var capture = CaptureBuilder()
        let first = left.authorize(&capture)
        var exchanges = [ann.authorize(&capture), boris.authorize(&capture)]
        let headers = [("User-Agent", "Mozilla/5.0 (boris)")]
        let page = capture.get("https://idp.example/consent", headers: headers, body: .html("<p>Consent</p>"))
        exchanges += [page] + boris.answer(&capture)
        #expect(capture.flows.map(\.exchanges) == [[first], exchanges])
    }

    @Test func reloadInOneBrowserIsOneLogin() {
        let browser = Browser(name: "ann", mark: .cookies)
        var capture = CaptureBuilder()
        var exchanges = [browser.authorize(&capture)]
        exchanges.append(
            capture.get(
                browser.request,
                headers: [("User-Agent", "Mozilla/5.0"), ("Cookie", "session=session-of-ann-0001")],
                body: .html("<form method=post action=/login><input name=user></form>")
            )
        )
        exchanges += browser.answer(&capture)
        #expect(capture.flows.map(\.exchanges) == [exchanges])
    }

    /// A cookie for pages below another address, or for the provider's own site alone, does not come back with the request.
    @Test(arguments: ["Path=/auth", "Path=/; SameSite=Strict"])
    func reloadWithoutACookieThatIsNotForItIsOneLogin(attributes: String) {
        let browser = Browser(name: "ann", mark: .agents)
        var capture = CaptureBuilder()
        for place in 0..<2 {
            let cookie = "session=session-of-ann-000\(place)"
            capture.get(
                browser.request,
                answer: [("Set-Cookie", "\(cookie); \(attributes)")],
                body: .html("<script src=/auth/login.js></script>")
            )
            capture.get("https://idp.example/auth/login.js", headers: [("Cookie", cookie)])
        }
        #expect(capture.flows.map { $0.authorizationRequests.map(\.exchange) } == [[0, 2]])
    }

    /// Its server's redirect is an app's own, what it leads to the browser's.
    @Test func reloadInTheBrowserOfAnAppIsOneLogin() {
        let (app, browser) = (Browser(name: "app", mark: .agents), Browser(name: "ann", mark: .agents))
        var capture = CaptureBuilder()
        var exchanges = [app.start(&capture), browser.authorize(&capture), browser.authorize(&capture)]
        exchanges += browser.answer(&capture)
        #expect(capture.flows.map(\.exchanges) == [exchanges])
    }

    /// Neither other proxies on the way nor another version of the protocol make another browser.
    @Test(
        arguments: [
            ("192.0.2.1, 198.51.100.7", "192.0.2.1,198.51.100.8", 1), ("192.0.2.1:4711", "192.0.2.1:4712", 1),
            ("192.0.2.1", "2001:db8::1", 1), ("[2001:db8::1]:80", "2001:db8::1", 1),
            ("192.0.2.1", "unknown", 1), ("192.0.2.1", nil, 1), ("192.0.2.1", "192.0.2.2", 2),
            ("2001:db8::1", "2001:db8::2", 2),
        ] as [(String, String?, Int)]
    ) func addressIsTheBrowsersOwn(address: String, other: String?, logins: Int) {
        let browser = Browser(name: "ann", mark: .cookies)
        var capture = CaptureBuilder()
        for address in [address, other] {
            let headers = HeaderFields(address.map { [("X-Forwarded-For", $0)] } ?? [])
            capture.add(
                Exchange(
                    startedAt: Timestamp(seconds: 0),
                    request: RecordedRequest(
                        method: "GET",
                        url: RecordedURL(browser.request),
                        headers: headers
                    ),
                    response: RecordedResponse(status: 200, body: .html("<p>Sign in</p>")),
                    client: ClientFacts(address: "203.0.113.1:4711")
                )
            )
        }
        #expect(capture.flows.count == logins)
    }

    /// What the same browser left before its last login is not gone on with.
    @Test func loginBehindOneThatIsDoneIsAnother() {
        let browser = Browser(name: "ann", mark: .agents)
        var capture = CaptureBuilder()
        var requests: [[Int]] = []
        for isAnswered in [false, true] {
            _ = browser.start(&capture)
            requests.append([browser.authorize(&capture)])
            if isAnswered { _ = browser.answer(&capture) }
        }
        requests.append([browser.authorize(&capture)])
        #expect(capture.flows.map { $0.authorizationRequests.map(\.exchange) } == requests)
    }

    /// The app sends both to the same address before either of them gets there.
    @Test(arguments: states) func eachFollowsItsOwnRedirect(state: String?) {
        for mark in [Mark.cookies, .agents] {
            let browsers = ["ann", "boris"].map { Browser(name: $0, mark: mark, state: state) }
            var capture = CaptureBuilder()
            var exchanges = browsers.map { [$0.start(&capture)] }
            for place in [0, 1] { exchanges[place].append(browsers[place].authorize(&capture)) }
            for place in [0, 1] { exchanges[place] += browsers[place].answer(&capture) }
            #expect(capture.flows.map { $0.exchanges.prefix(2) } == exchanges.map { $0.prefix(2) })
        }
    }
}
