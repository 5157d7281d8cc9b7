import Captures
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

@testable import Diagnosis

/// The server's half alone: what the provider says is told with the refusal, and no rule fires on words.
struct StatedRefusalTests {
    private let plain = "The provider rejected the code or refresh token"

    /// The rules that compare what the words speak of.
    private static let comparing = [
        "code-altered", "code-wrong-client", "redirect-uri-token-mismatch", "pkce-verifier-mismatch",
        "pkce-verifier-missing", "code-reused", "code-expired", "refresh-token-reused",
        "refresh-wrong-client",
    ]

    /// What Hydra has in front of its reason.
    private static let sentence =
        "The provided authorization grant (e.g., authorization code, resource owner credentials) or refresh token is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client."

    private static let cases: [(words: String, title: String)] = [
        (sentence + " The PKCE code challenge did not match the code verifier.", "verifier is wrong"),
        (
            sentence
                + " The 'redirect_uri' from this request does not match the one from the authorize request.",
            "redirect URI is not the login's"
        ),
        (
            sentence
                + " The OAuth 2.0 Client ID from this request does not match the one from the authorize request.",
            "code belongs to another client"
        ), (sentence + " The authorization code has expired.", "code has run out"),
        (sentence, "rejected the code"),
        ("PKCE verification failed: Code mismatch", "verifier is wrong"),
        ("Failed to verify code verifier", "verifier is wrong"),
        (
            "AADSTS501481: The Code_Verifier does not match the code_challenge supplied.", "verifier is wrong"
        ),
        ("Code challenge failed.", "verifier is wrong"), ("PKCE check failed", "verifier is wrong"),
        (
            "Unexpected Code Verifier: E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "verifier is wrong"
        ),
        ("Incorrect redirect_uri", "redirect URI is not the login's"),
        (
            "AADSTS500112: The reply address 'http://x' does not match the reply address 'https://x' provided when requesting Authorization code.",
            "redirect URI is not the login's"
        ),
        ("Callback url mismatch", "redirect URI is not the login's"),
        ("client_id mismatch. The code was not issued to shop-web.", "code belongs to another client"),
        (
            "AADSTS54005: OAuth2 Authorization code was already redeemed, please retry with a new valid code",
            "code was used before"
        ),
        ("Inactive authorization code received from token request", "code was used before"),
        ("invalid code, hints: code been used", "code was used before"),
        (
            "The provided authorization grant or refresh token is invalid, expired, revoked, does not match the redirection URI, or was issued to another client. The authorization code has already been used.",
            "code was used before"
        ),
        (
            "AADSTS70008: The provided authorization code or refresh token has expired due to inactivity.",
            "code has run out"
        ),
        ("The authorization code has expired.", "code has run out"),
        ("The code_verifier is invalid: PKCE is not enabled for this client.", "rejected the code"),
        ("The code is invalid or was issued to another client.", "rejected the code"),
        ("The code is invalid or expired.", "rejected the code"), ("Code not valid", "rejected the code"),
        ("The authorization code is invalid or has expired.", "rejected the code"),
        (
            "The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.",
            "rejected the code"
        ),
    ]

