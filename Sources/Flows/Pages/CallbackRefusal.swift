package import Captures
package import OAuth

/// How an app shows that it refused what came to its callback, whatever the token endpoint says.
package enum CallbackRefusal: Equatable, Sendable {
    /// It answers with an error, behind which nobody on the user's device exchanged the code all the same (``TakenCode``).
    case status
    /// It answers with a page that is headed by an error (``ErrorHeading``).
    case heading
    /// It sends the browser on, and nobody is known behind it (``TurnedAway``).
    case forgotten
    /// The page that it leads to, or answers with, says that nobody was signed in (``FailedLoginNotice``).
    case notice
    /// The answer got lost on the way to it: the exchange at which it refused what came (``LostAnswer``).
    case lost(Int)

    /// Nil where nothing of the kind is seen.
    ///
    /// `code`: what came; `tokens`: the token requests of its flow; `redeemed`: when their codes were exchanged with success
    /// (``ErrorHeading/redemptions(of:)``).
    package init?(
        at callback: Int,
        of code: String?,
        _ tokens: [TokenRequest],
        redeemed: [String: Timestamp],
        in index: CaptureIndex
    ) {
        guard let response = index.capture[callback].response else { return nil }
        if response.status >= 400,
            !TakenCode.isTaken(code, behind: callback, by: tokens, in: index.capture)
        {
            self = .status
        } else if ErrorHeading.isShown(at: callback, of: code, redeemed: redeemed, in: index) {
            self = .heading
        } else if code != nil, TurnedAway.isForgotten(callback, in: index) {
            self = .forgotten
        } else if FailedLoginNotice.page(behind: callback, in: index) != nil {
            self = .notice
        } else if !tokens.contains(where: { $0.code != nil && $0.code == code }),
            let place = LostAnswer.refusal(behind: callback, in: index)
        {
            self = .lost(place)
        } else {
            return nil
        }
    }
}
