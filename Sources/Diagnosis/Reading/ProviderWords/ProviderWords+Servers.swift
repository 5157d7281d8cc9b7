extension ProviderWords {
    /// Those of servers that one runs oneself: ForgeRock AM, WSO2 Identity Server, Curity, Keycloak, Dex, ZITADEL, those made with Authlib, SATOSA,
    /// Ory Hydra, Ory Kratos, OpenIddict.
    static let servers: [Known] = ofForgeRock + ofWSO2 + ofCurity + ofOthers

    private static let ofOthers: [Known] = [
        Known(
            "https required",
            "only accepts https requests",
            explanation: """
                The provider refused the request for nothing else than that it came over plain http, as far as it knows: Keycloak takes such from its own machine or network alone, OpenIddict takes none. Where the \
                address that was asked begins with https, something in front of the provider ends TLS and passes requests on without it, and the provider was not told, or does not believe it.
                """,
            fix: """
                Where the address is http, give clients the provider's https address, and a certificate that the device trusts; for development alone Keycloak's realm may take http from everywhere (Require SSL: None). \
                Where it is https, have the proxy send X-Forwarded-Proto: https, and the provider trust it: Keycloak by proxy-headers, ASP.NET (OpenIddict) by UseForwardedHeaders ahead of all else, with the proxy among \
                KnownProxies or KnownNetworks.
                """
        ),
        Known(
            "unexpected error when authenticating with identity provider",
            explanation:
                "The user came back to Keycloak from an identity provider behind it, and Keycloak could not finish with that one: the exchange of its code, its token or its user failed.",
            fix: """
                Keycloak's log has the reason at this time. Mostly it is the secret that Keycloak has for that provider, a token or userinfo URL that Keycloak itself cannot reach or whose certificate it \
                does not trust, or an issuer that is another one than configured.
                """
        ),
        Known(
            "unexpected error when handling authentication request to identity provider",
            explanation:
                "Keycloak could not begin the login at an identity provider behind it: its settings of that one are not complete, or a key that it has to sign with is missing.",
            fix:
                "See the identity provider's settings in the realm (authorization URL, client id, signature), and Keycloak's log at this time."
        ),
        Known(
            "you are already authenticated as different user",
            explanation: """
                The browser, or the tab of an app, still has a session of another user at Keycloak, and that user is not the one who signed in on the page. An app that only forgets its tokens leaves that session \
                where it is.
                """,
            fix: """
                End the session when the user signs out: open end_session_endpoint with id_token_hint in the same browser (revoking the tokens does not). Who is to sign in as somebody else signs out there first; a \
                private session of the browser (prefersEphemeralWebBrowserSession on iOS) begins without one.
                """
        ),
        Known(
            "client not allowed for direct access grants",
            explanation:
                "The app sends name and password to Keycloak itself (password grant), and the client may not.",
            fix:
                "Use the code flow. Where it has to be the password grant, switch Direct access grants on in the client's settings."
        ),
        Known(
            "client not enabled to retrieve service account",
            explanation:
                "The client asks for a token of its own (client_credentials), and has no service account at Keycloak.",
            fix:
                "Switch Client authentication and Service accounts roles on in the client's settings, and give the service account the roles that it needs."
        ),
        Known(
            "invalid token issuer. expected",
            explanation: """
                Keycloak was shown a token that it had issued under another address than the one it is asked at: each address by which it is reached makes an issuer of its own, unless its host name is set.
                """,
            fix: """
                Set Keycloak's host name (KC_HOSTNAME with the public https address), so that tokens have one issuer whoever asks, from inside as from outside. For calls inside of a network \
                KC_HOSTNAME_BACKCHANNEL_DYNAMIC leaves the issuer as it is.
                """
        ),
        Known(
            "no csrf value available in the session cookie",
            "the csrf value from the token does not match the csrf value from the data store",
            explanation: """
                Ory Hydra came back from the login or consent app without the cookie that it had set when the login began, or with that of another login.
                """,
            fix: """
                Use one host name throughout: localhost and 127.0.0.1 are two, and what Hydra sends its browser to goes by URLS_SELF_ISSUER. Over plain http have its cookies not SameSite=None \
                (SERVE_COOKIES_SAME_SITE_MODE), for browsers keep that with Secure alone. The browser itself has to follow redirect_to, not the app's server; and logins that are begun at once in several \
                tabs or by a page's script replace each other's cookie.
                """
        ),
        Known(
            "security_csrf_violation",
            explanation:
                "Ory Kratos compares the csrf_token of the form with a cookie of its own, and the two are not of one flow, or the cookie did not come.",
            fix: """
                See that the browser sends its cookie csrf_token_…: pages and Kratos have to be of one site, by one host name (localhost is not 127.0.0.1), with serve.public.base_url and cookies.domain as the \
                browser has them; a script has to send its requests with credentials, and the csrf_token of the very flow. Apps that are no browsers begin at /self-service/…/api and send no cookies.
                """
        ),
        Known(
            "login verifier has already been used",
            "consent verifier has already been used",
            explanation: """
                Ory Hydra was sent a second time the answer of its login or consent app, which is good once: by the back button, a reload, or a page that sends its form twice.
                """,
            fix: """
                Begin the login anew at the app. Where it comes at once, look for what loads redirect_to twice: an app's server that follows it before the browser does, a form that is posted twice, a prefetch.
                """
        ),
        Known(
            "bad request user session error",
            explanation:
                "Dex was called back without the state (or RelayState) that it had sent: whoever signs the user in behind it did not bring it back, or the login did not begin at Dex.",
            fix: """
                Begin the login at the app, not by a tile or bookmark at the identity provider (IdP-initiated SAML is not supported). Otherwise see that the provider behind Dex, and what stands between, \
                keeps the query.
                """
        ),
        Known(
            "bad request requested resource does not exist",
            explanation: """
                Dex does not know the login that its page or callback speaks of: it took longer than its lifetime, was finished before, or another instance of Dex has it, as with storage in memory.
                """,
            fix: """
                Begin the login anew. Where it comes at once, give Dex a storage that all its replicas share and that outlives a restart (kubernetes, a database; not memory), and see that the connector's \
                id in the address is configured.
                """
        ),
        Known(
            "instance not found. make sure",
            #""message":"instance not found""#,
            "errors.instance.notfound",
            "instance not found (query-",
            "unable to set instance using origin",
            messages: ["instance not found"],
            explanation:
                "ZITADEL was asked under a host name that none of its instances has: it goes by the name that the client asked for, as what stands in front of it hands it on.",
            fix: """
                Set ExternalDomain, ExternalPort and ExternalSecure to what users see in the address, or add the name to the instance's domains; have the proxy keep the Host header (over HTTP/2 :authority), \
                or send it in x-forwarded-host or x-zitadel-instance-host.
                """
        ),
        Known(
            "the client cannot authenticate with methods: [",
            explanation: """
                The provider is made with Authlib, which says this of a wrong secret as of a method that the client is not registered for. The list has the methods that it tried for anybody, not those that \
                this client may use.
                """,
            fix: """
                Compare the secret with the one that the provider has for this client_id, to the letter, and the client's token_endpoint_auth_method there with how the secret was sent: in the \
                Authorization header (client_secret_basic), in the form (client_secret_post), or none at all.
                """
        ),
        Known(
            "invalid_request: replay attack",
            explanation: """
                The provider is made with Authlib, which says this of a nonce that it has seen before. Where the app sends a new one each time, the provider kept it too early: it is checked for the page \
                that asks for consent and once more when that is answered.
                """,
            fix: """
                See that the app makes a nonce for each login. Where it does, have the provider's exists_nonce look among the codes that were issued, with the nonces that they were issued for, and \
                not remember a nonce when it is asked for.
                """
        ),
        Known(
            "access_denied: authentication failed. error id [",
            explanation: """
                The provider is SATOSA, which signs users in at a provider behind it. That login failed, or the user gave it up there; the request of this app was in order.
                """,
            fix: """
                Look up the id that the text names in SATOSA's log: it stands beside the reason. Mostly it is the client id, secret or redirect URI that SATOSA has for the provider behind it, or its \
                cookie that was lost on the way.
                """
        ),
    ]
}
