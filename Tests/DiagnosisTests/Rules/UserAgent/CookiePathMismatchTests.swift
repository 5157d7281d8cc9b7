import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
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

    @Test func knowsThePathOfACookieWithoutOne() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/login" else { return }
            exchange.request.url = RecordedURL("https://www.shop.example/auth/start")
            exchange.response?.headers.replace("Set-Cookie", with: "shop_login=1234567890abcd; Secure")
        }
        #expect(recording.finding(rule)?.notes[0].contains("below /auth only (by default") == true)
    }

    @Test func leavesTheRootAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/login" else { return }
            exchange.response?.headers.replace(
                "Set-Cookie",
                with: "shop_login=1234567890abcd; Path=/; Secure"
            )
        }
        #expect(recording.finding(rule) == nil)
    }

    // MARK: - Behind the callback

    /// A login whose session is in a cookie of this path from its start on; at the callback one of this name is set.
    private func keeping(_ path: String, _ name: String = "rack.session") throws -> Recording {
        try Recording("healthy/web-code-flow").editing { exchange in
            guard exchange.request.url.host == "www.shop.example" else { return }
            exchange.request.headers.remove("Cookie")
            exchange.request.listedCookies = []
            exchange.response?.headers.remove("Set-Cookie")
            exchange.response?.listedCookies = []
            switch exchange.request.url.path {
            case "/login":
                exchange.response?.headers.append(
                    "Set-Cookie",
                    "rack.session=1234567890abcd; Path=\(path)"
                )
            case "/callback":
                exchange.request.headers.append("Cookie", "rack.session=1234567890abcd")
                exchange.response?.headers.append("Set-Cookie", "\(name)=efgh567890abcd; Path=\(path)")
            case "/":
                exchange.response?.body = Body(text: "<a href=\"/login\">Sign in</a>", mediaType: "text/html")
            default: break
            }
        }
    }

    @Test func tellsOfASessionThatDoesNotReachThePageBehind() throws {
        let recording = try keeping("/callback")
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == .warning)
        #expect(finding.places == ["4 response.header Set-Cookie", "8 request.header Cookie"])
        #expect(finding.notes[0] == "goes to addresses below /callback only (by its Path), not to /")
        #expect(recording.outcomes == [.success])
    }

    @Test func leavesASessionAloneThatReachesIt() throws {
        #expect(try keeping("/").finding(rule) == nil)
        // Another cookie may be what the page goes by.
        let other = try keeping("/callback").editing { exchange in
            guard exchange.request.url.path == "/" else { return }
            exchange.request.headers.append("Cookie", "shop_session=1")
        }
        #expect(other.finding(rule) == nil)
        // One for the path alone, which renews tokens, say.
        #expect(try keeping("/callback", "refresh").finding(rule) == nil)
    }

    /// A page that is the same for all, and asks by script who is there.
    @Test func leavesASessionAloneThatScriptsBringBack() throws {
        let recording = try keeping("/callback")
        var asked = try #require(recording.exchanges.last)
        asked.startedAt = asked.startedAt + .seconds(1)
        asked.request.url = RecordedURL("https://www.shop.example/callback/me")
        asked.request.headers.append("Cookie", "rack.session=efgh567890abcd")
        #expect(Recording(recording.exchanges + [asked]).finding(rule) == nil)
        asked.request.headers.remove("Cookie")
        asked.request.listedCookies = []
        #expect(Recording(recording.exchanges + [asked]).finding(rule) != nil)
        asked.request.headers.append("Cookie", "theme=dark")
        #expect(Recording(recording.exchanges + [asked]).finding(rule) != nil)
        // A page out of the cache is from before the login.
        let kept = recording.editing { exchange in
            if exchange.request.url.path == "/" { exchange.foreign["_fromCache"] = "disk" }
        }
        #expect(kept.finding(rule) == nil)
        // What nobody recorded may have brought it back.
        for page in ["<a href=\"/login\">Sign in</a><script src=/app.js></script>", "Hello"] {
            let other = recording.editing { exchange in
                guard exchange.request.url.path == "/" else { return }
                exchange.response?.body = Body(text: page, mediaType: "text/html")
            }
            #expect(other.finding(rule) == nil)
        }
    }
}
