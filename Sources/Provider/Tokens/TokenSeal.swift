import JOSE
import JSON
import LibCrypto

/// What an encrypted token is made with (RFC 7516).
struct TokenSeal: Sendable {
    var header: JSONObject
    var key: [UInt8]
    var encryption: ContentEncryption

    /// For the client's secret as the key itself (`dir`), which is what can be made here; nil for other ways.
    init?(like header: JSONObject, secret: String?) {
        guard header["alg"]?.string == "dir",
            let encryption = header["enc"]?.string.flatMap(ContentEncryption.init(rawValue:)),
            let secret
        else { return nil }
        self.header = header
        self.encryption = encryption
        // OpenID Connect Core, section 10.2: the left of a hash that is long enough.
        let digest: DigestAlgorithm =
            encryption.keyLength <= 32 ? .sha256 : encryption.keyLength <= 48 ? .sha384 : .sha512
        key = Array(Digest.of(Array(secret.utf8), digest).prefix(encryption.keyLength))
    }

    /// The encrypted token; nil where the key does not fit.
    func sealed(_ token: String) -> String? {
        let members = header.members.filter {
            !["alg", "enc", "epk", "iv", "tag", "p2s", "p2c"].contains($0.name)
        }
        return JSONWebEncryption.sealed(
            Array(token.utf8),
            key: key,
            encryption: encryption,
            header: members.map { ($0.name, $0.value) }
        )
    }
}
