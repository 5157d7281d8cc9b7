import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import Testing

struct LostCredentialsTests {
    private let rule = "bearer-rejected"

    /// The last call, UserInfo's, is sent on, and made there without its header.
    private func sentOn(to target: String, status: Int = 301, with header: Bool = false, answered: Int = 401)
        throws -> Recording
    {
        var recording = try Recording("healthy/native-app")
        let index = try #require(recording.exchanges.lastIndex { $0.request.url.path == "/userinfo" })
        var again = recording.exchanges[index]
        let url = again.request.url.resolving(target).text
        recording.exchanges = Array(recording.exchanges[...index])
        recording.exchanges[index].response = RecordedResponse(status: status)
        recording.exchanges[index].response?.redirect(to: url)
        again.startedAt = again.endedAt + .milliseconds(20)
        again.request.url = RecordedURL(url)
        if !header { again.request.headers.remove("authorization") }
        again.response = RecordedResponse(
            status: answered,
            headers: HeaderFields([("WWW-Authenticate", "Bearer")]),
            body: Body(text: #"{"error":"missing token"}"#, mediaType: "application/json")
        )
        recording.exchanges.append(again)
        return recording
    }

    @Test(arguments: [301, 302, 307, 308]) func namesTheRedirect(status: Int) throws {
        let recording = try sentOn(to: "https://users.harbour.example/userinfo", status: status)
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == .error)
        #expect(finding.isPrimary)
        #expect(finding.title == "The access token was lost at a redirect to another origin")
        #expect(finding.evidence[1].value == "https://users.harbour.example/userinfo")
        #expect(finding.evidence[2].note == "answered 401")
        #expect(recording.outcomes == [.failure])
        #expect(!finding.evidence[0].value.contains("eyJ"))
    }

    @Test func leavesARedirectThatDidNoHarmAlone() throws {
        let users = "https://users.harbour.example/userinfo"
        #expect(try sentOn(to: users, answered: 200).finding(rule) == nil)
        #expect(try sentOn(to: "/userinfo/me").finding(rule)?.title.contains("redirect") != true)
        #expect(try sentOn(to: users, with: true).finding(rule)?.title.contains("redirect") != true)
        // The header may have been there, and is not in the file that has what it was sent on to.
        let imported = try sentOn(to: users).imported {
            $0.request.url.host == "users.harbour.example" || $0.request.url.path == "/authorize"
        }
        #expect(imported.finding(rule)?.title.contains("redirect") != true)
    }

    /// The header stays until a redirect leads to another origin, which need not be the first.
    @Test func namesTheRequestThatHadTheHeaderBehindTwoRedirects() throws {
        var recording = try sentOn(to: "https://users.harbour.example/userinfo")
        let index = recording.exchanges.count - 2
        var hop = recording.exchanges[index]
        let path = hop.request.url.text + "/"
        recording.exchanges[index].response?.redirect(to: path)
        hop.request.url = RecordedURL(path)
        hop.request.headers.remove("authorization")
        hop.startedAt = hop.endedAt + .milliseconds(5)
        hop.duration = .milliseconds(5)
        recording.exchanges.insert(hop, at: index + 1)
        let finding = try #require(recording.finding(rule))
        #expect(finding.title == "The access token was lost at a redirect to another origin")
        #expect(recording.outcomes == [.failure])
    }

    /// The app asks once more, where it was sent to or where it had asked.
    @Test(arguments: [
        ("https://users.harbour.example/userinfo", 200, false),
        ("https://id.harbour.example/userinfo", 200, false),
        ("https://id.harbour.example/orders", 200, true),
        ("https://users.harbour.example/userinfo", 500, true),
    ])
    func callThatWentWellAfterwardsMakesUpForIt(url: String, status: Int, fires: Bool) throws {
        var recording = try sentOn(to: "https://users.harbour.example/userinfo")
        var again = recording.exchanges[recording.exchanges.count - 2]
        again.startedAt = try #require(recording.exchanges.last).endedAt + .seconds(1)
        again.request.url = RecordedURL(url)
        again.response = RecordedResponse(
            status: status,
            body: Body(text: #"{"sub":"alice"}"#, mediaType: "application/json")
        )
        recording.exchanges.append(again)
        #expect((recording.finding(rule)?.title.contains("redirect") == true) == fires)
    }

    @Test func isToldOfTheClientsCredentials() throws {
        var recording = try Recording("token-request/client-auth-missing")
        let index = try #require(recording.exchanges.lastIndex { $0.request.url.path == "/token" })
        var first = recording.exchanges[index]
        first.request.headers.append("Authorization", "Basic c2hvcDpub3QtYS1zZWNyZXQ=")
        first.request.url = RecordedURL(first.request.url.text.replacing("id.", with: "old."))
        first.response = RecordedResponse(status: 307)
        first.response?.redirect(to: recording.exchanges[index].request.url.text)
        first.startedAt = first.startedAt - .milliseconds(50)
        first.duration = .milliseconds(20)
        recording.exchanges.insert(first, at: index)
        let finding = try #require(recording.finding("client-auth-missing"))
        #expect(finding.title == "The client's credentials were lost at a redirect to another origin")
        #expect(finding.evidence[0].value == "Basic …")
    }
}
