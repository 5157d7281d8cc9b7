import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

/// Answers that go to an app's own scheme by way of a page, and not by a redirect: nobody requests such an address.
struct AppLinkTests {
    private let healthy = "healthy/native-app"
    private let unused = "the-capture/code-never-redeemed"

    /// `page`: with `URL` where the address stands; `ampersand`: as it is written there.
    private func brought(
        _ path: String,
        by page: String,
        _ ampersand: String = "&amp;",
        mediaType: String = "text/html"
    ) throws -> Recording {
        try Recording(path).editing { exchange in
            guard let location = exchange.response?.location, location.hasPrefix("example.shop.app:") else {
                return
            }
            let address = location.split(separator: "&").joined(separator: ampersand)
            exchange.response?.status = 200
            exchange.response?.headers.remove("Location")
            exchange.response?.redirectURL = ""
            exchange.response?.body = Body(
                text: page.split(separator: "URL").joined(separator: address),
                mediaType: mediaType
            )
        }
    }

    private static let pages = [
        (#"<!doctype html><a href="URL">Open the app</a>"#, "&amp;"),
        (#"<!doctype html><meta http-equiv="refresh" content="0;url=URL" data-url="URL">"#, "&amp;"),
        (#"<!doctype html><script>location.replace("URL")</script>"#, #"\u0026"#),
        (#"<!doctype html><script>location = 'URL';</script>"#, "&"),
        (#"<!doctype html><script>go({\"to\":\"URL\"})</script>"#, #"\x26"#),
    ]

    @Test(arguments: pages) func loginIsWhole(page: String, ampersand: String) throws {
        let recording = try brought(healthy, by: page, ampersand)
        #expect(recording.outcomes == [.success])
        #expect(recording.findings.filter { $0.severity != .note }.isEmpty)
        let responses = recording.flows[0].authorizationResponses
        #expect(responses.count == 1)
        #expect(responses.first?.deliveredBy == 2)
        #expect(responses.first?.state == recording.flows[0].authorizationRequests.first?.state)
    }

    /// The arrow of the code goes from the page to the token request.
    @Test(arguments: pages) func codeIsLinked(page: String, ampersand: String) throws {
        let links = try brought(healthy, by: page, ampersand).flows[0].links
        let code = try #require(links.first { $0.name == "code" })
        #expect(code.origin.place == Place(exchange: 2, part: .responseBody, name: "code"))
        #expect(code.uses.map(\.place.part) == [.requestBody])
        let state = try #require(links.first { $0.name == "state" })
        #expect(state.uses.map(\.place).contains(Place(exchange: 2, part: .responseBody, name: "state")))
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["?${", "?{{", "?a=", ""])
    func hostilePageIsReadOnce(end: String) throws {
        let address = "example.shop.app:/oauth2redirect\(end)"
        let page = String(repeating: address, count: 1_000_000 / address.utf8.count)
        #expect(try brought(healthy, by: page).flows[0].authorizationResponses.isEmpty)
    }

    @Test func scriptMayAskForTheAddress() throws {
        let json = #"{"status":"APPROVED","redirectUrl":"URL"}"#
        let recording = try brought(healthy, by: json, #"\u0026"#, mediaType: "application/json")
        #expect(recording.flows[0].authorizationResponses.map(\.deliveredBy) == [2])
        #expect(recording.outcomes == [.success])
    }

    @Test(arguments: pages) func codeThatTheAppNeverUsedIsTold(page: String, ampersand: String) throws {
        let recording = try brought(unused, by: page, ampersand)
        #expect(recording.finding("code-never-redeemed")?.places.first == "2 response.body code")
        #expect(recording.outcomes == [.incomplete])
    }

    @Test func otherStateIsTold() throws {
        let recording = try brought(healthy, by: #"<!doctype html><a href="URL">Open</a>"#)
            .asking("state", "another-state-than-came-back")
        #expect(recording.finding("state-mismatch")?.places.contains("2 response.body state") == true)
    }

    /// What a redirect brings as well is one answer.
    @Test func countsOnce() throws {
        let recording = try Recording(healthy)
        let location = try #require(recording.exchanges[2].response?.location)
        let shown = recording.editing { exchange in
            guard exchange.request.url.path == "/authorize" else { return }
            exchange.response?.body = Body(
                text: #"<!doctype html><a href="\#(location)">Go on</a>"#,
                mediaType: "text/html"
            )
        }
        #expect(shown.flows[0].authorizationResponses.count == 1)
        #expect(
            shown.flows[0].authorizationResponses.first?.parameters.items.first?.place.part
                == .responseLocation
        )
    }

    /// A page that does nothing else may bring an error as well.
    @Test(arguments: [
        (#"<p>Back to the app</p><script>location.replace("URL")</script>"#, true),
        (#"<meta http-equiv="refresh" content="0;url=URL">"#, true),
        (#"<script>const cancel = "URL"</script><script src="/app.js"></script>"#, false),
        (#"<script>const cancel = "URL"</script><button>Sign in</button>"#, false),
        (#"<a href="URL">Cancel</a>"#, false),
        (#"<script>const cancel = "URL"; root.innerHTML = "<button>Sign in</button>"</script>"#, false),
        (#"<div onclick="location = 'URL'">Cancel</div>"#, false),
        (#"<script>const cancel = "URL"</script><iframe src="/sign-in"></iframe>"#, false),
        (#"<script>fetch("/poll").then(r => { location = r.ok ? r.url : "URL" })</script>"#, false),
    ])
    func errorOfAPageThatGoesOnByItselfIsAnAnswer(page: String, isOne: Bool) throws {
        let whole = try Recording(healthy)
        let state = try #require(whole.flows[0].authorizationRequests.first?.state)
        let address = "example.shop.app:/oauth2redirect?error=invalid_scope&state=\(state)"
        let recording = Recording(Array(whole.exchanges.prefix(3))).editing { exchange in
            guard exchange.response?.location?.hasPrefix("example.shop.app:") ?? false else { return }
            exchange.response = RecordedResponse(
                status: 200,
                body: Body(text: page.replacing("URL", with: address), mediaType: "text/html")
            )
        }
        #expect(
            recording.flows[0].authorizationResponses.map(\.error?.error) == (isOne ? ["invalid_scope"] : [])
        )
        #expect((recording.finding("scope-rejected")?.isPrimary == true) == isOne)
        #expect(recording.outcomes == [isOne ? .failure : .incomplete])
    }

    /// The page has the answer of its cancel, and the login went on to its code.
    @Test func errorIsNoneWhereTheCodeComes() throws {
        let recording = try Recording(healthy)
        let state = try #require(recording.flows[0].authorizationRequests.first?.state)
        let address = "example.shop.app:/oauth2redirect?error=access_denied&state=\(state)"
        let shown = recording.editing { exchange in
            guard exchange.request.url.path == "/authorize" else { return }
            exchange.response?.body = Body(
                text: #"<script>const cancel = "\#(address)"</script>"#,
                mediaType: "text/html"
            )
        }
        #expect(shown.flows[0].authorizationResponses.map { $0.code == nil } == [false])
        #expect(shown.outcomes == [.success])
    }

    /// The way back of a page that asks, and what its script is still to fill in.
    @Test(arguments: [
        #"<a href="example.shop.app:/oauth2redirect?error=access_denied&amp;state=STATE">Cancel</a>"#,
        #"<script>let to = `example.shop.app:/oauth2redirect?code=${code}&state=STATE`</script>"#,
        #"<script>let to = "example.shop.app:/oauth2redirect?code=" + code</script>"#,
        #"<a href="example.shop.app:/oauth2redirect">Back</a>"#,
    ])
    func pageThatAsksIsNoAnswer(part: String) throws {
        let recording = try Recording(healthy)
        let state = recording.flows[0].authorizationRequests.first?.state ?? ""
        let shown = recording.editing { exchange in
            guard exchange.request.url.path == "/authorize", let body = exchange.response?.body?.text else {
                return
            }
            exchange.response?.body = Body(
                text: body + part.split(separator: "STATE").joined(separator: state),
                mediaType: "text/html"
            )
        }
        #expect(shown.flows[0].authorizationResponses.count == 1)
        #expect(shown.outcomes == [.success])
        #expect(shown.findings.filter { $0.severity != .note }.isEmpty)
    }
}
