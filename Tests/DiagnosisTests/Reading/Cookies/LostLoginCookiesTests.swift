import Captures
import Flows
import OAuth
import TestSupport
import Testing

@testable import Diagnosis

/// Refused callbacks without the cookies of their login.
struct LostLoginCookiesTests {
    /// A login that runs in a circle: one request again and again, each time with another code, and refused.
    private func flow(rounds count: Int) throws -> Flow {
        let login =
            "https://idp.example/authorize?response_type=code&client_id=shop&redirect_uri=https://app.example/cb"
            + "&state=state-0123456789"
        var capture = CaptureBuilder()
        // Cookies are recorded.
        capture.get("https://app.example/", headers: [("Cookie", "theme=dark")])
        for number in 0..<count {
            let answer = "https://app.example/cb?code=code-\(number)-0123456789&state=state-0123456789"
            capture.get(
                "https://app.example/login",
                302,
                answer: [("Location", login), ("Set-Cookie", "login=\(number); Path=/")]
            )
            capture.redirect(login, to: answer)
            capture.get(answer, 400, body: .html("<h1>Bad request: state mismatch</h1>"))
        }
        return try #require(FlowFinder.flows(in: capture.capture).first)
    }

    /// Eight times as many take eight times as long, sixty-four times if each looked at all requests.
    @Test func timeGrowsWithTheCallbacks() throws {
        func seconds(_ count: Int) throws -> Double {
            let flow = try flow(rounds: count)
            #expect(RejectedCallback.all(in: flow).count > count / 2)
            return ProcessorTime.seconds { _ = LostLoginCookies.of(flow) }
        }
        let few = try min(seconds(300), seconds(300))
        #expect(try seconds(2400) < 18 * max(few, 0.001))
    }

    /// Each is held against the request before it.
    @Test func callbackAnswersTheRequestBeforeIt() throws {
        let found = LostLoginCookies.of(try flow(rounds: 3)).found
        #expect(!found.isEmpty)
        #expect(found.allSatisfy { $0.request.exchange < $0.callback.exchange })
    }
}
