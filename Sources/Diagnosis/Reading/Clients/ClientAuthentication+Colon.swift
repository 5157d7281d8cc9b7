import Captures
import JOSE
import OAuth

extension ClientAuthentication {
    /// Whether the client id in a Basic header is another one up to its first colon: it stands there as it is, where it has to be
    /// `%3A` (RFC 6749, section 2.3.1; RFC 7617, section 2).
    ///
    /// What was cut off then stands before the secret. Only its shape is compared, since that is what a capture keeps of a secret when
    /// it is shared.
    func isCutAtColon(of known: String) -> Bool {
        guard methods.contains(.secretBasic), let client = clientID, client.place.part == .requestHeader,
            known.utf8.starts(with: (client.rawValue + ":").utf8)
        else { return false }
        guard let secret, !Placeholder.isOne(secret.rawValue) else { return true }
        let rest = known.utf8.dropFirst(client.rawValue.utf8.count + 1)
        return secret.rawValue.utf8.dropFirst(rest.count).first == 0x3a
            && zip(rest, secret.rawValue.utf8).allSatisfy {
                $0 == $1 || Self.isOfWord($0) && Self.isOfWord($1)
            }
    }

    private static func isOfWord(_ byte: UInt8) -> Bool { byte.isASCIIAlphanumeric || byte >= 0x80 }
}
