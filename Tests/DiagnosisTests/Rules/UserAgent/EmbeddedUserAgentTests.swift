import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import Testing

struct EmbeddedUserAgentTests {
    private let rule = "embedded-user-agent"
    private let broken = "user-agent/embedded-user-agent"

    private func seen(by agent: String) throws -> Recording {
        try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/authorize" else { return }
            exchange.request.headers.replace("User-Agent", with: agent)
        }
    }

    @Test func warnsOfAWebViewInALoginThatWentThrough() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == .warning)
        #expect(finding.isPrimary)
        #expect(finding.places == ["0 request.header User-Agent"])
        #expect(recording.outcomes == [.success])
    }

    @Test func leavesATabOfTheSystemBrowserAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: [
        "Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/AP2A; wv) AppleWebKit/537.36 Version/4.0 Chrome/126.0 Mobile Safari/537.36",
        "Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 [FBAN/FBIOS;FBAV/470]",
        "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36 Instagram 338.0",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari Line/14.8.0",
    ])
    func knowsWebViews(agent: String) throws { #expect(try seen(by: agent).finding(rule) != nil) }

    @Test(arguments: [
        "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Mobile Safari/537.36",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/126.0 Mobile/15E148",
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)",
        "Shop/4.2 CFNetwork/1568.200.51 Darwin/24.1.0", "Mozilla/5.0 (X11; Linux) Online/1.0",
    ])
    func knowsBrowsers(agent: String) throws { #expect(try seen(by: agent).finding(rule) == nil) }

    /// Apps of the provider's own are shown as well: that is why it is no error.
    @Test(arguments: [
        ("MicroMessenger/8.0.49", "open.weixin.qq.com"), ("Safari Line/14.8.0", "access.line.me"),
        ("KAKAOTALK/10.8", "accounts.google.com"),
    ])
    func warnsOfTheProvidersOwnAppAsWell(app: String, host: String) throws {
        let agent = "Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 Chrome/126.0 \(app)"
        let recording = try seen(by: agent).editing { exchange in
            guard exchange.request.url.path == "/authorize" else { return }
            exchange.request.url = RecordedURL(
                "https://\(host)/authorize?\(exchange.request.url.query ?? "")"
            )
        }
        #expect(recording.finding(rule)?.severity == .warning)
    }

    /// Google sees a window of a program's behind any name: a browser's is none of a web view, and the refusal's own finding tells of it.
    @Test func leavesABrowsersNameToTheRefusal() throws {
        let recording = try Recording(Array(seen(by: "Mozilla/5.0 (X11) Chrome/126.0").exchanges.prefix(1)))
            .editing { exchange in
                exchange.response = RecordedResponse(
                    status: 200,
                    body: Body(
                        text: """
                            <title>Sign in - Google Accounts</title><h1>Couldn\u{2019}t sign you in</h1>
                            <p>This browser or app may not be secure. Try using a different browser.</p>
                            """,
                        mediaType: "text/html"
                    )
                )
            }
        #expect(recording.finding(rule) == nil)
        let finding = try #require(recording.finding("authorization-error"))
        #expect(finding.isPrimary)
        #expect(finding.title == "The provider refuses the window that its page is shown in")
        #expect(finding.notes.last == "names no web view: the provider goes by other signs")
    }

    /// Google asks for the name first, and says it on the page behind.
    @Test(arguments: [
        ("This browser or app may not be secure. Learn more", true), ("Wrong password.", false),
    ])
    func readsThePageBehindTheName(words: String, isTold: Bool) throws {
        var recording = try Recording(Array(seen(by: "Mozilla/5.0 (X11) Chrome/126.0").exchanges.prefix(1)))
            .editing { exchange in
                exchange.response = RecordedResponse(
                    status: 200,
                    body: Body(
                        text: "<title>Sign in</title><form><input name=identifier></form>",
                        mediaType: "text/html"
                    )
                )
            }
        var page = try #require(recording.exchanges.first)
        page.startedAt = page.startedAt + .seconds(8)
        page.request.url = RecordedURL("https://id.harbour.example/v3/signin/rejected?rrk=46")
        page.response?.body = Body(
            text:
                "<title>Sign in - Google Accounts</title><h1>Couldn\u{2019}t sign you in</h1><p>\(words)</p>",
            mediaType: "text/html"
        )
        recording.exchanges.append(page)
        let web = recording.editing { exchange in
            exchange.request.headers.replace("User-Agent", with: "Mozilla/5.0 (Linux; Android 14; wv)")
        }
        #expect(web.finding(rule)?.severity == (isTold ? .error : .warning))
        #expect((web.finding(rule)?.fix.contains("loopback address") == true) == isTold)
        if isTold { #expect(web.finding("authorization-error") == nil) }
        #expect(recording.finding(rule) == nil)
        let told = recording.finding("authorization-error")
        #expect((told?.fix.contains("loopback address") == true) == isTold)
    }

    @Test func isAnErrorWhereTheProviderRefusesIt() throws {
        let recording = try Recording(Array(Recording(broken).exchanges.prefix(1))).editing { exchange in
            exchange.response = RecordedResponse(
                status: 403,
                body: Body(text: "<h1>Error 403: disallowed_useragent</h1>", mediaType: "text/html")
            )
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == .error)
        #expect(finding.isPrimary)
        #expect(finding.places.last == "0 response.body ")
        #expect(recording.outcomes == [.failure])
    }

    @Test func isAnErrorWhereTheProviderRedirectsToItsPolicy() throws {
        let recording = try Recording(Array(Recording(broken).exchanges.prefix(1))).editing { exchange in
            exchange.response = RecordedResponse(status: 302)
            exchange.response?.redirect(to: "/oauth/error?error=disallowed_useragent")
        }
        #expect(recording.finding(rule)?.severity == .error)
    }
}
