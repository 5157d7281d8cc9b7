import Captures
import Flows
import OAuth
import Replay
import Synchronization
import TestSupport
import Testing

/// A sign-in that somebody agrees to elsewhere, and one that only a person can do.
struct AwaitedApprovalTests {
    private static let provider = "https://id.example"
    private static let app = "https://shop.example/cb"
    private static let agent = [("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Chrome/130")]
    private static let flow = "f-mUyrzbeVRltEycrz7BY5"
    private static let tokens = Body.json(
        #"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#
    )

    private static func page(_ flow: String, _ action: String) -> Body {
        .html(
            #"<form method="post" action="\#(action)"><input type="hidden" name="flow" value="\#(flow)"></form>"#
        )
    }

    private static func begin(_ builder: inout CaptureBuilder) {
        let query = [
            ("response_type", "code"), ("client_id", "shop"), ("redirect_uri", app),
            ("state", "st-4Xr8LmPq2Kt"),
        ]
        builder.get(
            provider + "/authorize?" + FormBody.encode(query),
            headers: agent,
            body: page(flow, "/done")
        )
    }

    private static func end(_ builder: inout CaptureBuilder, _ form: [(String, String)]) {
        let response = app + "?code=c-Kq2vLx7TzB4nWm8R&state=st-4Xr8LmPq2Kt"
        builder.post(provider + "/done", form, 302, headers: agent, answer: [("Location", response)])
        builder.get(response, headers: agent)
        builder.post(
            provider + "/token",
            [
                ("grant_type", "authorization_code"), ("code", "c-Kq2vLx7TzB4nWm8R"), ("client_id", "shop"),
                ("redirect_uri", app),
            ],
            body: tokens
        )
    }

    private static func polled(_ answers: [String]) -> Capture {
        var builder = CaptureBuilder()
        begin(&builder)
        for answer in answers {
            builder.get(provider + "/status?flow=" + flow, headers: agent, body: .json(answer))
        }
        end(&builder, [("flow", flow)])
        return builder.capture
    }

    /// How often the script's address is asked of a provider that says `pending` so many times, and `approved` then.
    private static func polls(_ capture: Capture, pending: Int) async throws -> (count: Int, run: FlowRun) {
        let polls = Mutex(0)
        let replay = try await AskedReplay(of: capture) { request, first in
            switch request.url.path {
            case "/authorize":
                return RecordedResponse(status: 200, body: page("f-Zq7vLx3TzB8nWm2RKt4X", "/done"))
            case "/status":
                let number = polls.withLock { count in
                    count += 1
                    return count
                }
                let word = number > pending ? "approved" : "pending"
                return RecordedResponse(status: 200, body: .json(#"{"status":"\#(word)","at":\#(number)}"#))
            case "/token": return RecordedResponse(status: 200, body: tokens)
            default: return AskedReplay.back(to: app, code: "c-9Zq7vLx3TzB8nWm2R", answering: first)
            }
        }
        return (polls.withLock { $0 }, replay.run)
    }

    private static let pending = #"{"status":"pending","at":17}"#
    private static let approved = #"{"status":"approved","at":19}"#

    @Test(arguments: [
        // Asked once for each time of the recording, and until somebody agrees.
        ([pending, approved], 3, 4), ([pending, approved], 1, 2),
        ([pending, pending, approved], 5, 6),
        // Nobody had agreed there either.
        ([pending, pending], 5, 2),
        ([approved], 5, 1),
    ])
    func scriptAsksUntilSomebodyAgrees(answers: [String], pending: Int, count: Int) async throws {
        let (asked, run) = try await Self.polls(Self.polled(answers), pending: pending)
        #expect(asked == count)
        #expect(run.isComplete)
    }

    /// Nobody is waited for for good.
    @Test func waitForSomebodyEnds() async throws {
        let (asked, _) = try await Self.polls(Self.polled([Self.pending, Self.approved]), pending: .max)
        #expect((3...130).contains(asked))
    }

    /// What a script sends of somebody is sent once, and accounts are locked for less.
    @Test func refusedPasswordIsNotSentAgain() async throws {
        var builder = CaptureBuilder()
        Self.begin(&builder)
        for (sent, answer) in [
            (#"{"username":"alice"}"#, #"{"stage":"password"}"#),
            (#"{"password":"wonderland"}"#, #"{"stage":"done"}"#),
        ] {
            builder.post(Self.provider + "/stage", json: sent, headers: Self.agent, body: .json(answer))
        }
        Self.end(&builder, [("flow", Self.flow)])
        let replay = try await AskedReplay(of: builder.capture) { request, _ in
            request.url.path == "/authorize"
                ? RecordedResponse(status: 200, body: Self.page("f-Zq7vLx3TzB8nWm2RKt4X", "/done"))
                : RecordedResponse(status: 200, body: .json(#"{"stage":"password"}"#))
        }
        #expect(replay.asked.filter { $0.url.path == "/stage" }.count == 2)
    }

    /// What somebody types is another one each time, and is sent once; a time that keeps caches away says nothing.
    @Test(arguments: [("choice", "481516", "234299", 2), ("_", "1764417600123", "1764417602456", 4)])
    func whatIsAskedWithAnotherCodeIsNotAskedAgain(name: String, first: String, second: String, count: Int)
        async throws
    {
        var builder = CaptureBuilder()
        Self.begin(&builder)
        for (value, answer) in [(first, Self.pending), (second, Self.approved)] {
            builder.get(
                Self.provider + "/status?\(name)=\(value)",
                headers: Self.agent,
                body: .json(answer)
            )
        }
        Self.end(&builder, [("flow", Self.flow)])
        let (asked, _) = try await Self.polls(builder.capture, pending: 3)
        #expect(asked == count)
    }

    // MARK: - What only a person makes

    @Test(arguments: [
        ("assertion", #"{"response":{"clientDataJSON":"eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0"}}"#, 403, true),
        ("g-recaptcha-response", "03AFcWeA5zQ0dJx9mQyYc8n2v0yq7qkz1K", 403, true),
        ("g-recaptcha-response", "03AFcWeA5zQ0dJx9mQyYc8n2v0yq7qkz1K", 302, false),
        ("remember", "yes", 403, false),
    ])
    func answerOfAPasskeyOrACaptchaIsGoodOnce(name: String, value: String, status: Int, isLacking: Bool)
        async throws
    {
        var builder = CaptureBuilder()
        Self.begin(&builder)
        Self.end(&builder, [("flow", Self.flow), (name, value)])
        let replay = try await AskedReplay(of: builder.capture) { request, first in
            switch request.url.path {
            case "/authorize":
                return RecordedResponse(status: 200, body: Self.page("f-Zq7vLx3TzB8nWm2RKt4X", "/done"))
            case "/token": return RecordedResponse(status: 200, body: Self.tokens)
            default:
                guard status == 302 else {
                    return RecordedResponse(status: status, body: .html("<h1>No</h1>"))
                }
                return AskedReplay.back(to: Self.app, code: "c-9Zq7vLx3TzB8nWm2R", answering: first)
            }
        }
        #expect(replay.run.lacksAPerson == isLacking)
    }
}
