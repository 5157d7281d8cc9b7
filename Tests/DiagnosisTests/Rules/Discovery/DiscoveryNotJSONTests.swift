import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct DiscoveryNotJSONTests {
    private let rule = "discovery-not-json"
    private let broken = "discovery/discovery-not-json"

    @Test func showsTypeAndBeginning() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == ["0 request.url ", "0 response.header Content-Type", "0 response.body "]
        )
        #expect(finding.evidence[1].value == "text/html; charset=utf-8")
        #expect(finding.evidence[2].value.unicodeScalars.count == 120)
        #expect(recording.outcomes == [.failure])
    }

    /// A network's portal, or a gateway that wants a login, answers with a redirect to its page.
    @Test(arguments: [
        ("text/html", "<title>Welcome to the hotel</title>", 200, true),
        ("text/html", "<title>Closed</title>", 503, false),
        ("application/json", #"{"portal":"login"}"#, 200, false),
    ])
    func followsARedirectToAPage(type: String, body: String, status: Int, fires: Bool) throws {
        var discovery = try #require(Recording(broken).exchanges.first)
        var page = discovery
        discovery.response = RecordedResponse(status: 302)
        discovery.response?.redirect(to: "http://portal.hotel.example/login")
        page.request.url = RecordedURL("http://portal.hotel.example/login")
        page.startedAt = page.startedAt + .seconds(1)
        page.response = RecordedResponse(status: status, body: Body(text: body, mediaType: type))
        let finding = Recording([discovery, page]).finding(rule)
        #expect((finding?.isPrimary == true) == fires)
        guard fires else { return }
        #expect(
            finding?.places == [
                "0 request.url ", "0 response.location ", "1 response.header Content-Type",
                "1 response.body ",
            ]
        )
    }

    @Test(arguments: ["application/octet-stream", "text/plain", ""])
    func theTypeAloneIsNoFault(type: String) throws {
        let recording = try Recording(broken + ".near-miss").editing { exchange in
            guard exchange.request.url.path.contains("well-known") else { return }
            exchange.response?.body?.mediaType = type
        }
        #expect(recording.findings.filter { $0.severity != .note }.isEmpty)
    }

    @Test(arguments: [
        ("", true), ("[]", true), ("{\"jwks_uri\":\"x\"}", true), ("{\"issuer\":\"x\"}", false),
    ])
    func readsWhatIsThere(body: String, fires: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            exchange.response?.body = Body(text: body, mediaType: "application/json")
        }
        #expect((recording.finding(rule) != nil) == fires)
    }

    /// What a login of its own time was given at the same URL repairs it, before or after, and does not undo it.
    @Test(arguments: [true, false]) func isANoteWhereALoginReadThemAtTheSameURL(isFirst: Bool) throws {
        let login = try Recording("healthy/native-app")
        let page = Body(text: "<!doctype html><title>Shop</title>", mediaType: "text/html")
        var failed = Recording([try #require(login.exchanges.first)])
        failed.exchanges[0].response?.body = page
        let recording = try isFirst ? failed.followed(by: login) : login.followed(by: failed)
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == .note)
        #expect(finding.places.first == "\(isFirst ? 0 : login.exchanges.count) request.url ")
    }

    @Test func anotherFormThatAnswersIsEnough() throws {
        let document = try Recording("healthy/native-app").exchanges[0]
        var recording = try Recording("healthy/native-app")
        var page = document
        page.request.url = RecordedURL("https://id.harbour.example/.well-known/oauth-authorization-server")
        page.response?.body = Body(text: "<html>", mediaType: "text/html")
        recording.exchanges.insert(page, at: 0)
        #expect(recording.finding(rule) == nil)
    }

    @Test func isANoteWhereTheSignInFollows() throws {
        let recording = try Recording("authorization-request/redirect-uri-not-registered").withMetadata()
            .editing { exchange in
                guard exchange.request.url.path.contains("well-known") else { return }
                exchange.response?.body = Body(text: "<html>", mediaType: "text/html")
            }
        #expect(recording.finding(rule)?.severity == .note)
    }

    @Test func abstainsWithoutTheBody() throws {
        let recording = try Recording(broken).withoutBodies(of: "/.well-known/openid-configuration")
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test func saysNothingOfARefusal() throws {
        let recording = try Recording(broken).editing { $0.response?.status = 404 }
        #expect(recording.finding(rule) == nil)
    }
}
