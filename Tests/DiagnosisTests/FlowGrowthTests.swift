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

    private static let few = 250
    private static let many = 8000

    /// Thirty-two times as many take thirty-two times as long, a thousand times if each looked at all others.
    @Test func timeGrowsWithTheLogins() {
        func seconds(_ count: Int) -> Double {
            let capture = capture(logins: count)
            return ProcessorTime.seconds { #expect(FlowFinder.flows(in: capture).count == count) }
        }
        let ratio = seconds(Self.many) / min(seconds(Self.few), seconds(Self.few))
        #expect(ratio < 64)
    }

    /// As long for each login among many as among few.
    @Test func rulesDoNotLookAtAllOthers() {
        func seconds(_ count: Int) -> Double {
            let flows = FlowFinder.flows(in: capture(logins: count)).prefix(200)
            // What is read once for all.
            for flow in flows.prefix(1) { _ = Diagnostician.diagnose(flow) }
            return (0..<3).map { _ in
                ProcessorTime.seconds { for flow in flows.dropFirst() { _ = Diagnostician.diagnose(flow) } }
            }.min() ?? 0
        }
        let ratio = seconds(Self.many) / seconds(Self.few)
        #expect(ratio < 3)
    }

    @Test func pagesAreOfTheLoginWhoseValuesTheyCarry() {
        let flows = FlowFinder.flows(in: capture(logins: 40))
        #expect(flows.count == 40)
        for flow in flows { #expect(flow.exchanges.prefix(2) == [flow.exchanges[0], flow.exchanges[0] + 1]) }
    }
}
