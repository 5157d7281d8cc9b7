import Captures
import Flows
import Replay
import Synchronization
import TestSupport
import Testing

/// Headers of a replay whose recorded bytes are no UTF-8.
struct SentHeaderTests {
    @Test func headersThatTheReplayWritesAnewKeepTheirBytes() async throws {
        var builder = CaptureBuilder()
        builder.post(
            "https://id.example/token",
            [("grant_type", "client_credentials"), ("client_id", "svc-1"), ("client_secret", "s-Kq2vLx7T")],
            body: .json(#"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
        )
        let names = ["Referer", "Authorization", "X-Other"]
        let capture = Capture(
            (0..<builder.capture.count).map { index in
                var exchange = builder.capture[index]
                exchange.request.headers.fields += names.map {
                    HeaderFields.Field(name: $0, value: "Other é", isLatin1: true)
                }
                return exchange
            }
        )
        let flows = FlowFinder.flows(in: capture)
        let plan = PlanBuilder(try #require(flows.first), siblings: flows).plan()
        let asked = Mutex<[RecordedRequest]>([])
        let environment = FlowDriver.Environment.inMemory { request, _ in
            asked.withLock { $0.append(request) }
            return RecordedResponse(
                status: 200,
                body: .json(#"{"access_token":"at-8","token_type":"Bearer"}"#)
            )
        }
        _ = await FlowDriver(plan, environment).run()
        let fields = try #require(asked.withLock { $0.first }).headers.fields
        for name in names {
            #expect(fields.first { $0.name == name }?.isLatin1 == true, "\(name)")
        }
    }
}
