import Flows
import JOSE
import JSON

/// What is wrong with the way in which a key set publishes a key: one that may be right, and that many libraries do not take.
struct PublishedKeyFault {
    /// The member of the key (RFC 7517, section 4; RFC 7518, section 6).
    var member: String
    var value: String
    var note: String

    /// The first one of the key that a token names; nil where none is known.
    init?(of key: JSONWebKey, for token: JSONWebToken) {
        if let use = key.use, use != "sig" {
            self.init(
                member: "use",
                value: use,
                note: "sig is expected of a key that signs (RFC 7517, section 4.2)"
            )
        } else if let operations = key.operations, !operations.contains("verify") {
            self.init(
                member: "key_ops",
                value: operations.joined(separator: ", "),
                note: "verify is expected (RFC 7517, section 4.3)"
            )
        } else if let algorithm = key.algorithm, let own = token.algorithm, algorithm != own {
            self.init(
                member: "alg",
                value: algorithm,
                note: "the token is signed with \(Masking.shown(own, of: "alg")) (RFC 7517, section 4.4)"
            )
        } else if let fault = Self.encoding(of: key) {
            self = fault
        } else {
            return nil
        }
    }

    private init(member: String, value: String, note: String) {
        self.member = member
        self.value = value
        self.note = note
    }

    private static func encoding(of key: JSONWebKey) -> PublishedKeyFault? {
        for name in ["n", "e", "x", "y"] {
            guard let text = key.json[name]?.string else { continue }
            if text.utf8.contains(where: { $0 == 0x2b || $0 == 0x2f || $0 == 0x3d }) {
                return PublishedKeyFault(
                    member: name,
                    value: "base64",
                    note: "base64url without padding is expected (RFC 7518, section 2)"
                )
            }
            // A coordinate has a fixed length, and may begin with zeros.
            if key.type == "RSA", let first = Base64URL.decodeLeniently(text).bytes.first, first == 0 {
                return PublishedKeyFault(
                    member: name,
                    value: "begins with a byte of zero",
                    note: "as few bytes as the number needs are expected (RFC 7518, section 2)"
                )
            }
        }
        return nil
    }
}
