import Captures
import Flows
import OAuth

/// What a provider says of a name that it does not know for the service that a token is to be for: Auth0's `audience`, the `aud` of
/// SMART, the client that an app of Google's names as its server's, the one that a token exchange names at Keycloak.
///
/// There is nothing to hold it against, as there is with `resource`, so that the refusal itself tells of it.
struct UnknownTarget {
    /// What was sent.
    let sent: Evidence
    let words: Violation.Words

    /// Of a login.
    init?(of attempt: LoginAttempt, _ refusal: RequestRefusal) {
        if let audience = attempt.parameter("audience"), refusal.says(["service not found"]),
            refusal.text.containsBytes(audience.value)
        {
            self.init(sent: Evidence(audience), words: Self.audience)
            return
        }
        // That of a request object is the provider itself (RFC 9101, section 4).
        guard let server = attempt.parameter("aud"), server.place.part != .jwtClaims, refusal.isOfTheRequest,
            refusal.says(Self.audiences)
        else { return nil }
        self.init(sent: Evidence(server), words: Self.server)
    }

    /// Of a code that an app exchanges at Google for its server, and of a token exchange that is refused by another name than `invalid_target`.
    init?(of request: TokenRequest, in flow: Flow) {
        if request.isTargetRefused, !request.isRefused(with: "invalid_target"),
            let audience = request.parameters.parameter("audience")
        {
            self.init(sent: Evidence(audience), words: Self.exchange)
            return
        }
        guard flow.provider == .google, request.isCodeExchange, request.isRefused(with: "invalid_audience"),
            let audience = request.parameters.parameter("audience")
        else { return nil }
        self.init(sent: Evidence(audience), words: Self.client)
    }

    private init(sent: Evidence, words: Violation.Words) {
        self.sent = sent
        self.words = words
    }

    // MARK: - Words

    /// In lower case.
    private static let audiences = [
        "audience", "invalid aud", "aud parameter", "aud is", "'aud'", "\"aud\"", "parameter: aud",
    ]

    private static let audience = Violation.Words(
        title: "The provider knows no API of this audience",
        explanation: """
            The login asks for a token for an API, which audience names, and the provider has no API of that identifier. It compares \
            the whole string: scheme, upper and lower case, and the slash at the end.
            """,
        fix: """
            Send the identifier of the API exactly as it is registered, at the very tenant that the login goes to. Where the token is \
            for UserInfo alone, leave audience out.
            """
    )

    private static let server = Violation.Words(
        title: "The provider knows no FHIR server of this address",
        explanation: """
            The app names the FHIR server that it wants data of by aud, and the authorization server does not know one of this address. It compares \
            the whole string: scheme, host, port, path, and the slash at the end.
            """,
        fix: """
            Send as aud the base URL of the FHIR server, as the EHR gives it in iss at the launch, or as the app asks its smart-configuration below it. \
            Each tenant and each version (R4, DSTU2) has its own, and so has the sandbox.
            """
    )

    static let exchange = Violation.Words(
        title: "The provider issues no token for the target that is asked for",
        explanation: """
            A token exchange names the service that the new token is for by audience (its name at the provider) or resource (its URL). The provider \
            does not know the one it was given, or does not let this client have tokens for it (RFC 8693, section 2.2.2).
            """,
        fix: """
            Send the audience under the very name that the provider has for the service, not its URL, and allow this client to exchange tokens for \
            it at the provider.
            """
    )

    private static let client = Violation.Words(
        title: "The provider knows no server of this app by the audience",
        explanation: """
            The app exchanges its code and names a client of its server as audience, for which the ID token and a code for the server are to \
            be. Google has no such client in the project that the app's own client is of.
            """,
        fix: """
            Set the server's client id (serverClientID, or webClientId in plug-ins) to that of a client of the type web application, in the \
            same Google project as the app's own, and look whether it was deleted.
            """
    )
}
