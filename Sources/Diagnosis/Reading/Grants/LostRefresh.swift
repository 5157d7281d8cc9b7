import Captures
import Flows
import OAuth

/// A refused refresh whose token was sent shortly before, in a request whose answer was lost.
///
/// The provider may have replaced the token by then; what it put in its place is not in the capture, so no rule can tell it.
struct LostRefresh {
    /// The request before.
    let exchange: Int

    /// That request, and how long the same token came behind it.
    let evidence: [Evidence]

    /// Nil where no answer to the same token was lost, and where the refusal names another reason.
    init?(before refused: TokenRequest, in flow: Flow) {
        let description = (refused.answer.error?.description ?? "").lowercased()
        let fault = StatedGrantFault(refused)
        guard refused.isRefresh, refused.isReuseRefused, fault != .otherClient,
            StatedGrantFault.namesEveryReason(description)
                || !Self.otherReasons.contains(where: refused.answer.errorText.containsBytes)
        else { return nil }
        let history = flow.refreshHistory
        guard history.replacement(of: refused) == nil,
            let lost = history.unanswered(before: refused, isSaidToBeUsed: fault == .refreshTokenUsed)
        else { return nil }
        exchange = lost.exchange
        evidence = [
            lost.parameters.parameter("refresh_token").map { Evidence($0, note: "sent first") },
            lost.answer.statusEvidence(note: "its answer was lost"),
            refused.parameters.parameter("refresh_token").map {
                Evidence($0, note: "the same token, sent \((refused.startedAt - lost.startedAt).words) later")
            },
        ].compactMap(\.self)
    }

    private static let otherReasons = ["expired", "revoked", "inactiv", "not active", "password"]

    static let words = Violation.Words(
        title: "The refresh token was sent again after the answer to it was lost",
        explanation: """
            The app refreshed, and the answer did not get to it: the connection broke, or the app was stopped. A provider that replaces refresh tokens has done so by \
            then, and takes the old one for a stolen one when it comes again.
            """,
        fix: """
            Allow a grace period for the token that was just replaced, where the provider has one (reuse interval, rotation overlap), and let a refresh \
            finish before the app is suspended (beginBackgroundTask on iOS). When a refresh is refused so, begin a new login.
            """
    )
}
