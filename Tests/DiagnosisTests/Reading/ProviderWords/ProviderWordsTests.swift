import Captures
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

@testable import Diagnosis

struct ProviderWordsTests {
    @Test(arguments: [
        ("invalid_request: AADSTS50146: This application is required to be configured", "acceptMappedClaims"),
        (
            "AADSTS90002: Tenant 'shop' not found. Check to make sure you have the correct tenant ID",
            "tenant id"
        ),
        ("AADSTS90072: User account 'x' from identity provider 'live.com' does not exist", "guest"),
        ("AADSTS50177: User account 'x' does not exist in tenant 'y'", "guest"),
        ("AADSTS500014: The service principal for resource 'x' is disabled.", "Enterprise applications"),
        ("AADSTS1002012: The provided value for scope api://x/read is not valid.", "/.default"),
        ("AADSTS90009: Application is requesting a token for itself.", "CLIENT_ID/.default"),
        ("AADSTS650051: Using application 'x' is currently not supported", "DNS"),
        ("invalid_grant: request not supported on this domain", "my.salesforce.com"),
        ("invalid_grant: no client credentials user enabled", "Run As"),
        ("invalid_grant: user hasn't approved this consumer", "pre-authorized"),
        ("CROSS_ORG: Cross org OAuth flows are not supported for this app", "install"),
        ("invalid_grant: ip restricted", "IP Restrictions"),
        ("invalid_grant: Authorization code provided does not belong to you", "client_id (ca_"),
        ("access_denied: requested subject could not be obtained", "id_token_hint"),
        (#"{"status":400,"message":"Invalid authorization code"}"#, "runs twice"),
        ("AADB2C90273: An invalid response was received", "oauth2/authresp"),
        (
            "invalid_request: PreSignUp failed with error Email domain not allowed.", "CloudWatch"
        ),
        (
            "PreSignUp failed with error Already found an entry for username google_1", "AdminLinkProvider"
        ),
        (
            "unauthorized_scope_error: Scope \"r_liteprofile\" is not authorized for your application",
            "OpenID Connect"
        ),
        (
            "request_forbidden: The request is not allowed. No CSRF value available in the session cookie.",
            "127.0.0.1"
        ),
        (#"{"error":{"id":"security_csrf_violation","code":403}}"#, "serve.public.base_url"),
        ("access_denied: The login verifier has already been used.", "prefetch"),
        ("AADSTS7000014: The provided value for the input parameter 'device_code' is not valid", "new code"),
        ("invalid_request: service not allowed", "partner portal"),
        ("invalid_request: Invalid origin uri http://localhost:3000", "Authorized request origin URLs"),
        ("invalid_request: Invalid origin uri https://accounts.google.com", "as Referer"),
        ("AADSTS7000218: The request body must contain the following parameter", "public client flows"),
        ("AADSTS70011: The provided value for the input parameter 'scope' is not valid", "/.default"),
        ("not_found: No OpenID Connect provider for realm /alpha", "OAuth2 Provider service"),
        ("invalid_grant: 17003:MaxAttemptsExceeded", "accountLocked"),
        ("17003 User account is locked for user : admin", "accountLocked"),
        ("suspicious.authentication.attempts: suspicious.authentication.attempts.description", "cookies"),
        (#"Client "cli-1" is not authorized to access resource server "https://api.example"."#, "audience"),
        ("Error. org_internal", "External"),
        ("We are sorry... Unexpected error when authenticating with identity provider", "Keycloak's log"),
        ("dex Bad Request User session error.", "IdP-initiated"),
        ("ID=QUERY-n0wng Message=Instance not found", "ExternalDomain"),
        (#"{"code":5,"message":"Instance not found","details":[]}"#, "ExternalDomain"),
        ("Something went wrong. Error code: PX-E0013", "request_uri"),
        ("Error 400: origin_mismatch", "Authorized JavaScript origins"),
        ("access_denied: Policy evaluation failed for this request", "access policy"),
        (#"access_denied: Client is not authorized to access "https://api.example"."#, "audience"),
        ("Login pages unavailable. Please contact an administrator.", "branding"),
        ("This channel is now developing status. User need to have developer role.", "Publish the channel"),
        ("authentication.attempt.failed: post.auth.cookie.not.found", "cookies"),
        ("authentication.flow.timeout: authentication.flow.timeout.description", "lifetime of a sign-in"),
        ("authentication.attempt.failed: consent.page.error", "Resources.properties"),
        ("not_found: shp.example is an invalid tenant domain", "/t/NAME/"),
        ("ABA-60007: App native authentication is not enabled", "app-native authentication"),
        ("ABA-60008: Authentication flow time out.", "lifetime of a sign-in"),
        ("authentication.api.based.unsupported.authenticator: SAMLSSOAuthenticator", "Login Flow"),
        ("ABA-60001: invalid_callback - callback.not.match", "Authorized redirect URLs"),
        ("invalid_client: A valid OAuth client could not be found for client_id: shop-app", "carbon.super"),
        ("Invalid JWKS object. Error code: PX-E0101", "private half"),
        ("CLIENT_SIDE_ERROR: This is an invalid request.", "trace_id"),
        ("invalid_request: Parameter not allowed for this message type: nonce", "scope openid"),
        ("invalid_grant: reauth related error (invalid_rapt)", "Exempt trusted apps"),
        ("invalid_grant: reauth related error (rapt_required)", "Exempt trusted apps"),
        ("The version of the app you're using doesn't include the latest security features", "device grant"),
        ("You are already authenticated as different user 'bob' in this session.", "end_session_endpoint"),
        ("AADSTS50005: User tried to log in to a device from a platform (Unknown)", "Conditional Access"),
        (
            "invalid_request: PKCE is mandatory for this application. PKCE Challenge is not provided",
            "devices"
        ),
        ("app_attest_failed: app attestation failed", "External Client App"),
        ("invalid_grant: Malformed auth code.", "4%2F0A"),
        (
            "invalid_acr: acr_value is not valid, should be equal one of these values, expected eidas1, got eidas9",
            "eidas2 or eidas3"
        ),
        (
            "invalid_client: The client cannot authenticate with methods: ['client_secret_basic', 'none']",
            "client_secret_post"
        ),
        ("invalid_request: Replay attack", "exists_nonce"),
        (
            "access_denied: Authentication failed. Error id [urn:uuid:074a5c2e-6f0d-4c8e-9d7e-3b0c3f6d1a11]",
            "SATOSA's log"
        ),
        ("Une erreur est survenue Code d’erreur : Y000400 Retour", "acr_values"),
        ("Code d’erreur : Y030106", "client_id"), ("Code d’erreur : Y030111", "id_token_hint"),
        ("Code d’erreur : Y150001", "anew"), ("Error MITID_NONCE_COOKIE_MISSING", "Custom Tab"),
        ("outdated_app_version: The user's app is too old", "update the app"),
        ("wrong_challenge", "begin anew"), ("invalid_request: Request vtr not valid", "Cl.Cm.P2"),
        ("invalid_request: Software Product Status is invalid", "register"),
    ])
    func saysWhatIsToBeChanged(words: String, fix: String) throws {
        #expect(try #require(ProviderWords.meaning(of: words, by: .generic)?.fix).contains(fix))
    }

    /// What another provider means by the same words nobody knows.
    @Test(arguments: [
        ("invalid_grant: The code has expired or has been revoked.", ProviderKind.apple, "new sign-in"),
        ("login_required: Authentication required", ProviderKind.wso2, "/commonauth"),
        ("Unable to issue redirect for OAuth 2.0 transaction", .auth0, "authorizationParams"),
        ("incorrect_device_code: The device_code provided is not valid.", .github, "user_code"),
        ("invalid_request: Invalid authorization request", .wso2, "session store"),
        ("User account is locked. Please retry later.", .wso2, "accountState"),
        ("Account is unverified. A link has been sent", .wso2, "WSO2's mail"),
        ("server_error: Internal Server Error", .wso2, "wso2carbon.log"),
        ("authorization.failed: authorization.failed.for.policy", .wso2, "Enable Authorization"),
        ("too-many-attempts: Too many attempts", .curity, "authorization request"),
        ("urn:se:curity:scopes:haapi", .curity, "haapi"),
        ("unauthorized_client", .curity, "Code Flow"),
        ("unauthorized_client", .cognito, "Authorization code grant"),
        ("access_denied: Authentication failed", .curity, "Curity's log"),
        ("invalid_client: Client attestation failed", .curity, "package-name"),
        ("Bad Request: Invalid realm, /alpha", .forgerock, "realms/root/realms/"),
        ("Bad Request: FQDN \"am.shop.example\" is not valid.", .forgerock, "X-Forwarded-Host"),
        ("invalid_request: authentication_context_type is invalid", .singpass, "APP_AUTHENTICATION_DEFAULT"),
        ("403: Requested attributes do not match", .myinfo, "same list of attributes"),
        ("401: Invalid timestamp", .myinfo, "NTP"),
        ("rate_limit_exceeded", .google, "token grant rate"),
        ("unauthorized_client: Unauthorized", .google, "serverClientId"),
    ])
    func saysWhatOneProviderMeans(words: String, provider: ProviderKind, fix: String) throws {
        #expect(try #require(ProviderWords.meaning(of: words, by: provider)?.fix).contains(fix))
        #expect(ProviderWords.meaning(of: words, by: .generic) == nil)
    }

    /// A longer number begins with a shorter one; what only resembles them is nobody's.
    @Test(arguments: [
        "AADSTS5014: of another kind", "AADSTS501461: of another kind", "AADSTS", "AADSTS: 50146",
        "invalid_request: The parameter is too long", "the instance was not found", "",
        "invalid_grant: Replay attack", "invalid_request: replay attacks",
        "access_denied: Authentication failed.",
        // Pieces of what others say.
        "ssl: CertificateError: hostname mismatch", "asked at 1717003: no", "org_internal_id is missing",
        "cross_origin_mismatch", "restartFailed", "The policy evaluation failed", "Sign up not completed",
        "code AY000400B", "Y0004001", "Your admin hasn't given you access to this app",
        "The user is not authorized for your application", "The code verifier has already been used",
        "Service not allowed to use CAS",
    ])
    func keepsToItselfWhatItDoesNotKnow(words: String) {
        #expect(ProviderWords.meaning(of: words, by: .generic) == nil)
    }

    /// Which parameters were sent is no answer.
    @Test func namesOfParametersAreNoWords() {
        let names = Evidence(
            place: Place(exchange: 0, part: .requestBody, name: ""),
            value: "authentication_context_type, scope"
        )
        let said = Evidence(
            place: Place(exchange: 0, part: .responseBody, name: "error"),
            value: "invalid_request: authentication_context_type is missing"
        )
        let told = [[names], [names, said]].map {
            Violation($0).explained(by: .singpass, to: "par-rejected").fix
        }
        #expect(told[0] == nil)
        #expect(told[1]?.contains("APP_AUTHENTICATION_DEFAULT") == true)
    }

    @Test func everyWordIsFoundByItself() {
        for known in ProviderWords.servers + ProviderWords.services {
            for text in known.texts {
                #expect(
                    ProviderWords.meaning(of: text.uppercased(), by: known.provider ?? .generic)?.fix
                        == known.fix,
                    "\(text)"
                )
            }
        }
        for known in ProviderWords.entra {
            for number in known.texts {
                #expect(
                    ProviderWords.meaning(of: "AADSTS\(number): told", by: .entra)?.fix == known.fix,
                    "\(number)"
                )
            }
        }
    }

    /// Rules that quote the provider, in whichever way they were told.
    @Test func rulesThatQuoteSayWhatItMeans() throws {
        let refused = try Recording("authorization-response/authorization-error").redirecting(with: [
            ("error", "invalid_request"), ("error_description", "AADSTS90002: Tenant 'shop' not found."),
        ])
        #expect(refused.finding("authorization-error")?.explanation.contains("no tenant of the name") == true)
        let denied = try Recording("authorization-response/access-denied-by-policy").redirecting(with: [
            ("error", "access_denied"), ("error_description", "AADSTS50105: not assigned to a role"),
        ])
        #expect(denied.finding("access-denied-by-policy")?.fix.contains("groups in groups") == true)
        let grant = try Recording("token-request/token-invalid-grant").answering(
            "/token",
            400,
            ["error": "invalid_grant", "error_description": "AADSTS500133: Assertion is not within its time"]
        )
        #expect(grant.finding("token-invalid-grant")?.fix.contains("the API's clock") == true)
    }
}
