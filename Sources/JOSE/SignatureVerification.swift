import JSON
import LibCrypto

/// What can be said of a token's signature; raw values are those of the JSON that `show` prints.
package enum SignatureOutcome: String, Sendable, Hashable, CaseIterable {
    case valid
    case invalid
    case unknownKey = "unknown_key"
    case unsigned
    case encrypted
    /// A mark stands where it was (``Placeholder``).
    case redacted
    case notChecked = "not_checked"
}

/// One thing that was looked at in a token.
package struct TokenCheck: Sendable, Hashable {
    /// What came of it; skipped is what could not be looked at.
    package enum Outcome: String, Sendable, Hashable {
        case passed
        case failed
        case skipped
    }

    /// `alg`, `kid`, `key`, `signature`, `exp`, ….
    package var name: String
    /// What came of it.
    package var outcome: Outcome
    /// What was seen, and what was expected where it failed.
    package var detail: String
    /// The section that asks for it, `RFC 7518 §3.1`.
    package var specification: String

    init(_ name: String, _ outcome: Outcome, _ detail: String, _ specification: String) {
        self.name = name
        self.outcome = outcome
        self.detail = detail
        self.specification = specification
    }
}

/// The answer of a verification: never only yes or no.
package struct SignatureVerification: Sendable, Hashable {
    /// Of the signature alone.
    package var outcome: SignatureOutcome
    /// In the order in which they were made.
    package var checks: [TokenCheck]
    /// The key that verified it, or the one that should have.
    package var key: JSONWebKey?
    /// `der`: an ECDSA signature in DER that would verify as such.
    package var variant: String?
}

extension SignatureVerification {
    /// The same, saying that the signature was not verified where no check is of it.
    ///
    /// A list of checks that hold and none of the signature reads as if it were good. Of a token that is encrypted, or
    /// says itself that it is not signed, there is none to verify (RFC 7515, section 5.2).
    package var tellingOfSignature: SignatureVerification {
        let isOpen = outcome == .unknownKey || outcome == .notChecked
        guard isOpen, !checks.contains(where: { $0.name == "signature" }) else { return self }
        var told = self
        let detail = "not verified" + (outcome == .unknownKey ? ": the key that made it is not known" : "")
        told.checks.append(TokenCheck("signature", .skipped, detail, "RFC 7515 §5.2"))
        return told
    }

    /// What was signed stands elsewhere: that a signature does not fit what is here says nothing of it.
    fileprivate mutating func leaveOpen() {
        outcome = .notChecked
        checks.removeAll { $0.name == "signature" }
        let detail = "made over a payload that is not in the token"
        checks.append(TokenCheck("signature", .skipped, detail, "RFC 7515 §F"))
    }

    /// Of a signature that one look at the token decides.
    fileprivate init(_ outcome: SignatureOutcome, _ check: TokenCheck) {
        self.init(outcome: outcome, checks: [check])
    }
}

extension JSONWebToken {
    /// Checks the signature with the keys at hand.
    ///
    /// `keys`: of the issuer's key set; selected by `kid`, else all that fit `alg` are tried (RFC 7515,
    /// section 6).
    /// `secret`: the client secret's bytes, for HS algorithms (OpenID Connect Core, section 10.1).
    ///
    /// The outcome is the signature's alone: what the header demands besides (`crit`) is a check of its own.
    package func verify(keys: [JSONWebKey], secret: [UInt8]? = nil) -> SignatureVerification {
        var verification = verifySignature(keys, secret)
        if isDetached, verification.outcome == .invalid { verification.leaveOpen() }
        if let check = criticalExtensionsCheck {
            let afterAlgorithm = verification.checks.first?.name == "alg" ? 1 : 0
            verification.checks.insert(check, at: afterAlgorithm)
        }
        return verification
    }

    private func verifySignature(_ keys: [JSONWebKey], _ secret: [UInt8]?) -> SignatureVerification {
        if let decided = verificationWithoutKeys { return decided }
        guard let name = algorithm, let algorithm = SignatureAlgorithm(rawValue: name) else {
            let detail = "\(algorithm ?? "none") is no signature algorithm that is known here"
            return SignatureVerification(.notChecked, TokenCheck("alg", .failed, detail, "RFC 7518 §3.1"))
        }
        let checks = [TokenCheck("alg", .passed, name, "RFC 7518 §3.1")]
        return algorithm.isSymmetric
            ? verifySymmetric(algorithm, keys, secret, checks)
            : verifyAsymmetric(algorithm, keys, checks)
    }

