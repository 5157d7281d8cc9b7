import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import TestSupport
import Testing

struct CookieHostMismatchTests {
    private let rule = "cookie-host-mismatch"
    private let broken = "user-agent/cookie-host-mismatch"

    @Test func namesTheCookieAndTheRefusal() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == [
                "0 response.header Set-Cookie", "0 request.url ", "3 request.url ", "3 request.header Cookie",
                "3 response.status ",
            ]
        )
        #expect(finding.notes[0] == "for shop.example, not for www.shop.example")
        #expect(finding.evidence[0].value.hasPrefix("shop_login="))
        #expect(recording.finding("state-cookie-lost") == nil)
        #expect(recording.outcomes == [.failure])
    }

    /// Google's Identity-Aware Proxy has one redirect URI for all apps, at a host that none of their cookies is for.
    @Test(arguments: [("iap.googleapis.com", false), ("login.harbour.example", true)])
    func leavesTheServiceThatAnswersForAllAppsAlone(host: String, fires: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            func moved(_ text: String) -> String {
                text.replacing("www.shop.example", with: host)
            }
            exchange.request.url = RecordedURL(moved(exchange.request.url.text))
            if let location = exchange.response?.location {
                exchange.response?.redirect(to: moved(location))
            }
        }
        #expect((recording.finding(rule) != nil) == fires)
        #expect(recording.finding("callback-rejected-by-app") != nil)
    }

    /// The app is a broker, to which another app sent the user: that one's cookie is for its own callback.
    @Test func leavesTheCookieOfABrokersClientAlone() throws {
        var recording = try Recording("user-agent/callback-rejected-by-app")
        let state = "0a9s8d7f6g5h4j3k"
        let request =
            "https://www.shop.example/login?response_type=code&client_id=portal&state=\(state)"
            + "&redirect_uri=https%3A%2F%2Fportal.example%2Fcb&scope=openid"
        recording.exchanges[0].request.url = RecordedURL(request)
        var first = recording.exchanges[0]
        first.startedAt = first.startedAt - .milliseconds(50)
        first.request.url = RecordedURL("https://portal.example/login")
        first.response?.headers = HeaderFields([
            ("Set-Cookie", "portal.oidc=q2w3e4r5t6z7u8i9; Path=/; Secure; SameSite=Lax"),
            ("Location", request),
        ])
        first.response?.redirectURL = request
        recording.exchanges.insert(first, at: 0)
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("callback-rejected-by-app")?.isPrimary == true)
    }

    /// The app hands the login to a server of another host, which signs in at the provider and sends the browser off itself
    /// (Supabase): that one has no use for the app's cookie.
    @Test(arguments: [true, false])
    func leavesTheCookieOfAnAppBehindTheCallbacksHostAlone(isHandedOn: Bool) throws {
        var recording = try Recording("user-agent/callback-rejected-by-app")
        let begin = "https://www.shop.example/login"
        var first = recording.exchanges[0]
        first.startedAt = first.startedAt - .milliseconds(50)
        first.request.url = RecordedURL("https://portal.example/login")
        first.response?.headers = HeaderFields([
            ("Set-Cookie", "portal.verifier=q2w3e4r5t6z7u8i9; Path=/; Secure; SameSite=Lax")
        ])
        first.response?.redirect(to: begin)
        if isHandedOn {
            recording.exchanges[0].response?.headers.remove("set-cookie")
            recording.exchanges.insert(first, at: 0)
        } else {
            // The one who sends the browser off is the other host itself.
            let location = recording.exchanges[0].response?.location ?? ""
            first.response?.redirect(to: location)
            recording.exchanges[0] = first
        }
        for index in recording.exchanges.indices
        where recording.exchanges[index].request.url.host != "id.harbour.example" {
            recording.exchanges[index].request.headers.remove("cookie")
            recording.exchanges[index].request.listedCookies = []
        }
        #expect((recording.finding(rule) == nil) == isHandedOn)
        #expect((recording.finding("callback-rejected-by-app")?.isPrimary == true) == isHandedOn)
    }

    @Test func leavesAnotherPortAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/login" {
                exchange.request.url = RecordedURL("https://www.shop.example:8443/login")
            }
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("state-cookie-lost") != nil)
    }

    @Test func leavesADomainThatCoversBothAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/login" else { return }
            exchange.response?.headers.replace(
                "Set-Cookie",
                with: "shop_login=1234567890abcd; Domain=shop.example; Path=/"
            )
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func findsTheStartByTheRefererOfAPageThatGoesOnByScript() throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/login" {
                exchange.response?.headers.remove("Location")
                exchange.response?.redirectURL = ""
                exchange.response?.status = 200
            } else if exchange.request.url.path == "/authorize" {
                exchange.request.headers.append("Referer", "https://shop.example/")
            }
        }
        #expect(recording.finding(rule) != nil)
    }

    /// Auth.js gives its page the address to go on to, and sets its cookies with that answer.
    ///
    /// A page of another origin that asked for it is not where the login began.
    @Test(arguments: [
        ("https://shop.example", true, true), ("https://www.shop.example", true, false),
        ("https://shop.example", false, false),
    ])
    func findsTheStartByTheRequestThatThePageWasGiven(origin: String, isGiven: Bool, fires: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/login" else { return }
            let target = isGiven ? exchange.response?.location ?? "" : "https://id.harbour.example/"
            exchange.request.method = "POST"
            exchange.request.headers.append("Origin", origin)
            exchange.response?.headers.remove("Location")
            exchange.response?.redirectURL = ""
            exchange.response?.status = 200
            exchange.response?.body = .json(#"{"url":"\#(target)"}"#)
        }
        #expect((recording.finding(rule) != nil) == fires)
        #expect(recording.finding("callback-rejected-by-app") != nil)
    }
}
