import Flows

extension ProviderWords {
    /// Those of Curity, by the names that its problems have at the Hypermedia Authentication API, and by its errors.
    static let ofCurity: [Known] = [
        Known(
            "too-many-attempts",
            of: .curity,
            explanation:
                "The user tried too often, and Curity ends the sign-in: the API takes nothing more in this one.",
            fix:
                "Begin a new sign-in with a new authorization request, after a while; how many tries there are, and for how long it is shut, is set at the authenticator and its account manager."
        ),
        Known(
            "mismatch-between-session-and-access-token",
            explanation: """
                The session cookie and the access token that this step brought are of two sign-ins: the app got a new token of the API in between, or its cookies were lost or are those of another sign-in.
                """,
            fix: """
                Keep one cookie store and one access token (scope urn:se:curity:scopes:haapi, with its DPoP key) from the first request of a sign-in to its last, and begin anew when the token is renewed.
                """
        ),
        Known(
            "access-denied",
            of: .curity,
            explanation:
                "Curity does not let this client or user go on: an action behind the authenticator said no, or the client may not use the API.",
            fix: """
                See the actions of the authenticator (Authentication Actions, such as a deny or a condition), the client's allowed authenticators, and that its capabilities have the code flow and haapi.
                """
        ),
        Known(
            "authentication-failed",
            "access_denied: authentication failed",
            of: .curity,
            explanation: "The authenticator came to its end without a user, so no code was given out.",
            fix: """
                Curity's log has the reason at this time, by the session id. Look at the authenticator: its account or credential manager, the provider behind it, and its actions (a condition that fails ends so, too).
                """
        ),
        Known(
            "unauthorized_client",
            "not allowed to use the code flow",
            "does not have the code capability",
            of: .curity,
            explanation: "Curity knows the client, and what it asks for is not among its capabilities.",
            fix: """
                Switch on at the client (Profiles, Token Service, Clients, Capabilities) what it uses: Code Flow for a login, Token Exchange, Client Credentials, Assertion; haapi for the Hypermedia API. The same has to be on at \
                the profile. Commit the change.
                """
        ),
        Known(
            "requested acr",
            "unmet_authentication_requirements",
            of: .curity,
            explanation: "No authenticator that this client may use has the acr that the login asks for.",
            fix: """
                Compare acr_values with the ACRs of the authenticators, letter by letter (urn:se:curity:authentication:…, or what an authenticator has as its ACR); see Allowed Authenticators at the client.
                """
        ),
        Known(
            "urn:se:curity:scopes:haapi",
            of: .curity,
            explanation:
                "The app asks for the token by which it may use the Hypermedia Authentication API, and the client does not have that API among its capabilities.",
            fix:
                "Switch Hypermedia API (haapi) on among the capabilities of the client and of the token service, with the attestation settings of its platforms, and commit the change."
        ),
        Known(
            "attestation",
            of: .curity,
            explanation: "Curity does not take the proof that this is the app itself, on a real device.",
            fix: """
                Compare with the client's attestation settings: for iOS the app-id (team id, dot, bundle id), for Android package-name and signature-digest (the base64 of the SHA-256 of the certificate that signs this very build). \
                Emulators and debug builds need a policy of their own (Facilities, Client Attestation); old devices the fallback by dynamic registration.
                """
        ),
        Known(
            "generic-user-error",
            of: .curity,
            explanation:
                "An authenticator or action of Curity's ended the sign-in with a message that is for the user.",
            fix:
                "Show the user the messages of the problem. What decides it is in the settings of that authenticator or action, and its log has the rest at this time."
        ),
        Known(
            "unexpected: general error",
            "unexpected: unexpected error",
            of: .curity,
            explanation: "Curity failed inside, and its API says so with a problem of the type unexpected.",
            fix:
                "Look in Curity's log at this time: mostly it is a data source, a script (procedure) or a provider behind the authenticator that failed. The link restart begins the sign-in anew."
        ),
    ]
}
