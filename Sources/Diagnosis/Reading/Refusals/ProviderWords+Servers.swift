extension ProviderWords {
    /// Those of servers that one runs oneself: ForgeRock AM, WSO2 Identity Server, Curity, Keycloak, Dex, ZITADEL.
    static let servers: [Known] = ofForgeRock + ofWSO2 + ofCurity + ofOthers

    private static let ofOthers: [Known] = [
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
    ]
}
