import Captures
import Flows
import Replay
import TestSupport
import Testing

struct ActionPlannerTests {
    /// A sign-in page that is shown again and again, with a form, and a script on it that sends what no form has.
    @Test func pagesAreNotAllLookedAtForEachRequest() throws {
        func seconds(_ count: Int) throws -> Double {
            var capture = CaptureBuilder()
            capture.get(
                "https://id.example/authorize?response_type=code&client_id=shop&state=state-of-login",
                body: .html("<p>Please wait</p>")
            )
            for number in 0..<count {
                capture.get(
                    "https://id.example/login?step=\(number)",
                    body: .html(
                        "<form method=post action=/login><input name=csrf value=\(number)></form><p>Sign in</p>"
                    )
                )
                capture.post("https://id.example/events", [("kind", "ping"), ("number", "\(number)")])
            }
            let flow = try #require(FlowFinder.flows(in: capture.capture).first)
            #expect(flow.exchanges.count > count)
            return ProcessorTime.seconds { _ = PlanBuilder(flow, siblings: [flow]).plan() }
        }
        let few = try min(seconds(100), seconds(100))
        // Eight times the pages: linear is 8, quadratic 64.
        #expect(try seconds(800) < 24 * few)
    }
}
