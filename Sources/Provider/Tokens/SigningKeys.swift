import JOSE
import LibCrypto

/// Private keys for what a provider signs: given ones first, then new ones.
struct SigningKeys {
    private var given: [PrivateKey]

    init(_ given: [PrivateKey]) { self.given = given }

    /// A key that fits an algorithm; nobody else gets it, unless there are no more given ones of its kind.
    mutating func key(for algorithm: SignatureAlgorithm) throws -> PrivateKey {
        let kind: PrivateKey.Kind
        switch (algorithm.keyType, algorithm.curves.first) {
        case ("EC", let curve?): kind = .elliptic(EllipticCurve(rawValue: curve) ?? .p256)
        case ("OKP", let curve?): kind = .edwards(EdwardsCurve(rawValue: curve) ?? .ed25519)
        default: kind = .rsa(bits: 2048)
        }
        if let index = given.firstIndex(where: { Self.fits($0, kind) }) { return given.remove(at: index) }
        return try PrivateKey.generate(kind)
    }

    private static func fits(_ key: PrivateKey, _ kind: PrivateKey.Kind) -> Bool {
        switch (key.publicKey.kind, kind) {
        case (.rsa, .rsa): true
        case (.edwards(let one), .edwards(let other)): one == other
        case (.elliptic(let one), .elliptic(let other)): one == other
        default: false
        }
    }
}
