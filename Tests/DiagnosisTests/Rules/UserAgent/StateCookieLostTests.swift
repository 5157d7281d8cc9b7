import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct StateCookieLostTests {
    let rule = "state-cookie-lost"
    let broken = "user-agent/state-cookie-lost"

    private func setting(_ cookie: String) throws -> Recording {
        try Recording(broken).answering("/login", header: "Set-Cookie", cookie)
    }

    @Test func namesTheCookieTheCallbackAndTheRefusal() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "0 response.header Set-Cookie", "3 request.header Cookie", "3 response.status ",
            ]
        )
        #expect(finding.evidence[0].value.hasPrefix("shop_login="))
        #expect(finding.notes[0].hasPrefix("Max-Age 60; 18"))
        #expect(finding.notes[0].hasSuffix("run out by then"))
        #expect(finding.fix.hasPrefix("Give the cookie more time"))
    }

    @Test func leavesAloneWhatTheAppAccepted() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: [
        ("__Host-login=1234567890abcd; Path=/auth; Secure", "breaks the rules of its prefix", "Set __Host-"),
        (
            "login=" + String(repeating: "x", count: 4200) + "; Path=/; Secure", "dropped: 4205 bytes",
            "Keep the cookie below 4096 bytes"
        ),
        (
            "login=1234567890abcd; Path=/; Domain=.harbour.example; Secure", "is not the host's",
            "Leave Domain out"
        ),
        (
            "login=1234567890abcd; Path=/; Secure; SameSite=Lax", "s before the callback",
            "Look at the cookie's lifetime"
        ),
    ])
    func saysWhatBecameOfIt(cookie: String, note: String, fix: String) throws {
        let finding = try #require(setting(cookie).finding(rule))
        #expect(finding.fix.hasPrefix(fix))
        #expect(finding.notes[0].hasSuffix(note))
    }

    /// An app's own client fetched the start, and a browser came back.
    @Test(arguments: [
        "Shop/4.2 CFNetwork/1568.200.51 Darwin/24.1.0", "okhttp/4.12.0", "Mozilla/5.0 (X11) Firefox/141.0",
    ])
    func tellsACookieThatAnAppsClientKept(agent: String) throws {
        let recording = try setting("login=1234567890abcd; Path=/; Secure; SameSite=Lax").editing {
            exchange in
            guard exchange.request.url.path == "/login" else { return }
            exchange.request.headers.replace("User-Agent", with: agent)
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.explanation.contains("own HTTP client") == !agent.hasPrefix("Mozilla"))
        #expect(finding.fix.contains("browser itself") == !agent.hasPrefix("Mozilla"))
    }

    /// Only a browser can be what shares no cookies with the app's client.
    @Test(arguments: [
        ("Mozilla/5.0 (iPhone) Safari/604.1", true), ("curl/8.5.0", false), ("shop-backend/1", false),
    ])
    func saysNothingOfAnAppsClientWhereNoBrowserCameBack(agent: String, isTold: Bool) throws {
        let recording = try setting("login=1234567890abcd; Path=/; Secure; SameSite=Lax").editing {
            exchange in
            guard ["/login", "/callback"].contains(exchange.request.url.path) else { return }
            exchange.request.headers.remove("user-agent")
            let isStart = exchange.request.url.path == "/login"
            exchange.request.headers.append("User-Agent", isStart ? "okhttp/4.12.0" : agent)
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.explanation.contains("own HTTP client") == isTold)
    }

    /// A token handler: the page asks its server for the way to the provider, and hands it the answer.
    @Test(arguments: [
        ("", "state-cookie-lost"), ("login=1234567890abcd", "callback-rejected-by-app"),
    ])
    func readsTheRequestThatHandsTheCodeOn(cookie: String, primary: String) throws {
        let original = try Recording(broken).exchanges
        var exchanges = Array(original.dropFirst())
        let code = try #require(exchanges[2].request.url.queryItems.first("code"))
        exchanges[2].response = RecordedResponse(status: 200)
        exchanges[2].response?.body = Body(
            text: "<html><script src=app.js></script></html>",
            mediaType: "text/html"
        )
        let call = { (path: String, time: Timestamp, body: String, response: RecordedResponse) in
            var exchange = original[0]
            exchange.startedAt = time
            exchange.request.method = "POST"
            exchange.request.url = RecordedURL("https://api.shop.example/" + path)
            exchange.request.headers.append("Origin", "https://www.shop.example")
            exchange.request.body = Body(text: body, mediaType: "application/json")
            exchange.response = response
            return exchange
        }
        let setting = "login=1234567890abcd; Path=/; Secure; HttpOnly; SameSite=Strict"
        let started = RecordedResponse(status: 200, headers: HeaderFields([("Set-Cookie", setting)]))
        exchanges.insert(call("start", original[0].startedAt, "{}", started), at: 0)
        let end = exchanges[3].startedAt + .milliseconds(300)
        exchanges.append(call("end", end, #"{"code":"\#(code)"}"#, RecordedResponse(status: 400)))
        if !cookie.isEmpty { exchanges[4].request.headers.append("Cookie", cookie) }
        exchanges[2].request.headers.append("Cookie", "provider=1")
        let recording = Recording(exchanges)
        #expect(recording.findings.filter(\.isPrimary).map(\.rule) == [primary])
        if primary == rule {
            #expect(
                recording.finding(rule)?.places.prefix(2) == [
                    "0 response.header Set-Cookie", "4 request.header Cookie",
                ]
            )
        }
    }

    @Test func saysWhichExchangeDeletedIt() throws {
        var recording = try setting("login=1234567890abcd; Path=/; Secure")
        var logout = recording.exchanges[0]
        logout.request.url = RecordedURL("https://www.shop.example/logout")
        logout.startedAt = recording.exchanges[2].startedAt
        logout.response = RecordedResponse(
            status: 204,
            headers: HeaderFields([("Set-Cookie", "login=; Path=/; Max-Age=0")])
        )
        recording.exchanges.append(logout)
        #expect(recording.finding(rule)?.notes[0].hasSuffix("deleted by exchange 4") == true)
    }

    @Test(arguments: [
        "login=1234567890abcd; Path=/; Secure; SameSite=Strict",
        "login=1234567890abcd; Path=/; SameSite=None",
        "login=1234567890abcd; Path=/login; Secure",
    ])
    func leavesToOtherRulesWhatTheyExplain(cookie: String) throws {
        #expect(try setting(cookie).finding(rule) == nil)
    }

    @Test func leavesToOtherRulesALaxCookieWithAPost() throws {
        let recording = try setting("login=1234567890abcd; Path=/; Secure; SameSite=Lax").editing {
            exchange in
            guard exchange.request.url.path == "/callback" else { return }
            let query = exchange.request.url.query ?? ""
            exchange.request.method = "POST"
            exchange.request.url = RecordedURL(exchange.request.url.withoutQuery)
            exchange.request.body = Body(text: query, mediaType: FormBody.mediaType)
        }
        #expect(recording.outcomes == [.failure])
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesToOtherRulesAnotherHost() throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/login" {
                exchange.request.url = RecordedURL("https://shop.example/login")
            }
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesAloneACallbackThatBringsTheCookie() throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/callback" {
                exchange.request.headers.append("Cookie", "a=b; shop_login=x")
            }
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesAloneAnAppThatSetsNoCookie() throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/login" {
                exchange.response?.headers.remove("Set-Cookie")
            }
            // One elsewhere, so that the capture is not taken for a sanitized one.
            if exchange.request.url.path == "/sign-in" {
                exchange.request.headers.append("Cookie", "harbour=1")
            }
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) == nil)
    }

    @Test func firesOnARedirectThatNamesAnError() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.response?.status = 302
            exchange.response?.redirect(to: "/sign-in?auth_error=session")
        }
        #expect(recording.finding(rule)?.severity == .error)
        #expect(recording.outcomes == [.failure])
    }

    /// The app exchanges the code without asking whose login it was, and has no session to put the user into.
    @Test(arguments: [("", false, true), ("theme=dark", false, false), ("", true, false)])
    func firesWhereTheCodeWasExchangedAllTheSame(cookie: String, hasVerifier: Bool, fires: Bool) throws {
        let whole = try Recording("healthy/web-code-flow")
        let bare = whole.asking("code_challenge", nil).asking("code_challenge_method", nil)
            .sending("code_verifier", nil)
        let recording = (hasVerifier ? whole : bare).editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.request.headers.remove("cookie")
            exchange.request.listedCookies = []
            if !cookie.isEmpty { exchange.request.headers.append("Cookie", cookie) }
            exchange.response = RecordedResponse(status: 500)
        }
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect(recording.finding("callback-rejected-by-app") != nil)
        // What stopped it is cause enough.
        let refused = recording.editing { exchange in
            if exchange.request.url.path == "/userinfo" { exchange.response = RecordedResponse(status: 500) }
            if exchange.request.url.path == "/callback" { exchange.duration = .seconds(20) }
        }
        #expect(refused.finding(rule) == nil)
        // What was asked for when it had answered did not.
        let later = recording.editing { exchange in
            guard exchange.request.url.path == "/userinfo" else { return }
            exchange.startedAt = exchange.startedAt + .seconds(5)
            exchange.response = RecordedResponse(status: 404)
        }
        #expect((later.finding(rule) != nil) == fires)
        // What it had to refuse, too.
        let token = recording.editingIDToken { $0["aud"] = "another" }
        #expect(token.finding(rule) == nil)
    }

    @Test func leavesAReloadOfADoneCallbackAlone() throws {
        var recording = try Recording("healthy/web-code-flow").frontChannel
        let index = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/callback" })
        var again = recording.exchanges[index]
        again.startedAt = again.startedAt + .seconds(5)
        again.request.headers.remove("Cookie")
        again.request.listedCookies = []
        again.response = RecordedResponse(status: 400)
        recording.exchanges.append(again)
        #expect(recording.finding(rule) == nil)
        recording.exchanges.remove(at: index)
        #expect(recording.finding(rule) != nil)
    }

    @Test func abstainsOnASanitizedCapture() throws {
        let recording = try Recording(broken).sanitized
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule)?.contains("stripped") == true)
    }

    /// The app's cookie stays alive up to the callback, which brings `value`, that an answer of `address` has set.
    private func overwritten(
        by address: String,
        location: String? = nil,
        value: String = "another",
        cookie: String = "shop_login=another; Path=/"
    ) throws -> Recording {
        var recording = try setting("shop_login=1234567890abcd; Path=/; HttpOnly").editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.request.headers.append("Cookie", "shop_login=\(value); theme=dark")
        }
        var other = recording.exchanges[0]
        other.request.url = RecordedURL(address)
        other.startedAt = recording.exchanges[2].startedAt
        other.response = RecordedResponse(status: 200, headers: HeaderFields([("Set-Cookie", cookie)]))
        if let location { other.response?.redirect(to: location) }
        recording.exchanges.append(other)
        return recording
    }

    @Test func saysWhichProgramOfTheHostOverwroteIt() throws {
        let finding = try #require(overwritten(by: "https://www.shop.example:8443/login").finding(rule))
        #expect(
            finding.places == [
                "0 response.header Set-Cookie", "4 response.header Set-Cookie", "3 request.header Cookie",
                "3 response.status ",
            ]
        )
        #expect(
            finding.notes[0]
                == "overwritten by exchange 4: www.shop.example:8443 has a cookie of the same name, and cookies are not kept apart by port"
        )
        #expect(finding.notes[1] == "sent back instead")
        #expect(finding.fix.hasPrefix("Give one of the two programs another cookie name"))
    }

    /// A dot before the domain says nothing (RFC 6265, section 5.2.3).
    @Test(arguments: ["", "; Domain=.shop.example"]) func saysThatASecondLoginOverwroteIt(domain: String)
        throws
    {
        var recording = try overwritten(
            by: "https://www.shop.example/login",
            location: "https://login.harbour.example/authorize?client_id=shop&state=other",
            cookie: "shop_login=another; Path=/" + domain
        )
        let own = "shop_login=1234567890abcd; Path=/" + domain.replacing("=.", with: "=")
        recording.exchanges[0].response?.headers.replace("Set-Cookie", with: own)
        #expect(
            recording.finding(rule)?.notes[0]
                == "overwritten by exchange 4: another login was begun in the same browser"
        )
        #expect(recording.finding(rule)?.fix.hasPrefix("Name the cookie after the state") == true)
    }

    /// Panels of one page, each of which begins a login: the answers come in any order, and only the last one's cookie stays.
    @Test(arguments: [(-20, 100, true), (20, 100, true), (-20, -10, false)])
    func saysThatALoginBegunAtTheSameMomentOverwroteIt(begun: Int, answered: Int, isNamed: Bool) throws {
        var recording = try overwritten(
            by: "https://www.shop.example/login",
            location: "https://login.harbour.example/authorize?client_id=shop&state=other"
        )
        recording.exchanges[4].startedAt = recording.exchanges[0].startedAt + .milliseconds(begun)
        let end = recording.exchanges[0].endedAt + .milliseconds(answered)
        recording.exchanges[4].duration = end - recording.exchanges[4].startedAt
        let notes = recording.finding(rule)?.notes ?? []
        #expect(
            notes.contains("overwritten by exchange 4: another login was begun in the same browser")
                == isNamed
        )
    }

    /// The page asks its server for the address to sign in at, and goes there.
    @Test(
        arguments: [
            ("s0Ar7Qm2XbW0kLr9", true), ("c3RhdGUtQi1hYmM+ZA==", true), ("web:B:abcdefgh", true),
            ("/basket", false), ("7", false), ("as sent", false), ("by-another-app", false),
        ]
    ) func saysThatALoginBegunByScriptOverwroteIt(state: String, isNamed: Bool) throws {
        var recording = try overwritten(by: "https://www.shop.example/api/login")
        var second = recording.exchanges[1]
        var url = second.request.url.text
        if state != "as sent" { url = Recording.changing(url, "state", state) }
        if state == "by-another-app" { url = Recording.changing(url, "client_id", "another-app") }
        second.request.url = RecordedURL(url)
        second.startedAt = recording.exchanges[4].startedAt + .milliseconds(20)
        let answer = "{\"url\":\"\(state.hasPrefix("/") ? state : url)\"}"
        recording.exchanges[4].response?.body = Body(text: answer, mediaType: "application/json")
        recording.exchanges.append(second)
        let finding = recording.finding(rule)
        #expect((finding != nil) == isNamed)
        guard isNamed else { return }
        #expect(
            finding?.notes.first == "overwritten by exchange 4: another login was begun in the same browser"
        )
        #expect(
            finding?.places.prefix(2) == ["0 response.header Set-Cookie", "4 response.header Set-Cookie"]
        )
    }

    enum SecondLogin: CaseIterable { case ended, loggedOut, none }

    /// A cookie for one login at a time: the second login takes its place, and ends with it, or by a logout.
    @Test(arguments: SecondLogin.allCases) func saysThatItWentWithASecondLogin(second: SecondLogin) throws {
        var recording = try setting("login=1234567890abcd; Path=/; Secure")
        let end = "https://www.shop.example/done"
        let begin =
            "https://login.harbour.example/authorize?response_type=code&client_id=shop"
            + "&redirect_uri=\(PercentEncoding.encode(end))&state=other"
        let answer = end + "?code=of-the-other&state=other"
        var other = recording.exchanges[0]
        other.startedAt = recording.exchanges[1].startedAt + .seconds(1)
        other.response = RecordedResponse(
            status: 302,
            headers: HeaderFields(
                second == .none ? [] : [("Set-Cookie", "login=another; Path=/; Secure")]
            )
        )
        other.response?.redirect(to: begin)
        var page = other
        page.request.url = RecordedURL(begin)
        page.startedAt = other.endedAt + .milliseconds(10)
        page.response = RecordedResponse(status: 302)
        page.response?.redirect(to: answer)
        var done = recording.exchanges[0]
        done.request.url =
            switch second {
            case .ended: RecordedURL(answer)
            case .loggedOut: RecordedURL("https://www.shop.example/logout")
            case .none: RecordedURL(end)
            }
        done.startedAt = page.endedAt + .milliseconds(10)
        done.response = RecordedResponse(
            status: 204,
            headers: HeaderFields([("Set-Cookie", "login=; Path=/; Max-Age=0")])
        )
        recording.exchanges += [other, page, done]
        let finding = try #require(recording.finding(rule))
        #expect(finding.notes[0].hasSuffix("deleted by exchange 6"))
        #expect(finding.places.contains("4 response.header Set-Cookie") == (second != .none))
        let told = finding.notes.first { $0.hasPrefix("another login, begun in the same browser") }
        #expect(told?.hasSuffix("its end deleted it") == (second == .none ? nil : second == .ended))
        #expect(told?.hasSuffix("exchange 6 deleted it") == (second == .none ? nil : second == .loggedOut))
    }

    /// A session that is begun anew, or encrypted anew, by each answer on the way to the provider.
    @Test func leavesACookieAloneThatTheAppRenewsOnTheWay() throws {
        var recording = try setting("shop_login=1234567890abcd; Path=/; HttpOnly").editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.request.headers.append("Cookie", "shop_login=1234567890abcd")
        }
        var first = recording.exchanges[0]
        first.startedAt = first.startedAt - .seconds(1)
        first.request.url = RecordedURL("https://www.shop.example/")
        first.response = RecordedResponse(
            status: 302,
            headers: HeaderFields([("Set-Cookie", "shop_login=before; Path=/; HttpOnly")])
        )
        first.response?.redirect(to: recording.exchanges[0].request.url.text)
        recording.exchanges.insert(first, at: 0)
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("callback-rejected-by-app")?.isPrimary == true)
    }

    @Test func leavesACookieAloneThatTheAppRenews() throws {
        #expect(try overwritten(by: "https://www.shop.example/basket").finding(rule) == nil)
    }

    @Test("Two cookies of a name on two paths are both sent; one that nobody is seen to set says nothing.")
    func leavesACookieAloneThatNobodyReplaced() throws {
        let place = "https://www.shop.example:8443/login"
        #expect(try overwritten(by: place, value: "unseen").finding(rule) == nil)
        #expect(try overwritten(by: place, value: "1234567890abcd").finding(rule) == nil)
        #expect(try overwritten(by: place, cookie: "shop_login=another; Path=/auth").finding(rule) == nil)
    }
}
