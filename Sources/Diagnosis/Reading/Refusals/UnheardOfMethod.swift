import Captures
import OAuth

/// A challenge method that no provider can have, in a login that was refused: there are two of them (RFC 7636, section 4.3).
///
/// Which of the two a provider takes is in its metadata; without those it is the refusal that tells of the name.
enum UnheardOfMethod {
    /// Nil of a method that there is, and of a refusal that names another fault.
    static func evidence(of attempt: LoginAttempt, refused refusal: RequestRefusal) -> Evidence? {
        guard refusal.isOfTheRequest, [nil, "invalid_request"].contains(refusal.error),
            let method = attempt.namedChallengeMethod, !methods.contains(method)
        else { return nil }
        let meant = methods.first { $0.lowercased() == method.lowercased() }
        return attempt.challengeMethodEvidence(
            note: meant.map { "in another case: \($0) is meant" } ?? "neither S256 nor plain"
        )
    }

    static let words = Violation.Words(
        title: "The provider refused the login request, whose challenge method no provider has",
        explanation: """
            There are two challenge methods, S256 and plain, and their names are compared to the letter. The request names another one, and the \
            provider refused it.
            """,
        fix:
            "Send code_challenge_method=S256, with a capital S, and a challenge that is the base64url of the verifier's SHA-256."
    )

    private static let methods = ["S256", "plain"]
}
