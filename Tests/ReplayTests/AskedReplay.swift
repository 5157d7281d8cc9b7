import Captures
import Flows
import Replay
import Synchronization
import TestSupport
import Testing

/// The replay of a capture's first flow at a provider in memory, with what that one was asked for.
struct AskedReplay {
    let run: FlowRun
    /// In the order in which it was sent.
    let asked: [RecordedRequest]

    /// `answer`: gets with each request the first one of the run, whose `state` the response has to bring back.
    init(
        of capture: Capture,
        options: FlowDriver.Options = FlowDriver.Options(),
        answer: @escaping @Sendable (RecordedRequest, _ first: RecordedRequest) -> RecordedResponse
    ) async throws {
        let flows = FlowFinder.flows(in: capture)
        let plan = PlanBuilder(try #require(flows.first), siblings: flows).plan()
        let asked = Mutex<[RecordedRequest]>([])
        let environment = FlowDriver.Environment.inMemory { request, _ in
            let first = asked.withLock { asked in
                asked.append(request)
                return asked[0]
            }
            return answer(request, first)
        }
        run = await FlowDriver(plan, environment, options: options).run()
        self.asked = asked.withLock { $0 }
    }

    /// Sends the browser back to the app with a code and the state of a request.
    static func back(to app: String, code: String, answering request: RecordedRequest) -> RecordedResponse {
        let state = request.url.queryItems.first("state") ?? ""
        return RecordedResponse(
            status: 302,
            headers: HeaderFields([("Location", "\(app)?code=\(code)&state=\(state)")])
        )
    }
}

extension CaptureBuilder {
    /// The token request of the public client `shop`, which is answered with an access token.
    mutating func redeem(_ code: String, at endpoint: String, for redirectURI: String) {
        post(
            endpoint,
            [
                ("grant_type", "authorization_code"), ("code", code), ("client_id", "shop"),
                ("redirect_uri", redirectURI),
            ],
            body: .json(#"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
        )
    }
}
