import Captures
import Flows
import OAuth

/// A client secret that was sent with white space or quotation marks around it.
enum CopiedSecret {
    /// The secret without what came along with it; nil where nothing did.
    static func evidence(of call: ClientCall) -> Evidence? {
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

    static let words = Violation.Words(
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
