import Captures
import OAuth

extension ClientAuthentication {
    /// Whether the client id in a Basic header is another one up to its first colon: it stands there as it is, where it has to be
    /// `%3A` (RFC 6749, section 2.3.1; RFC 7617, section 2).
    func isCutAtColon(of known: String) -> Bool {
        guard methods.contains(.secretBasic), let client = clientID, client.place.part == .requestHeader,
            !client.rawValue.isEmpty
        else { return false }
        return known.utf8.starts(with: (client.rawValue + ":").utf8)
    }
}
