import Captures
import Diagnosis
import Flows
import TestSupport
import Testing

/// A day of a busy provider: thousands of logins at one host, under way at the same time, that name no redirect URI.
struct FlowGrowthTests {
    private func capture(logins count: Int) -> Capture {
        var capture = CaptureBuilder()
        capture.step = 20
        let page = "<p>Sign in</p><form action=/login><input name=csrf value=0123456789abcdef></form>"
        for number in 0..<count {
            let state = "state-of-login-\(number)"
            capture.redirect(
                "https://idp.example/authorize?response_type=code&client_id=shop&state=\(state)",
                to: "https://idp.example/login?sid=session-\(number)-of-many"
            )
            capture.get(
                "https://idp.example/login?sid=session-\(number)-of-many",
                body: Body(text: page, mediaType: "text/html")
            )
            capture.redirect(
                "https://idp.example/consent?sid=other-\(number)-of-many",
                to: "https://app.example/cb?code=code-\(number)&state=\(state)"
            )
            capture.post(
                "https://idp.example/token",
                [("grant_type", "authorization_code"), ("code", "code-\(number)"), ("client_id", "shop")],
                body: Body(
                    text: "{\"access_token\":\"token-\(number)\",\"token_type\":\"Bearer\"}",
                    mediaType: "application/json"
                )
            )
        }
        return capture.capture
    }

    private func seconds(_ capture: Capture) -> Double {
        (0..<3).map { _ in
            ProcessorTime.seconds {
                for flow in FlowFinder.flows(in: capture) { _ = Diagnostician.diagnose(flow) }
            }
        }.min() ?? 0
    }

    /// Four times as many take four times as long, sixteen times if each looked at all others.
    @Test func timeGrowsWithTheLogins() {
        let few = seconds(capture(logins: 250))
        let many = seconds(capture(logins: 1000))
        #expect(many / few < 8, "\(many / few) times as long for four times as many")
    }

    @Test func pagesAreOfTheLoginWhoseValuesTheyCarry() {
        let flows = FlowFinder.flows(in: capture(logins: 40))
        #expect(flows.count == 40)
        for flow in flows { #expect(flow.exchanges.prefix(2) == [flow.exchanges[0], flow.exchanges[0] + 1]) }
    }
}
