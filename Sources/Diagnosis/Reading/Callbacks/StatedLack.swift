import Captures
import Flows
import OAuth

/// What the answer to a code lacks for an app that refused the login over it, as it says itself: the scopes that it asked for, a refresh token.
///
/// To the specification neither is a fault (RFC 6749, section 5.1): ``ScopeReduced`` and ``RefreshTokenMissing`` tell of it where the app went on, too.
struct StatedLack {
    let evidence: [Evidence]
    let words: Violation.Words

    /// Nil where the app says nothing of the kind, or the answer has what it misses.
    init?(over callback: RejectedCallback, in flow: Flow) {
        guard
            let request = flow.receivedCodes.exchanges(of: callback.response).last(where: \.answer.isSuccess),
            request.accessToken != nil
        else { return nil }
        if let scope = request.answer.parameters.parameter("scope"),
            let quote = callback.quote(from: Self.ofScopes, in: flow)
        {
            evidence = [quote, Evidence(scope, note: "granted")]
            words = Self.scopes
        } else if request.answer.isBodyWhole, (request.issuedRefreshToken ?? "").isEmpty,
            let quote = Self.ofRefresh.lazy.compactMap({ callback.quote(from: $0, in: flow) }).first
        {
            evidence = [quote, Evidence(place: request.answer.place("refresh_token"), value: "missing")]
            words = Self.refresh
        } else {
            return nil
        }
    }

    // MARK: - Words

    /// oauthlib's, which clients in Python show.
    private static let ofScopes = "Scope has changed from \""
    /// oidc-agent's first.
    private static let ofRefresh = [
        "Could not get a refresh token", "No refresh token", "no refresh token", "No refresh_token",
        "no refresh_token", "Missing refresh token", "missing refresh token",
    ]

    private static let scopes = Violation.Words(
        title: "The app refuses a login with other scopes than it asked for",
        explanation: """
            The token response names other scopes than the app asked for, and the app's library takes that for an error: it refuses the whole login \
            though the tokens are good.
            """,
        fix: """
            Ask for the scopes alone that the provider grants this client, by the names that it has for them, or have it grant them. Where fewer are fine, tell the library so: \
            oauthlib takes them with OAUTHLIB_RELAX_TOKEN_SCOPE=1.
            """
    )

    private static let refresh = Violation.Words(
        title: "The app refuses a login that brings no refresh token",
        explanation: """
            The answer to the code holds no refresh token, and the app wants one: it refuses the whole login though the other tokens are good.
            """,
        fix: refreshFix
    )

    /// Of an answer without a refresh token, whoever misses it.
    static let refreshFix = """
        Send prompt=consent together with the request for offline access, and see that the client may have refresh tokens at the provider. Google \
        gives one with the first consent alone: revoke the app's access, or send prompt=consent.
        """
}
