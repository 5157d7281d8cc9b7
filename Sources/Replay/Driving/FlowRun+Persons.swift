import Captures
import JSON

extension FlowRun {
    /// Whether a login did not come to its end in which a page was sent what only a person makes, for one login: a passkey's answer (Web
    /// Authentication, section 5.2.2), or a captcha's.
    package var lacksAPerson: Bool {
        !isComplete
            && plan.steps.contains { step in
                guard step.isBrowser, let text = step.request.body?.text else { return false }
                return Self.personsProofs.contains(where: text.containsBytes)
            }
    }

    /// Names within a form or JSON.
    private static let personsProofs = [
        "clientDataJSON", "g-recaptcha-response", "h-captcha-response", "cf-turnstile-response",
    ]
}
