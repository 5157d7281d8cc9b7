import Captures
import Flows
import OAuth

/// What was sent for PKCE (RFC 7636), and what became of it.
extension LoginAttempt {
    /// The verifiers sent with this login's codes.
    var verifiers: [Parameter] {
        tokenRequests.compactMap { request in
            request.parameters.parameter("code_verifier").flatMap { $0.value.isEmpty ? nil : $0 }
        }
    }

    /// Nil where it is left out, or empty.
    var namedChallengeMethod: String? { self["code_challenge_method"] }

    /// The method as evidence, also where it is missing.
    func challengeMethodEvidence(note: String? = nil) -> Evidence {
        parameter("code_challenge_method").map { Evidence($0, note: note) }
            ?? missing("code_challenge_method", note: note ?? "the provider has to read it as plain")
    }

    /// Severity of a fault of the challenge: an error where request or code was refused, or where an app whose
    /// back end is not recorded failed with the code.
    func challengeSeverity(in flow: Flow) -> Severity {
        if isRefused { return .error }
        if tokenRequests.contains(where: \.answer.isSuccess) { return .warning }
        if tokenRequests.contains(where: \.isGrantRefused) { return .error }
        return tokenRequests.isEmpty && response?.code != nil && flow.ending == .failure ? .error : .warning
    }

    /// The answer that refused request or code, as evidence.
    var challengeRefusal: [Evidence] {
        if isRefused, let refusal { return [refusal.evidence()] }
        return tokenRequests.first(where: \.isGrantRefused).map { [$0.answer.evidence()] } ?? []
    }
}
