extension ProviderWords {
    /// Those of FranceConnect and ProConnect, which have one program and its numbers.
    static let ofFranceConnect: [Known] = [
        Known(
            "acr_value is not valid, should be equal one of these values",
            explanation: """
                FranceConnect does not take the level that acr_values asks for: the error names those that it takes from this client. FranceConnect has eidas1, FranceConnect+ eidas2 and eidas3.
                """,
            fix: """
                Send in acr_values one of the levels that the error names. Where another one is needed, ask whoever runs the service for it, at FranceConnect+ where it is eidas2 or eidas3, which has an issuer of its own.
                """
        ),
        Known(
            "y000400",
            explanation: """
                FranceConnect did not take the request as it is made: a parameter is missing, empty or not of the form that it has to have. It asks for acr_values, state and nonce in every login, and for a whole redirect URI.
                """,
            fix: """
                Compare the parameters with the documentation of the endpoint: scope with openid, acr_values (eidas1, eidas2 or eidas3), a state and a nonce that are long and random, redirect_uri as it is registered.
                """
        ),
        Known(
            "y030106",
            explanation: """
                FranceConnect does not let this client log in: its client_id is another environment's or another product's, or the service was switched off.
                """,
            fix: """
                Compare client_id with the one of this environment (integration or production; FranceConnect, FranceConnect+ or ProConnect), and ask for the state of the service.
                """
        ),
        Known(
            "y030111",
            explanation:
                "FranceConnect does not take the logout request: post_logout_redirect_uri is none of those that are registered for the service, or a parameter is missing.",
            fix: """
                Send id_token_hint with the ID token of the login, state, and a post_logout_redirect_uri that is registered as it is sent, with or without the slash at its end.
                """
        ),
        Known(
            "y030110",
            "y150001",
            "y150003",
            "y150004",
            explanation:
                "FranceConnect does not find the sign-in any more that its page belongs to: its cookie did not come, or the page stood open for longer than a sign-in lives.",
            fix: """
                Begin the login at the service anew, in one tab, and not from a bookmark or the history. Where it comes at once, see what keeps the provider's cookies from it: a frame, a web view that is opened anew.
                """
        ),
    ]
}
