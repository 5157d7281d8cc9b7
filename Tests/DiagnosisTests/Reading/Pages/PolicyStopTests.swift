import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import Testing

struct PolicyStopTests {
    private let rule = "callback-unreachable"

    /// The page of `form_post`, and what its policy lets it do.
    @Test(arguments: [
        ("default-src 'self'", true), ("script-src 'self'; object-src 'none'", true),
        ("default-src 'none'; script-src 'unsafe-inline'", false),
        ("script-src 'self'; script-src-elem 'unsafe-inline'", false),
        ("script-src 'unsafe-inline'; script-src 'self'", false),
        ("script-src 'self' 'nonce-Zk3xQ2vB8nLw5Rt1'", false),
        ("img-src 'self'", false), ("script-src 'unsafe-inline'; form-action 'self'", true),
        ("form-action https:", false), ("form-action http:", false), ("form-action https://*:443", false),
        ("form-action *:*", false),
        ("form-action https://other.example https://*.example", false),
    ])
    func tellsOfAPageWhosePolicyKeepsItsForm(policy: String, fires: Bool) throws {
        let whole = try Recording("user-agent/cookie-samesite-form-post")
        let page = try #require(
            whole.exchanges.firstIndex { $0.response?.body?.text?.contains("name=\"code\"") ?? false }
        )
        var recording = Recording(Array(whole.exchanges[...page]))
        recording.exchanges[page].response?.headers.append("Content-Security-Policy", policy)
        let text = try #require(whole.exchanges[page].response?.body?.text)
        recording.exchanges[page].response?.body = Body(
            text: text + "<script>document.forms[0].submit()</script>",
            mediaType: "text/html"
        )
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect(recording.outcomes == [fires ? .failure : .incomplete])
        // It was sent all the same: somebody pressed the button for those without scripts.
        var sent = whole
        sent.exchanges[page].response?.headers.append("Content-Security-Policy", policy)
        #expect(sent.finding(rule) == nil)
    }

    /// A form that waits for its button, a script of the provider's that the policy allows, and a client that runs none.
    @Test(
        arguments: [
            ("", nil),
            ("<script src='/send.js'></script><script>document.forms[0].submit()</script>", nil),
            ("<script>document.forms[0].submit()</script>", "curl/8.9.1"),
        ] as [(String, String?)]
    )
    func leavesAPageAloneThatIsNotSentByAScriptOfItsOwn(script: String, agent: String?) throws {
        let whole = try Recording("user-agent/cookie-samesite-form-post")
        let page = try #require(
            whole.exchanges.firstIndex { $0.response?.body?.text?.contains("name=\"code\"") ?? false }
        )
        var recording = Recording(Array(whole.exchanges[...page]))
        let text = try #require(recording.exchanges[page].response?.body?.text)
        recording.exchanges[page].response?.body = Body(text: text + script, mediaType: "text/html")
        recording.exchanges[page].response?.headers.append("Content-Security-Policy", "default-src 'self'")
        if let agent { recording = recording.replacing("User-Agent", with: agent, at: page) }
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.incomplete])
    }

    /// Chromium holds form-action against the redirects behind a form.
    @Test(arguments: [
        ("form-action 'self'", true), ("form-action 'self' com.example.shop:", false),
        ("default-src 'self'", false),
    ])
    func tellsOfASignInPageWhosePolicyKeepsItsRedirect(policy: String, fires: Bool) throws {
        let target = "com.example.shop:/callback"
        let whole = try Recording("healthy/web-code-flow").asking("redirect_uri", target)
        let end = try #require(whole.exchanges.firstIndex { $0.request.url.path == "/sign-in" })
        var recording = Recording(Array(whole.exchanges[...end]))
        let page = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/authorize" })
        recording.exchanges[page].response?.headers.append("Content-Security-Policy", policy)
        let query = recording.exchanges[end].response?.location.flatMap { RecordedURL($0).query } ?? ""
        recording.exchanges[end].response?.redirect(to: target + "?" + query)
        recording.exchanges[end].request.headers.fields.removeAll {
            ["User-Agent", "Referer"].contains($0.name)
        }
        recording.exchanges[end].request.headers.append(
            "Referer",
            recording.exchanges[page].request.url.text
        )
        recording.exchanges[end].request.headers.append(
            "User-Agent",
            "Mozilla/5.0 Chrome/140.0.0.0 Safari/537.36"
        )
        // It may have been recorded no further.
        #expect(recording.findings.isEmpty)
        var later = recording.exchanges[0]
        later.startedAt = recording.exchanges[end].endedAt + .seconds(5)
        later.request.url = RecordedURL("https://news.example/")
        later.response = RecordedResponse(status: 200)
        recording.exchanges.append(later)
        let title = "The browser is kept from following the redirect to the app by the sign-in page's policy"
        let finding = try #require(recording.finding("code-never-redeemed"))
        #expect(finding.isPrimary && finding.severity == .warning)
        #expect((finding.title == title) == fires)
        #expect(recording.finding(rule) == nil)
        // What a script asks for is no navigation.
        recording.exchanges[end].request.headers.append("Sec-Fetch-Mode", "cors")
        #expect(recording.finding("code-never-redeemed")?.title != title)
    }

    /// Browsers write a request that a policy kept from being sent, or their letting go of it.
    @Test(arguments: [
        ("net::ERR_BLOCKED_BY_CSP", "form-action 'self'", true),
        ("net::ERR_ABORTED", "form-action 'self'", true),
        ("NS_ERROR_CSP_FORM_ACTION_VIOLATION", "form-action 'none'", true),
        ("net::ERR_ABORTED", "form-action https:", false), ("net::ERR_ABORTED", "default-src 'none'", false),
    ])
    func tellsOfARequestThatThePolicyStopped(reason: String, policy: String, fires: Bool) throws {
        let whole = try Recording("healthy/web-code-flow")
        let callback = try #require(whole.exchanges.firstIndex { $0.request.url.path == "/callback" })
        var recording = Recording(Array(whole.exchanges[...callback]))
        let page = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/authorize" })
        recording.exchanges[page].response?.headers.append("Content-Security-Policy", policy)
        let form = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/sign-in" })
        recording.exchanges[form].request.headers.fields.removeAll {
            ["User-Agent", "Referer"].contains($0.name)
        }
        recording.exchanges[form].request.headers.append(
            "Referer",
            recording.exchanges[page].request.url.text
        )
        recording.exchanges[form].request.headers.append(
            "User-Agent",
            "Mozilla/5.0 Chrome/140.0.0.0 Safari/537.36"
        )
        recording.exchanges[callback].response = nil
        recording.exchanges[callback].failure = reason
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary == true) == fires)
        #expect(recording.outcomes == [fires ? .failure : .incomplete])
        if fires { #expect(finding?.places.first == "\(page) response.header Content-Security-Policy") }
    }
}
