package import LibCrypto

/// The `alg` values of signed tokens (RFC 7518, section 3.1; RFC 8037, section 3.1; RFC 8812, section 3.2; RFC 9864, section
/// 2.2).
package enum SignatureAlgorithm: String, Sendable, Hashable, CaseIterable {
    case hs256 = "HS256"
    case hs384 = "HS384"
    case hs512 = "HS512"
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    case es256K = "ES256K"
    case edDSA = "EdDSA"
    /// EdDSA with the curve in the name, as newer libraries write it.
    case ed25519 = "Ed25519"
    case ed448 = "Ed448"

    /// The hash function, also of `at_hash` and `c_hash` (OpenID Connect Core, section 3.1.3.6); SHA-512 for
    /// Ed25519.
    ///
    /// Ed448 has SHAKE256, which is not among them.
    package var digest: DigestAlgorithm {
        switch self {
        case .hs256, .rs256, .ps256, .es256, .es256K: .sha256
        case .hs384, .rs384, .ps384, .es384: .sha384
        case .hs512, .rs512, .ps512, .es512, .edDSA, .ed25519, .ed448: .sha512
        }
    }

    /// The signature scheme; nil for HMAC.
    package var scheme: SignatureScheme? {
        switch self {
        case .hs256, .hs384, .hs512: nil
        case .rs256, .rs384, .rs512: .rsaPKCS1(digest)
        case .ps256, .ps384, .ps512: .rsaPSS(digest)
        case .es256, .es384, .es512, .es256K: .ecdsa(digest)
        case .edDSA, .ed25519, .ed448: .edDSA
        }
    }

    /// Whether who verifies could have signed: HMAC.
    package var isSymmetric: Bool { scheme == nil }

    /// `kty` of the keys it takes.
    package var keyType: String {
        switch self {
        case .hs256, .hs384, .hs512: "oct"
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: "RSA"
        case .es256, .es384, .es512, .es256K: "EC"
        case .edDSA, .ed25519, .ed448: "OKP"
        }
    }

    /// `crv` of the keys it takes, the usual one first; empty where keys have none.
    ///
    /// ES256 goes with P-256 only (RFC 7518, section 3.4).
    package var curves: [String] {
        switch self {
        case .es256: ["P-256"]
        case .es384: ["P-384"]
        case .es512: ["P-521"]
        case .es256K: ["secp256k1"]
        case .edDSA: ["Ed25519", "Ed448"]
        case .ed25519: ["Ed25519"]
        case .ed448: ["Ed448"]
        default: []
        }
    }

    /// Whether a key that is for one of them is for the other as well: EdDSA leaves it to the key which curve it is.
    func goesWith(_ other: SignatureAlgorithm) -> Bool {
        self == other || keyType == "OKP" && other.keyType == "OKP" && [self, other].contains(.edDSA)
    }
}
