import Captures
import JOSE

extension JSONWebToken {
    /// The times that it names, beside that of the provider, in seconds.
    func times(at now: Timestamp) -> String {
        let start = notBefore.map { "nbf is \($0), " } ?? ""
        let end = expiresAt.map { "\($0)" } ?? "not there"
        return "\(start)exp is \(end), and it is \(now.seconds) here"
    }
}
