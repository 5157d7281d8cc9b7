/// The sentences of those that have many: libraries for tokens, Curity's token handler, and frameworks.
extension LibraryErrors {
    /// Of tokens that could not be opened or verified, or are another's: what a server's page shows of its libraries.
    static let sentencesOfKeys: [(words: String, meaning: String)] = [
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
    static let sentencesOfTokenHandlers: [(words: String, meaning: String)] = [
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
    static let sentencesOfFrameworks: [(words: String, meaning: String)] = [
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
}
