import Captures
import Flows
import OAuth

/// Requests to the token endpoint that have no code in them, since the answer at the redirect URI was an error, which the app did
/// not look at.
enum CodelessExchange {
    /// What there is to say where all of a flow's refused requests are such; nil otherwise.
    static func violation(_ refused: [TokenRequest], _ flow: Flow) -> Violation? {
        guard let first = refused.first, let response = answer(before: first, flow),
            let error = response.error,
            refused.allSatisfy({
                $0.isCodeExchange && ($0.code ?? "").isEmpty
                    && answer(before: $0, flow)?.exchange == response.exchange
            })
        else { return nil }
        return Violation(
            [
                Evidence(
                    place: error.place,
                    value: Masking.shown(error.text, of: "error"),
                    note: "the answer at the redirect URI, which brought no code"
                ),
                first.answer.evidence(note: "sent without a code"),
            ],
            severity: .note,
            explanation: """
                The provider's answer was an error, and the app went to the token endpoint all the same, without a code to exchange. What it was \
                told there is no news; the error before it is what to look at.
                """,
            fix: "Have the callback look for error first, and show it, before it asks for tokens.",
            exchange: first.exchange,
            // Without a code nothing else of the request was looked at.
            isExplained: true
        )
    }

    /// The last that had come when the request was sent.
    private static func answer(before request: TokenRequest, _ flow: Flow) -> AuthorizationResponse? {
        flow.authorizationResponses.last { flow.capture[$0.exchange].startedAt <= request.startedAt }
    }
}
