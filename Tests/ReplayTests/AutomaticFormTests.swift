import Captures
import Replay
import TestSupport
import Testing

/// Pages that go on by themselves, and those that only look like it.
struct AutomaticFormTests {
    private static let app = "https://shop.example/cb"
    private static let provider = "https://id.example"
    private static let state = "s-Kq2vLx7TzB4nWm8R"

    private static func consent(_ session: String, _ attributes: String, _ script: String = "") -> Body {
        .html(
            """
            <body \(attributes)><form method="post" action="/consent">
            <input type="hidden" name="sess" value="\(session)">
            <button type="submit" name="accept" value="yes">Allow</button>
            <button type="submit" name="cancel" value="no">Deny</button></form>\(script)
            """
        )
    }

    /// A login that a form of these fields ends, which a page has; without a page a redirect ends it.
    private static func capture(_ page: Body?, _ fields: [(String, String)] = []) -> Capture {
        let browser = [("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Test/1"), ("Accept", "text/html")]
        let back = ("Location", app + "?code=c-Kq2vLx7TzB4nWm8R&state=" + state)
        var capture = CaptureBuilder()
        let query = FormBody.encode([
            ("client_id", "shop"), ("response_type", "code"), ("state", state), ("redirect_uri", app),
        ])
        if let page {
            capture.get(provider + "/authorize?" + query, headers: browser, body: page)
            capture.post(provider + "/consent", fields, 302, headers: browser, answer: [back])
        } else {
            capture.redirect(provider + "/authorize?" + query, to: back.1, headers: browser)
        }
        capture.post(
            provider + "/token",
            [
                ("grant_type", "authorization_code"), ("code", "c-Kq2vLx7TzB4nWm8R"), ("client_id", "shop"),
                ("redirect_uri", app),
            ],
            body: .json(#"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
        )
        return capture.capture
    }

    /// The replay at a provider that shows a page and takes what is sent by it.
    private func replay(_ capture: Capture, _ page: Body) async throws -> AskedReplay {
        try await AskedReplay(of: capture) { request, first in
            switch request.url.path {
            case "/authorize": RecordedResponse(status: 200, body: page)
            case "/token":
                RecordedResponse(status: 200, body: .json(#"{"access_token":"at-8Kq2vLx7TzB4nWm8"}"#))
            default: AskedReplay.back(to: Self.app, code: "c-7Hq2vLx7", answering: first)
            }
        }
    }

    private func sent(_ replay: AskedReplay) -> [String?] {
        replay.asked.filter { $0.url.path != "/authorize" && $0.url.path != "/token" }.map { $0.body?.text }
    }

    @Test(arguments: [
        (#"onload="document.forms[0].accept.focus()""#, ""),
        ("", "<script>$('form').submit(function () { lock() })</script>"),
        ("onload=\"init()\"", "<script>function no() { document.forms[0].cancel.click() }</script>"),
    ])
    func consentIsSentWithTheButtonThatWasPressed(attributes: String, script: String) async throws {
        let capture = Self.capture(
            Self.consent("S0-4nWm8RKq2v", attributes, script),
            [("sess", "S0-4nWm8RKq2v"), ("accept", "yes")]
        )
        let replay = try await replay(capture, Self.consent("S1-zB4nWm8RKq", attributes, script))
        #expect(replay.run.isComplete, "\(replay.run.results) \(String(describing: replay.run.stop))")
        #expect(sent(replay) == ["sess=S1-zB4nWm8RKq&accept=yes"])
    }

    /// With one button it looks like a page that goes on by itself; the recording knows what its script adds.
    @Test func formOfTheNextStepIsLeftToIt() async throws {
        func page(_ session: String) -> Body {
            .html(
                """
                <form method="post" action="/consent"><input type="hidden" name="sess" value="\(session)">
                <input type="submit" name="go" value="Allow"></form><script>f.submit()</script>
                """
            )
        }
        let capture = Self.capture(
            page("S0-4nWm8RKq2v"),
            [("sess", "S0-4nWm8RKq2v"), ("go", "Allow"), ("zone", "UTC")]
        )
        let replay = try await replay(capture, page("S1-zB4nWm8RKq"))
        #expect(replay.run.isComplete, "\(replay.run.results) \(String(describing: replay.run.stop))")
        #expect(sent(replay) == ["sess=S1-zB4nWm8RKq&go=Allow&zone=UTC"])
    }

    private static let hidden = #"<input type="hidden" name="SAMLRequest" value="a1">"#
    private static let button = #"<noscript><input type="submit" name="go" value="Continue"></noscript>"#

    /// As Keycloak, Entra, IdentityServer and WSO2 write them, and what a browser sends for each.
    @Test(arguments: [
        ("onload=\"document.forms[0].submit()\"", "", "SAMLRequest=a1"),
        ("", "<script>document.forms[0].submit();</script>", "SAMLRequest=a1"),
        (
            "", "<script>window.addEventListener('load', () => document.forms[0].submit());</script>",
            "SAMLRequest=a1"
        ),
        ("", "<script>HTMLFormElement.prototype.submit.call(document.forms[0])</script>", "SAMLRequest=a1"),
        ("onload=\"document.forms[0].requestSubmit()\"", "", "SAMLRequest=a1"),
        ("onload=\"document.forms[0].go.click()\"", "", "SAMLRequest=a1&go=Continue"),
    ])
    func pageThatTheRecordingLacksIsSentAsItsScriptSendsIt(
        attributes: String,
        script: String,
        expected: String
    ) async throws {
        let page =
            "<body \(attributes)><form method=post action=/saml>\(Self.hidden)\(Self.button)</form>\(script)"
        let replay = try await replay(Self.capture(nil), .html(page))
        #expect(replay.run.isComplete, "\(replay.run.results) \(String(describing: replay.run.stop))")
        #expect(sent(replay) == [expected])
    }
}
