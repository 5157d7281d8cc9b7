import Flows

/// Where a provider has the setting that a refusal speaks of, and what it is called there.
///
/// Added to a rule's own advice, which names the specification's terms alone.
enum ProviderSettings {
    /// A sentence; nil of a rule that speaks of no setting, and of a provider whose settings are not known.
    static func sentence(for rule: String, at provider: ProviderKind) -> String? { table[rule]?[provider] }

    /// A rule's own advice, with that sentence where there is one.
    static func advice(of info: RuleInfo, at provider: ProviderKind) -> String {
        [info.fix, sentence(for: info.id, at: provider)].compactMap(\.self).joined(separator: " ")
    }

    static let table: [String: [ProviderKind: String]] = [
        "redirect-uri-not-registered": redirectURIs, "client-id-unknown": clients, "scope-rejected": scopes,
        "response-type-unsupported": grants, "unsupported-grant-type": grants,
        "token-invalid-client": credentials, "client-auth-missing": credentials, "cors-blocked": origins,
        "logout-redirect-not-registered": logoutURIs, "refresh-token-missing": refreshTokens,
        "par-required": pushedRequests, "pkce-required": challenges,
    ]

    private static let redirectURIs: [ProviderKind: String] = [
        .forgerock: """
        At ForgeRock they are the Redirection URIs of the OAuth 2.0 client (Core; Sign-in URLs of an application in Advanced Identity Cloud), in the realm of the address.
        """,
        .wso2: """
        At WSO2 they are the Authorized redirect URLs of the application (Protocol; the Callback Url in older versions, which has several as regexp=(one|other)).
        """,
        .curity: """
        At Curity they are the Redirect URIs of the client (Token Service, Clients), and count once the change is committed; a port that is chosen anew on 127.0.0.1 needs Validate Port on \
        Loopback Interfaces off.
        """,
        .google: """
        At Google a client of the type web application has Authorized redirect URIs; iOS clients have the client_id turned around as their scheme, desktop ones http://127.0.0.1 with any \
        port, without a list.
        """,
        .singpass: """
        At Singpass they are the redirect URLs of the app in the Singpass Developer Portal, staging and production apart.
        """,
        .myinfo:
            "At MyInfo it is the callback URL of the app in the developer portal, test and production apart.",
        .keycloak: "At Keycloak they are the Valid redirect URIs in the settings of the client.",
        .entra: "At Entra they are the redirect URIs of the app registration (Authentication), by platform.",
        .okta: "At Okta they are the Sign-in redirect URIs of the app integration.",
        .auth0: "At Auth0 they are the Allowed Callback URLs of the application.",
        .cognito: "At Cognito they are the Allowed callback URLs of the app client (Login pages).",
    ]

    private static let clients: [ProviderKind: String] = [
        .forgerock: """
        At ForgeRock a client is one of its realm alone (Applications, OAuth 2.0, Clients): compare the realm in the path.
        """,
        .wso2: """
        At WSO2 it is the Client ID on the application's Protocol tab (the OAuth Client Key of a service provider), in the tenant that the path names behind /t/.
        """,
        .curity: """
        At Curity a client is one of the token service whose paths are asked (Profiles, Token Service, Clients), enabled and committed.
        """,
        .google:
            "At Google it stands at Google Auth Platform, Clients, and ends in .apps.googleusercontent.com.",
        .singpass: """
        At Singpass it is the App ID in the Singpass Developer Portal: staging (stg-id.singpass.gov.sg) and production (id.singpass.gov.sg) have one each.
        """,
        .myinfo: """
        At MyInfo it is the App ID in the developer portal, once the app is live: test.api.myinfo.gov.sg and api.myinfo.gov.sg have apps of their own.
        """,
    ]

    private static let scopes: [ProviderKind: String] = [
        .forgerock: """
        At ForgeRock they are the Scope(s) of the OAuth 2.0 client (Core), one a line; its Default Scope(s) are taken where none is asked for.
        """,
        .wso2: """
        At WSO2 they are the scopes of the API resources that the application is authorized for (API Authorization), and the OIDC scopes of the server.
        """,
        .curity:
            "At Curity they are the Scopes of the client, out of those of the token service; openid is one of them.",
        .google: """
        At Google a scope is openid, email, profile or an address (https://www.googleapis.com/auth/…) as the list of its APIs has it.
        """,
        .singpass:
            "At Singpass they are the scopes that were approved for the app in the Singpass Developer Portal.",
        .myinfo:
            "At MyInfo they are the data items that were approved for the app, by their names in its specification.",
    ]

