import Captures
import Diagnosis
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct RedirectLoopTests {
    private let rule = "redirect-loop"
    private let broken = "user-agent/redirect-loop"

    @Test func showsTheRoundsWithTheirTimes() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == [
                "1 request.url ", "3 response.location ", "5 request.url ", "6 response.location ",
                "8 request.url ",
            ]
        )
        #expect(finding.notes[0] == "round 1, 0 s after the first")
        #expect(finding.notes[1] == "the callback sets no cookie")
        #expect(recording.outcomes == [.failure])
    }

    /// A page at the redirect URI whose script goes to the provider again, so many seconds after it was loaded.
    private func scripted(_ rounds: Int, pause: Int64) throws -> Recording {
        let login = try Recording("the-capture/backchannel-not-recorded").exchanges
        let request = try #require(login.first { $0.request.url.path == "/authorize" })
        let callback = try #require(login.first { $0.request.url.path == "/callback" })
        var exchanges: [Exchange] = []
        var time = request.startedAt
        for round in 0..<rounds {
            let state = "round-\(round)-4f6b2c9a"
            let target = "https://www.shop.example/callback?code=code-\(round)-8d7f6g5h&state=\(state)"
            var asked = request
            let url = Recording.changing(asked.request.url.text, "state", state)
            asked.request.url = RecordedURL(Recording.changing(url, "nonce", "nonce-\(round)-7e5d3c1b"))
            asked.request.headers.fields.removeAll { $0.name.lowercased() == "referer" }
            asked.response = RecordedResponse(status: 302)
            asked.response?.redirect(to: target)
            asked.startedAt = time
            asked.duration = .milliseconds(50)
            var page = callback
            page.request.url = RecordedURL(target)
            page.response = RecordedResponse(
                status: 200,
                body: Body(text: "<!doctype html>", mediaType: "text/html")
            )
            page.startedAt = time + .milliseconds(60)
            page.duration = .milliseconds(40)
            exchanges += [asked, page]
            time = page.endedAt + .seconds(pause)
        }
        return Recording(exchanges + [metadata(readBefore: request)])
    }

    /// Read by the page itself, which is the client then.
    private func metadata(readBefore request: Exchange) -> Exchange {
        var read = request
        read.startedAt = request.startedAt - .seconds(1)
        read.request = RecordedRequest(
            method: "GET",
            url: RecordedURL("https://id.harbour.example/.well-known/openid-configuration"),
            headers: HeaderFields([
                ("Origin", "https://www.shop.example"),
                ("User-Agent", request.request.headers.first("user-agent") ?? "Mozilla/5.0"),
            ])
        )
        read.response = RecordedResponse(
            status: 200,
            headers: HeaderFields([("Access-Control-Allow-Origin", "*")]),
            body: .json(
                #"""
                {"issuer":"https://id.harbour.example","authorization_endpoint":"https://id.harbour.example/authorize",
                "token_endpoint":"https://id.harbour.example/token","jwks_uri":"https://id.harbour.example/keys",
                "response_types_supported":["code"],"subject_types_supported":["public"],
                "id_token_signing_alg_values_supported":["RS256"]}
                """#
            )
        )
        return read
    }

    @Test func pagesMayGoRoundByScript() throws {
        let recording = try scripted(4, pause: 1)
        let findings = recording.findings.filter { $0.rule == rule }
        #expect(findings.count == 1)
        let finding = try #require(findings.first)
        #expect(finding.isPrimary && finding.severity == .error)
        #expect(
            finding.places == [
                "0 request.url ", "1 response.status ", "2 request.url ", "3 response.status ",
                "4 request.url ",
            ]
        )
        #expect(finding.notes.last == "round 3, 2 s after the first")
        #expect(finding.fix.contains("Start the library once"))
    }

    /// Whoever signs in again does so later.
    @Test(arguments: [(2, 1), (4, 5)])
    func leavesOtherLoginsOfAPageAlone(rounds: Int, pause: Int64) throws {
        #expect(try scripted(rounds, pause: pause).finding(rule) == nil)
    }

    /// Tests sign in again and again: the code is used, or a session begun.
    @Test(arguments: [true, false]) func leavesLoginsThatWentWellAlone(hasCookie: Bool) throws {
        var recording = try scripted(4, pause: 1)
        let pages = recording.exchanges.indices.filter {
            recording.exchanges[$0].request.url.path == "/callback"
        }
        for index in pages.reversed() {
            if hasCookie {
                recording.exchanges[index].response?.headers.append("Set-Cookie", "session=q2w3e4r5; Path=/")
                continue
            }
            let page = recording.exchanges[index]
            let code = try #require(page.request.url.queryItems.first("code"))
            var handed = page
            handed.request = RecordedRequest(
                method: "POST",
                url: RecordedURL("https://www.shop.example/api/session"),
                body: .json(#"{"code":"\#(code)"}"#)
            )
            handed.startedAt = page.endedAt
            handed.duration = .milliseconds(5)
            recording.exchanges.insert(handed, at: index + 1)
        }
        #expect(recording.finding(rule) == nil)
    }

    /// A client of OpenID Connect that forgot openid gets no ID token, and knows nobody.
    @Test(arguments: [("orders", true), ("openid orders", false)])
    func saysThatNoIDTokenCame(scope: String, isTold: Bool) throws {
        var recording = try Recording(broken).withMetadata().asking("scope", scope)
        let callback = try #require(
            recording.exchanges.first { $0.request.url.queryItems.first("code") != nil }
        )
        let code = callback.request.url.queryItems.first("code")
        var exchange = try #require(
            Recording("healthy/web-code-flow").sending("code", code).editingAnswer(of: "/token") {
                $0.members.removeAll { $0.name == "id_token" }
            }.exchanges.last { $0.request.url.path == "/token" }
        )
        exchange.startedAt = callback.startedAt
        exchange.duration = callback.duration
        recording.exchanges.append(exchange)
        let finding = try #require(recording.finding(rule))
        #expect(finding.explanation.contains("no ID token to know its user by") == isTold)
        #expect(finding.places.contains { $0.hasSuffix("response.body id_token") } == isTold)
    }

    @Test func leavesTwoRoundsAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func leavesRoundsOverMinutesAlone() throws {
        let recording = try shifting(by: 61, from: 7)
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesStepUpsAlone() throws {
        var recording = try Recording(broken)
        for index in [7, 8] {
            let url = recording.exchanges[index].request.url
            if url.path == "/authorize" {
                recording.exchanges[index].request.url = RecordedURL(url.text + "&acr_values=high")
            } else if let location = recording.exchanges[index].response?.location {
                recording.exchanges[index].response?.redirect(to: location + "&acr_values=high")
            }
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesSilentRenewalsAlone() throws {
        let recording = try Recording(broken).asking("prompt", "none")
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesTabsAlone() throws {
        // Without the redirect of the app's page there is no chain.
        let recording = try Recording(broken).without { $0.request.url.path == "/" }
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesASignInBetweenTheRoundsAlone() throws {
        var recording = try Recording(broken)
        var post = recording.exchanges[2]
        post.startedAt = recording.exchanges[5].startedAt + .milliseconds(1)
        post.response = recording.exchanges[5].response
        recording.exchanges[5].response = RecordedResponse(status: 200)
        recording.exchanges.insert(post, at: 6)
        #expect(recording.finding(rule) == nil)
    }

    private func shifting(by seconds: Int, from first: Int) throws -> Recording {
        var recording = try Recording(broken)
        for index in recording.exchanges.indices where index >= first {
            recording.exchanges[index].startedAt = recording.exchanges[index].startedAt + .seconds(seconds)
        }
        return recording
    }

    /// The browser's last word on a circle: no address that could not be reached.
    @Test(arguments: ["net::ERR_TOO_MANY_REDIRECTS", "NS_ERROR_REDIRECT_LOOP"])
    func theBrowsersWordForItIsNoUnreachableCallback(reason: String) throws {
        var recording = try Recording(broken)
        let index = try #require(recording.exchanges.lastIndex { $0.request.url.path == "/callback" })
        recording.exchanges[index].response = nil
        recording.exchanges[index].failure = reason
        #expect(recording.finding("callback-unreachable") == nil)
    }

    /// Each round brings good tokens, and the browser gives up at the last callback, or before it; or is let in after all.
    @Test(arguments: [(nil, .error), (0, .error), (302, .error), (200, .note)] as [(Int?, Severity)])
    func endsBehindTokensOfEachRound(status: Int?, severity: Severity) throws {
        var recording = try Recording(broken)
        let exchange = try #require(
            Recording("healthy/web-code-flow").exchanges.first { $0.request.url.path == "/token" }
        )
        let last = try #require(recording.exchanges.lastIndex { $0.request.url.path == "/authorize" })
        let state = recording.exchanges[last].request.url.queryItems.first("state") ?? ""
        let answer = "https://www.shop.example/callback?code=SplxlOBeZQQYbYS6WxSbIA&state=\(state)"
        recording.exchanges[last].response = RecordedResponse(status: 302)
        recording.exchanges[last].response?.redirect(to: answer)
        if let status {
            var callback = try #require(recording.exchanges.first { $0.request.url.path == "/callback" })
            callback.request.url = RecordedURL(answer)
            callback.startedAt = recording.exchanges[last].endedAt
            var page = callback
            if status == 0 {
                callback.response = nil
                callback.failure = "net::ERR_TOO_MANY_REDIRECTS"
            }
            recording.exchanges.append(callback)
            page.request.url = RecordedURL("https://www.shop.example/")
            page.startedAt = callback.endedAt + .milliseconds(10)
            page.response = RecordedResponse(status: 200)
            if status == 200 { recording.exchanges.append(page) }
        }
        for callback in recording.exchanges
        where callback.request.url.path == "/callback" && callback.response != nil {
            let code = try #require(callback.request.url.queryItems.first("code"))
            let redirect = "https%3A%2F%2Fwww.shop.example%2Fcallback"
            var token = exchange
            token.request.body = Body(
                text: "grant_type=authorization_code&code=\(code)&redirect_uri=\(redirect)",
                mediaType: "application/x-www-form-urlencoded"
            )
            token.startedAt = callback.startedAt
            recording.exchanges.append(token)
        }
        #expect(recording.finding(rule)?.severity == severity)
    }

    /// Recorded up to a callback that sends the browser round again.
    @Test func endsWithACallbackThatGoesRound() throws {
        var recording = try Recording(broken)
        let last = try #require(recording.exchanges.lastIndex { $0.request.url.path == "/authorize" })
        let callback = try #require(recording.exchanges.last { $0.request.url.path == "/callback" })
        recording.exchanges = Array(recording.exchanges[...last])
        recording.exchanges[last].response = RecordedResponse(status: 302)
        let state = recording.exchanges[last].request.url.queryItems.first("state") ?? ""
        let answer = "https://www.shop.example/callback?code=SplxlOBeZQQYbYS6WxSbIA&state=\(state)"
        recording.exchanges[last].response?.redirect(to: answer)
        var again = callback
        again.request.url = RecordedURL(answer)
        again.startedAt = recording.exchanges[last].endedAt
        recording.exchanges.append(again)
        #expect(recording.outcomes == [.failure])
        #expect(recording.finding(rule)?.severity == .error)
    }

    /// Where the rounds themselves are not in the recording.
    @Test func takesTheWordOfWhoeverStoppedIt() throws {
        let login = try Recording("healthy/web-code-flow")
        let browser = login.editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.failure = "net::ERR_TOO_MANY_REDIRECTS"
        }
        #expect(browser.finding(rule)?.evidence.first?.value == "net::ERR_TOO_MANY_REDIRECTS")
        let words =
            "AADSTS50196: The server terminated an operation because it encountered a client request loop."
        let token = login.answering(
            "/token",
            400,
            ["error": "invalid_grant", "error_description": .string(words)]
        )
        #expect(token.finding(rule)?.evidence.first?.value.contains("AADSTS50196") == true)
        #expect(token.finding(rule)?.isPrimary == true)
        #expect(token.finding("token-invalid-grant")?.effectOf == rule)
        let page = try Recording("authorization-request/redirect-uri-not-registered").editing { exchange in
            guard exchange.response?.status == 400 else { return }
            exchange.response = RecordedResponse(
                status: 400,
                body: Body(text: "<h1>Sign in</h1><p>\(words)</p>", mediaType: "text/html")
            )
        }
        #expect(page.finding(rule) != nil)
        #expect(login.finding(rule) == nil)
    }

    /// The code was exchanged, and the pages behind it went round.
    @Test(arguments: ["net::ERR_TOO_MANY_REDIRECTS", "NS_ERROR_REDIRECT_LOOP", "too many HTTP redirects"])
    func circleBehindTheCallbackIsAFailure(reason: String) throws {
        var recording = try Recording("healthy/web-code-flow").without { $0.request.url.path == "/" }
        let place = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/callback" })
        recording.exchanges[place].response?.redirect(to: "https://www.shop.example/home")
        var page = recording.exchanges[place]
        page.request.url = RecordedURL("https://www.shop.example/home")
        page.startedAt = page.endedAt + .milliseconds(10)
        page.response = nil
        page.failure = reason
        recording.exchanges.append(page)
        #expect(recording.finding(rule)?.severity == .error)
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.outcomes == [.failure])
        page.startedAt = page.startedAt + .seconds(2)
        page.failure = nil
        page.response = RecordedResponse(status: 200)
        recording.exchanges.append(page)
        #expect(recording.finding(rule)?.severity ?? .note == .note)
    }

    @Test func namesACookieThatNoBrowserKeeps() throws {
        let recording = try Recording(broken)
        #expect(recording.finding(rule)?.explanation.contains("larger") == false)
        let oversized = recording.editing { exchange in
            guard exchange.request.url.queryItems.contains("code") else { return }
            exchange.response?.headers.append(
                "Set-Cookie",
                "_proxy=\(String(repeating: "a", count: 4200)); Path=/"
            )
        }
        let finding = try #require(oversized.finding(rule))
        #expect(finding.explanation.contains("larger than browsers keep"))
        #expect(finding.notes.contains { $0.contains("_proxy has 4206 bytes") })
    }

    @Test(arguments: [("Age", "37", true), ("X-Cache", "HIT", true), ("Age", "0", false)])
    func aCacheThatAnswersTheCallbackIsTheCause(name: String, value: String, fires: Bool) throws {
        let recording = try Recording("user-agent/redirect-loop").without {
            $0.request.url.path == "/token"
        }.editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.response?.headers.append(name, value)
        }
        let finding = try #require(recording.finding("redirect-loop"))
        #expect((finding.title == "A cache in front of the app answers the callback") == fires)
        #expect(finding.fix.contains("no-store") == fires)
        #expect((finding.evidence[0].value == value) == fires)
    }

    /// What the callback sets for https does not get to the page over http that it leads to.
    @Test(arguments: [("http", "Secure", true), ("https", "Secure", false), ("http", "HttpOnly", false)])
    func showsACookieThatThePageBehindTheCallbackIsNotSent(scheme: String, attribute: String, isShown: Bool)
        throws
    {
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/callback" {
                exchange.response?.headers.append("Set-Cookie", "sid=7tGnE11CNeDXr1V8; Path=/; \(attribute)")
                exchange.response?.redirect(to: "\(scheme)://www.shop.example/")
            } else if exchange.request.url.path == "/" {
                exchange.request.url = RecordedURL("\(scheme)://www.shop.example/")
            }
        }
        let finding = try #require(recording.finding(rule))
        #expect((finding.places.last == "3 response.header Set-Cookie") == isShown)
        #expect((finding.notes.last?.contains("over http") ?? false) == isShown)
    }

    /// A browser drops or holds back what the callback sets; what it sends, or what is for another purpose, is no reason.
    @Test(arguments: [
        (
            "sid=7tGnE11CNeDXr1V8; Path=/; Domain=.harbour.example",
            "its Domain is not that of www.shop.example", true
        ),
        ("sid=7tGnE11CNeDXr1V8; Path=/callback", "not sent to /", true),
        ("sid=7tGnE11CNeDXr1V8; Path=/; SameSite=None", "SameSite=None without Secure", true),
        ("sid=7tGnE11CNeDXr1V8; Path=/; SameSite=Lax", nil, false),
        ("sid=7tGnE11CNeDXr1V8; Path=/; Domain=.shop.example", nil, false),
        ("sid=; Path=/; Domain=.harbour.example; Max-Age=0", nil, false),
    ])
    func namesACookieThatDoesNotGetToThePage(cookie: String, note: String?, isTold: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.response?.headers.append("Set-Cookie", cookie)
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && recording.outcomes == [.failure])
        #expect(finding.explanation.contains("does not get to the page") == isTold)
        #expect((finding.places.last == "3 response.header Set-Cookie") == isTold)
        if let note { #expect(finding.notes.last?.contains(note) == true) }
    }

    /// Where another of the callback's cookies gets there, it is shown and not said to be the reason.
    @Test func cookieBesideOneThatArrivesIsNotSaidToBeTheReason() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.response?.headers.append("Set-Cookie", "theme=dark; Path=/other")
            exchange.response?.headers.append("Set-Cookie", "sid=7tGnE11CNeDXr1V8; Path=/; SameSite=Lax")
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.places.last == "3 response.header Set-Cookie")
        #expect(!finding.explanation.contains("does not get to the page"))
    }

    /// A page that is sent on to the one that gets the cookie, and a broker that sends its answer to the app behind it.
    @Test(arguments: ["https://www.shop.example/", "https://portal.example/cb?code=8d1f00c2&state=5b0c"])
    func cookieThatGetsThereByAnotherPageIsNoReason(target: String) throws {
        let isBroker = target.contains("code=")
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/callback" {
                exchange.response?.headers.append("Set-Cookie", "sid=7tGnE11CNeDXr1V8; Path=/inner")
                if isBroker { exchange.response?.redirect(to: target) }
            } else if exchange.request.url.path == "/", isBroker {
                exchange.request.url = RecordedURL(target)
            } else if exchange.request.url.path == "/" {
                exchange.request.headers.append("Cookie", "sid=7tGnE11CNeDXr1V8")
            }
        }
        let explanation = recording.finding(rule)?.explanation ?? ""
        #expect(!explanation.contains("does not get to the page"))
    }

    /// What a page of another site led to is not sent a Strict cookie; what began at the app's own site is.
    @Test(arguments: [
        ("cross-site", "https://id.harbour.example/", true), ("none", nil, false),
        ("cross-site", "https://www.shop.example/", false),
    ])
    func strictCookieIsNotSentWhereAnotherSiteLedTo(site: String, referrer: String?, isTold: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/callback" {
                exchange.response?.headers.append(
                    "Set-Cookie",
                    "sid=7tGnE11CNeDXr1V8; Path=/; Secure; SameSite=Strict"
                )
                if let referrer { exchange.request.headers.append("Referer", referrer) }
            } else if exchange.request.url.path == "/" {
                exchange.request.headers.append("Sec-Fetch-Site", site)
            }
        }
        #expect((recording.finding(rule)?.fix.contains("SameSite=Lax") == true) == isTold)
    }
}
