import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct SingpassHTTPSTypeMissingTests {
    private let rule = "singpass-https-type-missing"
    private let broken = "provider-specific/singpass-https-type-missing"

    @Test func namesTheRedirectURIAndTheApp() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == [
                "1 request.query redirect_uri", "1 request.query ", "1 request.query app_launch_url",
            ]
        )
        #expect(recording.outcomes == [.failure])
        #expect(recording.finding("claimed-https-opened-in-browser")?.effectOf == rule)
    }

    /// The server has a page for those who have no app: a good answer, behind which nobody uses the code.
    @Test func isTheCauseWhereTheBrowserShowsAPageInstead() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/app/signed-in" else { return }
            exchange.response = RecordedResponse(status: 200)
            exchange.response?.body = Body(text: "<!doctype html><p>Open the app</p>", mediaType: "text/html")
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(recording.outcomes == [.failure])
        #expect(recording.finding("claimed-https-opened-in-browser")?.effectOf == rule)
    }

    @Test func leavesTheNearestAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.filter { $0.severity != .note }.isEmpty)
    }

    @Test func knowsAnAppByTheChallengeItFetched() throws {
        let recording = try Recording(broken).askingSingpass("app_launch_url", nil)
        #expect(recording.finding(rule)?.notes.last == "an app fetched the code challenge")
        #expect(recording.without { $0.request.url.path == "/login/start" }.finding(rule) == nil)
    }

    @Test func knowsAnAppByTheCodeItHandsOn() throws {
        let recording = try Recording("provider-specific/singpass-https-type-missing.near-miss")
            .askingSingpass("redirect_uri_https_type", nil).editing { exchange in
                let url = Recording.changing(exchange.request.url.text, "app_launch_url", nil)
                if exchange.request.url.path.hasSuffix("/authorize") {
                    exchange.request.url = RecordedURL(url)
                }
            }.without { $0.request.url.path == "/login/start" }
        let finding = try #require(recording.finding(rule))
        #expect(finding.notes.last == "an app handed the code on")
        #expect(finding.severity == .warning)
    }

    @Test("The server's own address sends the browser on to the app, or takes the code itself.")
    func leavesARedirectToTheAppsServerAlone() throws {
        let sentOn = try Recording(broken).askingSingpass("app_launch_url", nil).editing { exchange in
            guard exchange.request.url.path == "/app/signed-in" else { return }
            exchange.response = RecordedResponse(status: 302)
            exchange.response?.redirect(to: "example.shop.app://signed-in?session=5f0c")
        }
        #expect(sentOn.finding(rule) == nil)
        let refused = try Recording(broken)
        var taken = try Recording(broken).askingSingpass("app_launch_url", nil).editing { exchange in
            guard exchange.request.url.path == "/app/signed-in" else { return }
            exchange.response = RecordedResponse(status: 302)
            exchange.response?.redirect(to: "/home")
        }
        let callback = try #require(refused.exchanges.last)
        var exchange = callback
        exchange.startedAt = callback.startedAt + .milliseconds(50)
        exchange.request = RecordedRequest(
            method: "POST",
            url: RecordedURL("https://id.harbour.example/singpass/v2/token"),
            headers: HeaderFields([("User-Agent", "shop-backend/2.1")]),
            body: Body(
                text: FormBody.encode([
                    ("grant_type", "authorization_code"),
                    ("code", callback.request.url.queryItems.first("code") ?? ""),
                    ("redirect_uri", callback.request.url.withoutQuery),
                ]),
                mediaType: FormBody.mediaType
            )
        )
        exchange.response = RecordedResponse(
            status: 400,
            body: Body(text: #"{"error":"invalid_grant"}"#, mediaType: "application/json")
        )
        taken.exchanges.append(exchange)
        #expect(taken.flows.contains { !$0.tokenRequests.isEmpty })
        #expect(taken.finding(rule) == nil)
    }

    @Test func warnsWhereTheLoginEndedBeforeTheRedirect() throws {
        let recording = try Recording(broken).without { $0.request.url.path == "/app/signed-in" }.editing {
            guard $0.request.url.path == "/sign-in" else { return }
            $0.response = RecordedResponse(
                status: 400,
                body: Body(text: "<h1>Something went wrong</h1>", mediaType: "text/html")
            )
        }
        #expect(recording.finding(rule)?.severity == .warning)
    }

    @Test func leavesWebSitesAndMyInfoAlone() throws {
        #expect(try Recording("provider-specific/myinfo-purpose-missing.near-miss").finding(rule) == nil)
        #expect(
            try Recording(broken).atSingpass("id.harbour.example", "/com/v4/authorize").finding(rule) == nil
        )
    }
}
