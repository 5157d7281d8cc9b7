import Captures
import Flows
import JOSE
import OAuth

/// An app's own words, on refusing its callback, by which the algorithm of the ID token is not the one that it expects.
///
/// What it expects is set in the app; where the capture has a registration or a list to compare with, a rule tells it.
enum AlgorithmRefusal {
    /// Nil where the app says nothing of it, or got no ID token that the capture has.
    static func evidence(of callback: RejectedCallback, in flow: Flow) -> Evidence? {
        guard let token = callback.idToken(in: flow)?.idToken.token, let algorithm = token.algorithm else {
            return nil
        }
        // Nimbus names two reasons in one sentence (Spring); that a key fits leaves the one.
        let isOfAKey =
            flow.surroundings.verification(of: token, providerHosts: flow.providerHosts).outcome == .valid
        // joserfc says it of any token, and names the algorithm that it does not take.
        let phrases =
            Self.phrases + (isOfAKey ? ["Another algorithm expected"] : [])
            + ["Algorithm of '\(algorithm)' is not allowed"]
        return phrases.lazy.compactMap { callback.quote(from: $0, in: flow) }.first
    }

    static let words = Violation.Words(
        title: "The app expects another algorithm than the one that signed the ID token",
        explanation: """
            The app got its tokens and refused the ID token for the algorithm in its header, as it says itself. What it expects stands in its own settings, or is the default \
            of its library, RS256 mostly.
            """,
        fix: fix
    )

    static let fix = "Set the same algorithm at the client and at the provider; RS256 is the default of both."

    /// As libraries word it: openid-client, go-oidc, PyJWT, jose, mozilla-django-oidc, Auth0's.
    private static let phrases = [
        "unexpected JWT alg received", "unexpected JWT \"alg\" header parameter",
        // The same in JSON.
        #"unexpected JWT \"alg\" header parameter"#,
        "signed with unsupported algorithm",
        "specified alg value is not allowed", "(Algorithm) Header Parameter value not allowed",
        "does not match the client's OIDC_RP_SIGN_ALGO",
        "is not supported. Expected the ID token to be signed with",
    ]
}
