import Captures
import Diagnosis
import Flows
import OAuth
import Testing

struct CookiePathMismatchTests {
    private let rule = "cookie-path-mismatch"
    private let broken = "user-agent/cookie-path-mismatch"

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
        #expect(finding.notes[0] == "goes to addresses below /login only (by its Path), not to /callback")
        #expect(finding.evidence[0].value.hasPrefix("shop_login="))
        #expect(recording.finding("state-cookie-lost") == nil)
        #expect(recording.outcomes == [.failure])
    }

    @Test func leavesTheNearMissAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func leavesAnAcceptedCallbackAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.response?.status = 302
            exchange.response?.redirect(to: "/")
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesACookieThatCameBackAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.request.headers.append("Cookie", "shop_login=x")
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func abstainsOnASanitizedCapture() throws {
        let recording = try Recording(broken).sanitized
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule)?.contains("stripped") == true)
    }

    @Test func knowsThePathOfACookieWithoutOne() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/login" else { return }
            exchange.request.url = RecordedURL("https://www.shop.example/auth/start")
            exchange.response?.headers.fields.removeAll { $0.name == "Set-Cookie" }
            exchange.response?.headers.append("Set-Cookie", "shop_login=1234567890abcd; Secure")
        }
        #expect(recording.finding(rule)?.notes[0].contains("below /auth only (by default") == true)
    }

    @Test func leavesTheRootAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/login" else { return }
            exchange.response?.headers.fields.removeAll { $0.name == "Set-Cookie" }
            exchange.response?.headers.append("Set-Cookie", "shop_login=1234567890abcd; Path=/; Secure")
        }
        #expect(recording.finding(rule) == nil)
    }
}
