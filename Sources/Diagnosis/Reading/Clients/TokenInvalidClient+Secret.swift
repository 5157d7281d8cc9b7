import Captures
import Flows
import OAuth

/// A secret that shows in itself why it was refused: it has more around it than it should, is not encoded, or is no secret.
extension TokenInvalidClient {
    /// That a secret was sent with what stood around it.
    func copied(_ refused: [ClientCall], _ evidence: [Evidence]) -> Violation? {
        refused.lazy.compactMap { call in Self.moreThanSecret(call).map { (call, $0) } }.first
            .map { call, secret in
                var violation = Violation(
                    evidence + [secret],
                    saying: Self.copied,
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
    func unencoded(_ refused: [ClientCall], _ evidence: [Evidence]) -> Violation? {
        for call in refused {
            guard call.authentication.methods.contains(.secretPost), let secret = call.authentication.secret,
                secret.rawValue.containsBytes("+"), secret.value.containsBytes(" "),
                call.parameters.items.contains(where: { Self.isUnencoded($0.rawValue) })
            else { continue }
            let sign = Evidence(
                place: secret.place,
                value: Masking.masked(secret.value, showing: 2),
                note: "has a + as it was sent, which is read as a space"
            )
            return Violation(
                evidence + [sign],
                explanation: Self.unencodedSecret,
                fix: Self.unencodedSecretFix,
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
    func unset(_ refused: [ClientCall], _ evidence: [Evidence]) -> Violation? {
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
                    explanation: Self.isUnset,
                    fix: Self.isUnsetFix,
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

    /// A secret that was sent with what came along with it.
    static func moreThanSecret(_ call: ClientCall) -> Evidence? {
        guard let secret = call.authentication.secret,
            let cleaned = CopiedAlong.removed(from: secret.rawValue)
        else { return nil }
        let note = Difference.note(
            expected: PercentEncoding.decode(cleaned),
            seen: PercentEncoding.decode(secret.rawValue),
            isSecret: true
        )
        return Evidence(place: secret.place, value: Masking.masked(cleaned), note: "the secret: \(note)")
    }

    static let copied = Violation.Words(
        title: "The client secret was sent with something around it",
        explanation: """
            The client secret was sent with white space, a line break or quotation marks around it, which came along out of the file or the \
            setting that the app reads it from. To the provider that is another secret.
            """,
        fix: """
            Take off what stands around the secret where it is kept, or where the app reads it: files often end with a line break (write \
            them with printf, and not with echo, also before Base64 for a Kubernetes secret), and quotation marks in an environment file may \
            be taken for a part of the value.
            """
    )
}
