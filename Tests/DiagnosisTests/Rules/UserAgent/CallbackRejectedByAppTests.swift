import Captures
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

@testable import Diagnosis

struct CallbackRejectedByAppTests {
    let rule = "callback-rejected-by-app"
    let broken = "user-agent/callback-rejected-by-app"

    /// The app answers its callback otherwise: with an empty redirect, changed.
    func answered(_ edit: (inout RecordedResponse) -> Void) throws -> Recording {
        var response = RecordedResponse(status: 302)
        edit(&response)
        return try Recording(broken).answeringCallback(with: response)
    }

    @Test func showsStatusWordsAndCookies() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == [
                "3 response.status ", "3 response.body ", "3 request.header Cookie",
                "0 response.header Set-Cookie",
            ]
        )
        #expect(finding.evidence[1].value == "Shop Something went wrong. Reference 7f9c")
        #expect(finding.evidence[2].value == "shop_login")
        #expect(recording.outcomes == [.failure])
    }

    @Test func leavesARefusedCodeToItsRule() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func standsBehindACause() throws {
        let finding = try #require(Recording("user-agent/cookie-samesite-strict").finding(rule))
        #expect(!finding.isPrimary)
        #expect(finding.effectOf == "cookie-samesite-strict")
    }

    /// A limit of time is what a long sign-in meets first.
    @Test(arguments: [(290, false), (632, true)] as [(Int64, Bool)])
    func beginsWithTheLimitWhereTheSignInTookLong(wait: Int64, isLate: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            guard ["/sign-in", "/callback"].contains(exchange.request.url.path) else { return }
            exchange.startedAt = exchange.startedAt + .seconds(wait)
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.notes.contains { $0.contains("\(wait + 8) s later") })
        #expect(finding.fix.hasPrefix("Sign in once more") == isLate)
    }

    @Test func leavesAProvidersErrorAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/callback" {
                exchange.request.url = RecordedURL(
                    Recording.changing(exchange.request.url.text, "code", nil) + "&error=invalid_scope"
                )
            } else if let location = exchange.response?.location, RecordedURL(location).path == "/callback" {
                exchange.response?.redirect(
                    to: Recording.changing(location, "code", nil) + "&error=invalid_scope"
                )
            }
        }
        #expect(recording.finding(rule) == nil)
    }

    /// Who had to refuse the tokens shows an error, which says nothing more.
    @Test func leavesAPageToTheTokensThatItRefuses() throws {
        let page = { (path: String) in
            try Recording(path).answeringCallback(
                200,
                Body(text: "<title>Error</title>", mediaType: "text/html")
            )
        }
        let recording = try page("id-token/id-token-nonce-mismatch")
        #expect(recording.findings.first?.rule == "id-token-nonce-mismatch")
        #expect(recording.finding(rule) == nil)
        #expect(try page("healthy/web-code-flow").finding(rule)?.isPrimary == true)
    }

    /// What stopped the app while it was at work on the callback says more than its page of errors.
    @Test func leavesARefusedTokenToItsRule() throws {
        let refused = try Recording("healthy/web-code-flow").answering("/userinfo", 401).answeringCallback(
            500,
            lasting: .seconds(1)
        )
        #expect(refused.finding(rule) == nil)
        #expect(refused.finding("bearer-rejected")?.isPrimary == true)
        // Long before the call it was answered already.
        let earlier = refused.editing { exchange in
            if exchange.request.url.path == "/callback" { exchange.duration = .milliseconds(1) }
        }
        #expect(earlier.finding(rule) != nil)
    }

    @Test(arguments: [
        (502, "balancers and reverse proxies"), (504, "balancers and reverse proxies"),
        (404, "at which the app has nothing"), (500, "no part in that"),
    ])
    func statusSaysMoreInItself(status: Int, words: String) throws {
        let finding = try answered { $0.status = status }.finding(rule)
        #expect(finding?.explanation.contains(words) == true)
    }

    /// Keycloak has that status for what failed at the provider behind it.
    @Test func brokersOwnPageSaysMoreThanItsStatus() throws {
        let finding = try answered { response in
            response.status = 502
            response.body = Body(
                text: "<p>Unexpected error when authenticating with identity provider</p>",
                mediaType: "text/html"
            )
        }.finding(rule)
        #expect(finding?.fix.contains("settings of the identity provider") == true)
        #expect(finding?.fix.contains("proxy_buffer_size") == false)
    }

    /// With the tokens in hand, the proxy's answer is about the app's own; what the app says in JSON is its own word.
    @Test(arguments: [
        (502, "text/html", true), (504, "text/html", true), (502, "application/json", false),
        (500, "text/html", false),
    ])
    func proxyMayRefuseWhatTheAppAnswers(status: Int, type: String, isProxys: Bool) throws {
        let text = type == "text/html" ? "<h1>\(status)</h1>" : #"{"error":"no session"}"#
        let recording = try Recording("healthy/web-code-flow").answeringCallback(
            status,
            Body(text: text, mediaType: type),
            lasting: .seconds(5)
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.fix.contains("proxy_buffer_size") == isProxys)
        #expect(finding.fix.contains("the algorithm of its signature") == !isProxys)
        #expect(finding.notes.contains { $0.hasPrefix("the code was exchanged") })
    }

    /// Recorders that name no clients: whose request it is shows in its name for itself.
    @Test(arguments: [("shop-backend/2.1", true), ("Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0", false)])
    func pageInPlaceOfDataIsToldWithoutTheClientsNames(agent: String, isTold: Bool) throws {
        let recording = try Recording("healthy/web-code-flow").editing { exchange in
            exchange.client = ClientFacts()
            if exchange.request.url.path == "/callback" { exchange.response = RecordedResponse(status: 500) }
            guard exchange.request.url.path == "/userinfo" else { return }
            exchange.request.headers.replace("User-Agent", with: agent)
            exchange.response?.body = Body(text: "<html>Maintenance</html>", mediaType: "text/html")
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.notes.contains("a page, where data was asked for") == isTold)
        #expect(finding.explanation.contains("something that it did not get") == isTold)
    }

    /// Nothing is wrong with a token that was not sent.
    @Test(arguments: [(nil, true), ("Bearer another-token-of-somebody", false)] as [(String?, Bool)])
    func namesACallOfUserInfoWithoutAToken(header: String?, isNamed: Bool) throws {
        let recording = try Recording("healthy/web-code-flow").answeringCallback(500)
            .sendingHeader("Authorization", header, to: "/userinfo")
            .answering("/userinfo", 401, ["error": "missing_authorization"])
            .editing { $0.client.address = "127.0.0.1:50000" }
        let notes = recording.findings.filter { $0.rule == rule }.flatMap(\.notes)
        #expect(notes.contains { $0.hasSuffix("without an access token") } == isNamed)
    }

    /// Two programs may have one library, whose name both send: the process tells them apart.
    @Test(arguments: [(8, "9 request.url "), (9, "7 request.url ")] as [(Int32, String)])
    func whatAnotherProcessFetchedIsNotTheServers(processID: Int32, last: String) throws {
        var recording = try Recording("healthy/web-code-flow").answeringCallback(500, lasting: .seconds(5))
            .editing { exchange in
                guard exchange.request.userAgent?.hasPrefix("shop-backend") ?? false else { return }
                exchange.client.processID = 8
            }
        var other = try #require(recording.exchanges.first { $0.request.url.path == "/jwks" })
        other.startedAt = recording.exchanges[4].startedAt + .seconds(1)
        other.client.processID = processID
        other.request.url = RecordedURL("https://config.other.example/settings")
        other.response = RecordedResponse(status: 200, body: .json("{}"))
        recording.exchanges.append(other)
        #expect(recording.finding(rule)?.places.last == last)
    }

    /// A cache in front of the app gives everybody one redirect to the provider, one page with the link to it, or one answer to the
    /// script that asks for it.
    @Test(arguments: [
        ("Age", "812", "", true), ("X-Cache", "Hit from cloudfront", "text/html", true),
        ("Age", "812", "application/json", true), ("Age", "812", "text/css", false),
        ("Age", "0", "", false), ("Age", "0", "application/json", false),
        ("X-Cache", "Miss from cloudfront", "text/html", false),
    ])
    func loginThatBeganOutOfACacheIsTold(name: String, value: String, type: String, isTold: Bool) throws {
        let recording = try answered { $0.status = 400 }.editing { exchange in
            guard let location = exchange.response?.location, RecordedURL(location).path == "/authorize"
            else {
                return
            }
            if !type.isEmpty {
                let isData = type == "application/json"
                let text = isData ? "{\"url\":\"\(location)\"}" : "<a href=\"\(location)\">Sign in</a>"
                exchange.response = RecordedResponse(status: 200, body: Body(text: text, mediaType: type))
            }
            exchange.response?.headers.append(name, value)
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.explanation.contains("out of a cache") == isTold)
        #expect(finding.evidence.contains { $0.place.name == name } == isTold)
    }

    /// The sign-in page was sent again, and the state is used up by the first answer.
    @Test(
        arguments: [("n3xtC0de", 60_000, true), (nil, 60_000, false), ("n3xtC0de", -100, false)]
            as [(String?, Int, Bool)]
    )
    func secondAnswerToOneLoginIsToldAsThat(code: String?, milliseconds: Int, isTold: Bool) throws {
        var recording = try Recording("healthy/web-code-flow")
        var second = try #require(recording.exchanges.last { $0.request.url.path == "/callback" })
        if let code {
            second.request.url = RecordedURL(Recording.changing(second.request.url.text, "code", code))
        }
        second.startedAt = second.startedAt + .milliseconds(milliseconds)
        second.response = RecordedResponse(
            status: 400,
            body: .html("<h1>Login failed</h1>Unable to verify authorization request state")
        )
        recording.exchanges.append(second)
        let finding = recording.finding(rule)
        #expect((finding?.explanation.contains("a second time") ?? false) == isTold)
        // An error uses nothing up.
        let cancelled = recording.without { ["/token", "/jwks", "/userinfo"].contains($0.request.url.path) }
            .editing { exchange in
                func changed(_ url: String) -> String {
                    url.replacing(/code=(?!n3xt)[^&]+/, with: "error=access_denied")
                }
                exchange.request.url = RecordedURL(changed(exchange.request.url.text))
                guard let location = exchange.response?.location else { return }
                exchange.response?.redirect(to: changed(location))
            }
        #expect(cancelled.finding(rule)?.explanation.contains("a second time") != true)
    }

    /// A callback that is loaded again and again, with a code that is refused each time.
    @Test func reloadsAreNotComparedWithEachOther() throws {
        func seconds(_ count: Int) throws -> Double {
            var capture = CaptureBuilder()
            let callback = "https://app.example/cb?code=code-of-all&state=state-of-all"
            capture.redirect(
                "https://id.example/authorize?response_type=code&client_id=shop&state=state-of-all",
                to: callback
            )
            for _ in 0..<count {
                capture.get(callback, 500)
                capture.post(
                    "https://id.example/token",
                    [("grant_type", "authorization_code"), ("code", "code-of-all"), ("client_id", "shop")],
                    400,
                    headers: [("User-Agent", "shop-backend/1")],
                    body: .json(#"{"error":"invalid_grant"}"#)
                )
            }
            let flow = try #require(FlowFinder.flows(in: capture.capture).first)
            let rules: [any Rule] = [CallbackRejectedByApp(), CodeWrongClient()]
            // What is read once for all rules.
            for rule in rules { _ = rule.verdict(on: flow) }
            return ProcessorTime.seconds { for rule in rules { _ = rule.verdict(on: flow) } }
        }
        let few = try min(seconds(100), seconds(100))
        // Eight times the reloads: linear is 8, quadratic 64.
        #expect(try min(seconds(800), seconds(800)) < 24 * max(few, 0.0002))
    }
}
