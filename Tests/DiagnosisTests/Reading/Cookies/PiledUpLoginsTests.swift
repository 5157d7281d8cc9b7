import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import TestSupport
import Testing

struct PiledUpLoginsTests {
    /// mod_auth_openidc begins no login where seven others are under way in the browser: told with the last that was left.
    @Test(arguments: [
        (7, 503, "mod_auth_openidc_state_", true), (6, 503, "mod_auth_openidc_state_", false),
        (7, 200, "mod_auth_openidc_state_", false), (7, 503, "shop_", false),
    ])
    func loginsThatPileUpAreCounted(count: Int, status: Int, prefix: String, isTold: Bool) {
        var capture = CaptureBuilder()
        for number in 0..<count {
            let request =
                "https://idp.example/authorize?"
                + FormBody.encode([
                    ("response_type", "code"), ("client_id", "shop"), ("scope", "openid"),
                    ("redirect_uri", "https://shop.example/protected/callback"),
                    ("state", "state-\(number)-0123456789"), ("nonce", "nonce-\(number)-0123456789"),
                ])
            capture.redirect("https://shop.example/protected/", to: request)
            capture.get(request, body: .html("<form method=post action=/in><input name=user></form>"))
        }
        let cookies = (0..<count).map { "\(prefix)\($0)=1f2e3d4c" }.joined(separator: "; ")
        let page = capture.get("https://shop.example/protected/", status, headers: [("Cookie", cookies)])
        let recording = Recording(capture.exchanges)
        // No server said that a header was too large.
        #expect(recording.finding("cookies-too-large") == nil)
        let told = recording.findings.filter { $0.title == "Too many logins were begun and not finished" }
        #expect(told.count == (isTold ? 1 : 0))
        #expect(told.allSatisfy { $0.rule == "login-abandoned" && $0.isPrimary })
        #expect(
            told.allSatisfy {
                $0.places.suffix(2) == ["\(page) response.status ", "\(page) request.header Cookie"]
            }
        )
    }
}
