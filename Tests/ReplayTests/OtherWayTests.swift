import Captures
import Flows
import JSON
import OAuth
import Replay
import Synchronization
import Testing

/// Providers whose way to the sign-in page is another one than it was, and apps that share their host.
struct OtherWayTests {
    private static let app = "http://localhost:3000"
    private static let provider = "http://localhost:8080"

    /// A provider that makes a transaction, a token against forgery and a code for each login; its page takes any password.
    private final class Server: Sendable {
        private let redirects: Int
        private let counter: Mutex<Int>
        let refusals = Mutex(0)

        init(redirects: Int, from start: Int) {
            self.redirects = redirects
            counter = Mutex(start)
        }

        private func fresh(_ name: String) -> String {
            let number = counter.withLock {
                $0 += 1
                return $0
            }
            return "\(name)-a4F\(number * 7919)xQ9z"
        }

        private let pending = Mutex<[String: (query: QueryItems, token: String)]>([:])

        private func redirect(_ target: String, _ headers: [(String, String)] = []) -> RecordedResponse {
            RecordedResponse(status: 302, headers: HeaderFields([("Location", target)] + headers))
        }

        private func page(_ text: String, _ status: Int = 200) -> RecordedResponse {
            RecordedResponse(
                status: status,
                headers: HeaderFields([("Content-Type", "text/html")]),
                body: Body(text: text, mediaType: "text/html")
            )
        }

        func respond(to request: RecordedRequest) -> RecordedResponse {
            let transaction = request.url.queryItems.first("txn") ?? ""
            switch (request.method, request.url.path) {
            case ("GET", "/authorize"):
                let transaction = fresh("txn")
                pending.withLock { $0[transaction] = (request.url.queryItems, "") }
                return redirect(provider + (redirects > 0 ? "/hop1?" : "/signin?") + "txn=\(transaction)")
            case ("GET", "/signin"):
                let token = fresh("csrf")
                pending.withLock { $0[transaction]?.token = token }
                return page(
                    """
                    <form method="post" action="/signin"><input type="hidden" name="txn" value="\(transaction)">
                    <input type="hidden" name="_csrf" value="\(token)"><input name="login">
                    <input type="password" name="pw"></form>
                    """
                )
            case ("POST", "/signin"):
                let items = FormBody.items(of: request.body) ?? QueryItems()
                let login = pending.withLock { $0[items.first("txn") ?? ""] }
                guard let login, login.token == items.first("_csrf") else {
                    refusals.withLock { $0 += 1 }
                    return page("<p>forged", 403)
                }
                let state = login.query.first("state") ?? ""
                let answer = FormBody.encode([("code", fresh("code")), ("state", state)])
                return redirect(
                    (login.query.first("redirect_uri") ?? "") + "?" + answer,
                    [("Set-Cookie", "sso=\(fresh("sso")); Path=/; HttpOnly")]
                )
            case ("GET", let path) where path.hasPrefix("/hop"):
                let number = Int(path.dropFirst(4)) ?? 0
                return redirect(
                    provider + (number < redirects ? "/hop\(number + 1)?" : "/signin?") + "txn=\(transaction)"
                )
            case ("POST", "/token"):
                let json = #"{"access_token":"\#(fresh("at"))","token_type":"Bearer","expires_in":300}"#
                return RecordedResponse(
                    status: 200,
                    headers: HeaderFields([("Content-Type", "application/json")]),
                    body: Body(text: json, mediaType: "application/json")
                )
            default: return page("<p>nothing", 404)
            }
        }

        func exchange(_ request: RecordedRequest, at time: Timestamp) -> Exchange {
            Exchange(
                startedAt: time,
                duration: .milliseconds(5),
                request: request,
                response: respond(to: request)
            )
        }
    }

    /// A browser that keeps its cookies, and what is recorded of it and of the app's server.
    private struct Browser {
        private let server: Server
        private(set) var exchanges: [Exchange] = []
        private var cookies: [String] = []
        private var time = Timestamp(seconds: 1_780_000_000)

        init(_ server: Server) { self.server = server }

        /// `answer`: what comes where somebody else is asked than the server.
        mutating func browse(
            _ method: String,
            _ url: String,
            _ form: [(String, String)]? = nil,
            answer: RecordedResponse? = nil
        ) -> RecordedResponse {
            var request = RecordedRequest(
                method: method,
                url: RecordedURL(url),
                headers: HeaderFields([("User-Agent", "Mozilla/5.0 Test"), ("Accept", "text/html")])
            )
            if !cookies.isEmpty { request.headers.append("Cookie", cookies.joined(separator: "; ")) }
            if let form {
                request.headers.append("Content-Type", FormBody.mediaType)
                request.body = Body(text: FormBody.encode(form), mediaType: FormBody.mediaType)
            }
            let response = send(request, answer: answer)
            cookies += response.setCookies.map { "\($0.name)=\($0.value)" }
            return response
        }

