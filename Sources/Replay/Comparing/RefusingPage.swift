import Captures
import Flows

/// A page with which a provider refuses a browser, or holds it up where it was sent on before.
enum RefusingPage {
    /// How much of a page is looked at, in bytes: what it says stands at its beginning.
    private static let beginning = 4096
    private static let longest = 160
    private static let kinds: Set<StepKind> = [.authorizationRequest, .userInteraction, .endSessionRequest]

    /// What a person reads first on the page that answers a step in place of the answer to `expected`, or what its script is told of a
    /// refusal, as `the page says “…”`; nil of any other answer.
    static func words(answering step: ComparedStep, insteadOf expected: ComparedStep) -> String? {
        page(answering: step, insteadOf: expected).map { "the page says “\($0)”" }
            ?? script(toldBy: step).map { "it says “\($0)”" }
    }

    private static func page(answering step: ComparedStep, insteadOf expected: ComparedStep) -> String? {
        guard kinds.contains(step.kind), let response = step.exchange.response,
            response.status >= 400 || response.status == 200 && isSentOn(expected),
            let body = response.body, body.isPage,
            let bytes = body.bytes, let words = HTMLText.opening(of: bytes, limit: beginning)
        else { return nil }
        return shown(words)
    }

    /// The first of the members that refusals have their words in.
    private static func script(toldBy step: ComparedStep) -> String? {
        guard step.kind == .userInteraction, let response = step.exchange.response, response.status >= 400,
            let body = response.body, (body.size ?? 0) < 1 << 16,
            let json = JSONBody.value(of: body)
        else { return nil }
        let told = ParameterPlanner.strings(in: json)
        let words = members.lazy.compactMap { name in told.first { $0.0 == name && !$0.1.isEmpty } }.first
        return words.map { shown($0.1) }
    }

    private static let members = [
        "error_description", "errorSummary", "message", "detail", "reason", "title", "error",
    ]

    private static func shown(_ words: String) -> String {
        let shown = Masking.hidingSecrets(in: words)
        return shown.count > longest ? shown.prefix(longest - 1) + "…" : shown
    }

    private static func isSentOn(_ step: ComparedStep) -> Bool {
        step.exchange.response.map { (300..<400).contains($0.status) } ?? false
    }
}
