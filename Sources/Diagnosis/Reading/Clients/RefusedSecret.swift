import Captures
import Flows
import OAuth

/// A secret that shows in itself why it was refused: it has more around it than it should, is not encoded, or is no secret.
enum RefusedSecret {
    /// What is said of the first secret that does so, which is added to the evidence of the refusals; nil where none does.
    static func violation(_ refused: [ClientCall], _ evidence: [Evidence]) -> Violation? {
        copied(refused, evidence) ?? unencoded(refused, evidence) ?? unset(refused, evidence)
    }

    /// That a secret was sent with what stood around it.
    private static func copied(_ refused: [ClientCall], _ evidence: [Evidence]) -> Violation? {
        refused.lazy.compactMap { call in CopiedSecret.evidence(of: call).map { (call, $0) } }.first
            .map { call, secret in
                var violation = Violation(
                    evidence + [secret],
                    saying: CopiedSecret.words,
                    exchange: call.exchange
                )
                violation.isCause = true
                return violation
            }
    }

    /// That a secret with a plus sign stands in the form as it is: there it means a space.
    ///
    /// A secret that has a space is sent so, too: what no encoder leaves as it is has to stand beside the sign, in the secret or in
    /// another value of the form.
    private static func unencoded(_ refused: [ClientCall], _ evidence: [Evidence]) -> Violation? {
        for call in refused {
            guard call.authentication.methods.contains(.secretPost), let secret = call.authentication.secret,
                secret.rawValue.containsBytes("+"), secret.value.containsBytes(" "),
                call.parameters.items.contains(where: { isUnencoded($0.rawValue) })
            else { continue }
            let sign = Evidence(
                place: secret.place,
                value: Masking.masked(secret.value, showing: 2),
                note: "has a + as it was sent, which is read as a space"
            )
            return Violation(
                evidence + [sign],
                explanation: unencodedSecret,
                fix: unencodedSecretFix,
                title: "The client secret was not encoded for the form",
                exchange: call.exchange,
                isCause: true
            )
        }
        return nil
    }

    /// Whether a form's value has characters that are encoded in every form.
    private static func isUnencoded(_ value: String) -> Bool {
        value.utf8.contains { [0x2f, 0x3a, 0x3d, 0x3f, 0x40].contains($0) }
    }

    private static let unencodedSecret = """
        The form with the client secret was put together without encoding it. In a form a + stands for a space and a % begins a code, so \
        the provider reads another secret than the one that the app has.
        """
    private static let unencodedSecretFix = """
        Have a library write the form, or encode each value first (encodeURIComponent, urllib.parse.urlencode): a + becomes %2B. With \
        curl, take --data-urlencode in place of --data.
        """

    /// That a word was sent for a secret which a program writes where it has no value.
    private static func unset(_ refused: [ClientCall], _ evidence: [Evidence]) -> Violation? {
        refused.lazy.compactMap { call in call.authentication.secret.map { (call, $0) } }
            .first { MissingToken.isOne($0.1.value) }
            .map { call, secret in
                Violation(
                    evidence + [
                        Evidence(
                            place: secret.place,
                            value: secret.value,
                            note: "the secret that was sent: what a program writes for no value"
                        )
                    ],
                    explanation: isUnset,
                    fix: isUnsetFix,
                    title: "The client sent a word for a missing value as its secret",
                    exchange: call.exchange,
                    isCause: true
                )
            }
    }

    private static let isUnset = """
        The client has no secret where it runs, and its library made a text of that: undefined, null. To the provider it is a wrong \
        secret, and where the client is a public one, a client that authenticates though it has nothing to do so with.
        """
    private static let isUnsetFix = """
        Set the secret where the program reads it, or, for a client that has none, say so to the library (token_endpoint_auth_method \
        none), so that it sends client_id alone.
        """
}
