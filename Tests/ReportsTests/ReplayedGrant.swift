import Captures
import Flows
import Replay
import TestSupport
import Testing

/// The shortest login there is, a client's own (RFC 6749, section 4.4), and a provider that answers it in the same way.
enum ReplayedGrant {
    private static let answer = Body.json(
        #"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#
    )

    /// `page`: the address of one of the app's that was recorded behind it.
    static func flow(before page: String? = nil) throws -> Flow {
        var capture = CaptureBuilder()
        capture.post(
            "https://id.example/token",
            [("grant_type", "client_credentials"), ("client_id", "svc"), ("client_secret", "a-secret")],
            body: answer
        )
        if let page { capture.get(page) }
        return try #require(FlowFinder.flows(in: capture.capture).first)
    }

    static func environment(at now: Timestamp) -> FlowDriver.Environment {
        FlowDriver.Environment(
            send: { request in
                let response = RecordedResponse(
                    status: 200,
                    headers: HeaderFields([("Content-Type", "application/json")]),
                    body: answer
                )
                return Exchange(
                    startedAt: now,
                    duration: .milliseconds(20),
                    request: request,
                    response: response
                )
            },
            clock: { now },
            sleep: { _ in },
            random: { [UInt8](repeating: 7, count: $0) }
        )
    }
}
