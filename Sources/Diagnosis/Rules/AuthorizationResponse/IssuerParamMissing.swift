import Captures
import Flows
import JSON
import OAuth

/// The provider's metadata says that every answer names its issuer, and this one does not.
struct IssuerParamMissing: Rule {
    static let info = RuleInfo(
        id: "issuer-param-missing",
        title: "The provider announces `iss` in responses but did not send it",
        severity: .errorWhenRefused,
        explanation: """
            By its metadata this provider puts its issuer into every answer. A client that relies on it has to refuse an answer without, for \
            it may be another provider's.
            """,
        fix: """
            See whether the redirect itself lacks iss or something on the way to the app drops it. Otherwise the metadata promises what the \
            provider does not do: have it corrected there.
            """,
        badExample: """
            metadata  "authorization_response_iss_parameter_supported": true
            302 Location: https://app.example/callback?code=…&state=…
            """,
        goodExample: """
            metadata  "authorization_response_iss_parameter_supported": true
            302 Location: https://app.example/callback?code=…&state=…&iss=https%3A%2F%2Fid.example
            """,
        specifications: [.rfc(9207, "2.4")]
    )

    private static let member = "authorization_response_iss_parameter_supported"

    func verdict(on flow: Flow) -> Verdict {
        Verdict.first(of: flow.loginAttempts) { attempt in
            guard let request = attempt.request, let response = attempt.response, !response.isSigned,
                !response.arrived.contains("iss"),
                let document = flow.inForce(flow.metadata(naming: request), at: response.exchange),
                document.answer.json?[Self.member]?.bool == true
            else { return .holds }
            // An error ends the login by itself, with iss or without.
            let isReason = response.error == nil && flow.stopped(at: response)
            return .violated(
                Violation(
                    [
                        Evidence(place: document.answer.place(Self.member), value: "true"),
                        response.missing("iss"),
                    ],
                    severity: isReason ? .error : .warning,
                    exchange: response.exchange
                )
            )
        }
    }
}
