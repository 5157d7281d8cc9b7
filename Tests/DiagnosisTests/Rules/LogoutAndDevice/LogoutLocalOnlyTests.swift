import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import TestSupport
import Testing

struct LogoutLocalOnlyTests {
    private let rule = "logout-local-only"
    private let broken = "logout-and-device/logout-local-only"

    @Test func namesTheLogoutAndTheSilentLogin() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(
            finding.places == [
                "6 response.header Set-Cookie", "8 request.url ", "9 request.query code",
            ]
        )
        #expect(finding.evidence[0].value == "shop_session")
        #expect(recording.outcomes == [.success, .success])
        #expect(recording.findings.filter { $0.rule == rule }.count == 1)
    }

    @Test func metadataMayNameTheEndpointInOtherLetters() throws {
        let recording = try Recording(broken).editingAnswer(of: "/.well-known/openid-configuration") {
            for name in ["authorization_endpoint", "token_endpoint"] {
                let url = $0[name]?.string ?? ""
                $0[name] = .string(url.replacing("id.harbour.example", with: "ID.harbour.example:443"))
            }
        }
        #expect(recording.finding(rule) != nil)
        #expect(recording.findings.map(\.rule) == (try Recording(broken).findings.map(\.rule)))
    }

    /// A page whose form posts the answer by itself asks nothing, and one with a form of another kind does.
    @Test(arguments: [("https://www.shop.example/callback", true), ("https://id.harbour.example/in", false)])
    func readsAnAnswerThatIsPosted(target: String, fires: Bool) throws {
        var recording = try Recording(broken)
        let answer = try #require(recording.exchanges[8].response?.location.map { RecordedURL($0) })
        let fields = answer.queryItems.items.map {
            "<input type=hidden name=\($0.name) value=\"\($0.value)\">"
        }
        recording.exchanges[8].response = RecordedResponse(
            status: 200,
            body: .html("<form method=post action=\"\(target)\">\(fields.joined())</form>")
        )
        recording.exchanges[9].request.method = "POST"
        recording.exchanges[9].request.url = RecordedURL("https://www.shop.example/callback")
        recording.exchanges[9].request.body = Body(
            text: FormBody.encode(answer.queryItems.items.map { ($0.name, $0.value) }),
            mediaType: FormBody.mediaType
        )
        #expect((recording.finding(rule) != nil) == fires)
    }

    /// Some apps end the provider's session by a picture on their page.
    @Test func leavesALogoutByAPictureAlone() throws {
        let recording = try Recording(broken)
        var exchanges = recording.exchanges
        var logout = exchanges[6]
        logout.startedAt = logout.endedAt + .milliseconds(20)
        logout.request = RecordedRequest(
            method: "GET",
            url: RecordedURL("https://id.harbour.example/end-session?client_id=shop-web")
        )
        logout.request.headers.append("Sec-Fetch-Dest", "image")
        logout.request.headers.append("User-Agent", "Mozilla/5.0")
        logout.response = RecordedResponse(status: 200)
        logout.response?.body = Body(text: "", mediaType: "image/gif")
        exchanges.append(logout)
        #expect(Recording(exchanges).finding(rule) == nil)
    }

    @Test func leavesALoginThatAsksForThePasswordAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func leavesALogoutAtTheProviderAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/logout" else { return }
            exchange.request.url = RecordedURL("https://id.harbour.example/end-session?client_id=shop-web")
            exchange.response?.redirect(to: "https://www.shop.example/")
        }
        #expect(recording.finding(rule) == nil)
    }

    /// The page is loaded by the provider, which ends its own session first.
    @Test func leavesALogoutThatTheProviderAskedForAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/logout" else { return }
            exchange.request.method = "GET"
            exchange.request.url = RecordedURL(
                "https://www.shop.example/logout?iss=https%3A%2F%2Fid.harbour.example&sid=08a5019c"
            )
        }
        #expect(recording.finding(rule) == nil)
        let steps = recording.flows.flatMap(\.steps).filter { $0.kind == .frontChannelLogoutRequest }
        #expect(steps.map(\.to.role) == [.backend])
    }

    @Test(arguments: ["login", "select_account", "login consent"]) func leavesAForcedLoginAlone(
        prompt: String
    )
        throws
    {
        #expect(try Recording(broken).asking("prompt", prompt).finding(rule) == nil)
    }

    /// Some metadata have the member, and a null for it.
    @Test(arguments: [nil, .null] as [JSONValue?])
    func leavesAProviderWithoutEndSessionAlone(endpoint: JSONValue?) throws {
        let recording = try Recording(broken).editingAnswer(of: "/.well-known/openid-configuration") {
            $0["end_session_endpoint"] = endpoint
        }
        #expect(recording.finding(rule) == nil && recording.abstention(rule) == nil)
    }

    @Test func abstainsWhereNothingSaysThatThereIsOne() throws {
        let recording = try Recording(broken).without {
            $0.request.url.path.hasSuffix("openid-configuration")
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    /// On a developer's machine the app is at another port of the provider's host: what ends there is the app's session, and what ends
    /// at the provider's port is its own, also where the app is there as well.
    @Test(arguments: [
        ("id.harbour.example:8443", "id.harbour.example:8443", true),
        ("id.harbour.example:8443", "id.harbour.example", false),
        ("id.harbour.example", "id.harbour.example", false),
    ])
    func tellsTheAppsLogoutByItsPort(app: String, host: String, fires: Bool) throws {
        let moved = { (text: String, place: String) in
            text.replacing("https://www.shop.example", with: "https://\(place)")
        }
        let callback = "https://\(app)/callback"
        let recording = try Recording(broken).asking("redirect_uri", callback).sending(
            "redirect_uri",
            callback
        )
        .editing { exchange in
            let place = exchange.request.url.path == "/logout" ? host : app
            exchange.request.url = RecordedURL(moved(exchange.request.url.text, place))
            guard let location = exchange.response?.location else { return }
            exchange.response?.redirect(to: moved(location, app))
        }
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test func countsARevocationAsALogout() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/logout" else { return }
            exchange.request.method = "POST"
            exchange.request.url = RecordedURL("https://id.harbour.example/revoke")
            exchange.request.body = Body(
                text: "token=8xLOxBtZp8aaaaaaaa&client_id=shop-web",
                mediaType: FormBody.mediaType
            )
            exchange.response = RecordedResponse(status: 200)
        }
        #expect(recording.finding(rule)?.places.first == "6 request.body token")
    }

    /// A revocation that was saved without its body hides no cookie that the app deleted before it.
    @Test func looksPastARevocationWithoutItsBody() throws {
        var recording = try Recording(broken).stating(
            "revocation_endpoint",
            "https://id.harbour.example/revoke",
            at: "/.well-known/openid-configuration"
        )
        let told = try #require(recording.finding(rule)).places
        let logout = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/logout" })
        var revocation = recording.exchanges[logout]
        revocation.startedAt = revocation.endedAt + .milliseconds(1)
        revocation.duration = .milliseconds(1)
        revocation.request = RecordedRequest(
            method: "POST",
            url: RecordedURL("https://id.harbour.example/revoke")
        )
        revocation.request.body = Body(content: .missing)
        revocation.response = RecordedResponse(status: 200)
        recording.exchanges.append(revocation)
        #expect(recording.finding(rule)?.places == told)
    }

    @Test func leavesAnotherLoginOfTheSameSessionAlone() throws {
        #expect(try Recording(broken).without { $0.request.url.path == "/logout" }.finding(rule) == nil)
    }

    @Test func leavesAnAppThatDeletesItsOldCookieOnTheWayAlone() throws {
        let recording = try Recording(broken).without { $0.request.url.path == "/logout" }.editing {
            exchange in
            guard exchange.request.url.path == "/login" else { return }
            exchange.response?.headers.append("Set-Cookie", "shop_session=; Path=/; Max-Age=0")
        }
        #expect(recording.finding(rule) == nil)
    }

    /// By the app's own HTTP client, say: with the cookie it ends the session, and a new one is another.
    @Test(arguments: [(false, true, true), (true, true, false), (false, false, false)])
    func tellsALogoutOutsideOfTheBrowser(bringsCookie: Bool, isSameSession: Bool, fires: Bool) throws {
        let session = "harbour=HfknOjbffGrmdjAJXQe3I8"
        let recording = try Recording(broken).editing { exchange in
            let isNext = exchange.request.cookies.contains { $0.name == "harbour" }
            if isNext, exchange.request.url.path == "/authorize", isSameSession {
                exchange.request.headers.replace("Cookie", with: session)
                exchange.request.listedCookies = []
            }
            guard exchange.request.url.path == "/logout" else { return }
            exchange.request.url = RecordedURL("https://id.harbour.example/end-session?client_id=shop-web")
            exchange.request.headers.remove("Cookie")
            exchange.request.listedCookies = []
            if bringsCookie { exchange.request.headers.append("Cookie", session) }
            exchange.response = RecordedResponse(
                status: 204,
                headers: HeaderFields([("Set-Cookie", "harbour=; Path=/; Max-Age=0")])
            )
        }
        let finding = recording.finding(rule)
        #expect((finding != nil) == fires)
        guard let finding else { return }
        #expect(finding.severity == .note)
        #expect(finding.title.hasPrefix("The logout request did not come from the browser"))
        #expect(finding.evidence[0].value == "none")
        #expect(finding.explanation.hasPrefix("The end-session request did not come from the browser"))
    }
}
