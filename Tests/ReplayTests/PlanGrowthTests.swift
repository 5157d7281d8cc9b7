import Captures
import Flows
import TestSupport
import Testing

@testable import Replay

/// A plan takes time in proportion to what was recorded.
struct PlanGrowthTests {
    private static let provider = "https://id.example"
    private static let agent = [("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Chrome/130")]
    private static let form =
        "<form method=post action=/sign-in><input name=user><input type=password name=pw>"
        + String(repeating: "<input type=hidden name=field value=0123456789>", count: 20) + "</form>"

    enum Repetition: CaseIterable {
        /// Sign-in pages, each followed by a POST whose body is lost and that none of their forms was sent by.
        case lostBody
        /// Calls of an API that nobody answered.
        case unansweredCall

        fileprivate var few: Int { self == .lostBody ? 40 : 200 }

        /// What a plan asks of each exchange.
        fileprivate func ask(of flow: Flow) {
            switch self {
            case .lostBody:
                let pages = SignInPages(flow.exchanges, of: flow)
                for exchange in flow.exchanges {
                    #expect(LostSignIn(exchange, of: flow, pages: pages) == nil)
                }
            case .unansweredCall:
                let answered = AnsweredCalls(of: flow)
                for exchange in flow.exchanges {
                    #expect(!answered.isMade(flow.capture[exchange].request, after: 0))
                }
            }
        }

        fileprivate func add(_ number: Int, to capture: inout CaptureBuilder) {
            switch self {
            case .lostBody:
                capture.get("\(provider)/sign-in/\(number)", headers: agent, body: .html(form))
                let sent = RecordedRequest(
                    method: "POST",
                    url: RecordedURL("\(provider)/elsewhere/\(number)"),
                    headers: HeaderFields(agent + [("Content-Type", FormBody.mediaType)]),
                    body: Body(content: .missing, mediaType: FormBody.mediaType)
                )
                let response = RecordedResponse(status: 200, body: .html("<p>Please wait</p>"))
                capture.add(
                    Exchange(startedAt: Timestamp(seconds: 0), request: sent, response: response)
                )
            case .unansweredCall:
                capture.get(
                    "https://api.shop.example/orders/\(number)",
                    0,
                    headers: [("Authorization", "Bearer access-token-0123456789")]
                )
            }
        }
    }

    /// A login with pages before its response and calls after its tokens.
    private static func login(_ count: Int, _ repetition: Repetition) -> Capture {
        let response = "https://shop.example/cb?code=code-1-0123456789&state=st-4Xr8LmPq2Kt"
        let query = [
            ("response_type", "code"), ("client_id", "shop"), ("redirect_uri", "https://shop.example/cb"),
            ("state", "st-4Xr8LmPq2Kt"),
        ]
        var capture = CaptureBuilder()
        capture.get(
            "\(provider)/authorize?" + FormBody.encode(query),
            headers: agent,
            body: .html("<p>Please wait</p>")
        )
        if repetition == .lostBody { for number in 0..<count { repetition.add(number, to: &capture) } }
        capture.redirect("\(provider)/consent", to: response, headers: agent)
        capture.get(response, headers: agent)
        capture.post(
            "\(provider)/token",
            [("grant_type", "authorization_code"), ("code", "code-1-0123456789"), ("client_id", "shop")],
            body: .json("{\"access_token\":\"access-token-0123456789\",\"token_type\":\"Bearer\"}")
        )
        if repetition == .unansweredCall { for number in 0..<count { repetition.add(number, to: &capture) } }
        return capture.capture
    }

    /// Eight times as many take eight times as long, sixty-four times if each looked at all others.
    @Test(arguments: Repetition.allCases)
    func timeGrowsWith(_ repetition: Repetition) throws {
        func seconds(_ count: Int) throws -> Double {
            let flows = FlowFinder.flows(in: Self.login(count, repetition))
            let flow = try #require(flows.first)
            #expect(flow.exchanges.count > count)
            return ProcessorTime.seconds { repetition.ask(of: flow) }
        }
        let few = try min(seconds(repetition.few), seconds(repetition.few))
        #expect(try seconds(8 * repetition.few) < 18 * max(few, 0.002))
    }

    /// What the forms of a page are resolved against is read once, though it stands at the page's end.
    @Test func timeGrowsWithTheFormsOfAPage() throws {
        func seconds(_ count: Int) throws -> Double {
            let request = RecordedRequest(method: "GET", url: RecordedURL("\(Self.provider)/sign-in"))
            let forms = (0..<count).map { "<form method=post action=other-\($0)><input name=user></form>" }
            let response = RecordedResponse(status: 200, body: .html(forms.joined() + "<base href=/deep/>"))
            let exchange = Exchange(startedAt: Timestamp(seconds: 0), request: request, response: response)
            let page = try #require(Page(exchange))
            let found = page.forms
            #expect(found.count == count)
            var paths: [String] = []
            let time = ProcessorTime.seconds { paths = found.map { page.target(of: $0).url.path } }
            #expect(paths == (0..<count).map { "/deep/other-\($0)" })
            return time
        }
        let few = try min(seconds(200), seconds(200))
        #expect(try seconds(1600) < 18 * max(few, 0.0005))
    }

    /// Of all that belongs to no flow, only what has a cookie of it is looked at.
    @Test func companionsAreFoundByTheirCookies() throws {
        func seconds(_ count: Int) throws -> Double {
            var capture = CaptureBuilder()
            for number in 0..<count {
                capture.get(
                    "\(Self.provider)/account/\(number)",
                    headers: Self.agent + [("Cookie", "other=\(number)")],
                    answer: [("Set-Cookie", "sso=session-\(number)-0123456789")],
                    body: .html("<p>Account</p>")
                )
            }
            let session = [("Cookie", "sso=session-1-0123456789")]
            capture.post("\(Self.provider)/renew", [("a", "1")], headers: Self.agent + session)
            let login = capture.redirect(
                "\(Self.provider)/authorize?response_type=code&client_id=shop&state=st-4Xr8LmPq2Kt",
                to: "https://shop.example/cb?code=code-1-0123456789&state=st-4Xr8LmPq2Kt",
                headers: Self.agent + session
            )
            let flows = FlowFinder.flows(in: capture.capture)
            let flow = try #require(flows.first { $0.exchanges.contains(login) })
            let index = PlanningIndex(flows)
            let origin = try #require(RecordedURL(Self.provider + "/").origin)
            var found: [Int] = []
            let time = ProcessorTime.seconds {
                for _ in 0..<20 {
                    found = CompanionFinder(
                        flow,
                        origins: [origin],
                        index: index,
                        drivenBefore: []
                    ).companions(of: [login], userCodes: [])
                }
            }
            #expect(found == [1, count])
            return time
        }
        let few = try min(seconds(100), seconds(100))
        #expect(try seconds(3200) < 8 * max(few, 0.0005))
    }
}
