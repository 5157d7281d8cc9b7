import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct PKCERequiredTests {
    private let rule = "pkce-required"
    private let broken = "authorization-request/pkce-required"

    @Test func namesTheRequestAndTheWords() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["1 request.query code_challenge", "2 request.query error"])
        #expect(finding.evidence[1].value == "invalid_request: PKCE is mandatory for this client")
    }

    @Test func leavesAnotherRefusalAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func leavesARequestWithAChallengeAlone() throws {
        #expect(try Recording(broken).asking("code_challenge", "x").finding(rule) == nil)
    }

    @Test(arguments: [
        "Missing parameter: code_challenge_method", "AADSTS501471: Missing code_challenge parameter",
        "PKCE code challenge is required when the token endpoint authentication method is &#39;NONE&#39;.",
        "invalid_request: missing required code challenge",
    ])
    func knowsTheWordsOfProviders(text: String) throws {
        #expect(try Recording(broken).saying(text).finding(rule) != nil)
    }

    @Test func entraSaysItAtTheTokenEndpoint() throws {
        let recording = try Recording("authorization-request/pkce-missing-public-client").answering(
            "/token",
            400,
            [
                "error": "invalid_request",
                "error_description": "AADSTS9002325: Proof Key for Code Exchange is required",
            ]
        )
        #expect(recording.finding(rule)?.places.last == "2 response.body error")
        #expect(recording.finding("pkce-missing-public-client") == nil)
        // The challenge may stand in what is not in the capture.
        let hidden = recording.asking("request_uri", "https://www.shop.example/request.jwt")
        #expect(hidden.finding(rule) == nil)
    }

    /// Okta's name for it is that of a user's no.
    @Test(arguments: [("PKCE code challenge is required", true), ("PKCE was not liked", false)])
    func knowsTheDemandUnderAnyName(words: String, fires: Bool) throws {
        let recording = try Recording(broken).redirecting(with: [
            ("error", "access_denied"), ("error_description", words),
        ])
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
    }

    /// As Authlib and Canaille say it of a public client; a verifier that came is another matter.
    @Test(
        arguments: [
            ("Missing 'code_verifier'", nil, true), ("code_verifier is required", nil, true),
            ("Missing 'code_verifier'", "x", false), ("Missing 'scope'", nil, false),
        ] as [(String, String?, Bool)]
    )
    func verifierIsMissedAtTheTokenEndpoint(text: String, verifier: String?, fires: Bool) throws {
        let recording = try Recording("authorization-request/pkce-missing-public-client")
            .answering("/token", 400, ["error": "invalid_request", "error_description": .string(text)])
            .sending("code_verifier", verifier)
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        if fires { #expect(recording.finding("pkce-missing-public-client") == nil) }
    }

    @Test func saysNothingOfARequestWithoutACode() throws {
        #expect(try Recording(broken).asking("response_type", "id_token").finding(rule) == nil)
    }

    @Test func abstainsWhereTheRequestStandsElsewhere() throws {
        let recording = try Recording(broken).asking("request_uri", "https://www.shop.example/request.jwt")
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    /// A refusal without words, of a request that lacks nothing else.
    private func bare(_ error: String = "invalid_request", asking extra: String? = nil) throws -> Recording {
        let login = try Recording("healthy/web-code-flow").asking("code_challenge", nil)
            .asking("code_challenge_method", nil).asking(extra ?? "code_challenge", extra.map { _ in "x" })
        let request = try #require(login.flows.first?.authorizationRequests.first)
        let target = "https://www.shop.example/callback?error=\(error)&state=\(request.state ?? "")"
        return login.redirecting(to: target)
    }

    @Test func concludesItWhereNothingElseIsLeft() throws {
        let finding = try #require(try bare().finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.notes.last == "no reason given; nothing else is missing, and the provider offers PKCE"
        )
    }

    @Test(arguments: ["prompt", "response_mode", "claims", "resource"])
    func doesNotConcludeWhereAnotherParameterMayBeAtFault(name: String) throws {
        #expect(try bare(asking: name).finding(rule) == nil)
    }

    /// The provider's metadata may have another reason.
    @Test func doesNotConcludeWhereRequestsHaveToBePushed() throws {
        let recording = try bare().editingAnswer(of: "/.well-known/openid-configuration") {
            $0["require_pushed_authorization_requests"] = true
        }
        #expect(recording.finding("par-required")?.isPrimary == true)
        #expect(recording.finding(rule) == nil)
    }

    /// An app that begins anew at its callback is refused for the same each time.
    @Test func doesNotConcludeItOfALaterRequestThatHasToBePushed() {
        var capture = CaptureBuilder()
        capture.get(
            "https://idp.example/.well-known/openid-configuration",
            body: .json(
                """
                {"issuer":"https://idp.example","authorization_endpoint":"https://idp.example/authorize",\
                "token_endpoint":"https://idp.example/token","code_challenge_methods_supported":["S256"],\
                "require_pushed_authorization_requests":true}
                """
            )
        )
        let logins = [0, 1].map {
            "\(Repetition.login)&scope=openid&state=state-\($0)&nonce=nonce-\($0)"
        }
        let answers = [0, 1].map { "https://app.example/cb?error=invalid_request&state=state-\($0)" }
        capture.redirect(logins[0], to: answers[0])
        capture.redirect(answers[0], to: logins[1])
        capture.redirect(logins[1], to: answers[1])
        capture.get(answers[1], 400)
        let recording = Recording(capture.exchanges)
        #expect(recording.flows.map(\.authorizationRequests.count) == [2])
        #expect(recording.finding("par-required")?.isPrimary == true)
        #expect(recording.finding(rule) == nil)
    }

    @Test func concludesNothingFromOtherErrorsOrWithoutMetadata() throws {
        #expect(try bare("invalid_scope").finding(rule) == nil)
        let linked = try bare().redirecting(with: [("error_uri", "https://id.harbour.example/errors/7")])
        #expect(linked.finding(rule) == nil)
        let unlisted = try bare().editingAnswer(of: "/.well-known/openid-configuration") {
            $0["code_challenge_methods_supported"] = []
        }
        #expect(unlisted.finding(rule) == nil)
        let blind = try bare().without { $0.request.url.path.contains("well-known") }
        #expect(blind.finding(rule) == nil)
        #expect(blind.finding("authorization-error") != nil)
    }
}
