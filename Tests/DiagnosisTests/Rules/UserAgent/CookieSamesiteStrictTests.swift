import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import Testing

struct CookieSamesiteStrictTests {
    private let rule = "cookie-samesite-strict"
    private let broken = "user-agent/cookie-samesite-strict"

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
        #expect(finding.notes[0] == "not sent with a request that id.harbour.example led to")
        #expect(finding.evidence[0].value.hasPrefix("shop_login="))
        #expect(recording.finding("state-cookie-lost") == nil)
        #expect(recording.outcomes == [.failure])
    }

    /// The login's own cookie came back; whether the other was missed is a matter of what it is.
    @Test(
        arguments: [
            ("__Host-csrf", "8f2b6c1d9e4a7350", nil, false), ("lang", "en", nil, false),
            // The login's state stands in it.
            ("__Host-csrf", "x.YJ0u2qS4b8ErtCsRyJtBRN", nil, true),
            ("shop.nonce", "8f2b6c1d9e4a7350", nil, true),
            ("__Host-csrf", "8f2b6c1d9e4a7350", "Your session cookie is missing", true),
        ] as [(String, String, String?, Bool)]
    )
    func bystanderIsNotBlamed(name: String, value: String, page: String?, fires: Bool) throws {
        let recording = try Recording("user-agent/callback-rejected-by-app").editing { exchange in
            if exchange.request.url.path == "/login" {
                exchange.response?.headers.append(
                    "Set-Cookie",
                    "\(name)=\(value); Path=/; Secure; SameSite=Strict"
                )
            } else if exchange.request.url.path == "/callback", let page {
                exchange.response?.body = Body(text: page, mediaType: "text/html")
            }
        }
        #expect((recording.finding(rule) != nil) == fires)
        // A state of one sign stands in many values.
        let short = recording.asking("state", "8").redirecting(with: [("state", "8")])
        if name != "shop.nonce", page == nil { #expect(short.finding(rule) == nil) }
    }

    @Test func leavesALaxCookieToAnotherRule() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/login" else { return }
            exchange.response?.headers.replace(
                "Set-Cookie",
                with: "shop_login=1234567890abcd; Path=/; SameSite=Lax"
            )
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("state-cookie-lost") != nil)
    }

    @Test func leavesALoginThatWentOnAlone() throws {
        let healthy = try Recording(broken + ".near-miss")
        let recording = healthy.editing { exchange in
            if exchange.request.url.path == "/callback" { exchange.response?.status = 500 }
        }
        #expect(recording.finding(rule) == nil)
    }

    /// A login page left open for a minute and loaded again: the app's cookie is the one of the first request.
    @Test func seesPastAReloadOfTheLoginPage() throws {
        var recording = try Recording(broken)
        let index = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/authorize" })
        for later in (index + 1)..<recording.exchanges.count {
            recording.exchanges[later].startedAt = recording.exchanges[later].startedAt + .seconds(90)
        }
        var again = recording.exchanges[index]
        again.startedAt = again.startedAt + .seconds(80)
        recording.exchanges.insert(again, at: index + 1)
        #expect(recording.finding(rule)?.isPrimary == true)
    }
}
