import Captures
import JOSE
import JSON
import LibCrypto

/// Keys that stand for those of a capture: of the same kind and size, made for one shared capture and then forgotten.
final class ThrowAwayKeys {
    private let makeKey: (PrivateKey.Kind) -> PrivateKey?
    private var made: [String: PrivateKey] = [:]
    /// Members of keys, and thumbprints, with what stands for them.
    private(set) var replacements: [String: String] = [:]

    /// Of tokens that stay as they are.
    private var kept: Set<String> = []

    /// `makeKey`: a key that nobody has; nil for a kind that cannot be made.
    init(makeKey: @escaping (PrivateKey.Kind) -> PrivateKey?) { self.makeKey = makeKey }

    /// From now on nothing stands for a key.
    func keep(_ key: JSONWebKey) {
        if let thumbprint = key.thumbprint { kept.insert(thumbprint) }
    }

    /// The key that signs in the place of the owner of a key; nil for a kind that cannot be made.
    func privateKey(for key: JSONWebKey) -> PrivateKey? {
        guard let thumbprint = key.thumbprint, !kept.contains(thumbprint) else { return nil }
        if let known = made[thumbprint] { return known }
        guard let kind = Self.kind(of: key), let other = makeKey(kind) else { return nil }
        made[thumbprint] = other
        var replaced = key.json
        for name in ["n", "x", "y"] {
            guard let old = key.json[name]?.string,
                let new = JSONWebKey(other.publicKey, id: nil).json[name]?.string
            else { continue }
            let spelled = Self.spelled(new, name, like: old)
            replacements[old] = spelled
            replaced[name] = .string(spelled)
        }
        for (name, bytes) in key.isPrivate ? other.privateParts : [] {
            if let old = key.json[name]?.string { replacements[old] = Base64URL.encode(bytes) }
        }
        certify(key, by: other)
        replacements[thumbprint] = JSONWebKey(json: replaced).thumbprint
        return other
    }

    /// A number of another key as the recorded one was written, right or wrong: in its alphabet, padded, with zeros in front.
    private static func spelled(_ new: String, _ name: String, like old: String) -> String {
        // A coordinate has a fixed length, zeros and all (RFC 7518, section 6.2.1.2).
        let zeros = name == "n" ? Base64URL.decodeLeniently(old).bytes.prefix { $0 == 0 } : []
        return TokenWriter.encoded(zeros + Base64URL.decodeLeniently(new).bytes, like: old)
    }

    /// Certificates of a key get the other key, and their thumbprints follow (RFC 7517, sections 4.7 to 4.9).
    private func certify(_ key: JSONWebKey, by other: PrivateKey) {
        for text in (key.json["x5c"]?.array ?? []).compactMap(\.string) {
            let der = Base64.decode(text)
            guard let certificate = try? Certificate(der: der), let old = try? key.publicKey(),
                certificate.holds(old),
                let certified = try? certificate.rekeyed(other)
            else { continue }
            replacements[text] = Base64.encode(certified.der)
            for digest in [DigestAlgorithm.sha1, .sha256] {
                let (before, after) = (Digest.of(der, digest), Digest.of(certified.der, digest))
                replacements[Base64URL.encode(before)] = Base64URL.encode(after)
            }
        }
    }

    private static func kind(of key: JSONWebKey) -> PrivateKey.Kind? {
        switch try? key.publicKey().kind {
        case .rsa(let bits):
            let exponent = Base64URL.decodeLeniently(key.json["e"]?.string ?? "").bytes.drop { $0 == 0 }
            // A longer one would take minutes, an even one has no key.
            guard exponent.count <= 8, exponent.last.map({ $0 & 1 == 1 }) ?? false else { return nil }
            return .rsa(bits: min(bits, 8192), exponent: exponent.reduce(0) { $0 << 8 | UInt64($1) })
        case .elliptic(let curve): return .elliptic(curve)
        case .edwards(let curve): return .edwards(curve)
        case nil: return nil
        }
    }
}
