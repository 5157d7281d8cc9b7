import Flows
import OAuth

/// The user's own no, told on a page of the provider's with which the sign-in ended: the app never hears of it.
///
/// So does WSO2 where its user does not agree to hand on the attributes that the app asks for.
enum DeclinedConsent {
    /// Nil where the last login of a flow was answered, or ended for another reason.
    static func refusal(in flow: Flow) -> RequestRefusal? {
        guard let attempt = flow.loginAttempts.last, attempt.response == nil, let request = attempt.request,
            let refusal = SignInEnd.refusal(on: ProviderPages.of(request, in: flow), in: flow),
            refusal.says(keys)
        else { return nil }
        return refusal
    }

    static func violation(in flow: Flow) -> Violation? {
        guard let refusal = refusal(in: flow) else { return nil }
        return Violation(
            [refusal.evidence(around: keys)],
            saying: ProviderWords.meaning(of: refusal.text, by: flow.provider),
            exchange: refusal.exchange
        )
    }

    /// By which WSO2's page of errors is told, in lower case.
    private static let keys = ["user.denied.consent.error", "user.denied.mandatory.consent.error"]
}
