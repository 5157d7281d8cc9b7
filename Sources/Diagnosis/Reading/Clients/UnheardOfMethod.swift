import Captures
import Flows
import OAuth

/// A challenge method that no provider can have, in a login that was refused: there are two of them (RFC 7636, section 4.3).
///
/// Which of the two a provider takes is in its metadata; without those it is the refusal that tells of the name.
enum UnheardOfMethod {
    /// Nil of a method that there is, and of a refusal that names another fault.
    static func evidence(of attempt: LoginAttempt, refused refusal: RequestRefusal) -> Evidence? {
        guard refusal.isOfTheRequest, [nil, "invalid_request"].contains(refusal.error) else { return nil }
        return evidence(of: attempt)
    }

    /// Of the login whose code was refused: some providers mind a method that they do not have only there.
    static func evidence(ofLoginBefore refused: TokenRequest, in flow: Flow) -> Evidence? {
        guard refused.isCodeExchange else { return nil }
        return flow.loginAttempts.first { attempt in
            attempt.tokenRequests.contains { $0.exchange == refused.exchange }
        }.flatMap(evidence(of:))
    }

    private static func evidence(of attempt: LoginAttempt) -> Evidence? {
        guard attempt["code_challenge"] != nil, let method = attempt.namedChallengeMethod,
            !methods.contains(method)
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
        fix: fix
    )

    static let wordsOfCode = Violation.Words(
        title: "The provider rejected the code of a login whose challenge method no provider has",
        explanation: """
            There are two challenge methods, S256 and plain, and their names are compared to the letter. The login names another one. The provider went on all the same, and \
            refused the code: who does not know the method cannot make the challenge of the verifier again.
            """,
        fix: fix
    )

    private static let fix =
        "Send code_challenge_method=S256, with a capital S, and a challenge that is the base64url of the verifier's SHA-256."

    private static let methods = ["S256", "plain"]
}
