import Captures
import Flows
import OAuth

/// The refresh token has run out, or the session behind it has ended.
///
/// Known from the lifetime that the provider stated when it issued the token, or from the words of its
/// refusal. This is how a session ends; a new login is what comes next (RFC 6749, section 5.2).
struct RefreshTokenExpired: Rule {
    static let info = RuleInfo(
        id: "refresh-token-expired",
        title: "The refresh token has run out: the user must sign in again",
        severity: .error,
        explanation: """
            The provider refused the refresh because the refresh token is no longer good: its time is over, or the session it belongs to was \
            ended or revoked.
            """,
        fix: """
            Take invalid_grant at a refresh as the end of the session: drop the tokens and start a new login, silently first where the provider \
            may still know the user. If it comes too early, raise the lifetime of refresh tokens or sessions at the provider.
            """,
        badExample: """
            POST /token → {"refresh_token":"8xLOxBtZp8…","refresh_expires_in":1800}
            31 minutes later: POST /token  grant_type=refresh_token&refresh_token=8xLOxBtZp8…  → 400 invalid_grant
            """,
        goodExample: """
            POST /token → {"refresh_token":"8xLOxBtZp8…","refresh_expires_in":1800}
            10 minutes later: POST /token  grant_type=refresh_token&refresh_token=8xLOxBtZp8…  → 200
            """,
        specifications: [.rfc(6749, "5.2"), .rfc(6749, "1.5")]
    )

    private static let unknown =
        "neither the lifetime of the refused refresh token nor the reason is in the capture"

    func verdict(on flow: Flow) -> Verdict {
        let history = flow.refreshHistory
        return Verdict.firstViolation(
            among: history.refreshes.filter(\.isRefreshTokenRefused),
            lacking: history.isIncomplete ? Self.unknown : nil
        ) { refused in
            guard history.replacement(of: refused) == nil, !flow.isSignedOut(before: refused.exchange) else {
                return .holds
            }
            let issued = history.issuer(of: refused)
            let age = issued.map { refused.startedAt - flow.capture[$0.exchange].endedAt }
            let lifetime = issued.flatMap { self.lifetime(statedBy: $0, to: refused.clientID, in: flow) }
            var evidence: [Evidence] = []
            if let token = refused.parameters.parameter("refresh_token") {
                evidence.append(Evidence(token, note: age.map { "\($0.words) old" }))
            }
            let isOver = age.map { age in lifetime.map { age > .seconds($0.seconds) } ?? false } ?? false
            if isOver, let lifetime {
                evidence.insert(Self.evidence(ofLifetime: lifetime), at: 0)
            } else if !RefreshTokenEnd.isStated(by: refused.answer),
                // A token that lasts still was not the one that ran out.
                lifetime != nil || !RefreshTokenEnd.isOneOfTwo(by: refused.answer)
                    || isNone(refused, flow)
            {
                return lifetime == nil ? .abstains(Self.unknown) : .holds
            }
            evidence.append(refused.answer.evidence())
            evidence += flow.evidence(ofRevocationBefore: refused)
            return .violated(
                Violation(
                    evidence,
                    saying: words(refused, issued, isOver: isOver, flow),
                    exchange: refused.exchange
                )
            )
        }
    }

    /// Whether what was sent is no token that the provider gave this client: another one's, or not as it was issued.
    private func isNone(_ refused: TokenRequest, _ flow: Flow) -> Bool {
        OtherClientsRefresh(refused, in: flow).isFound || WrongRefreshToken(of: refused, in: flow) != nil
    }

    private func words(
        _ refused: TokenRequest,
        _ issued: TokenRequest?,
        isOver: Bool,
        _ flow: Flow
    ) -> Violation.Words? {
        if let ofSession = RefreshTokenEnd.words(for: refused.answer) { return ofSession }
        if mayBeInTesting(refused, issued, flow) { return Violation.Words(fix: Self.ofGoogle) }
        guard !isOver, YoungRefreshToken.evidence(of: refused, in: flow) != nil else {
            return SessionBoundToken.words(for: refused, in: flow)
                ?? (!isOver && RefreshTokenEnd.isOneOfTwo(by: refused.answer)
                    ? RefreshTokenEnd.leftOpen : nil)
        }
        return YoungRefreshToken.words
    }

    /// Whether a token of Google's ran out as those of an app in testing do: a week old, and not taken once behind that.
    private func mayBeInTesting(_ refused: TokenRequest, _ issued: TokenRequest?, _ flow: Flow) -> Bool {
        guard flow.provider == .google, let issued else { return false }
        let start = flow.capture[issued.exchange].endedAt
        let lastUse = flow.refreshHistory.lastUse(ofTokenOf: refused)
        return refused.startedAt - start >= Self.week
            && lastUse.map { $0 - start <= .seconds(7 * 86_400 + 60) } ?? true
    }

    /// Nearly: clocks differ.
    private static let week = Duration.seconds(7 * 86_400 - 60)

    /// Google's guide, "Refresh token expiration".
    private static let ofGoogle = """
        See the consent screen at Google: while its publishing status is "testing" and its users are external, every refresh token ends after seven days. Publish the app, and \
        have its users sign in once more. In any case take invalid_grant at a refresh as the end of the session, and begin a new login.
        """

    // MARK: - The lifetime

    private struct Lifetime {
        var parameter: Parameter
        var seconds: Int64
    }

    private static func evidence(ofLifetime lifetime: Lifetime) -> Evidence {
        Evidence(
            place: lifetime.parameter.place,
            value: "\(lifetime.seconds)",
            note: "good for \(Duration.seconds(lifetime.seconds).words)"
        )
    }

    /// Of the answer that issued the token, else of the client's registration.
    private func lifetime(statedBy issued: TokenRequest, to client: String?, in flow: Flow) -> Lifetime? {
        for name in ["refresh_expires_in", "refresh_token_expires_in"] {
            if let lifetime = issued.answer.parameters.parameter(name).flatMap(lifetime) { return lifetime }
        }
        return RegisteredClient.of(client, before: issued.exchange, in: flow)?
            .answered("refresh_token_ttl").flatMap(lifetime)
    }

    /// Zero stands for a token that does not run out.
    private func lifetime(_ parameter: Parameter) -> Lifetime? {
        guard let seconds = Int64(parameter.value), seconds > 0, seconds < 1 << 32 else { return nil }
        return Lifetime(parameter: parameter, seconds: seconds)
    }
}
