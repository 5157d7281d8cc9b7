import Captures
import Flows

/// A page with which a provider refuses a browser, or holds it up where it was sent on before.
enum RefusingPage {
    /// How much of a page is looked at, in bytes: what it says stands at its beginning.
    private static let beginning = 4096
    private static let longest = 160
    private static let kinds: Set<StepKind> = [.authorizationRequest, .userInteraction, .endSessionRequest]

    /// What a person reads first on the page that answers a step, in place of the answer to `expected`; nil of any other answer.
    static func words(answering step: ComparedStep, insteadOf expected: ComparedStep) -> String? {
        guard kinds.contains(step.kind), let response = step.exchange.response,
            response.status >= 400 || response.status == 200 && isSentOn(expected),
            let body = response.body, body.isPage,
            let bytes = body.bytes, let words = HTMLText.opening(of: bytes, limit: beginning)
        else { return nil }
        let shown = Masking.hidingSecrets(in: words)
        return shown.count > longest ? shown.prefix(longest - 1) + "…" : shown
    }

    private static func isSentOn(_ step: ComparedStep) -> Bool {
        step.exchange.response.map { (300..<400).contains($0.status) } ?? false
    }
}
