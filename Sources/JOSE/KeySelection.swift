/// Which keys of a set may have signed a token (RFC 7515, section 6; RFC 7517, sections 4.2 to 4.5).
enum KeySelection {
    static func candidates(
        for token: JSONWebToken,
        _ algorithm: SignatureAlgorithm,
        in keys: [JSONWebKey],
        _ checks: inout [TokenCheck]
    ) -> [JSONWebKey] {
        guard !keys.isEmpty else {
            checks.append(TokenCheck("kid", .skipped, "no key set is known", "RFC 7515 §6"))
            return []
        }
        if let id = token.keyID {
            let named = keys.filter { $0.id == id }
            guard !named.isEmpty else {
                let known = keys.compactMap(\.id).joined(separator: ", ")
                checks.append(
                    TokenCheck("kid", .failed, "\(id) is not among \(known)", "OpenID Connect Core §10.1")
                )
                return []
            }
            checks.append(TokenCheck("kid", .passed, id, "RFC 7515 §4.1.4"))
            return named.filter { fits($0, algorithm, &checks) }
        }
        let fitting = keys.filter { fits($0, algorithm, &checks) }
        checks.append(
            fitting.isEmpty
                ? TokenCheck(
                    "kid",
                    .failed,
                    "no key of the set fits \(algorithm.rawValue)",
                    "OpenID Connect Core §10.1"
                )
                : TokenCheck(
                    "kid",
                    .skipped,
                    "the token names no key; \(fitting.count) fit",
                    "OpenID Connect Core §10.1"
                )
        )
        return fitting
    }

    private static func fits(_ key: JSONWebKey, _ algorithm: SignatureAlgorithm, _ checks: inout [TokenCheck])
        -> Bool
    {
        let name = key.id ?? "without kid"
        if key.type != algorithm.keyType {
            checks.append(
                TokenCheck(
                    "key",
                    .failed,
                    "key \(name): kty \(key.type ?? "missing"), \(algorithm.rawValue) takes \(algorithm.keyType)",
                    "RFC 7518 §3.1"
                )
            )
            return false
        }
        if !algorithm.curves.isEmpty, !(key.curve.map(algorithm.curves.contains) ?? false) {
            checks.append(
                TokenCheck(
                    "key",
                    .failed,
                    "key \(name): crv \(key.curve ?? "missing"), \(algorithm.rawValue) takes \(algorithm.curves.joined(separator: " or "))",
                    "RFC 7518 §3.4"
                )
            )
            return false
        }
        // Said, but not decisive: some servers publish a key with another alg than they sign with.
        if let check = otherAlgorithm(of: key, than: algorithm) { checks.append(check) }
        if let use = key.use, use != "sig" {
            checks.append(TokenCheck("key", .failed, "key \(name) is for use \(use)", "RFC 7517 §4.2"))
            return false
        }
        if let operations = key.operations, !operations.isEmpty, !operations.contains("verify"),
            !operations.contains("sign")
        {
            let stated = operations.joined(separator: ", ")
            checks.append(TokenCheck("key", .failed, "key \(name) is for key_ops \(stated)", "RFC 7517 §4.3"))
            return false
        }
        return true
    }

    /// The failed check of a key that says it is for another algorithm; nil where it is for this one, or for any.
    static func otherAlgorithm(of key: JSONWebKey, than algorithm: SignatureAlgorithm) -> TokenCheck? {
        guard let stated = key.algorithm, SignatureAlgorithm(rawValue: stated)?.goesWith(algorithm) != true
        else {
            return nil
        }
        let detail = "key \(key.id ?? "without kid") is for \(stated), the token says \(algorithm.rawValue)"
        return TokenCheck("key", .failed, detail, "RFC 7517 §4.4")
    }
}
