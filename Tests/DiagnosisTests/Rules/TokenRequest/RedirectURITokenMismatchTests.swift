import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct RedirectURITokenMismatchTests {
    private let rule = "redirect-uri-token-mismatch"
    private let broken = "token-request/redirect-uri-token-mismatch"

    @Test func namesBothURIsAndTheDifference() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == [
                "1 request.query redirect_uri", "4 request.body redirect_uri", "4 response.body error",
            ]
        )
        #expect(finding.notes.first == "a \"/\" too many at the end")
        #expect(try Recording(broken).finding("token-invalid-grant")?.effectOf == rule)
    }

    /// login.gov wants none beside an assertion, and says what it refuses.
    @Test(arguments: [("Client assertion Invalid audience", false), ("Invalid request", true)])
    func missingOneIsNotWhatARefusedAssertionLacks(words: String, fires: Bool) throws {
        let assertion =
            [#"{"alg":"RS256"}"#, #"{"iss":"shop","sub":"shop","aud":"https://id.harbour.example/"}"#]
            .map(encoded).joined(separator: ".") + ".AAAA"
        let recording = try Recording(broken).sending("redirect_uri", nil).sending("client_secret", nil)
            .sending("client_assertion", assertion)
            .answering("/token", 400, ["error": .string(words)])
        #expect((recording.finding(rule)?.severity == .error) == fires)
        let refusal = recording.finding("token-invalid-client")
        #expect((refusal?.title.hasSuffix("is not addressed to it") == true) == !fires)
    }

    /// Nor what a refused secret or key lacks: WeChat and login.gov want no redirect URI there.
    @Test(arguments: [
        (200, #"{"errcode":40125,"errmsg":"invalid appsecret, rid: 5f"}"#),
        (200, #"{"errcode":40013,"errmsg":"invalid appid, rid: 5f"}"#),
        (
            400,
            #"{"error":"Client assertion Could not validate assertion against any registered public keys"}"#
        ),
    ])
    func missingOneIsNotWhatARefusedClientLacks(status: Int, body: String) throws {
        let recording = try Recording(broken).sending("redirect_uri", nil).editingLast("/token") {
            $0.response?.status = status
            $0.response?.body = .json(body)
        }
        #expect(recording.finding(rule)?.severity == .note)
        #expect(recording.finding("token-invalid-client")?.severity == .error)
    }

    @Test func leavesAnotherEscapingAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    @Test(arguments: [
        ("http://www.shop.example/callback", "scheme http instead of https"),
        ("https://www.shop.example:8443/callback", "port 8443 instead of (none)"),
        ("https://shop.example/callback", "host shop.example instead of www.shop.example"),
        ("https://www.shop.example/callback?code=1&state=2", "still carries code, state"),
        ("https%3A%2F%2Fwww.shop.example%2Fcallback", "percent-encoded once too often"),
    ])
    func saysWhatDiffers(uri: String, note: String) throws {
        let finding = try #require(Recording(broken).sending("redirect_uri", uri).finding(rule))
        #expect(finding.notes.first == note)
    }

    @Test func masksACodeThatStandsInTheURI() throws {
        let recording = try Recording(broken).sending(
            "redirect_uri",
            "https://www.shop.example/callback?code=abcdefghijklmnopqrstuvwxyz&state=1"
        )
        #expect(
            recording.finding(rule)?.evidence[1].value
                == "https://www.shop.example/callback?code=abcd…(26)&state=1"
        )
    }

    @Test func isAWarningWhereTheProviderTookIt() throws {
        let recording = try Recording(broken).granted()
        #expect(recording.finding(rule)?.severity == .warning)
    }

    @Test func isANoteWhereItIsEmptyAndAccepted() throws {
        let recording = try Recording(broken).granted().sending("redirect_uri", "")
        #expect(recording.finding(rule)?.severity == .note)
    }

    @Test func isANoteWhereItIsMissingAndAccepted() throws {
        let recording = try Recording(broken).sending("redirect_uri", nil)
        #expect(recording.finding(rule)?.severity == .error)
        let accepted = recording.granted()
        #expect(accepted.finding(rule)?.severity == .note)
    }

    @Test func isNoErrorWhereTheClientWasRefused() throws {
        let recording = try Recording(broken).answering("/token", 401, ["error": "invalid_client"])
        #expect(recording.finding(rule)?.severity == .warning)
    }

    @Test func abstainsWhereTheTokenRequestWasNotSaved() throws {
        let recording = try Recording(broken).withMetadata().withoutBodies(of: "/token")
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test func saysNothingWithoutTheBackChannel() throws {
        #expect(try Recording(broken).frontChannel.finding(rule) == nil)
    }

    /// GitHub does not want the parameter, and names no grant; some clients send it the `state` as well.
    @Test(arguments: [nil, "anything"] as [String?])
    func leavesGitHubAlone(state: String?) throws {
        let replaced = [
            ("https://id.harbour.example/authorize", "https://github.com/login/oauth/authorize"),
            ("https://id.harbour.example/token", "https://github.com/login/oauth/access_token"),
        ]
        let moved = { (text: String) in
            replaced.reduce(text) { $0.hasPrefix($1.0) ? $1.1 + $0.dropFirst($1.0.count) : $0 }
        }
        let path = "/login/oauth/access_token"
        let recording = try Recording("healthy/web-code-flow").editing { exchange in
            exchange.request.url = RecordedURL(moved(exchange.request.url.text))
            if let location = exchange.response?.location { exchange.response?.redirect(to: moved(location)) }
        }
        let sent = recording.sending("redirect_uri", nil, to: path).sending("grant_type", nil, to: path)
            .sending("state", state, to: path).sending("client_secret", "a-secret", to: path)
            .sending("client_id", "shop-web", to: path)
        #expect(sent.flows.first?.provider == .github)
        #expect(sent.flows.first?.tokenRequests.count == 1)
        #expect(sent.finding(rule) == nil)
    }

    /// Entra calls it `invalid_client`.
    @Test func isAnErrorWhateverEntraCallsIt() throws {
        let recording = try Recording("token-request/redirect-uri-token-mismatch").answering(
            "/token",
            400,
            [
                "error": "invalid_client",
                "error_description": "AADSTS500112: The reply address does not match",
            ]
        )
        let finding = try #require(recording.finding("redirect-uri-token-mismatch"))
        #expect(finding.severity == .error)
        #expect(finding.isPrimary)
    }

    /// Naver does not want it either.
    @Test(
        arguments: [
            ("nid.naver.com", nil, false), ("nid.naver.com", "https://www.shop.example/other", true),
            ("id.harbour.example", nil, true),
        ] as [(String, String?, Bool)]
    )
    func leavesNaverAlone(host: String, sent: String?, fires: Bool) {
        let callback = "https://www.shop.example/callback"
        let asked = FormBody.encode([
            ("response_type", "code"), ("client_id", "shop"), ("redirect_uri", callback),
            ("state", "a-state-0123456789"),
        ])
        let answer = "\(callback)?code=a-code-0123456789&state=a-state-0123456789"
        var form = [
            ("grant_type", "authorization_code"), ("client_id", "shop"), ("client_secret", "not-a-secret"),
            ("code", "a-code-0123456789"), ("state", "a-state-0123456789"),
        ]
        if let sent { form.append(("redirect_uri", sent)) }
        var capture = CaptureBuilder()
        capture.redirect("https://\(host)/oauth2.0/authorize?\(asked)", to: answer)
        capture.redirect(answer, to: "/")
        capture.get(
            "https://\(host)/oauth2.0/token?\(FormBody.encode(form))",
            body: .json(#"{"access_token":"not-a-token-of-anyone","token_type":"bearer"}"#)
        )
        let recording = Recording(capture.exchanges)
        #expect(recording.flows.first?.tokenRequests.count == 1)
        #expect((recording.finding(rule) != nil) == fires)
    }

    /// The server's half of a login whose request was pushed.
    @Test(arguments: [
        ("https://www.shop.example/callback/", true), ("https://www.shop.example/callback", false),
    ])
    func comparesWithWhatWasPushed(uri: String, fires: Bool) throws {
        let recording = try Recording("authorization-request/par-client-mismatch.near-miss").backChannel
            .sending("redirect_uri", uri).answering("/token", 400, ["error": "invalid_grant"])
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary == true) == fires)
        guard let finding else { return }
        #expect(
            finding.places == [
                "0 request.body redirect_uri", "1 request.body redirect_uri", "1 response.body error",
            ]
        )
    }

    /// Who misses the redirect URI does not say that the code is not known.
    @Test(arguments: [
        ("The authorization code was not found or was already used", false),
        ("The grant was not accepted", true),
        ("The authorization code does not belong to this redirect URI", true),
    ])
    func leavesAMissingOneAloneWhereTheCodeWasRefused(text: String, fires: Bool) throws {
        let recording = try Recording(broken).sending("redirect_uri", nil).answering(
            "/token",
            400,
            ["error": "invalid_grant", "error_description": .string(text)]
        )
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect((recording.abstention(rule) != nil) != fires)
    }

    /// Shopify's token endpoint and WorkOS' have no such parameter.
    @Test(arguments: [
        ("/admin/oauth/access_token", false), ("/user_management/authenticate", false),
        ("/oauth/access_token", true),
    ])
    func leavesAProviderThatDoesNotWantItAlone(path: String, fires: Bool) throws {
        let recording = try Recording(broken).sending("redirect_uri", nil).editing { exchange in
            guard exchange.request.url.path == "/token" else { return }
            exchange.request.url = RecordedURL("https://id.harbour.example\(path)")
        }
        #expect((recording.finding(rule) != nil) == fires)
        #expect(recording.abstention(rule) == nil)
    }
}
