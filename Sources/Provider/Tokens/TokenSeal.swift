import JOSE
import JSON

/// What an encrypted token is made with (RFC 7516): the key of whoever reads it, or a secret that both know.
struct TokenSeal: Sendable {
    /// As recorded, what belongs to one token aside.
    var header: JSONObject
    var key: JSONWebKey?
    var secret: String?

    /// `keys`: of the reader; the one that `kid` names comes first, then those for encryption.
    init(like header: JSONObject, keys: [JSONWebKey], secret: String?) {
        self.header = header
        // A recording that lost it says nothing of the cipher: the one that every reader has.
        if header["enc"] == nil { self.header["enc"] = "A256GCM" }
        self.secret = secret
        let type = header["alg"]?.string?.hasPrefix("RSA") ?? false ? "RSA" : "EC"
        let fitting = keys.filter { $0.type == type && $0.use != "sig" }
        let named = fitting.first { $0.id != nil && $0.id == header["kid"]?.string }
        key = named ?? fitting.first { $0.use == "enc" } ?? fitting.first
        if header["kid"] != nil, let id = key?.id { self.header["kid"] = .string(id) }
    }

    /// The encrypted token; nil where there is no key that fits.
    func sealed(_ token: String, random: (Int) -> [UInt8]) -> String? {
        JSONWebEncryption.sealed(
            Array(token.utf8),
            key: key,
            secret: secret.map { Array($0.utf8) },
            header: header,
            random: random
        )
    }
}
