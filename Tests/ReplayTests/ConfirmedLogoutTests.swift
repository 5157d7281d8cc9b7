import Captures
import Flows
import Replay
import Testing

/// A provider that asks before it ends a session.
struct ConfirmedLogoutTests {
    private static let page = """
        <p>Sign out?</p><form method="post"><input type="hidden" name="confirm" value="%"><button>Yes</button></form>
        """

    /// `confirm`: the value that its form has for this run.
    private func logout(_ request: RecordedRequest, _ confirm: String) -> RecordedResponse? {
        guard request.url.path.hasSuffix("/logout") else { return nil }
        let isConfirmed = FormBody.items(of: request.body)?.first("confirm") == confirm
        let text =
            request.method == "POST"
            ? isConfirmed ? "<p>Signed out" : "<p>Error" : Self.page.replacing("%", with: confirm)
        return RecordedResponse(
            status: request.method == "POST" && !isConfirmed ? 400 : 200,
            body: Body(text: text, mediaType: "text/html")
        )
    }

    @Test func formBehindTheLoginIsSent() async throws {
        let recorded = try ReplayWorld().record()
        var exchanges = recorded.indices.map { recorded[$0] }
        var question = exchanges.removeLast()
        question.response = logout(question.request, "kX29f-recorded-aB71qP40zL")
        var answer = question
        answer.startedAt = question.startedAt + .seconds(1)
        answer.request.method = "POST"
        answer.request.headers.append("Content-Type", FormBody.mediaType)
        answer.request.body = Body(text: "confirm=kX29f-recorded-aB71qP40zL", mediaType: FormBody.mediaType)
        answer.response = logout(answer.request, "kX29f-recorded-aB71qP40zL")
        exchanges += [question, answer]
        #expect(exchanges.last?.response?.status == 200)

        let world = ReplayWorld(startingAt: 1_790_000_000)
        var environment = world.environment
        environment.send = { request in
            var exchange = world.exchange(request)
            if let response = logout(request, "kX83f-fresh-cD55rQ61yM") { exchange.response = response }
            return exchange
        }
        let flows = FlowFinder.flows(in: Capture(exchanges))
        let flow = try #require(flows.first)
        let run = await FlowDriver(PlanBuilder(flow, siblings: flows).plan(), environment).run()
        #expect(run.isComplete, "\(run.results) \(String(describing: run.stop))")
        #expect(
            run.exchanges.last?.request.method == "POST",
            "\(run.plan.steps.map { "\($0.exchange) \($0.action)" }) \(run.results)"
        )
        #expect(run.exchanges.last?.response?.status == 200)
    }
}
