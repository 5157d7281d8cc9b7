import Flows

extension ProviderWords {
    /// Those of ForgeRock AM (PingAM, Advanced Identity Cloud).
    static let ofForgeRock: [Known] = [
        Known(
            "no openid connect provider for realm",
            explanation:
                "ForgeRock AM has no OAuth 2.0 provider in the realm that the address names: the service is not configured there, or it is another realm that was meant.",
            fix: """
                Add the OAuth2 Provider service to that realm, or put the right one into the path, behind its last realms/, or into the parameter realm; a path without either is the root realm.
                """
        ),
        Known(
            "invalid realm",
            "realm not found",
            of: .forgerock,
            explanation:
                "ForgeRock AM knows no realm of the name that the address has: it is misspelled, is not active, or is one of another environment.",
            fix: """
                Compare the path behind realms/root/realms/ (or the parameter realm) with the realms in the console, letter by letter; Advanced Identity Cloud has alpha and bravo. Take the endpoints from the \
                discovery document of the realm that is meant.
                """
        ),
        Known(
            "fqdn",
            of: .forgerock,
            explanation:
                "ForgeRock AM was asked under a host name that it does not know as its own: a proxy handed on another Host header, or the name is new.",
            fix: """
                Have the proxy keep the host name that users see (Host, X-Forwarded-Host), or add the name at the realm's DNS aliases or in the FQDN mapping of the server's advanced settings \
                (com.sun.identity.server.fqdnMap).
                """
        ),
        Known(
            "no consent save attribute configured",
            "no saved consent attribute",
            of: .forgerock,
            explanation:
                "The user wanted the consent kept, and ForgeRock AM has no attribute of users to keep it in.",
            fix: """
                Name one as Saved Consent Attribute Name in the OAuth2 Provider service (consent), with multiple values in the identity store; or switch saving off, or let the client skip consent (Allow Clients \
                to Skip Consent there, Implied Consent at the client).
                """
        ),
    ]
}
