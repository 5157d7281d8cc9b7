import Captures
import Flows
import Replay
import TestSupport
import Testing

/// Logouts that were asked for again, be they known as such without the metadata or not.
struct RepeatedLogoutTests {
    @Test(arguments: [(200, [0]), (400, [])]) func isAnsweredAsInTheRecording(status: Int, found: [Int])
        async throws
    {
        var capture = CaptureBuilder()
        capture.get(
            "https://idp.example/logout?client_id=shop&post_logout_redirect_uri=https%3A%2F%2Fshop.example%2F",
            body: .html("<h1>Signed out</h1>")
        )
        let flow = try #require(FlowFinder.flows(in: capture.capture).first)
        let environment = FlowDriver.Environment(
            send: { request in
                Exchange(
                    startedAt: Timestamp(seconds: 0),
                    request: request,
                    response: RecordedResponse(status: status, body: .html("<h1>Signed out</h1>"))
                )
            },
            clock: { Timestamp(seconds: 0) },
            sleep: { _ in },
            random: { [UInt8](repeating: 7, count: $0) }
        )
        let run = await FlowDriver(PlanBuilder(flow, siblings: [flow]).plan(), environment).run()
        #expect(run.exchanges.count == 1)
        #expect(run.repeatedLogouts == Set(found))
    }
}
