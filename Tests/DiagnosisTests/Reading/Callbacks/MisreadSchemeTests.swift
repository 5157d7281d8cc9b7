import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import Testing

struct MisreadSchemeTests {
    private let rule = "code-never-redeemed"

    /// A login of an app whose redirect URI has this scheme; with the page that a browser looks for, where it is not of that kind.
    private func login(_ scheme: String, of capture: String = "code-never-redeemed", isAsked: Bool = true)
        throws -> Recording
    {
        var recording = try Recording("the-capture/" + capture).asking("redirect_uri", scheme + "://callback")
        let location = try #require(recording.exchanges[2].response?.location)
        let answer = scheme + "://callback?" + (RecordedURL(location).query ?? "")
        recording.exchanges[2].response?.redirect(to: answer)
        guard isAsked else { return recording }
        var page = recording.exchanges[2]
        page.startedAt = page.startedAt + .milliseconds(60)
        page.request = RecordedRequest(
            method: "GET",
            url: page.request.url.resolving(answer),
            headers: page.request.headers
        )
        page.response = RecordedResponse(status: 404)
        recording.exchanges.insert(page, at: 3)
        return recording
    }

    @Test func namesTheSchemeAndWhereTheBrowserWent() throws {
        let recording = try login("my_shop")
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(finding.variant == "scheme")
        #expect(finding.places == ["2 response.location ", "3 request.url "])
        #expect(finding.evidence[0].value == "my_shop://callback")
        #expect(finding.evidence[1].value == "https://id.harbour.example/my_shop://callback")
        #expect(finding.notes.last == "where the browser went instead, answered with status 404")
        // No app has an address that a server answers.
        #expect(recording.finding("callback-unreachable") == nil)
    }

    @Test func readsTheAnswerWhereTheBrowserIsNotSeenToGo() throws {
        let recording = try login("my_shop", isAsked: false)
        #expect(recording.finding(rule)?.places == ["2 response.location "])
        #expect(recording.flows.first?.authorizationResponses.first?.code?.isEmpty == false)
    }

    /// An app that reads the addresses of its own web view takes any text.
    @Test func leavesAnAppThatGotItsCodeAlone() throws {
        for isAsked in [true, false] {
            let recording = try login("my_shop", of: "code-never-redeemed.near-miss", isAsked: isAsked)
            #expect(recording.finding(rule) == nil)
        }
    }

    /// An app that is no browser reads `Location` as it stands, and may bring the code to a server whose certificate it pins.
    @Test func leavesACodeAloneThatMayHaveGoneUnread() throws {
        var recording = try login("my_shop", isAsked: false)
        var tunnel = try #require(recording.exchanges.last)
        tunnel.request = RecordedRequest(
            method: "CONNECT",
            url: RecordedURL("https://api.shop.example:443/"),
            headers: tunnel.request.headers
        )
        tunnel.response = RecordedResponse(status: 200)
        tunnel.startedAt = recording.exchanges[2].startedAt + .seconds(1)
        recording.exchanges.append(tunnel)
        #expect(recording.finding(rule) == nil)
    }

    /// The code of a token request whose body was not saved may be this one.
    @Test(arguments: [true, false])
    func leavesACodeAloneThatMayHaveBeenExchanged(isAsked: Bool) throws {
        var recording = try login("my_shop", isAsked: isAsked)
        var exchange = try Recording("token-request/pkce-verifier-mismatch").exchanges[4]
        exchange.startedAt = recording.exchanges[2].startedAt + .seconds(1)
        exchange.request.body = Body(text: "", mediaType: FormBody.mediaType)
        exchange.request.body?.wireSize = 229
        exchange.request.headers.remove("content-length")
        recording.exchanges.append(exchange)
        #expect(recording.finding(rule) == nil)
    }

    /// A recording of so short a time does not say that nobody used the code.
    @Test(arguments: [29, 31]) func waitsForTheAppBeforeItSpeaks(seconds: Int) throws {
        var recording = try login("my_shop", isAsked: false)
        recording.exchanges[3].startedAt = recording.exchanges[2].endedAt + .seconds(seconds)
        recording.exchanges[3].duration = .zero
        #expect((recording.finding(rule) != nil) == (seconds > 30))
    }

    @Test(arguments: ["error=access_denied", "error=access_denied&code=", "code="])
    func leavesAnAnswerWithoutACodeAlone(answer: String) throws {
        let recording = try login("my_shop").editing { exchange in
            func changed(_ url: String) -> String { url.replacing(/code=[^&]+/, with: answer) }
            exchange.request.url = RecordedURL(changed(exchange.request.url.text))
            guard let location = exchange.response?.location else { return }
            exchange.response?.redirect(to: changed(location))
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesASchemeAlone() throws {
        #expect(try login("my-shop", isAsked: false).finding(rule)?.variant == "app")
    }
}
