import Captures
import Flows
import OAuth

/// The `iss` of the answer is not the issuer of the provider that was asked.
///
/// Clients that know several providers have to refuse it: an answer of one provider may have been made to
/// look like another's. Judged only where the capture has the metadata that names the very endpoint.
struct IssuerParamMismatch: Rule {
    static let info = RuleInfo(
        id: "issuer-param-mismatch",
        title: "The response comes from another issuer",
        severity: .error,
        explanation: """
            The answer names an issuer, and the metadata of the provider that was asked names another. A client has to compare the two as \
            strings and refuse an answer whose issuer differs, since it may come from another provider.
            """,
        fix: """
            If the two are meant to be the same, set the provider's issuer so that metadata and answers agree to the last character, slash at \
            the end included. If they are not, do not use the code.
            """,
        badExample: """
            metadata  "issuer": "https://id.example/tenant"
            302 Location: https://app.example/callback?code=…&iss=https%3A%2F%2Fid.example%2Ftenant%2F
            """,
        goodExample: """
            metadata  "issuer": "https://id.example/tenant"
            302 Location: https://app.example/callback?code=…&iss=https%3A%2F%2Fid.example%2Ftenant
            """,
        specifications: [.rfc(9207, "2.4")]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.first(of: flow.loginAttempts) { attempt in
            guard let request = attempt.request, let response = attempt.response,
                let sent = response.parameters.parameter("iss"), !response.isSigned
            else { return .holds }
            return verdict(on: sent, at: response.exchange, to: request, flow)
        }
        .or(ofCodelessAnswer(in: flow))
    }

    /// An answer that has neither a code nor an error names its issuer, too.
    private func ofCodelessAnswer(in flow: Flow) -> Violation? {
        for answer in CodelessAnswer.all(in: flow) {
            guard let sent = answer.parameters.parameter("iss"), let exchange = sent.place.exchange,
                case .violated(let violation) = verdict(on: sent, at: exchange, to: answer.request, flow)
            else { continue }
            return violation
        }
        return nil
    }

    private func verdict(
        on sent: Parameter,
        at exchange: Int,
        to request: AuthorizationRequest,
        _ flow: Flow
    ) -> Verdict {
        let documents = flow.metadata(naming: request)
        guard let document = flow.inForce(documents, at: exchange), let issuer = document.issuer else {
            return .abstains(Gap.metadata)
        }
        guard !documents.contains(where: { IssuerTemplate.matches(sent.value, $0.issuer ?? "") }) else {
            return .holds
        }
        return .violated(
            Violation(
                [
                    Evidence(
                        place: document.answer.place("issuer"),
                        value: Masking.shown(issuer, of: "issuer")
                    ),
                    Evidence(sent, note: Difference.note(expected: issuer, seen: sent.value)),
                ],
                exchange: sent.place.exchange
            )
        )
    }
}