    /// What the token says itself of a signature that there is not, or none to check; nil of all others.
    private var verificationWithoutKeys: SignatureVerification? {
        guard form == .signed else {
            let detail = "encrypted with \(algorithm ?? "no alg")"
            return SignatureVerification(.encrypted, TokenCheck("alg", .skipped, detail, "RFC 7516 §7.1"))
        }
        guard let name = algorithm else {
            let detail = header?["alg"] == nil ? "the header has no alg" : "alg is no string"
            return SignatureVerification(.notChecked, TokenCheck("alg", .failed, detail, "RFC 7515 §4.1.1"))
        }
        if name.lowercased() == "none" {
            let detail = signature.isEmpty ? "not signed" : "says it is not signed, and carries a signature"
            return SignatureVerification(.unsigned, TokenCheck("alg", .failed, detail, "RFC 7518 §3.6"))
        }
        guard isSignatureTakenOut else { return nil }
        let check = TokenCheck("signature", .skipped, "taken out of the token", "RFC 7515 §5.2")
        return SignatureVerification(.redacted, check)
    }

    private func verifySymmetric(
        _ algorithm: SignatureAlgorithm,
        _ keys: [JSONWebKey],
        _ secret: [UInt8]?,
        _ checks: [TokenCheck]
    ) -> SignatureVerification {
        var checks = checks
        let candidates =
            keys.compactMap { key in key.symmetricKey.map { (bytes: $0, key: Optional(key)) } }
            + (secret.map { [($0, nil)] } ?? [])
        guard !candidates.isEmpty else {
            checks.append(
                TokenCheck("key", .skipped, "the client secret is not known", "OpenID Connect Core §10.1")
            )
            return SignatureVerification(outcome: .unknownKey, checks: checks)
        }
        for (bytes, key) in candidates {
            let code = MessageAuthentication.hmac(signingInput, key: bytes, algorithm.digest)
            if MessageAuthentication.areEqual(code, signature) {
                checks.append(
                    TokenCheck(
                        "signature",
                        .passed,
                        "made with the \(key == nil ? "client secret" : "key")",
                        "RFC 7518 §3.2"
                    )
                )
                return SignatureVerification(outcome: .valid, checks: checks, key: key)
            }
        }
        checks.append(TokenCheck("signature", .failed, "not made with the known secret", "RFC 7518 §3.2"))
        return SignatureVerification(outcome: .invalid, checks: checks, key: candidates[0].key)
    }

    private func verifyAsymmetric(
        _ algorithm: SignatureAlgorithm,
        _ keys: [JSONWebKey],
        _ checks: [TokenCheck]
    ) -> SignatureVerification {
        var checks = checks
        let candidates = KeySelection.candidates(for: self, algorithm, in: keys, &checks)
        guard !candidates.isEmpty else {
            // The very key that the token names is no key for its algorithm.
            let named = keys.filter { keyID != nil && $0.id == keyID }
            let isNamed = !named.isEmpty && named.allSatisfy { $0.type != algorithm.keyType }
            return SignatureVerification(outcome: isNamed ? .invalid : .unknownKey, checks: checks)
        }
        guard let scheme = algorithm.scheme else {
            return SignatureVerification(outcome: .notChecked, checks: checks)
        }
        let message = signingInput
        var usable = 0
        for candidate in candidates {
            let key: PublicKey
            do {
                key = try candidate.publicKey()
            } catch {
                let words = "key \(candidate.id ?? "without kid"): \(error)"
                checks.append(TokenCheck("key", .failed, words, "RFC 7517 §4"))
                continue
            }
            usable += 1
            if let decided = verify(message, with: key, of: candidate, scheme, &checks) { return decided }
        }
        guard usable > 0 else {
            return SignatureVerification(outcome: .notChecked, checks: checks, key: candidates[0])
        }
        checks.append(
            TokenCheck(
                "signature",
                .failed,
                "does not verify with \(candidates.count == 1 ? "the key" : "any of \(candidates.count) keys")",
                "RFC 7515 §5.2"
            )
        )
        // Keys that do not fit cannot have made it; one that cannot be read may have, where the token names none.
        return SignatureVerification(
            outcome: keyID != nil || usable == candidates.count ? .invalid : .unknownKey,
            checks: checks,
            key: candidates[0]
        )
    }

    /// What a key decides: that the signature is good, or why it is none although this key made it; nil where it was not
    /// this one.
    private func verify(
        _ message: [UInt8],
        with key: PublicKey,
        of candidate: JSONWebKey,
        _ scheme: SignatureScheme,
        _ checks: inout [TokenCheck]
    ) -> SignatureVerification? {
        if case .rsa(let bits) = key.kind, bits < 2048 {
            checks.append(TokenCheck("key", .failed, "\(bits) bits; 2048 are required", "RFC 7518 §3.3"))
        }
        if key.verifies(signature, of: message, scheme) {
            checks.append(
                TokenCheck("signature", .passed, "key \(candidate.id ?? "without kid")", "RFC 7515 §5.2")
            )
            return SignatureVerification(outcome: .valid, checks: checks, key: candidate)
        }
        guard case .ecdsa = scheme, signature.first == 0x30,
            key.verifiesAsIs(signature, of: message, scheme)
        else { return nil }
        let words = "DER; r and s side by side are required"
        checks.append(TokenCheck("signature", .failed, words, "RFC 7518 §3.4"))
        return SignatureVerification(outcome: .invalid, checks: checks, key: candidate, variant: "der")
    }
}
