/// The sentences of apps, frameworks and servers, wherever they stand or at the paths of their callbacks.
extension LibraryErrors {
    static let sentences: [(words: String, meaning: String)] = [
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

    /// Of libraries whose callbacks have a path of their own; elsewhere anybody may say it.
    static let sentencesAtPaths: [(path: String, words: String, meaning: String)] = [
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