    @Test(arguments: cases) func wordsAreToldWithTheRefusal(words: String, title: String) throws {
        let half = try Recording("token-request/pkce-verifier-mismatch").answering(
            "/token",
            400,
            ["error": "invalid_grant", "error_description": .string(words)]
        ).withoutAuthorization
        let finding = try #require(half.finding("token-invalid-grant"))
        #expect(finding.isPrimary && finding.title.contains(title), "\(finding.title)")
        for rule in Self.comparing { #expect(half.finding(rule) == nil, "\(rule)") }
        #expect(half.outcomes == [.failure])
    }

    /// With the login in the capture the comparison decides, and the same words say nothing more.
    @Test func comparisonComesFirst() throws {
        let whole = try Recording("token-request/token-invalid-grant").answering(
            "/token",
            400,
            ["error": "invalid_grant", "error_description": "PKCE verification failed: Code mismatch"]
        )
        let finding = try #require(whole.finding("token-invalid-grant"))
        #expect(finding.title == plain)
    }

    @Test func missingVerifierIsShownAsMissing() throws {
        let half = try Recording("token-request/pkce-verifier-missing").answering(
            "/token",
            400,
            ["error": "invalid_grant", "error_description": "PKCE code verifier not specified"]
        ).withoutAuthorization
        let finding = try #require(half.finding("token-invalid-grant"))
        #expect(finding.isPrimary && finding.title.contains("misses the code verifier"))
        #expect(finding.evidence.contains { $0.place.name == "code_verifier" && $0.value == "missing" })
    }

    /// ForgeRock where none was sent, Curity of a verifier, pyoidc, WeChat with a number and status 200.
    @Test(arguments: [
        (
            400, #"{"error":"invalid_request","error_description":"Missing parameter, 'redirect_uri'"}"#,
            "redirect URI is not the login's"
        ),
        (
            400, #"{"error":"invalid_request","error_description":"Missing parameter, 'code'"}"#,
            "answered with an error"
        ),
        (
            400, #"{"error":"invalid_request","error_description":"code_verifier is invalid"}"#,
            "verifier is wrong"
        ),
        (
            400, #"{"error":"access_denied","error_description":"Access Code already used"}"#,
            "code was used before"
        ), (200, #"{"errcode":40163,"errmsg":"code been used, rid: 5f"}"#, "code was used before"),
        (200, #"{"errcode":40029,"errmsg":"invalid code, rid: 5f"}"#, "status 200"),
        (
            400,
            #"{"error":"invalid_client","error_description":"AADSTS50011: The reply URL specified in the request does not match the reply URLs configured"}"#,
            "redirect URI is not the login's"
        ),
    ])
    func otherErrorsAreReadAsWell(status: Int, body: String, title: String) throws {
        let half = try Recording("token-request/pkce-verifier-mismatch").withoutAuthorization
            .editingLast("/token") { exchange in
                exchange.response?.status = status
                exchange.response?.body = Body(text: body, mediaType: "application/json")
            }
        let primary = try #require(half.findings.first { $0.isPrimary })
        #expect(["token-endpoint-error", "token-error-with-200"].contains(primary.rule))
        #expect(half.findings.contains { $0.title.contains(title) }, "\(half.findings.map(\.title))")
        for rule in Self.comparing { #expect(half.finding(rule) == nil, "\(rule)") }
    }

    /// pyop quotes the code in the place of a word for it.
    @Test(arguments: [
        (" has already been used", "code was used before"), (" has expired", "code has run out"),
        (" unknown", "rejected the code"),
    ])
    func codeMayStandForItself(words: String, title: String) throws {
        let half = try Recording("token-request/token-invalid-grant").withoutAuthorization
        let code = try #require(half.flows.first?.tokenRequests.first?.code)
        let recording = half.answering(
            "/token",
            400,
            ["error": "invalid_grant", "error_description": .string(code + words)]
        )
        #expect(try #require(recording.finding("token-invalid-grant")).title.contains(title))
    }

    /// A code that nothing in the capture has spent, its login recorded or not.
    @Test(arguments: [
        ("The code has already been used.", true), ("code has already been used", true),
        ("The code was not found, or the code has already been used", false),
        ("AADSTS54005: code was already redeemed, retry with a new code or a refresh token", true),
        ("The authorization code has been used or has expired", false),
        ("Check whether the code has already been used", false),
    ])
    func wordsOfWhatMayHaveBeenAreNone(text: String, isOne: Bool) throws {
        let recording = try Recording("token-request/token-invalid-grant").answering(
            "/token",
            400,
            ["error": "invalid_grant", "error_description": .string(text)]
        )
        let finding = try #require(recording.finding("token-invalid-grant"))
        #expect(finding.isPrimary)
        #expect(finding.title.contains("used before") == isOne, "\(finding.title)")
        #expect(recording.finding("code-reused") == nil)
    }

    /// Sent again, and refused both times as one that was spent: by neither.
    @Test(arguments: [(used, "used before"), ("Code not valid", "rejected the code")])
    func whoIsRefusedAlikeSpentNothing(first: String, title: String) throws {
        var recording = try Recording("token-request/token-invalid-grant")
            .answering("/token", 400, ["error": "invalid_grant", "error_description": .string(Self.used)])
        var again = try #require(recording.exchanges.last)
        again.startedAt = again.startedAt + .seconds(2)
        recording = recording.answering(
            "/token",
            400,
            ["error": "invalid_grant", "error_description": .string(first)]
        )
        recording.exchanges.append(again)
        let finding = try #require(recording.finding("token-invalid-grant"))
        #expect(finding.title.contains(title), "\(finding.title)")
        #expect((recording.finding("code-reused") == nil) == (first == Self.used))
    }

    private static let used = "AADSTS54005: OAuth2 Authorization code was already redeemed"

    /// What the app's server pushed is the login's own request: the token request is held against that.
    @Test(arguments: ["Incorrect redirect_uri", "client_id mismatch. The code was not issued to shop-web."])
    func pushedRequestIsTheLogins(words: String) throws {
        let half = try Recording("authorization-request/par-client-mismatch.near-miss").backChannel
            .answering(
                "/token",
                400,
                ["error": "invalid_grant", "error_description": .string(words)]
            )
        let finding = try #require(half.finding("token-invalid-grant"))
        #expect(finding.isPrimary && finding.title == plain)
        #expect(!finding.explanation.contains("not in the capture"))
        #expect(!finding.notes.contains { $0.contains("not in the capture") })
        let alone = half.without { $0.request.url.path == "/par" }
        #expect(try #require(alone.finding("token-invalid-grant")).explanation.contains("not in the capture"))
    }

    /// The history of a refresh token that is not in the capture.
    @Test(arguments: [
        ("Stale token", "used before"), ("Maximum allowed refresh token reuse exceeded", "used before"),
        ("Invalid refresh token. Token client and authorized client don't match", "another client"),
    ])
    func refreshTokensAreToldLikewise(words: String, title: String) throws {
        let recording = try Recording("refresh/refresh-token-reused").answering(
            "/token",
            400,
            ["error": "invalid_grant", "error_description": .string(words)]
        )
        let last = try #require(recording.exchanges.last { $0.request.url.path == "/token" })
        let half = Recording([last])
        let finding = try #require(half.finding("token-invalid-grant"))
        #expect(finding.isPrimary && finding.title.contains(title), "\(finding.title)")
        for rule in Self.comparing { #expect(half.finding(rule) == nil, "\(rule)") }
    }

    /// Which client was given it is seen, and the words make no other of that.
    @Test func clientOfARefreshTokenThatWasSeenIsTheSame() throws {
        let recording = try Recording("refresh/refresh-token-expired").answering(
            "/token",
            400,
            ["error": "invalid_grant", "error_description": "Token was issued to another client"]
        )
        #expect(try !#require(recording.finding("token-invalid-grant")).title.contains("another client"))
    }
}
