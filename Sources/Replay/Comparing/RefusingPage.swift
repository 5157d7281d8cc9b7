import Captures
import Flows

/// A page with which a provider refuses a browser.
enum RefusingPage {
    /// How much of a page is looked at, in bytes: what it says stands at its beginning.
    private static let beginning = 4096
    private static let longest = 160
    private static let kinds: Set<StepKind> = [.authorizationRequest, .userInteraction, .endSessionRequest]

    /// What a person reads first on the page that answers a step; nil of any other answer.
    static func words(answering step: ComparedStep) -> String? {
        guard kinds.contains(step.kind), let response = step.exchange.response, response.status >= 400,
            let body = response.body, body.isPage,
            let bytes = body.bytes, let words = HTMLText.opening(of: bytes, limit: beginning)
        else { return nil }
        let shown = Masking.hidingSecrets(in: words)
        return shown.count > longest ? shown.prefix(longest - 1) + "…" : shown
    }
}
