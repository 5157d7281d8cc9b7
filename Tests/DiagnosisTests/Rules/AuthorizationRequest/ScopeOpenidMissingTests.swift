import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct ScopeOpenidMissingTests {
    private let rule = "scope-openid-missing"
    private let broken = "authorization-request/scope-openid-missing"

    @Test func namesTheScopeAndTheSign() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(finding.places == ["1 request.query scope", "1 request.query nonce"])
        #expect(finding.evidence[0].value == "profile")
    }

    @Test func leavesPureOAuthAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: ["nonce", "max_age", "acr_values", "id_token_hint", "claims"])
    func knowsTheSigns(name: String) throws {
        #expect(try Recording(broken + ".near-miss").asking(name, "1").finding(rule) != nil)
    }

    @Test func takesAnIDTokenForASign() throws {
        let recording = try Recording(broken + ".near-miss").asking("response_type", "code id_token")
        #expect(recording.finding(rule)?.places.last == "1 request.query response_type")
    }

    @Test func takesUserInfoForASignWhereTheMetadataNamesIt() throws {
        let recording = try Recording("healthy/web-code-flow").asking("nonce", nil).asking("scope", "profile")
        #expect(recording.finding(rule)?.evidence.last?.place.part == .requestURL)
        let without = recording.without { $0.request.url.path.hasSuffix("openid-configuration") }
        #expect(without.finding(rule) == nil)
    }

    /// What was refused is told by the refusal itself, which names the word.
    @Test func warnsBesideTheRefusalOfUserInfo() throws {
        let recording = try Recording("healthy/web-code-flow").asking("nonce", nil).asking("scope", "profile")
            .editing { exchange in
                guard exchange.request.url.path.hasSuffix("/userinfo") else { return }
                exchange.response = RecordedResponse(
                    status: 401,
                    headers: HeaderFields([("WWW-Authenticate", "Bearer error=\"invalid_token\"")])
                )
            }
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == .warning)
        #expect(!finding.isPrimary)
        let refused = try #require(recording.finding("bearer-rejected"))
        #expect(refused.isPrimary)
        #expect(refused.title == "UserInfo refused the token of a login without openid")
        // Without metadata it is told by its name, where the token has just been issued.
        let unnamed = recording.without { $0.request.url.path.hasSuffix("openid-configuration") }
        #expect(unnamed.finding(rule)?.severity == .warning)
        let later = unnamed.editing { exchange in
            guard exchange.request.url.path.hasSuffix("/userinfo") else { return }
            exchange.startedAt = exchange.startedAt + .seconds(90)
        }
        #expect(later.finding(rule) == nil)
    }

    /// Keycloak answers so, and the rule of the missing scope is the cause (RFC 6750, section 3.1).
    @Test func leavesTheFirstPlaceToTheMissingScope() throws {
        let recording = try Recording("healthy/web-code-flow").asking("nonce", nil).asking("scope", "profile")
            .answering(
                "/userinfo",
                403,
                [
                    "error": "access_denied", "error_description": "Missing openid scope",
                ]
            )
        #expect(recording.finding("insufficient-scope")?.isPrimary == true)
        #expect(recording.finding(rule)?.severity == .warning)
    }

    /// Also a provider that lists what it knows speaks of openid.
    @Test(arguments: [
        ("openid+not+in+scope", true),
        ("Invalid+scope:+orders.read.+Required+is+one+of+openid,+profile", false),
    ])
    func believesTheProvidersWords(description: String, isLack: Bool) throws {
        let whole = try Recording(broken)
        let end = try #require(
            whole.exchanges.firstIndex { $0.response?.location?.contains("code=") ?? false }
        )
        var exchanges = Array(whole.asking("scope", "orders.read").exchanges[...end])
        let location = try #require(exchanges[end].response?.location)
        let state = try #require(RecordedURL(location).queryItems.first("state"))
        exchanges[end].response?.redirect(
            to:
                "https://www.shop.example/callback?error=invalid_request&error_description=\(description)&state=\(state)"
        )
        let recording = Recording(exchanges)
        #expect(recording.finding(rule)?.severity == .warning)
        let refused = recording.finding("authorization-error")
        #expect((refused?.title == "The provider misses openid in the scope") == isLack)
        if isLack { #expect(refused?.isPrimary == true) }
    }

    /// By the name that the error has of its own.
    @Test func refusedScopeSaysThatTheWordIsMissed() throws {
        let recording = try Recording(broken).asking("scope", "orders.read").redirecting(
            to:
                "https://www.shop.example/callback?error=invalid_scope&error_description=openid+scope+is+required"
        )
        let refused = try #require(recording.finding("scope-rejected"))
        #expect(refused.isPrimary)
        #expect(refused.title == "The provider misses openid in the scope")
    }

    @Test(arguments: ["openid", "profile openid", "openid,profile", "openid%20profile", "profile%2Copenid"])
    func findsOpenid(scope: String) throws {
        #expect(try Recording(broken).asking("scope", scope).finding(rule) == nil)
    }

    /// What was taken out may have had the word.
    @Test func abstainsWhereTheScopeWasTakenOut() throws {
        let recording = try Recording(broken).asking("scope", "[REDACTED]")
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule)?.contains("taken out") == true)
        // Where nothing shows that OpenID is meant, the word is missed by nobody.
        let plain = try Recording(broken + ".near-miss").asking("scope", "[REDACTED]")
        #expect(plain.abstention(rule) == nil)
    }

    /// AppAuth makes one for each request, whatever it asks for.
    @Test(arguments: [
        ("orders offline", "com.example.shop:/callback", false, false),
        ("orders offline", "com.example.shop:/callback", true, true),
        ("orders email", "com.example.shop:/callback", false, true),
        ("orders offline", "https://www.shop.example/callback", false, true),
    ])
    func takesANonceOfAnAppForNoSign(scope: String, uri: String, hasMetadata: Bool, isSign: Bool) throws {
        let asked = try Recording(broken).without { $0.request.url.path.contains("/.well-known/") }
            .asking("scope", scope).asking("redirect_uri", uri)
        let recording = hasMetadata ? try asked.withMetadata() : asked
        #expect((recording.finding(rule) != nil) == isSign)
    }

    @Test func namesAScopeThatIsMissing() throws {
        #expect(try Recording(broken).asking("scope", nil).finding(rule)?.evidence.first?.value == "missing")
    }

    @Test func leavesAppleAlone() throws {
        // It has no such scope, and issues an ID token all the same.
        let recording = try Recording(broken).asking("scope", "name email").editing { exchange in
            let text = { (url: String) in
                url.replacing("id.harbour.example/authorize", with: "appleid.apple.com/auth/authorize")
                    .replacing("id.harbour.example/token", with: "appleid.apple.com/auth/token")
            }
            exchange.request.url = RecordedURL(text(exchange.request.url.text))
            if let location = exchange.response?.location { exchange.response?.redirect(to: text(location)) }
        }
        #expect(recording.flows.first?.provider == .apple)
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesProvidersWithDataScopesAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            let text = { (url: String) in
                url.replacing("id.harbour.example/authorize", with: "api.myinfo.gov.sg/com/v4/authorize")
                    .replacing("id.harbour.example/token", with: "api.myinfo.gov.sg/com/v4/token")
            }
            exchange.request.url = RecordedURL(text(exchange.request.url.text))
            if let location = exchange.response?.location { exchange.response?.redirect(to: text(location)) }
        }
        #expect(recording.flows.first?.provider == .myinfo)
        #expect(recording.finding(rule) == nil)
    }
}
