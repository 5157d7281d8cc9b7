import Captures
import JOSE
import JSON
import OAuth
import Provider
import TestSupport
import Testing

/// By which way a recorded provider sends tokens back.
struct LearnedModesTests {
    private static let redirectURI = "https://web.example/cb"

    private static func request(_ state: String, _ mode: String?) -> [(String, String)] {
        [
            ("response_type", "code token"), ("client_id", "web"), ("redirect_uri", redirectURI),
            ("scope", "read"), ("state", state),
        ] + (mode.map { [("response_mode", $0)] } ?? [])
    }

    /// OAuth 2.0 Multiple Response Types, section 5, forbids a query: what was asked for so then is answered as it was.
    @Test(arguments: ["query", nil] as [String?])
    func tokensInAQueryAreRefusedUnlessTheyWereNot(recorded: String?) throws {
        var builder = CaptureBuilder()
        builder.redirect(
            "https://id.example/auth?" + FormBody.encode(Self.request("state-0123456789", recorded)),
            to: Self.redirectURI + "#code=code-0123456789&access_token=access-token-1-0123456789"
                + "&token_type=Bearer&expires_in=600&state=state-0123456789"
        )
        let caller = Caller(try RecordedProviderTests.provider(builder.capture))
        let answer = caller.get(
            RecordedProviderTests.base + "/auth",
            Self.request("state-of-mine", "query")
        )
        #expect((answer.parameters.first("access_token") != nil) == (recorded != nil))
        #expect(answer.parameters.first("error") == (recorded == nil ? "invalid_request" : nil))
        #expect(!(answer.location.map { RecordedURL($0).queryItems.contains("access_token") } ?? true))
    }

    // MARK: - Signed answers on a page (JARM, section 2.3.3)

    private static let issuer = "https://id.example"

    private static func signedRequest(_ state: String, _ mode: String) -> [(String, String)] {
        [
            ("response_type", "code"), ("client_id", "web"), ("redirect_uri", redirectURI), ("scope", "read"),
            ("state", state), ("response_mode", mode),
        ]
    }

    private static func signedAnswer() throws -> String {
        try JSONWebToken.sign(
            claims: [
                "iss": .string(issuer), "aud": "web", "exp": 1_780_000_600, "code": "code-0123456789",
                "state": "state-0123456789",
            ],
            header: ["kid": "key-1"],
            algorithm: .es256,
            with: .privateKey(try #require(RecordedProviderTests.elliptic))
        )
    }

    /// Who names no mode gets a signed answer where the recorded client, which named none, got one: it was registered for that
    /// (JARM, section 3).
    @Test(arguments: ["query.jwt", nil] as [String?])
    func signedAnswerIsForWhoAsksForIt(recorded: String?) throws {
        func request(_ state: String, _ mode: String?) -> [(String, String)] {
            Self.signedRequest(state, mode ?? "").filter { mode != nil || $0.0 != "response_mode" }
        }
        var builder = CaptureBuilder()
        builder.redirect(
            Self.issuer + "/auth?" + FormBody.encode(request("state-0123456789", recorded)),
            to: Self.redirectURI + "?response=" + (try Self.signedAnswer())
        )
        builder.post(
            Self.issuer + "/token",
            LearnedDialectTests.codeForm(),
            body: LearnedDialectTests.answer(1, nil)
        )
        let provider = try RecordedProviderTests.provider(builder.capture) { $0.autoLogin = "" }
        func answer(_ mode: String?) -> QueryItems {
            Caller(provider).get(RecordedProviderTests.base + "/auth", request("state-of-mine", mode))
                .parameters
        }
        if let recorded { #expect(answer(recorded).contains("response")) }
        #expect(answer(nil).contains("response") == (recorded == nil))
        #expect(answer(nil).contains("code") == (recorded != nil))
    }

    /// The token of a page is made anew as any other; who asks for an answer in clear gets none of the recorded page.
    @Test(arguments: [true, false]) func signedAnswerOnAPageIsMadeAnew(isSigned: Bool) throws {
        let recorded = try Self.signedAnswer()
        var builder = CaptureBuilder()
        builder.get(
            Self.issuer + "/auth?"
                + FormBody.encode(Self.signedRequest("state-0123456789", "form_post.jwt")),
            body: Body(
                text: """
                    <form method="post" action="\(Self.redirectURI)">\
                    <input type="hidden" name="response" value="\(recorded)"></form>
                    """,
                mediaType: "text/html"
            )
        )
        builder.post(
            Self.issuer + "/token",
            LearnedDialectTests.codeForm(),
            body: LearnedDialectTests.answer(1, nil)
        )
        let provider = try RecordedProviderTests.provider(builder.capture) { $0.autoLogin = "" }
        let page = Caller(provider).get(
            RecordedProviderTests.base + "/auth",
            Self.signedRequest("state-of-mine", isSigned ? "form_post.jwt" : "form_post")
        )
        let text = page.body?.text ?? ""
        let fields = HTMLForm.all(in: text).first?.fields ?? []
        func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }
        #expect(!text.contains(recorded))
        guard isSigned else {
            #expect(value("response") == nil && value("state") == "state-of-mine")
            return
        }
        let token = try #require(value("response").flatMap(JSONWebToken.parse))
        #expect(token.claim("state") == "state-of-mine")
        #expect(token.issuer == RecordedProviderTests.base)
        #expect(token.claim("code") != nil && token.claim("code") != "code-0123456789")
    }
}
