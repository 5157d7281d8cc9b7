extension ProviderWords {
    /// Those of servers that one runs oneself: ForgeRock AM, WSO2 Identity Server, Keycloak, Dex, ZITADEL.
    static let servers: [Known] = [
        Known(
            "no openid connect provider for realm",
            explanation:
                "ForgeRock AM has no OAuth 2.0 provider in the realm that the address names: the service is not configured there, or it is another realm that was meant.",
            fix: """
                Add the OAuth2 Provider service to that realm, or put the right one into the path, behind its last realms/, or into the parameter realm; a path without either is the root realm.
                """
        ),
        Known(
            "17003:",
            "17003 user account is locked",
            explanation:
                "WSO2 has locked the account of this user, after too many wrong passwords or by an administrator.",
            fix: """
                Unlock the user (the claim accountLocked), or wait for the unlock time of the Login Attempts Security settings. The number in front tells: 17003 locked, 17002 wrong password, 17001 no \
                such user.
                """
        ),
        Known(
            "17004:",
            explanation: "The account of this user is disabled in WSO2.",
            fix: "Enable it (the claim accountDisabled), or sign in as somebody else."
        ),
        Known(
            "suspicious.authentication.attempts",
            explanation: """
                WSO2 ties each step of a sign-in to the browser by a cookie that is a new one every time, and this step came without the one that it had set last: the cookie was not kept or not sent, \
                or the page was sent twice, out of the history or from another tab.
                """,
            fix: """
                Begin the login anew, in one tab. Where it comes again, look for what loses the provider's cookies: a page in a frame of another site, an address of the provider that changes on the way, \
                http instead of https behind a proxy.
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
            "message=instance not found",
            "instance not found. make sure",
            "instance not found (query-",
            "unable to set instance using origin",
            explanation:
                "ZITADEL was asked under a host name that none of its instances has: it goes by the name that the client asked for, as what stands in front of it hands it on.",
            fix: """
                Set ExternalDomain, ExternalPort and ExternalSecure to what users see in the address, or add the name to the instance's domains; have the proxy keep the Host header (over HTTP/2 :authority), \
                or send it in x-forwarded-host or x-zitadel-instance-host.
                """
        ),
    ]
}