    private static let grants: [ProviderKind: String] = [
        .forgerock: """
        At ForgeRock see Response Types and Grant Types of the OAuth 2.0 client (Advanced), which are out of those of the OAuth2 Provider service.
        """,
        .wso2:
            "At WSO2 see the Allowed grant types of the application (Protocol): Code, and Refresh Token.",
        .curity:
            "At Curity see the Capabilities of the client and of the token service: Code Flow for a login.",
    ]

    private static let credentials: [ProviderKind: String] = [
        .forgerock: """
        At ForgeRock see Client Type and Client secret (Core) and Token Endpoint Authentication Method (Advanced) of the client: an app is Public, with none.
        """,
        .wso2: """
        At WSO2 see the application's Protocol tab: Public client has no secret, every other one sends it by the Client authentication method that is set there.
        """,
        .curity: """
        At Curity see the client's Client Authentication: an app on a device has no-authentication, every other one the method that is chosen there.
        """,
        .singpass: """
        At Singpass a client proves itself by a signed assertion alone (ES256 and its like): see the JWKS, or the JWKS URL, of the app in the Singpass Developer Portal.
        """,
        .myinfo:
            "At MyInfo see the JWKS URL (v4) or the certificate (v3) of the app in the developer portal.",
        .google: """
        At Google see the client's type and secrets (Google Auth Platform, Clients): iOS and Android clients have no secret, the others send theirs even with PKCE.
        """,
    ]

    private static let origins: [ProviderKind: String] = [
        .forgerock: """
        At ForgeRock they are the Accepted Origins of the CORS service (global or of the realm; CORS in the tenant settings of Advanced Identity Cloud).
        """,
        .wso2: "At WSO2 they are the Allowed origins of the application (Protocol).",
        .curity: "At Curity they are the Allowed Origins of the client (Token Service, Clients).",
        .keycloak:
            "At Keycloak they are the Web origins of the client; + stands for those of its redirect URIs.",
        .okta: "At Okta they are the Trusted Origins (Security, API), with CORS ticked.",
        .auth0: "At Auth0 they are the Allowed Origins (CORS) of the application.",
    ]

    private static let logoutURIs: [ProviderKind: String] = [
        .forgerock: """
        At ForgeRock they are the Post Logout Redirect URIs of the OAuth 2.0 client (OpenID Connect).
        """,
        .wso2: """
        At WSO2 it is the same list after all: the Authorized redirect URLs of the application (Protocol).
        """,
        .curity: "At Curity they are the Post Logout Redirect URIs of the client (Token Service, Clients).",
        .keycloak: "At Keycloak they are the Valid post logout redirect URIs of the client.",
        .okta: "At Okta they are the Sign-out redirect URIs of the app integration.",
        .auth0: "At Auth0 they are the Allowed Logout URLs of the application, or of the tenant.",
        .cognito: "At Cognito they are the Allowed sign-out URLs of the app client (Login pages).",
    ]

    private static let refreshTokens: [ProviderKind: String] = [
        .forgerock: """
        At ForgeRock it takes Issue Refresh Tokens in the OAuth2 Provider service, and Refresh Token among the Grant Types of the client (Advanced).
        """,
        .wso2: "At WSO2 it takes Refresh Token among the Allowed grant types of the application (Protocol).",
        .curity:
            "At Curity it takes a Refresh Token Time to Live, of the client or of the token service, that is not disabled.",
    ]

    private static let pushedRequests: [ProviderKind: String] = [
        .forgerock: """
        At ForgeRock that is the setting Require Pushed Authorization Requests, of the client or of the OAuth2 Provider service.
        """,
        .wso2:
            "At WSO2 that is a setting of the application's Protocol tab (Pushed Authorization Requests, Mandatory).",
    ]

    private static let challenges: [ProviderKind: String] = [
        .forgerock:
            "ForgeRock asks for it by Code Verifier Parameter Required in the OAuth2 Provider service (Advanced).",
        .wso2: "WSO2 asks for it by PKCE, Mandatory, on the application's Protocol tab.",
    ]
}

extension Violation {
    /// The same with the setting's name at the provider behind the rule's own advice, where the violation has none of its own.
    func pointing(to provider: ProviderKind, of info: RuleInfo) -> Violation {
        guard fix == nil, ProviderSettings.sentence(for: info.id, at: provider) != nil else { return self }
        var told = self
        told.fix = ProviderSettings.advice(of: info, at: provider)
        return told
    }
}
