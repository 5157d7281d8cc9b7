import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import Testing

struct CookieSamesiteFormPostTests {
    private let rule = "cookie-samesite-form-post"
    private let broken = "user-agent/cookie-samesite-form-post"

    @Test func namesTheCookieAndTheRefusal() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == [
                "0 response.header Set-Cookie", "3 request.url ", "3 request.header Cookie",
                "3 response.status ",
            ]
        )
        #expect(finding.notes[0] == "not sent with a POST from another site")
        #expect(finding.evidence[0].value.hasPrefix("shop_login="))
        #expect(recording.finding("state-cookie-lost") == nil)
        #expect(recording.outcomes == [.failure])
    }

    @Test func leavesAGetAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            let form = exchange.request.body?.text ?? ""
            exchange.request.method = "GET"
            exchange.request.url = RecordedURL(exchange.request.url.text + "?" + form)
            exchange.request.body = nil
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("state-cookie-lost") != nil)
    }

    @Test func leavesAPostOfTheSameSiteAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.request.headers.replace("Origin", with: "https://login.shop.example")
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func countsStrictAsWell() throws {
        let recording = try setting("shop_login=1234567890abcd; Path=/; Secure; SameSite=Strict")
        #expect(recording.finding(rule) != nil)
        #expect(recording.finding("cookie-samesite-strict") == nil)
    }

    /// Beside a cookie by which nobody is recognised the other one is the login's, whatever it is called.
    @Test(arguments: [("lang=de", true), ("shop=fedcba9876543210", false)])
    func aLanguageThatCameBackIsNoLoginsCookie(back: String, fires: Bool) throws {
        let recording = try setting("app_tx=1234567890abcd; Path=/; Secure; SameSite=Lax").editing {
            exchange in
            switch exchange.request.url.path {
            case "/login":
                exchange.response?.headers.append("Set-Cookie", back + "; Path=/; Secure; SameSite=None")
            case "/callback": exchange.request.headers.append("Cookie", back)
            default: break
            }
        }
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test func leavesAnotherReasonToItsRule() throws {
        #expect(
            try setting("shop_login=1234567890abcd; Path=/; Max-Age=2; SameSite=Lax").finding(rule) == nil
        )
        #expect(try setting("shop_login=1234567890abcd; Path=/login; SameSite=Lax").finding(rule) == nil)
    }

    /// A value that browsers do not know is none (RFC 6265bis, section 5.6.7).
    @Test(
        arguments: [
            ("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/133.0.0.0 Safari/537.36", 200, true),
            ("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/133.0.0.0 Safari/537.36", 60, false),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", 200, false),
        ],
        ["", "; SameSite=Standard"]
    )
    func knowsTheTwoMinutesOfChromium(
        browser: (agent: String, seconds: Int, fires: Bool),
        attribute: String
    ) throws {
        let (agent, seconds, fires) = browser
        let cookie = "shop_login=1234567890abcd; Path=/; Secure" + attribute
        let recording = try setting(cookie).editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.startedAt = exchange.startedAt + .seconds(seconds)
            exchange.request.headers.replace("User-Agent", with: agent)
        }
        let finding = recording.finding(rule)
        #expect((finding != nil) == fires)
        if fires { #expect(finding?.notes[0].hasPrefix("no SameSite: taken as Lax, and 2") == true) }
    }

    private func setting(_ cookie: String) throws -> Recording {
        try Recording(broken).answering("/login", header: "Set-Cookie", cookie)
    }
}
