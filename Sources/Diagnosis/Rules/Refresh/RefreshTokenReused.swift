import Captures
import Flows
import OAuth

/// A refresh token was sent again after the provider had replaced it.
///
/// With rotation each refresh token is good for one use; the provider takes a second one for theft and may
/// revoke the whole family (RFC 9700, section 4.14.2). Variant `sequential`: the new token was not kept.
/// Variant `concurrent`: two refreshes ran at the same time with the same token. Of a token whose replacement is not in the capture, for
/// the answer was lost, the refusal's own finding tells (``LostRefresh``).
struct RefreshTokenReused: Rule {
    static let info = RuleInfo(
        id: "refresh-token-reused",
        title: "An old refresh token was used after it had been replaced",
        severity: .error,
        explanation: """
            The provider answered a refresh with a new refresh token, which ends the old one. Another refresh then came with the old one and \
            was refused; the provider may have revoked every token of this login along with it.
            """,
        fix: """
            Store the new refresh token in the same step in which the answer is read, and let one refresh run at a time: whoever comes second \
            waits for the first one's tokens.
            """,
        badExample: """
            POST /token  grant_type=refresh_token&refresh_token=8xLOxBtZp8…  → 200 {"refresh_token":"tGzv3JOkF0…"}
            POST /token  grant_type=refresh_token&refresh_token=8xLOxBtZp8…  → 400 invalid_grant
            """,
        goodExample: """
            POST /token  grant_type=refresh_token&refresh_token=8xLOxBtZp8…  → 200 {"refresh_token":"tGzv3JOkF0…"}
            POST /token  grant_type=refresh_token&refresh_token=tGzv3JOkF0…  → 200
            """,
        specifications: [.rfc(9700, "4.14.2"), .rfc(6749, "10.4")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let history = flow.refreshHistory
        for refused in history.refreshes where refused.isReuseRefused {
            guard let first = history.replacement(of: refused) else { continue }
            let isConcurrent = history.overlap(first, refused)
            return .violated(
                Violation(
                    evidence(first, refused),
                    variant: isConcurrent ? "concurrent" : "sequential",
                    explanation: isConcurrent
                        ? """
                        Two refreshes with the same refresh token were under way at the same time. The first one to arrive replaced the token, so \
                        the other was refused; the provider may have revoked every token of this login along with it.
                        """ : nil,
                    exchange: refused.exchange
                )
            )
        }
        return history.isIncomplete ? .abstains("the token of a refresh was not saved") : .holds
    }

    private func evidence(_ first: TokenRequest, _ refused: TokenRequest) -> [Evidence] {
        let elapsed = refused.startedAt - first.startedAt
        let note =
            elapsed < .zero
            ? "the same token, sent \((Duration.zero - elapsed).words) earlier"
            : "the same token, sent \(elapsed.words) later"
        return [
            first.parameters.parameter("refresh_token").map { Evidence($0, note: "accepted") },
            first.answer.parameters.parameter("refresh_token").map {
                Evidence($0, note: "the token that replaces it")
            },
            refused.parameters.parameter("refresh_token").map { Evidence($0, note: note) },
            refused.answer.evidence(),
        ].compactMap { $0 }
    }
}