        /// A request as it is, without anything of the browser's.
        @discardableResult
        mutating func send(_ request: RecordedRequest, answer: RecordedResponse? = nil) -> RecordedResponse {
            var exchange = server.exchange(request, at: time)
            if let answer { exchange.response = answer }
            time = time + .seconds(1)
            exchanges.append(exchange)
            return exchange.response ?? RecordedResponse(status: 0)
        }
    }

    /// A login that begins and ends at the app; its browser sends the provider the app's cookie, too.
    private static func recording(_ server: Server) throws -> Capture {
        var browser = Browser(server)
        let query = FormBody.encode([
            ("response_type", "code"), ("client_id", "web"), ("redirect_uri", app + "/callback"),
            ("state", "hK3vP0aVbmE7wQ2L"),
        ])
        let start = browser.browse(
            "GET",
            app + "/login",
            answer: RecordedResponse(
                status: 302,
                headers: HeaderFields([
                    ("Location", provider + "/authorize?" + query),
                    ("Set-Cookie", "appstate=vX9p7iF48ZoH8bdX; Path=/"),
                ])
            )
        )
        var response = browser.browse("GET", start.location ?? "")
        while response.status == 302 { response = browser.browse("GET", response.location ?? "") }
        let forms = HTMLForm.all(in: response.body?.text ?? "")
        let form = try #require(forms.first)
        let hidden = form.fields.filter { $0.type == "hidden" }.map { ($0.name, $0.value) }
        let entered = hidden + [("login", "alice"), ("pw", "wonderland")]
        let answer = browser.browse("POST", provider + "/signin", entered)
        let target = try #require(answer.location)
        _ = browser.browse("GET", target, answer: RecordedResponse(status: 200, body: Body(text: "hello")))
        let sent = FormBody.encode([
            ("grant_type", "authorization_code"),
            ("code", RecordedURL(target).queryItems.first("code") ?? ""),
            ("redirect_uri", app + "/callback"), ("client_id", "web"),
        ])
        browser.send(
            RecordedRequest(
                method: "POST",
                url: RecordedURL(provider + "/token"),
                headers: HeaderFields([("Content-Type", FormBody.mediaType)]),
                body: Body(text: sent, mediaType: FormBody.mediaType)
            )
        )
        return Capture(browser.exchanges)
    }

    private static func replay(_ capture: Capture, at server: Server) async throws -> FlowRun {
        let flows = FlowFinder.flows(in: capture)
        let flow = try #require(flows.first)
        let plan = PlanBuilder(flow, siblings: flows, options: PlanOptions()).plan()
        let time = Mutex(Timestamp(seconds: 1_790_000_000))
        let environment = FlowDriver.Environment(
            send: { request in
                server.exchange(
                    request,
                    at: time.withLock {
                        $0 = $0 + .milliseconds(10); return $0
                    }
                )
            },
            clock: { time.withLock { $0 } },
            sleep: { _ in },
            random: { count in (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 11) } }
        )
        return await FlowDriver(plan, environment).run()
    }

    private static func difference(_ run: FlowRun) throws -> FlowDifference {
        let seen = try #require(FlowFinder.flows(in: Capture(run.exchanges), areOne: true).first)
        let leftOut = run.plan.leftOut.filter { $0.reason != .recordedPage }.map(\.exchange)
        return FlowDifference(
            run.plan.flow,
            seen,
            options: ComparisonOptions(leavingOut: Set(leftOut))
        )
    }

    @Test(arguments: [(0, 1), (0, 3), (1, 2), (2, 0), (1, 1)])
    func anotherNumberOfRedirectsBeforeThePageIsFollowed(recorded: Int, live: Int) async throws {
        let capture = try Self.recording(Server(redirects: recorded, from: 100))
        let server = Server(redirects: live, from: 5000)
        let run = try await Self.replay(capture, at: server)
        #expect(run.isComplete, "\(run.results) \(String(describing: run.stop))")
        #expect(server.refusals.withLock { $0 } == 0)
        #expect(run.exchanges.last?.request.url.path == "/token", "\(run.exchanges.map(\.request.url.path))")
        let difference = try Self.difference(run)
        let pages = difference.steps.filter {
            $0.kind == .userInteraction && $0.expected != nil && $0.seen != nil
        }
        #expect(!pages.isEmpty)
        for step in pages {
            guard let left = step.expected, let right = step.seen else { continue }
            #expect(capture[left].request.method == run.exchanges[right].request.method, "\(step.summary)")
        }
    }

    @Test func cookieThatOnlyTheAppSetIsNotMissedAtTheProvider() async throws {
        let capture = try Self.recording(Server(redirects: 0, from: 100))
        let run = try await Self.replay(capture, at: Server(redirects: 0, from: 5000))
        #expect(run.isComplete)
        let difference = try Self.difference(run)
        #expect(difference.isSame, "\(difference.headline)")
        let told = difference.steps.flatMap(\.differences)
        #expect(!told.contains { $0.name == "appstate" }, "\(told)")
        #expect(!told.contains { $0.aspect == "step" }, "\(told)")
    }
}
