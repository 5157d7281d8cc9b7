import Captures
import Flows
import JOSE
import OAuth

/// The ID token is not signed: `alg` is `none`, or there is no signature.
///
/// Only a client that registered `none` may take one, and only from the token endpoint (OpenID Connect Core,
/// section 2); that is worth a note.
struct IDTokenAlgNone: Rule {
    static let info = RuleInfo(
        id: "id-token-alg-none",
        title: "The ID token is not signed",
        severity: .error,
        explanation: """
            The ID token carries no signature, so anybody could have written it. A client that takes it lets everybody in who can put a token before \
            it.
            """,
        fix: "Refuse it, and have the provider sign ID tokens for this client with RS256 or better.",
        badExample: """
            id_token header {"alg":"none"}, signature empty
            """,
        goodExample: """
            id_token header {"alg":"RS256","kid":"2026-03"}, signature made with that key
            """,
        specifications: [
            .openIDConnectCore("3.1.3.7 (7)", "IDTokenValidation"), .rfc(8725, "3.2"),
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        for delivered in flow.deliveredIDTokens {
            let token = delivered.idToken.token
            guard token.form == .signed, token.header != nil else { continue }
            let isNone = token.algorithm?.lowercased() == "none"
            guard isNone || token.signature.isEmpty else { continue }
            var evidence = [
                delivered.evidence(
                    ofHeader: "alg",
                    note: token.signature.isEmpty
                        ? "the signature is empty" : "a signature is there all the same"
                )
            ]
            let registered = delivered.clientNames(in: flow).lazy
                .compactMap {
                    flow.registeredClient($0, before: delivered.idToken.place.exchange)?
                        .member("id_token_signed_response_alg")
                }.first
            if isNone, registered == nil, delivered.tokenRequest != nil, isRegisteredUnseen(in: flow) {
                return .abstains("the answer to the client's registration is not in the capture")
            }
            let isAgreed = isNone && registered?.value == "none" && delivered.tokenRequest != nil
            if isAgreed, let registered {
                evidence.append(Evidence(registered, note: "registered for this client"))
            }
            return .violated(
                Violation(
                    evidence,
                    severity: isAgreed ? .note : nil,
                    exchange: delivered.idToken.place.exchange
                )
            )
        }
        return .holds
    }

    /// Whether a client was registered, and may have been for unsigned ID tokens, where the capture does not say which one.
    private func isRegisteredUnseen(in flow: Flow) -> Bool {
        flow.surroundings.registrations.contains {
            $0.method == "POST" && !$0.answer.isRefusal && $0.registeredClient == nil
                && $0.parameters["id_token_signed_response_alg"] ?? "none" == "none"
        }
    }
}
