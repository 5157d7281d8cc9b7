import OAuth

/// What is said of each way in which a token is refused, and what is to be done about it.
enum BearerWords {
    static let revoked = """
        The client gave the refresh token of this login back, and called with an access token of the same grant afterwards, which was refused. So it \
        should be: what was issued with a refresh token ends with it (RFC 7009, section 2.1).
        """

    static let revokedFix = """
        Have the app throw the access token away, too, when it revokes the refresh token, and begin a new login before it makes another call.
        """

    static let identity = Violation.Words(
        title: "The API refused the ID token",
        explanation: """
            A call was made with the ID token of this login in place of an access token, and refused. There are APIs that take ID tokens: an app's own back end, \
            Kubernetes. This one did not.
            """,
        fix: """
            Compare what the API expects with the token's claims: its issuer to the letter, and the client_id that has to be its audience; its log says which. \
            An API that wants access tokens needs the access_token of the same answer.
            """
    )

    static let early = Violation.Words(
        title: "The API takes the token for one from the future",
        explanation: """
            The API refused the token because it does not hold yet: by the API's clock the time at which it was issued (iat), or from which it holds (nbf), is still to come. An app uses a \
            token within a second, so that a clock which is a few seconds slow is enough.
            """,
        fix: """
            Set the clock of the machine that runs the API (NTP), and have its library allow some seconds (leeway, clockTolerance, clock_skew_in_seconds).
            """
    )

    static let unnamed = """
        UserInfo was called with the access token of this login, and answered with an error that does not name the token. What it says is \
        all that the capture knows of the reason.
        """

    static let unnamedFix = """
        Go by its words and the provider's log. UserInfo takes GET or POST at the userinfo_endpoint of the metadata, with the token in the \
        Authorization header, under the token_type that came with it: DPoP wants a proof beside it.
        """

    /// Of a call of UserInfo with a value that is no token of the login's, be it a word for nothing or somebody else's token.
    static func withoutIssuedToken(_ token: Parameter) -> Violation.Words {
        MissingToken.isOne(token.value) ? absent : strange
    }

    private static let absent = Violation.Words(
        title: "UserInfo was called without the access token",
        explanation: """
            The provider gave an access token out, and the app called UserInfo with its language's word for nothing in the token's place. No provider finds a token in that, and \
            what it says of it is no word on the token that it issued.
            """,
        fix: """
            Read the token from the member access_token of the token response, once that response is there: a word like undefined or null comes of another name, or of a call that \
            did not wait.
            """
    )

    private static let strange = Violation.Words(
        title: "UserInfo refused a token that this login did not get",
        explanation: """
            UserInfo was called with a value that no answer in this capture gave out as an access token, and answered with an error. The token that the login did get was not \
            shown to it.
            """,
        fix: """
            Send the access_token of this login's token response, whole and as it came. Where the app keeps tokens between logins, see that it takes the one of this user and this \
            provider, and not one that was stored before.
            """
    )

    static let unserved = """
        The provider gave the tokens out. With them the app's server asked an API for what it signs the user in by, and the API did not give it: that \
        was its last call before it refused the login. The answer does not say that the token is wrong.
        """

    static let unservedFix = """
        Go by the API's words. 403 mostly means that the token is good and may not have this: compare the scopes that were granted with those that the \
        API's reference asks for, the permissions of the app at the provider, and whether this user may use an app that is still in development. 400 \
        is about the call itself: its parameters, or a header that the API wants beside the token.
        """

    static let kubernetes = Violation.Words(
        title: "Kubernetes refused the ID token",
        explanation: """
            kubectl showed the ID token of this login to the API server, as it should, and was refused. The server says no more than Unauthorized, whatever did not pass.
            """,
        fix: """
            Compare the API server's flags with the token: --oidc-issuer-url is iss to the last slash, --oidc-client-id is in aud, and the claim of --oidc-username-claim is there (for email with \
            email_verified true, which needs the scope). The server itself has to reach the issuer by https and to trust its certificate (--oidc-ca-file). Its log has the reason: Unable to authenticate the request. \
            With managed clusters these are settings of the cloud's.
            """
    )

    static let forAnAPI = Violation.Words(
        title: "UserInfo refused the access token for its audience",
        explanation: """
            UserInfo refused the access token for its audience: the token was made for an API (its aud), and UserInfo takes those that were \
            made for itself.
            """,
        fix: """
            Call UserInfo with the token of a login that asks for no API (no resource, no audience, no scope of an API), and get another \
            token for the API. AD FS makes the token of such a login for urn:microsoft:userinfo, and its UserInfo tells no more than sub: \
            other claims stand in the ID token. Entra's UserInfo is part of Microsoft Graph and takes tokens for that alone.
            """
    )

    static let lone = Violation.Words(
        explanation: """
            A call was refused because of its access token. The login that the token comes from is not in the capture, so all that is known of it is what the \
            API says and, where it can be read, what the token says of itself.
            """,
        fix: """
            Compare what the API expects (issuer, audience, keys, time) with the token's claims, and look into the API's log. To see where the token comes from, \
            record once more from before the sign-in.
            """
    )

    static let unverified = Violation.Words(
        title: "The API could not verify the access token's signature",
        explanation: """
            A call with an access token was refused for its signature or the key of it: what the API verifies tokens with is not what \
            this one was signed with.
            """,
        fix: """
            Have the API read the keys from the jwks_uri of the token's issuer, and read them again when a token names a kid that it does not know: \
            keys that are fetched once, or belong to another environment, fail after a rotation. Some providers sign tokens for their own APIs alone \
            with keys that nobody else is to verify.
            """
    )

    static let unfetched = Violation.Words(
        title: "The API could not get the keys to verify the access token with",
        explanation: """
            A call with an access token was refused because the API, or the gateway in front of it, did not get the provider's keys: it says \
            nothing of the token itself.
            """,
        fix: """
            From where the API runs, open the address of the keys that it is set to (jwks_uri): a name that does not resolve there, a firewall \
            or proxy on the way out, a certificate that is not trusted there, an address of another realm. In a mesh the gateway itself needs \
            the way out (Istio: a ServiceEntry, or the keys in the policy).
            """
    )

    static let closed = Violation.Words(
        title: "The mesh in front of the API lets no call with this token through",
        explanation: """
            Istio's proxy (Envoy) turned every call away by its authorization policy, before any of them reached the API. It does not say that the \
            token is bad: the policy does not let in whom it takes the caller for, or where the call comes from.
            """,
        fix: """
            Compare the AuthorizationPolicy with the token's claims: requestPrincipals is iss/sub to the letter, request.auth.claims are those of the \
            access token, not of the ID token. Both are empty unless a RequestAuthentication for the same workload names the token's issuer, since \
            the token is not read at all then. An ALLOW policy for the workload denies all that none of its rules names. Where no policy asks for \
            claims, look at the addresses that it allows (ipBlocks, clientCIDRs) and at what the proxy in front passes on as the caller's.
            """
    )

    static let nameless = Violation.Words(
        title: nil,
        explanation:
            "GitHub's API answers no request without a User-Agent header, whatever its token: the call had none, or an empty one.",
        fix:
            "Have the app's server send a User-Agent with each call of the API: its own name, or that of its owner."
    )
}
