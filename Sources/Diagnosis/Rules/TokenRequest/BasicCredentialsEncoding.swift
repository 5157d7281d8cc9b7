import Captures
import Flows
import OAuth

/// Client and provider do not read the Basic credentials alike.
///
/// RFC 6749, section 2.3.1, wants id and secret form-encoded before they are joined by a colon; half of the
/// field skips that. Where the secret has only letters and digits nobody notices. A registration in the
/// capture shows which side is at fault; without one both readings are told.
struct BasicCredentialsEncoding: Rule {
    static let info = RuleInfo(
        id: "basic-credentials-encoding",
        title: "The Basic credentials are not encoded the way the provider reads them",
        severity: .error,
        explanation: """
            The client id or secret holds characters that read differently with and without form-decoding, and the provider refused the client. \
            One side encodes these values inside the Basic header and the other does not decode them, or the reverse.
            """,
        fix: MisreadCredentials.fix,
        badExample: """
            secret: a+b%c
            POST /token  Authorization: Basic BASE64("shop:a+b%c")  → 401 invalid_client
            """,
        goodExample: """
            secret: a+b%c
            POST /token  Authorization: Basic BASE64("shop:a%2Bb%25c")  → 200
            """,
        specifications: [
            .rfc(6749, "2.3.1"),
            SpecificationReference(
                text: "RFC 6749 Appendix B",
                url: "https://www.rfc-editor.org/rfc/rfc6749#appendix-B"
            ),
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.firstViolation(among: ClientCall.all(in: flow)) { call in
            let isTold = MisreadCredentials.isTold(by: call)
            guard call.isClientRefused || isTold, let misread = MisreadCredentials(of: call, in: flow) else {
                return .holds
            }
            return .violated(
                Violation(
                    misread.evidence + [call.answer.evidence()],
                    variant: misread.variant,
                    severity: call.isRepaired ? .note : .error,
                    explanation: isTold ? MisreadCredentials.told : misread.explanation,
                    exchange: call.exchange
                )
            )
        }
    }
}
