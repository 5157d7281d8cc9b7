import Captures
import Flows
import JOSE
import OAuth

/// The code that reached the token endpoint is the delivered one, but for a transformation on the way.
///
/// Codes hold characters that percent-encoding touches (`/`, `+`, `=`): decoded twice or not at all they are
/// other codes (RFC 6749, appendix B). Codes that have nothing in common are not judged.
struct CodeAltered: Rule {
    static let info = RuleInfo(
        id: "code-altered",
        title: "The code was changed on the way to the token endpoint",
        severity: .error,
        explanation:
            "The token request carries another string than the provider delivered; the one becomes the other by the step that the evidence names.",
        fix: """
            Decode the callback's query once, with a URL parser, and let the HTTP library encode the form once. Take nothing off the code and \
            do not cut it at a special character.
            """,
        badExample: """
            302 → https://app.example/callback?code=4%2F0AbCd
            POST /token  grant_type=authorization_code&code=4%252F0AbCd  → 400 invalid_grant
            """,
        goodExample: """
            302 → https://app.example/callback?code=4%2F0AbCd
            POST /token  grant_type=authorization_code&code=4%2F0AbCd  → 200
            """,
        specifications: [
            SpecificationReference(
                text: "RFC 6749 Appendix B",
                url: "https://www.rfc-editor.org/rfc/rfc6749#appendix-B"
            )
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        var isUnknown = false
        let own = Array(flow.authorizationResponses.compactMap { $0.parameter("code") }.reversed())
        for request in flow.tokenRequests where request.isCodeExchange && request.isGrantRefused {
            guard let sent = request.parameters.parameter("code"), !sent.value.isEmpty,
                !Placeholder.isOne(sent.value)
            else { continue }
            let replaced = ReplacedCode(by: request, in: flow)
            let delivered =
                own.isEmpty ? delivered(to: request, flow) : replaced.map { [$0.delivered] } ?? own
            guard !delivered.contains(where: { $0.value == sent.value }) else { continue }
            isUnknown = isUnknown || delivered.isEmpty
            for code in delivered {
                guard let change = AlteredValue.change(from: code, to: sent.value) else { continue }
                return .violated(
                    Violation(
                        [
                            Evidence(
                                code,
                                note: "delivered, \(code.value.unicodeScalars.count.counted("character"))"
                            ),
                            Evidence(sent, note: change), request.answer.evidence(),
                        ],
                        exchange: request.exchange
                    )
                )
            }
        }
        return isUnknown || flow.hasUnsavedTokenRequest
            ? .abstains("the delivered code, or the one that was sent, is not in the capture") : .holds
    }

    /// Codes that were delivered to the client of a request that could not be joined to its login, latest first.
    private func delivered(to request: TokenRequest, _ flow: Flow) -> [Parameter] {
        request.clientID.flatMap { flow.surroundings.clients.codes[$0]?.suffix(50).reversed() } ?? []
    }
}
