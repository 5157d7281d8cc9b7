import Captures

/// What the names and the sentences mean by which libraries tell a browser that they refused a login.
enum LibraryErrors {
    /// Nil where no such name stands in a text as a word of its own, nor such a sentence.
    static func meaning(in text: String) -> String? {
        meaning(in: text, of: meanings)
            ?? (sentencesOfKeys + sentencesOfTokenHandlers + sentencesOfFrameworks + sentences).first {
                text.containsBytes($0.words)
            }?.meaning
    }

    /// The same of an address that a browser is sent to, where some names are a library's that anybody's page may have.
    static func meaning(ofAddress address: String) -> String? {
        meaning(in: address) ?? meaning(in: address, of: meaningsInAddresses)
    }

    /// The same of what is said of a callback, where some sentences are a library's by the callback's path alone.
    static func meaning(in text: String, ofCallbackAt path: String) -> String? {
        meaning(in: text)
            ?? sentencesAtPaths.first { path.containsBytes($0.path) && text.containsBytes($0.words) }?.meaning
    }

    private static func meaning(in text: String, of names: [(name: String, meaning: String)]) -> String? {
        let words = Set(text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
        return names.first { words.contains($0.name) }?.meaning
    }

    private static let meaningsInAddresses: [(name: String, meaning: String)] = [
        ("AccessDenied", "Auth.js: the app's own signIn callback said no")
    ]

    private static let meanings: [(name: String, meaning: String)] = [
        (
            "OAuthAccountNotLinked",
            "Auth.js: somebody with this e-mail address has signed in by another provider before, and accounts are not linked by themselves"
        ),
        ("OAuthCallbackError", "Auth.js: the provider's answer, or the exchange of its code, was an error"),
        ("OAuthCallback", "Auth.js: the provider's answer, or the exchange of its code, was an error"),
        ("OAuthCreateAccount", "Auth.js: the user could not be written to the database"),
        ("InvalidCheck", "Auth.js: state, nonce or code verifier were not found in their cookies"),
        (
            "authorization_request_not_found",
            "Spring Security: its session holds no login for this state: the session was lost, or the answer was loaded twice"
        ), ("invalid_token_response", "Spring Security: the exchange of the code failed"),
        ("invalid_user_info_response", "Spring Security: UserInfo could not be read"),
        ("invalid_id_token", "Spring Security: the ID token did not pass its checks"),
        ("invalid_state_parameter", "Spring Security: the state is not the one that was sent"),
        (
            "csrf_detected",
            "OmniAuth: the state is not the one in the session, mostly because the session's cookie did not come"
        ),
        ("invalid_credentials", "OmniAuth: the exchange of the code, or the request for the user, failed"),
        ("MismatchingStateError", "Authlib or oauthlib: the state is not the one in the session"),
        ("mismatching_state", "Authlib or oauthlib: the state is not the one in the session"),
        ("invalid_nonce", "Spring Security: the ID token's nonce is not the one that was sent"),
        (
            "missing_signature_verifier",
            "Spring Security: the address of the provider's keys (jwk-set-uri) is not configured"
        ),
        (
            "InvalidStateException",
            "Laravel Socialite, or Symfony's OAuth2 client bundle: the state is not the one in the session"
        ),
        (
            "csrf_attack",
            "Ueberauth: its cookie with the state did not come with the callback, or the provider's strategy does not pass the state on"
        ),
        (
            "PE_OIDC_AUTH_ERROR",
            "LemonLDAP::NG: the provider's answer, the exchange of its code or the ID token did not pass; the portal's log says which. It checks with the metadata and keys in its own configuration, which it fetches anew only where it is told to"
        ),
        ("KidNotFound", "json-jwt (Ruby): the key set has no key of the token's kid"),
        (
            "JWEDecryptionFailed",
            "jose: the encrypted token does not open with the private key that the app took: it is not that of the token's kid, or the provider has another public half"
        ),
        (
            "ERR_JWE_DECRYPTION_FAILED",
            "jose: the encrypted token does not open with the private key that the app took: it is not that of the token's kid, or the provider has another public half"
        ),
        ("IDX21323", "ASP.NET: the cookie with the nonce did not come with the callback"),
        ("IDX20803", "ASP.NET: the provider's metadata could not be read"),
        ("IDX20804", "ASP.NET: the provider's metadata could not be read"),
    ]

    private static let sentences: [(words: String, meaning: String)] = [
        (
            "AccessDenied Access Denied",
            "Amazon S3: it has no file for this address, or nobody may read it; the request went to the app's files, not to its server"
        ),
        (
            "Unable to unprotect the message.State",
            "ASP.NET: the state was made with a key that this server does not have; its Data Protection keys are not shared or not kept"
        ),
        (
            "Correlation failed",
            "ASP.NET: its correlation cookie did not come with the callback, or was sealed with a key that this server does not have"
        ), ("message.State is null or empty", "ASP.NET: there was no state in the callback"),
        ("find a valid CSRF token", "OAuth2 Proxy: its CSRF cookie did not come with the callback"),
        (
            "Unable to verify authorization request state",
            "Passport: its session holds no such state; it was lost, or another login took its place"
        ),
        (
            "did not find expected authorization request details in session",
            "openid-client: its session holds nothing of this login"
        ),
        (
            "via the state parameter and corresponding state cookie",
            "mod_auth_openidc: its state cookie did not come, or had run out"
        ),
        (
            "This is due to a timeout; please restart your authentication session",
            "mod_auth_openidc: the sign-in took longer than OIDCStateTimeout, five minutes by default"
        ), ("missing saved state", "Grafana: its cookie with the state did not come with the callback"),
        ("Missing saved oauth state", "Grafana: its cookie with the state did not come with the callback"),
        (
            "Provided state does not match stored state",
            "Grafana: its cookie holds the state of another login"
        ),
        (
            "OAuth state missing from cookies",
            "JupyterHub: its cookie with the state did not come with the callback"
        ),
        (
            "OAuth state mismatch. Please restart the authentication flow.",
            "Panel: its cookie with the state (panel-oauth-state) did not come with the callback, is of another login, or the answer was loaded twice"
        ),
        (
            "OAuth token payload missing user information",
            "Panel: neither the ID token nor UserInfo has the claim that it knows users by (oauth_jwt_user, PANEL_OAUTH_JWT_USER): ask for the scope that brings it (PANEL_OAUTH_SCOPE), or name another claim"
        ),
        (
            "The received state has expired",
            "Nextcloud: its session holds no such state, or the sign-in took longer than five minutes"
        ),
        (
            "without a SATOSA session cookie",
            "SATOSA: its cookie did not come with the answer of the provider behind it, or the answer was loaded twice"
        ),
        ("no resumable session found", "Ory Kratos: its continuity cookie did not come with the callback"),
        ("State token does not match", "Nextcloud: the state is not the one in the session"),
        ("no session state found", "lua-resty-openidc: its session's cookie did not come with the callback"),
        ("missing OAuth state", "Vault: it holds no such state, or not any more"),
        (
            "could not find a matching session for this request",
            "Goth: its session's cookie did not come with the callback, or was sealed with another key"
        ),
        ("LogtoClientError: Sign-in session not found", "Logto: its cookie did not come with the callback"),
        (
            "Invalid session state: stored",
            "Vouch: its session's cookie did not come with the callback, or something between the two took it out"
        ),
        (
            "OAuth 2.0 authorization state not found",
            "caddy-security: it holds no such state, or not any more"
        ),
        ("OIDC Auth Failure: No state cookie found", "Couchbase Sync Gateway: its cookie did not come"),
        (
            "Unable to exchange external code",
            "Supabase Auth: the provider refused its exchange of the code, mostly for the client id or secret that it is set to; Apple's secret has to be made anew every six months"
        ),
        (
            "OIDC callback state not found in session",
            "mozilla-django-oidc: its session holds no such state: the session was lost, or the answer was loaded twice"
        ), ("State cookie was missing", "Auth.js: its cookie with the state did not come with the callback"),
        (
            "does not match state restored from session",
            "lua-resty-openidc: its session holds another state, or none: the session's cookie did not come, or another login took its place"
        ),
        (
            "The authentication session is unavailable. Please restart login",
            "Python Social Auth: its session holds no state: the session's cookie did not come with the callback, or the answer was loaded twice"
        ),
        (
            "The authentication response does not match the session",
            "Python Social Auth: its session holds the state of another login"
        ),
        (
            "Authentication is not allowed by the application policy",
            "Python Social Auth: the user is on neither WHITELISTED_EMAILS nor WHITELISTED_DOMAINS (SOCIAL_AUTH_…), or a step of its pipeline said no"
        ),
        (
            "error=Configuration",
            "Auth.js: its log alone says which: a cookie with state, nonce or verifier that did not come or was sealed with another AUTH_SECRET (InvalidCheck), the exchange of the code or the ID token (CallbackRouteError), or a setting that it misses (AUTH_SECRET, AUTH_TRUST_HOST)"
        ),
        (
            "OAuth flow failed.",
            "Envoy's OAuth2 filter: its cookies with nonce and verifier did not come or are another login's (one per browser: pages that load more behind the filter begin several at once), or its request for the tokens was refused; its log at level debug says which"
        ),
        (
            "The received state does not match the expected value",
            "Nextcloud: its session holds the state of another login, or none"
        ),
        (
            "Database error saving new user",
            "Supabase Auth: the database refused the new row of auth.users: mostly a trigger there fails, or what it writes to; the log of the database says which"
        ),
        (
            "Error getting user email from external provider",
            "Supabase Auth: the provider told no email: its scope is not asked for or not granted, the account has none, or the app at the provider may not have it"
        ),
        (
            "User sync failed",
            "Grafana: it found no user of its own by what the provider says, and could not make one: mostly one with this e-mail address or login exists already, signed in otherwise before"
        ),
        (
            "login.OAuthLogin(NewTransportWithCode)",
            "Grafana: it did not get its tokens for the code; its log has the token endpoint's answer"
        ),
        (
            #"{"detail":"OAUTH_INVALID_STATE"}"#,
            "FastAPI Users: its cookie fastapiusersoauthcsrf did not come with the callback, or is of another login"
        ),
        (
            #"{"detail":"OAUTH_NOT_AVAILABLE_EMAIL"}"#,
            "FastAPI Users: UserInfo has no email: its client does not ask for that scope (base_scopes), or the provider does not tell it"
        ),
        (
            #"{"detail":"OAUTH_USER_ALREADY_EXISTS"}"#,
            "FastAPI Users: somebody with this e-mail address is registered already, and associate_by_email is off"
        ),
        ("State could not be found in server-side session", "Python Social Auth: its session holds no state"),
        (
            "login-error=invalid-state",
            "OpenID Connect Generic (WordPress): it holds no such state: the link to sign in is older than some minutes, was copied, or came from a cache of pages"
        ),
        (
            "login-error=missing-state",
            "OpenID Connect Generic (WordPress): there was no state in the callback, or it is not kept: a cache of pages may be in the way"
        ), ("Session value state missing", "Python Social Auth: its session holds no state"),
        (
            "Missing state cookie from login request",
            "Auth0: its cookie with the state did not come with the callback"
        ),
        (
            "key expires_in, field",
            "google-oauth-client (Java): it reads expires_in as a number alone, and the token answer has none there"
        ),
    ]

    /// Of tokens that could not be opened or verified, or are another's: what a server's page shows of its libraries.
    private static let sentencesOfKeys: [(words: String, meaning: String)] = [
        (
            "no applicable key found in the JSON Web Key Set",
            "jose: the key set has no key of the token's kid and alg; one that was kept from before the provider changed its keys has none"
        ),
        (
            "Expected 200 OK from the JSON Web Key Set HTTP response",
            "jose: the provider's jwks_uri answered the app's server with another status: a proxy or firewall before the server, or another address"
        ),
        (
            "retrieve remote JWK set",
            "Nimbus (Spring Security): the app's server could not fetch the provider's jwks_uri: a proxy, its trust store, a time limit, or another address"
        ),
        (
            "Another algorithm expected, or no matching key(s) found",
            "Nimbus (Spring Security): the token is signed by another algorithm than the app expects (RS256 unless told otherwise), or by a key that the set does not have"
        ),
        (
            "Unable to find a signing key that matches",
            "jwks-rsa or PyJWT: the key set has no key of the token's kid"
        ),
        (
            "Fail to fetch data from the url",
            "PyJWT: the app's server could not fetch the provider's jwks_uri, some of which refuse Python's own User-Agent"
        ),
        (
            "oidc: get keys failed",
            "go-oidc: the app's server could not fetch the provider's jwks_uri"
        ),
        ("oidc: expected audience", "go-oidc: \(otherAudience)"),
        ("does not match with any of allowed audiences", "OAuth2 Proxy: \(otherAudience)"),
        ("aud mismatch, expected", "openid-client: \(otherAudience)"),
        ("Invalid claim: 'aud'", "joserfc (Authlib): \(otherAudience)"),
        (
            "Invalid claim: 'iss'",
            "joserfc (Authlib): the app is set to expect another issuer than the ID token's iss; the two have to be alike to the last slash"
        ),
        (
            "Invalid claim: 'nonce'",
            "joserfc (Authlib): the nonce that the app kept for this login is not the ID token's: its session holds that of another login, or none"
        ),
    ]

    private static let otherAudience =
        "the app is set to expect the ID token of another client (client ID, allowed audiences) than the one that came"

    /// Of the OAuth agent of Curity's token handler, which keeps a page's login in cookies.
    private static let sentencesOfTokenHandlers: [(words: String, meaning: String)] = [
        (
            "Missing code verifier when completing a login",
            "Curity's token handler: its cookie with the login's state and verifier did not come: the agent is at another site than the page, the page sends no credentials, or the answer was loaded twice"
        ),
        (
            "State parameter mismatch when completing a login",
            "Curity's token handler: its cookie is that of another login, as of one begun in a second tab meanwhile"
        ),
        (
            "A request sent to the Authorization Server was rejected",
            "Curity's token handler: the provider refused its request: the code, its client_id and secret, or its redirect URI; the agent's log has the provider's words"
        ),
        (
            "A problem occurred with a request to the Authorization Server",
            "Curity's token handler: it could not reach the provider at the addresses that it is set to, or got no answer that it reads"
        ),
        (
            "Access denied due to invalid request details",
            "Curity's token handler: a cookie is missing or was sealed with another encryption key than this instance has, or the page's origin is none of trustedWebOrigins"
        ),
    ]

    /// Of openid_connect, behind OmniAuth, of mod_auth_openidc, go-oidc and django-allauth, of Python Social Auth, which says what it was
    /// answered in words of its own, of oauthlib and of oidc-agent.
    private static let sentencesOfFrameworks: [(words: String, meaning: String)] = [
        (
            "Invalid ID token: Expired token",
            "openid_connect (Ruby): by the clock of the app's server the ID token had run out"
        ),
        (
            "Invalid ID token: Issuer does not match",
            "openid_connect (Ruby): the ID token's iss is not the issuer that the app is set to, character by character"
        ),
        (
            "Invalid ID Token: Nonce does not match",
            "openid_connect (Ruby): the ID token's nonce is not the one in the session"
        ), ("Invalid ID token: Audience does not match", "openid_connect (Ruby): \(otherAudience)"),
        ("Access Token Invalid or Expired", "openid_connect (Ruby): UserInfo refused the access token"),
        (
            "Error in handling response type.",
            "mod_auth_openidc: its state cookie came, and then the exchange of the code, or a check of the answer or of the ID token, failed; Apache's error log says which"
        ),
        (
            "Remote user could not be set: contact the website administrator",
            "mod_auth_openidc: neither the ID token nor UserInfo has the claim that it knows users by (OIDCRemoteUserClaim), or its value does not fit the expression there"
        ),
        (
            "No id_token field in oauth2 token",
            "go-oidc's examples: the answer to the code had no ID token: the scope openid is not asked for or not granted, or the token endpoint knows OAuth alone"
        ),
        (
            "An error occurred while attempting to login via your third-party account",
            "django-allauth: it says so whatever failed: a state that its session does not hold, the exchange of the code, the ID token, UserInfo. Its template socialaccount/authentication_error.html is given the reason (auth_error.exception)"
        ),
        (
            "Unknown Token Type",
            "rack-oauth2 (Ruby): what answered its request for the tokens has no token_type: mostly it is a page, from another address than the token endpoint's"
        ),
        (
            "Unexpected Token Type: ",
            "openid_connect (Ruby): the token endpoint's answer has another token_type than Bearer, or none"
        ),
        (
            "Token error: Signature has expired",
            "Python Social Auth: by the clock of the app's server the ID token had run out"
        ),
        (
            "Token error: Signature verification failed",
            "Python Social Auth: no key of the provider's set has the token's kid, or the signature is another key's"
        ),
        (
            "Token error: Incorrect id_token: nonce",
            "Python Social Auth: it holds no such nonce, or the ID token has none; one is good for one login"
        ),
        (
            "Token error: Incorrect id_token: iat",
            "Python Social Auth: by the clock of the app's server the ID token is older than ten minutes (ID_TOKEN_MAX_AGE)"
        ),
        (
            "Authentication process canceled",
            "Python Social Auth: the provider answered a request of the app's server with 400, mostly the one for the tokens (invalid_grant); so it calls the user's own no, too"
        ),
        (
            "Your credentials aren't allowed",
            "Python Social Auth: the provider answered a request of the app's server with 401, mostly the one for the tokens (client id and secret); or the user is on no whitelist of the app's"
        ),
        (
            "Could not get a refresh token",
            "oidc-agent: the answer to the code had no refresh token, and it takes no login without one: see that the client may have them, and that the scope offline_access brings one"
        ),
        (
            "Wrong state parameter given.",
            "Python Social Auth: its session holds the state of another login"
        ),
        (
            "OAuth 2 MUST utilize https",
            "oauthlib or Authlib: an address is by http, the callback's own or an endpoint's; behind a proxy that ends TLS the app has to go by X-Forwarded-Proto, and for development there is OAUTHLIB_INSECURE_TRANSPORT or AUTHLIB_INSECURE_TRANSPORT"
        ),
    ]

    /// Of libraries whose callbacks have a path of their own; elsewhere anybody may say it.
    private static let sentencesAtPaths: [(path: String, words: String, meaning: String)] = [
        (
            "/oauth-authorized/",
            "Invalid state signature",
            "Flask-AppBuilder (Airflow, Superset): its session holds the state of another login: one was begun in a second tab meanwhile"
        ),
        (
            "/oauth-authorized/",
            "The request to sign in was denied.",
            "Flask-AppBuilder (Airflow, Superset): state, the exchange of the code or the ID token failed; its log has the reason behind \"Error authorizing OAuth access token\""
        ),
        (
            "/oauth2/authorize",
            "Login session expired. Please try again.",
            "pgAdmin: its session's cookie did not come with the callback"
        ),
        (
            "/oauth2/authorize",
            "No Email/Username found. Please contact your administrator.",
            "pgAdmin: it does not know this user, and OAUTH2_AUTO_CREATE_USER is off"
        ),
    ]
}
