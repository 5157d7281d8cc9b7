import Captures
import Diagnosis
import DiagnosisTestSupport
import Testing

/// What the rules have in common that tell why the cookie of a login did not come to the callback.
struct LostCookieRulesTests {
    private static let rules = [
        "cookie-host-mismatch", "cookie-path-mismatch", "cookie-samesite-form-post",
        "cookie-samesite-none-insecure", "cookie-samesite-strict", "cookie-secure-over-http",
    ]

    private func broken(_ rule: String) throws -> Recording { try Recording("user-agent/" + rule) }

    @Test(arguments: rules) func leavesAnAcceptedCallbackAlone(rule: String) throws {
        #expect(try broken(rule).goingOn.finding(rule) == nil)
    }

    @Test(arguments: rules) func leavesACookieThatCameBackAlone(rule: String) throws {
        let recording = try broken(rule).editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.request.headers.append("Cookie", "shop_login=x")
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test(arguments: rules) func abstainsOnASanitizedCapture(rule: String) throws {
        let recording = try broken(rule).sanitized
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule)?.contains("stripped") == true)
    }
}
