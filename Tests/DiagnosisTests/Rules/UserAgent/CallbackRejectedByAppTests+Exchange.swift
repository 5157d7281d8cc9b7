import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

/// What the app says of its own request for the tokens, and what it answers once it has them.
extension CallbackRejectedByAppTests {
    /// The app answers its callback as it was recorded to, with an error in these words.
    private func refused(saying words: String) throws -> Recording {
        try Recording(broken).editingLast("/callback") {
            $0.response?.body = .html("<title>Error</title><p>\(words)</p>")
        }
    }

    private static let settings = String(repeating: "TIME_ZONE UTC ", count: 20)

    /// Grafana, Argo CD, Spring Security, OAuth2 Proxy, Passport and Mojolicious; what libraries look for before that is not meant.
    @Test(arguments: [
        ("Failed to get token from provider", true),
        ("failed to get token: oauth2: server response missing it", true),
        ("An error occurred while attempting to retrieve the OAuth 2.0 Access Token Response", true),
        ("Error redeeming code during the callback", true),
        ("InternalOAuthError: Failed to obtain access token", true),
        ("Could not exchange the code", true),
        ("Sorry https://id.harbour.example/token == Unauthorized", true),
        ("login.OAuthLogin(NewTransportWithCode)", true),
        ("Sorry https://id.harbour.example/users == Unauthorized", false),
        ("Unable to obtain CSRF token", false), ("Failed to get session", false),
        ("Failed to get token: the state does not match", false),
        ("Unable to exchange the code: no code verifier found in storage", false),
        ("The token could not be verified", false), ("Invalid request token", false),
        ("Exchange rates. An error occurred", false),
        ("An error occurred during code exchange. Error: Could not get a refresh token", false),
    ])
    func appThatSaysThatItGotNoTokensIsBelieved(words: String, isTold: Bool) throws {
        let recording = try refused(saying: words)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && recording.outcomes == [.failure])
        #expect(finding.explanation.contains("did not get its tokens") == isTold)
        #expect(finding.fix.contains("client secret") == isTold)
    }

    /// OmniAuth, Python Social Auth and Spring Security; only the browser was recorded.
    @Test(arguments: [
        ("Invalid ID Token: Nonce does not match", true), ("JSON::JWK::Set::KidNotFound", true),
        ("Token error: Signature has expired", true), ("Token error: Incorrect id_token: iat", true),
        ("[invalid_id_token] An error occurred", true), ("nonce did not match", true),
        ("The ID-Token's nonce does not match its expected value", true),
        ("ID-Token was issued from unexpected issuer", true),
        ("ID-Token's audience does not contain own client_id", true),
        ("nonce not found", false),
        ("Invalid id_token_hint", false), ("The session expired before the ID token came", false),
        ("Invalid token", false), ("invalid_token: it has expired", false),
        ("Invalid token, as is the ID token", true),
        ("KeyError: invalid groups \(Self.settings) OIDC_STORE_ID_TOKEN True", false),
    ])
    func appThatSaysThatTheIDTokenDidNotPassIsBelieved(words: String, isTold: Bool) throws {
        let recording = try refused(saying: words)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && recording.outcomes == [.failure])
        #expect(finding.explanation.contains("did not take the ID token") == isTold)
        #expect(finding.fix.contains("clocks") == isTold)
    }

    /// mod_auth_openidc, go-oidc's examples and OmniAuth, of which only the browser was recorded.
    @Test(arguments: [
        ("OpenID Connect Provider error: Error in handling response type.", true, "Apache's error log"),
        ("No id_token field in oauth2 token.", true, "the scope openid"),
        ("Login failed: Unknown Token Type", true, "no token_type"),
        ("Login failed: Unexpected Token Type: mac", true, "another token_type"),
        ("An error occurred while attempting to login via your third-party account.", false, "allauth"),
        ("Unknown type of response", false, nil), ("An unexpected token in the page", false, nil),
    ])
    func wordsForWhatComesBehindTheStateClearIt(words: String, isTold: Bool, meaning: String?) throws {
        let recording = try Recording(broken).editingLast("/callback") {
            $0.response?.body = .html("<title>Error</title><p>\(words)</p>")
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && recording.outcomes == [.failure])
        #expect(finding.explanation.contains("it knew the login again") == isTold)
        #expect(finding.fix.contains("Usual reasons are a wrong or expired client secret") == isTold)
        #expect(finding.notes.contains { $0.contains(meaning ?? "go-oidc") } == (meaning != nil))
    }

    /// mod_auth_openidc, set to know its users by a claim that nobody sends.
    @Test func claimThatTheUserIsKnownByIsNamed() throws {
        let words = "Remote user could not be set: contact the website administrator"
        let recording = try Recording("healthy/web-code-flow").editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.response = RecordedResponse(status: 500, body: .html("<p>\(words)</p>"))
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && finding.fix.contains("the claim by which the app knows its users"))
        #expect(finding.notes.contains { $0.contains("OIDCRemoteUserClaim") })
        #expect(finding.notes.contains("all that the ID token tells"))
    }

    /// An app that has its tokens and answers 403 knows who came.
    @Test(arguments: [(403, true), (500, false)])
    func appThatLetsItsUserNotInIsTold(status: Int, isTold: Bool) throws {
        let recording = try Recording("healthy/web-code-flow").answeringCallback(status)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && finding.explanation.contains("do not let them in") == isTold)
        #expect(finding.fix.contains("groups") == isTold)
    }

    /// Flask-AppBuilder looks at its own state after it has exchanged the code; a second tab has written another one.
    @Test(arguments: [("Invalid state signature", true), ("Invalid user", false)])
    func stateThatIsAnotherAfterTheExchangeIsNamed(words: String, isState: Bool) throws {
        let recording = try Recording("healthy/web-code-flow")
            .editingLast("/callback") { $0.response?.redirect(to: "/login/") }
            .editingLast("/") {
                $0.request.url = RecordedURL("https://www.shop.example/login/")
                $0.response?.body = .html("<div class=\"alert alert-warning\">\(words)</div>")
            }
        #expect(recording.outcomes == [.failure])
        let finding = try #require(recording.finding(rule))
        #expect(finding.explanation.contains("the state of another login") == isState)
        #expect(finding.explanation.contains("Cookies and state are not the reason") != isState)
    }

    /// authentik's issuers end in a slash; what the app says it expects is enough to see that, also without the metadata.
    @Test(arguments: [
        ("Issuer mismatch: expected=https://id.harbour.example/", true),
        ("Issuer mismatch: expected=https://id.harbour.example/realms", false),
        ("Issuer mismatch: expected=https://id.harbour.example", false),
    ])
    func slashThatTheAppsIssuerHasTooManyIsTold(words: String, isTold: Bool) throws {
        let recording = try Recording("healthy/web-code-flow").answeringCallback(
            500,
            .html("<title>Error</title><p>\(words)</p>")
        ).without { $0.request.url.path.hasPrefix("/.well-known/") }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && finding.explanation.contains("but for a slash") == isTold)
        #expect(finding.fix.contains("to the last slash") == isTold)
    }

    /// Another host or port is no slash.
    @Test(arguments: [
        ("Issuer mismatch: expected https://id.harbour.example, got another", true),
        ("Issuer mismatch: expected https://id.harbour.example:8443/", false),
        ("Issuer mismatch: expected https://id.harbour.example.org/", false),
    ])
    func issuerOfAnotherServerIsNotOneButForItsSlash(words: String, isTold: Bool) throws {
        let recording = try Recording("healthy/web-code-flow").answeringCallback(
            500,
            .html("<p>\(words)</p>")
        ).without { $0.request.url.path.hasPrefix("/.well-known/") }.editingIDToken(claims: {
            $0["iss"] = "https://id.harbour.example/"
        })
        let finding = try #require(recording.finding(rule))
        #expect(finding.explanation.contains("but for a slash") == isTold)
    }

    /// RomM and others miss a claim that the ID token does not have.
    @Test func claimsOfATokenThatLacksOneAreShown() throws {
        let recording = try Recording("healthy/web-code-flow").answeringCallback(
            400,
            .json(#"{"detail":"Email is missing from token."}"#)
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.explanation.contains("asked the provider about the user"))
        #expect(finding.notes.last == "all that the ID token tells")
        #expect(finding.evidence.last?.value.contains("sub") == true)
    }

    /// Authlib and others compare the ID token's issuer with a setting of their own; metadata and token are at one.
    @Test(arguments: [
        ("invalid_claim: Invalid claim: &#39;iss&#39;", true),
        ("Invalid ID token: Issuer does not match", true),
        ("unexpected iss value, expected https://id.example", true),
        ("Invalid claim: &#39;aud&#39;", false),
        ("unable to get local issuer certificate, unexpected", false),
        ("tls: unexpected issuer of the chain", false), ("SSL: issuer mismatch with peer", false),
        ("Issuer https://id.harbour.example", false), ("Dismiss claim: unexpected", false),
        // A debugger's page has the app's settings behind what went wrong.
        ("KeyError: unexpected groups \(Self.settings) OIDC_OP_ISSUER https://id.harbour.example", false),
        ("KeyError: groups \(Self.settings) unexpected iss value", true),
    ])
    func issuerThatTheAppDoesNotExpectIsShown(words: String, isTold: Bool) throws {
        let recording = try Recording("healthy/web-code-flow").answeringCallback(
            500,
            .html("<title>Error</title><p>\(words)</p>")
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && finding.explanation.contains("expects") == isTold)
        #expect(
            finding.places.suffix(2).elementsEqual(["5 jwt.claims iss", "0 response.body issuer"]) == isTold
        )
        #expect(finding.fix.contains("to the last slash") == isTold)
        // Without the metadata nobody knows which of the two is another.
        let alone = recording.without { $0.request.url.path.hasPrefix("/.well-known/") }
        #expect(alone.finding(rule)?.explanation.contains("expects") != true)
    }

    /// What the app says of other servers, and of its user, is not laid to its cookies, which came back as they were; what it says of its
    /// database is none of that.
    @Test(
        arguments: [
            (
                "tls: failed to verify certificate: x509: certificate signed by unknown authority",
                "did not trust"
            ),
            (
                "cURL error 60: SSL certificate problem: unable to get local issuer certificate",
                "did not trust"
            ),
            ("PKIX path building failed: unable to find valid certification path", "did not trust"),
            ("The self-signed cookie did not come", nil),
            ("IDX20803: Unable to obtain configuration from: 'System.String'.", "did not get through"),
            ("Could not reach the OpenID Connect provider.", "did not get through"),
            (
                "dial tcp: lookup id.shop.svc on the OIDC provider's address: no such host",
                "did not get through"
            ),
            ("connect ECONNREFUSED 127.0.0.1:6379 redis", nil), ("SQLSTATE: Connection refused", nil),
            ("InternalOAuthError: Failed to fetch user profile", "asked the provider about the user"),
            ("[invalid_user_info_response] 401 Unauthorized", "asked the provider about the user"),
            ("Attribute value for 'sub' cannot be null", "asked the provider about the user"),
            ("Your user profile is not complete. An error occurred", nil),
            ("That account does not have access.", "did not sign in who came"),
            ("Sign up is disabled", "did not sign in who came"),
            ("Invalid session: unauthorized", "did not sign in who came"),
            ("error validating claims: claim groups not found in token", "asked the provider about the user"),
            (
                "Signing in using your account without a pre-existing one is not allowed.",
                "did not sign in who came"
            ),
            (
                #"{"error_code":"bad_oauth_state","msg":"OAuth callback with invalid state"}"#,
                "sets no cookie"
            ),
            ("Database error saving new user", "its own record of them"),
            ("User sync failed", "its own record of them"), ("Failed to serialize user into session", nil),
            ("Failed to exchange the state", nil), ("Access Denied", nil),
        ] as [(String, String?)]
    )
    func reasonThatTheAppNamesIsTakenFromIt(words: String, told: String?) throws {
        let recording = try refused(saying: words)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && recording.outcomes == [.failure])
        let reasons = [
            "did not trust", "did not get through", "asked the provider about the user",
            "did not sign in who came", "sets no cookie", "its own record of them",
        ]
        #expect(reasons.filter(finding.explanation.contains) == [told].compactMap(\.self))
        #expect(!finding.fix.contains("Data Protection") || told == nil)
    }

    /// AWS's load balancer has an address that Cognito's own pages have too; Azure's is nobody else's.
    @Test(
        arguments: [
            ("/oauth2/idpresponse", "awselb/2.0", 500, "AWSALBAuthNonce"),
            ("/oauth2/idpresponse", nil, 561, "AWSALBAuthNonce"), ("/oauth2/idpresponse", nil, 500, nil),
            ("/.auth/login/aad/callback", nil, 401, "v2.0"), ("/login/callback", "awselb/2.0", 500, nil),
        ] as [(String, String?, Int, String?)]
    )
    func platformThatSignsInForTheAppIsTold(path: String, server: String?, status: Int, told: String?) throws
    {
        let recording = try Recording(broken).asking("redirect_uri", "https://www.shop.example" + path)
            .editing {
                exchange in
                if let location = exchange.response?.location, RecordedURL(location).path == "/callback" {
                    exchange.response?.redirect(to: location.replacing("/callback", with: path))
                }
                guard exchange.request.url.path == "/callback" else { return }
                exchange.request.url = RecordedURL(
                    exchange.request.url.text.replacing("/callback", with: path)
                )
                exchange.response = RecordedResponse(status: status)
                if let server { exchange.response?.headers.append("Server", server) }
            }
        let finding = try #require(recording.finding(rule))
        #expect(finding.explanation.contains("signs users in in front of the app") == (told != nil))
        #expect(told.map { finding.fix.contains($0) } ?? true)
    }

    /// A bookmark of the sign-in page; who was sent there by a page, and whose app set a cookie, began at the app.
    @Test(arguments: [
        ("none", "document", false, true), ("cross-site", "document", false, false),
        ("none", "empty", false, false), ("none", "document", true, false),
    ])
    func loginThatBeganAtTheProviderIsToldOf(site: String, kind: String, isAppSeen: Bool, isTold: Bool) throws
    {
        let recording = try withoutLoginCookie().without {
            !isAppSeen && $0.request.url.path == "/login"
        }.editing { exchange in
            guard exchange.request.url.path == "/authorize" else { return }
            exchange.request.headers.append("Sec-Fetch-Site", site)
            exchange.request.headers.append("Sec-Fetch-Dest", kind)
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && finding.explanation.contains("did not come from the app") == isTold)
        #expect((finding.places.last == "0 request.url ") == isTold)
    }

    /// Auth.js says in the address alone that the app's own rule let nobody in.
    @Test(arguments: [("AccessDenied", true), ("Configuration", false)])
    func userWhomTheAppDoesNotLetInIsToldOfByTheAddress(error: String, isTold: Bool) throws {
        let recording = try answered { $0.redirect(to: "/api/auth/error?error=\(error)") }
        let finding = try #require(recording.finding(rule))
        #expect(finding.explanation.contains("did not sign in who came") == isTold)
        #expect(finding.evidence[0].note?.hasPrefix("Auth.js") == true)
    }

    /// ASP.NET, go-oidc, OAuth2 Proxy and pyoidc name the check that the token did not pass.
    @Test(arguments: [
        "IDX10205: Issuer validation failed. Issuer: 'x'.", "IDX10501: Signature validation failed.",
        "oidc: id token signed with unsupported algorithm, expected [RS256] got RS512",
        "audience from claim aud with value [account] does not match with any of allowed audiences map[a:{}]",
        #"oidc: id token issued by a different provider, expected "https://a.example/" got "https://a.example""#,
        "oidc: token is expired (Token Expiry: 2026-11-30 23:58:31 +0000 UTC)",
        "NotForMe: web not in aud:['shop']",
        "EXPError: Invalid expiration time",
    ])
    func checkOfTheTokenIsNamedByItsLibrary(words: String) throws {
        let recording = try refused(saying: words)
        let finding = try #require(recording.finding(rule))
        #expect(finding.explanation.contains("did not take the ID token"))
    }

    /// OmniAuth sends the browser to a page of its own with the words of openid_connect.
    @Test(arguments: [("Issuer mismatch", true), ("Issuer", false)])
    func issuerThatDoesNotMatchIsNotLaidToCookies(words: String, isTold: Bool) throws {
        let query = FormBody.encode([("message", words), ("strategy", "openid_connect")])
        let recording = try answered { $0.redirect(to: "/auth/failure?" + query) }
        let finding = recording.finding(rule)
        #expect((finding?.explanation.contains("not the one that it expects") ?? false) == isTold)
        #expect((finding?.fix.contains("to the last slash") ?? false) == isTold)
    }
}
