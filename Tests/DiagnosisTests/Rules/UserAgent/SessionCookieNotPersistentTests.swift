import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import Testing

struct SessionCookieNotPersistentTests {
    private let rule = "session-cookie-not-persistent"
    private let broken = "user-agent/session-cookie-not-persistent"

    /// The first app's sign-in answers with another cookie.
    private func setting(_ cookie: String) throws -> Recording {
        var recording = try Recording(broken)
        let index = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/sign-in" })
        recording.exchanges[index].response?.headers.replace("Set-Cookie", with: cookie)
        return recording
    }

    private func second(_ edit: (inout Exchange) -> Void) throws -> Recording {
        try Recording(broken).editing { exchange in
            if exchange.request.url.queryItems.first("client_id") == "bank-app" { edit(&exchange) }
        }
    }

    @Test func showsTheCookieAndTheSecondRequest() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(
            finding.places == ["1 response.header Set-Cookie", "4 request.header Cookie", "4 request.url "]
        )
        #expect(finding.notes[1] == "without harbour_session")
        #expect(recording.outcomes == [.success, .success])
        // One that is known for it is named before others.
        var known = recording
        known.exchanges[1].response?.headers.append("Set-Cookie", "KEYCLOAK_IDENTITY=eyJhbGc; Path=/; Secure")
        #expect(known.finding(rule)?.notes[1] == "without KEYCLOAK_IDENTITY")
    }

    /// As ForgeRock AM does: the sign-in page sends the browser back to the request, which is then answered.
    @Test func seesASignInThatRepeatsTheRequest() throws {
        var recording = try Recording(broken)
        let index = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/sign-in" })
        var again = try #require(
            recording.exchanges.first { $0.request.url.queryItems.first("client_id") == "shop-app" }
        )
        again.startedAt = recording.exchanges[index].endedAt + .milliseconds(10)
        again.request.headers.append("Cookie", "harbour_session=1234567890")
        again.response = recording.exchanges[index].response
        again.response?.headers.remove("Set-Cookie")
        recording.exchanges[index].response?.redirect(to: again.request.url.text)
        recording.exchanges.append(again)
        let finding = try #require(recording.finding(rule))
        #expect(finding.notes[1] == "without harbour_session")
        #expect(recording.outcomes == [.success, .success])
    }

    @Test(arguments: [
        "harbour_session=1234567890; Path=/; Max-Age=600", "harbour_session=; Path=/",
        "harbour_session=1234567890; Path=/; Expires=Fri, 01 Jan 2100 00:00:00 GMT",
        "harbour_session=1234567890; Path=/sign-in", "node=02; Path=/",
    ])
    func leavesOtherCookiesAlone(cookie: String) throws {
        #expect(try setting(cookie).finding(rule) == nil)
    }

    @Test func leavesACookieThatIsSentAlone() throws {
        #expect(try second { $0.request.headers.append("Cookie", "harbour_session=1") }.finding(rule) == nil)
    }

    @Test(arguments: [("prompt", "login"), ("max_age", "0"), ("prompt", "none")])
    func leavesARequestThatWantsTheUserAskedAlone(name: String, value: String) throws {
        let recording = try second {
            $0.request.url = RecordedURL(Recording.changing($0.request.url.text, name, value))
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesTheSameAppAlone() throws {
        let recording = try Recording(broken).asking("client_id", "shop-app").asking(
            "redirect_uri",
            "example.shop.app:/oauth2redirect"
        ).editing { exchange in
            guard let location = exchange.response?.location, location.hasPrefix("example.bank.app") else {
                return
            }
            exchange.response?.redirect(
                to: "example.shop.app:/oauth2redirect?" + (RecordedURL(location).query ?? "")
            )
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesOtherBrowsersAlone() throws {
        let recording = try second { exchange in
            exchange.request.headers.replace("User-Agent", with: "Mozilla/5.0 (X11; Linux) Firefox/140.0")
        }
        #expect(recording.finding(rule) == nil)
    }

    /// Two phones that are recorded together.
    @Test(arguments: [
        ("192.0.2.17:50112", false), ("192.0.2.16:50112", true), ("[2001:db8::16]:50112", true), (nil, true),
    ])
    func leavesAnotherDeviceAlone(address: String?, fires: Bool) throws {
        let recording = try second { $0.client.address = address }.editing { exchange in
            if exchange.request.url.queryItems.first("client_id") == "shop-app" {
                exchange.client.address = "192.0.2.16:50080"
            }
        }
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test func leavesAUserWhoSignedOutAlone() throws {
        var recording = try Recording(broken)
        var out = recording.exchanges[1]
        out.request.url = RecordedURL("https://id.harbour.example/signed-out")
        out.startedAt = out.startedAt + .seconds(20)
        out.response = RecordedResponse(
            status: 200,
            headers: HeaderFields([("Set-Cookie", "harbour_session=; Path=/; Max-Age=0")])
        )
        recording.exchanges.append(out)
        #expect(recording.finding(rule) == nil)
    }

    @Test(arguments: [nil, "healthy/native-app"] as [String?])
    func abstainsOnASanitizedCapture(beside: String?) throws {
        let sanitized = try Recording(broken).sanitized
        let recording = try beside.map { try sanitized.imported(beside: $0) } ?? sanitized
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }
}
