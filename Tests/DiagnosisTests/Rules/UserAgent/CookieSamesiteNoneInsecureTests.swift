import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import Testing

struct CookieSamesiteNoneInsecureTests {
    private let rule = "cookie-samesite-none-insecure"
    private let broken = "user-agent/cookie-samesite-none-insecure"

    @Test func namesTheCookieAndTheRefusal() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == [
                "0 response.header Set-Cookie", "3 request.header Cookie", "3 response.status ",
            ]
        )
        #expect(finding.notes[0] == "dropped: SameSite=None without Secure")
        #expect(finding.evidence[0].value.hasPrefix("shop_login="))
        #expect(recording.finding("state-cookie-lost") == nil)
        #expect(recording.outcomes == [.failure])
    }

    @Test func leavesASecureCookieAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/login" else { return }
            exchange.response?.headers.replace(
                "Set-Cookie",
                with: "shop_login=x1; Path=/; SameSite=None; Secure"
            )
        }
        #expect(recording.finding(rule) == nil)
    }
}
