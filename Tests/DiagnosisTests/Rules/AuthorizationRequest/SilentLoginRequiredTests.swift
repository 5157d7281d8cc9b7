import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct SilentLoginRequiredTests {
    private let rule = "silent-login-required"
    private let broken = "authorization-request/silent-login-required"

    @Test func namesRequestAnswerAndCookies() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == ["1 request.query prompt", "2 request.query error", "1 request.cookie "]
        )
        #expect(finding.evidence.map(\.value) == ["none", "login_required", "none"])
    }

    @Test func isANoteBeforeAnInteractiveLogin() throws {
        let recording = try Recording(broken + ".near-miss")
        #expect(recording.finding(rule)?.severity == .note)
        #expect(recording.outcomes == [.success])
    }

    @Test(arguments: ["interaction_required", "consent_required", "account_selection_required"])
    func knowsTheOtherAnswers(error: String) throws {
        let recording = try Recording(broken).redirecting(
            to: "https://www.shop.example/callback?error=" + error
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.evidence[1].value == error)
        // There is a session then.
        #expect(finding.title.contains("no session") == (error == "interaction_required"))
    }

    /// Entra calls it by the name that says least.
    @Test(arguments: [("AADSTS16000: Either multiple user identities", true), ("AADSTS50058: none", false)])
    func accountThatIsNotChosenAtEntraIsTold(words: String, isTold: Bool) throws {
        let query = FormBody.encode([("error", "interaction_required"), ("error_description", words)])
        let recording = try Recording(broken).redirecting(to: "https://www.shop.example/callback?" + query)
        let finding = try #require(recording.finding(rule))
        #expect(finding.title.contains("choose an account") == isTold)
        #expect(finding.fix.contains("login_hint") == isTold)
    }

    @Test func leavesAnotherErrorAlone() throws {
        let recording = try Recording(broken).redirecting(
            to: "https://www.shop.example/callback?error=invalid_request"
        )
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesARequestThatMayShowPagesAlone() throws {
        #expect(try Recording(broken).asking("prompt", "login").finding(rule) == nil)
        #expect(try Recording(broken).asking("prompt", nil).finding(rule) == nil)
    }

    @Test func readsAPageThatPostsTheAnswer() throws {
        let recording = try Recording(broken).asking("response_mode", "web_message").saying(
            "<script>window.parent.postMessage({response:{\"error\":\"login_required\"}})</script>",
            status: 200
        )
        #expect(recording.finding(rule)?.places[1] == "1 response.body error")
    }

    @Test func namesTheCookiesThatWereSent() throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/authorize" {
                exchange.request.headers.append("Cookie", "harbour=not-a-session; theme=dark")
            }
        }
        #expect(recording.finding(rule)?.evidence.last?.value == "harbour, theme")
        #expect(recording.sanitized.finding(rule)?.evidence.last?.value == "not recorded")
    }

    /// Okta's page quotes with apostrophes; Auth0's with quotation marks.
    @Test(arguments: [
        ("okta_post_message", "data.error = 'login_required';"),
        ("web_message", #"{"error":"login_required"}"#),
    ])
    func readsWhatAPagePosts(mode: String, script: String) throws {
        let recording = try Recording(broken).asking("response_mode", mode).saying(
            "<script>\(script)</script>",
            status: 200
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.evidence[1].value == "login_required")
        #expect(finding.places[1].hasSuffix("response.body error"))
        #expect(try Recording(broken).saying("<script>\(script)</script>", status: 200).finding(rule) == nil)
    }

    private static let browser = "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0"

    private func ask(_ client: String, _ uri: String, at provider: String, _ extra: [(String, String)])
        -> String
    {
        "https://\(provider)/authorize?"
            + FormBody.encode(
                [
                    ("response_type", "code"), ("client_id", client), ("scope", "openid"),
                    ("redirect_uri", "https://\(uri)"),
                    ("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
                    ("code_challenge_method", "S256"),
                ] + extra
            )
    }

    /// A page that asks for a session when it is loaded, and a login for which its user clicks minutes later.
    private func probe(
        client: String = "shop-web",
        agent: String = browser,
        status: Int = 200,
        mode: String = "query",
        provider: String = "id.harbour.example",
        app: String = "www.shop.example"
    ) -> Recording {
        let silent = ask(
            "shop-web",
            "www.shop.example/silent",
            at: "id.harbour.example",
            [("state", "q7"), ("prompt", "none"), ("response_mode", mode)]
        )
        let login = ask(client, "\(app)/", at: provider, [("state", "w8")])
        var capture = CaptureBuilder()
        if mode == "web_message" {
            let page = #"<script>parent.postMessage({"error":"login_required"})</script>"#
            capture.get(silent, headers: [("User-Agent", Self.browser)], body: .html(page))
        } else {
            let answer = "https://www.shop.example/silent?error=login_required&state=q7"
            capture.redirect(silent, to: answer, headers: [("User-Agent", Self.browser)])
            capture.get(answer, headers: [("User-Agent", Self.browser)], body: .html("<p>silent</p>"))
        }
        capture.wait(300)
        let answer = "https://\(app)/?code=9sQ2xKcD41&state=w8"
        capture.redirect(login, to: answer, headers: [("User-Agent", agent)])
        capture.get(answer, headers: [("User-Agent", agent)], body: .html("<h1>Shop</h1>"))
        capture.post(
            "https://\(provider)/token",
            [
                ("grant_type", "authorization_code"), ("code", "9sQ2xKcD41"), ("client_id", client),
                ("redirect_uri", "https://\(app)/"),
                ("code_verifier", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
            ],
            status,
            headers: [("User-Agent", agent)],
            body: .json(
                status == 200
                    ? #"{"access_token":"2YotnFZFEjr1zCsi","token_type":"Bearer","expires_in":300}"#
                    : #"{"error":"invalid_grant"}"#
            )
        )
        return Recording(capture.exchanges)
    }

    /// "No" is the usual answer to the question for a session, however long the user then takes to click.
    @Test(arguments: ["query", "web_message"]) func isANoteWhereTheUserSignsInLater(mode: String) {
        for recording in [probe(mode: mode), probe(mode: mode, app: "shop.example")] {
            #expect(recording.finding(rule)?.severity == .note)
            #expect(recording.outcomes.first == .success && recording.outcomes.count == 2)
        }
    }

    @Test func isAnErrorWhereNoLoginOfTheSameUserWentWell() {
        for recording in [
            probe(status: 400), probe(client: "stock-web"), probe(agent: Self.browser + " Stock/2"),
            probe(provider: "id.other.example", app: "www.other.example"),
        ] {
            #expect(recording.finding(rule)?.severity == .error)
            #expect(recording.outcomes.first == .failure)
        }
    }
}
