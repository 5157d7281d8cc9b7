import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import Testing

struct SilentLoginCookiesBlockedTests {
    private let rule = "silent-login-cookies-blocked"
    private let broken = "user-agent/silent-login-cookies-blocked"

    private func framed(_ edit: (inout Exchange) -> Void) throws -> Recording {
        try Recording(broken).editing { exchange in
            if exchange.request.headers.contains("sec-fetch-dest") { edit(&exchange) }
        }
    }

    @Test func showsTheCookieThenAndNow() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == [
                "2 response.header Set-Cookie", "5 request.header Cookie", "5 request.header Sec-Fetch-Dest",
                "6 request.query error",
            ]
        )
        #expect(recording.outcomes == [.success, .failure])
    }

    /// The session of Entra and Curity outlives the browser, which frames have no use of either.
    @Test(arguments: [("sid", "; Max-Age=86400"), ("anything", "; Path=/")])
    func knowsASessionThatLasts(name: String, attributes: String) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/sign-in" else { return }
            exchange.response?.headers.replace(
                "Set-Cookie",
                with: "\(name)=k3J9x\(attributes); Secure; SameSite=Lax"
            )
        }
        #expect(recording.finding(rule)?.isPrimary == true)
    }

    /// What a balancer sets is no session.
    @Test func leavesABalancersCookieAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/sign-in" else { return }
            exchange.response?.headers.replace("Set-Cookie", with: "AWSALB=k3J9x; Max-Age=604800; Path=/")
        }
        #expect(recording.finding(rule) == nil)
    }

    /// A session that a frame was given is kept for that frame, and one that has run out is none.
    @Test(arguments: [("; SameSite=None", true), ("; Max-Age=2; SameSite=Lax", false)])
    func leavesASessionAloneThatTheWholePageHasNoMore(attributes: String, isFramed: Bool) throws {
        let recording = try Recording(broken).editingLast("/sign-in") { exchange in
            exchange.response?.headers.replace(
                "Set-Cookie",
                with: "harbour_session=k3J9x; Path=/; Secure\(attributes)"
            )
            guard isFramed else { return }
            exchange.request.headers.append("Sec-Fetch-Dest", "iframe")
            exchange.request.headers.append("Sec-Fetch-Site", "cross-site")
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("silent-login-required") != nil)
    }

    /// What a login was answered for is a session by any name; a balancer's cookie is none, nor is what a frame brought.
    @Test(arguments: [("anything", false, true), ("AWSALB", false, false), ("anything", true, false)])
    func knowsASessionByTheLoginThatWasAnsweredForIt(name: String, isFramed: Bool, fires: Bool) throws {
        let recording = try Recording(broken).editingLast("/sign-in") { exchange in
            exchange.response?.headers.remove("Set-Cookie")
            exchange.request.headers.replace("Cookie", with: "\(name)=k3J9x01234567")
            guard isFramed else { return }
            exchange.request.headers.append("Sec-Fetch-Dest", "iframe")
            exchange.request.headers.append("Sec-Fetch-Site", "cross-site")
        }
        #expect((recording.finding(rule)?.evidence.first?.value == name) == fires)
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test func leavesARequestOfTheWholePageAlone() throws {
        let recording = try framed { exchange in
            exchange.request.headers.replace("Sec-Fetch-Dest", with: "document")
            exchange.request.headers.append("Sec-Fetch-Mode", "navigate")
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func knowsAFrameByItsSite() throws {
        let recording = try framed { exchange in
            exchange.request.headers.remove("Sec-Fetch-Dest")
            exchange.request.headers.append("Sec-Fetch-Mode", "navigate")
        }
        #expect(recording.finding(rule) != nil)
    }

    @Test func leavesAFrameWithACookieAlone() throws {
        #expect(try framed { $0.request.headers.append("Cookie", "a=b") }.finding(rule) == nil)
    }

    @Test func leavesABrowserWithoutASessionAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/sign-in" {
                exchange.response?.headers.remove("Set-Cookie")
            }
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesAUserWhoSignedOutAlone() throws {
        var recording = try Recording(broken)
        var out = recording.exchanges[2]
        out.request.url = RecordedURL("https://id.harbour.example/signed-out")
        out.startedAt = out.startedAt + .seconds(60)
        out.response = RecordedResponse(
            status: 200,
            headers: HeaderFields([("Set-Cookie", "harbour_session=; Path=/; Max-Age=0")])
        )
        recording.exchanges.append(out)
        #expect(recording.finding(rule) == nil)
    }

    @Test func knowsASessionOlderThanTheCapture() throws {
        let recording = try framed { _ in }.editing { exchange in
            guard exchange.request.url.path == "/sign-in" else { return }
            exchange.response?.headers.remove("Set-Cookie")
            exchange.request.headers.append("Cookie", "KEYCLOAK_IDENTITY=1234567890")
        }
        #expect(recording.finding(rule)?.notes.contains("sent before, outside of frames") == true)
    }

    @Test(arguments: [nil, "healthy/native-app"]) func abstainsOnASanitizedCapture(beside: String?) throws {
        let sanitized = try Recording(broken).sanitized
        let recording = try beside.map { try sanitized.imported(beside: $0) } ?? sanitized
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    /// Some recorders keep the cookies that are set and not those that are sent, and a login goes on without them; of an import each
    /// file by itself.
    @Test(arguments: [false, true]) func abstainsWhereNoRequestHasACookie(isBesides: Bool) throws {
        var recording = try Recording(broken).editing { exchange in
            exchange.request.headers.remove("cookie")
            exchange.request.listedCookies = []
        }
        if isBesides { recording = try recording.imported(beside: "healthy/native-app") }
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("silent-login-required") != nil)
        #expect(recording.abstention(rule) != nil)
    }
}
