import JSON
import LibCrypto

/// Judges many tokens of one issuer: signature and claims of each, by the same keys and expectations.
///
/// A token that is good in every respect takes a short way that makes no values of it; any doubt sends it through
/// ``JSONWebToken``, whose checks say what is wrong. Not for several threads.
package final class TokenVerifier {
    /// What became of one token.
    package enum Verdict: Sendable, Equatable {
        case valid
        /// Not one check may be missing: those that failed, in order.
        case invalid([String])
    }

    private let keys: [JSONWebKey]
    private let secret: [UInt8]?
    private let expected: TokenExpectations
    /// Tokens of one key share their header, byte for byte.
    private var header: [UInt8] = []
    private var verifier: SignatureVerifier?
    private var claims = ClaimScanner()
    private var payload: [UInt8] = []
    private var signature: [UInt8] = []

    /// `secret`: the client's, for HMAC and for what is encrypted with it.
    package init(keys: [JSONWebKey], secret: [UInt8]? = nil, expecting expected: TokenExpectations) {
        self.keys = keys
        self.secret = secret
        self.expected = expected
    }

    /// The verdict on one token, with no white space around it.
    package func verdict(on token: UnsafeBufferPointer<UInt8>) -> Verdict {
        if isPlainlyValid(token) { return .valid }
        return judge(String(decoding: token, as: UTF8.self))
    }

    // MARK: - The long way

    private func judge(_ text: String) -> Verdict {
        guard let token = JSONWebToken.parse(text) else { return .invalid(["not a token of three parts"]) }
        guard !token.isTwoRunTogether else { return .invalid(["two tokens run together"]) }
        if let inner = JSONWebEncryption(token)?.open(keys: keys, secret: secret) {
            guard let signed = JSONWebToken.parse(String(decoding: inner.plaintext, as: UTF8.self)),
                signed.form == .signed
            else { return .invalid(["what is encrypted is no signed token"]) }
            return judge(signed.text)
        }
        let verification = token.verify(keys: keys, secret: secret)
        var failed = (verification.checks + token.checks(against: expected)).filter { $0.outcome == .failed }
        // A remark on another key than the one that verified is no reason; one for another algorithm must not be used (RFC 8725,
        // section 3.1).
        var misuse: TokenCheck?
        if verification.outcome == .valid, let key = verification.key,
            let algorithm = token.algorithm.flatMap(SignatureAlgorithm.init(rawValue:))
        {
            misuse = KeySelection.otherAlgorithm(of: key, than: algorithm)
        }
        // For HMAC no key is selected, each is tried.
        if let misuse, !failed.contains(misuse) { failed.insert(misuse, at: 0) }
        var reasons = failed.map { "\($0.name): \($0.detail)" }
        // What the claims lack says nothing of the signature.
        let isSignatureTold = verification.checks.contains { $0.outcome == .failed && $0.name != "key" }
        if verification.outcome != .valid, !isSignatureTold {
            reasons.insert("signature: \(verification.outcome.rawValue.replacing("_", with: " "))", at: 0)
        }
        reasons += token.deviations.map(\.description)
        return verification.outcome == .valid && misuse == nil && failed.allSatisfy { $0.name == "key" }
            && token.deviations.isEmpty
            ? .valid : .invalid(reasons)
    }

    // MARK: - The short way

    private func isPlainlyValid(_ token: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = token.firstIndex(of: 0x2e), let last = token.lastIndex(of: 0x2e), first < last,
            token[(first + 1)..<last].firstIndex(of: 0x2e) == nil
        else { return false }
        guard prepareVerifier(UnsafeBufferPointer(rebasing: token[..<first])), let verifier else {
            return false
        }
        guard Base64URL.decodeStrictly(token[(first + 1)..<last], into: &payload),
            Base64URL.decodeStrictly(token[(last + 1)...], into: &signature),
            payload.withUnsafeBufferPointer({ claims.accepts($0, expected) })
        else { return false }
        return signature.withUnsafeBufferPointer {
            verifier.verifies($0, of: UnsafeBufferPointer(rebasing: token[..<last]))
        }
    }

    /// Finds the key of a header; true where exactly one of the keys is the one it names.
    private func prepareVerifier(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        if verifier != nil, bytes.elementsEqual(header) { return true }
        verifier = nil
        // The payload does not matter here.
        guard let token = JSONWebToken.parse(String(decoding: bytes, as: UTF8.self) + ".e30."),
            token.deviations.isEmpty, token.criticalExtensionsCheck == nil, let id = token.keyID,
            let algorithm = token.algorithm.flatMap(SignatureAlgorithm.init(rawValue:)),
            let scheme = algorithm.scheme
        else { return false }
        let named = keys.filter { $0.id == id }
        var checks: [TokenCheck] = []
        guard named.count == 1, KeySelection.candidates(for: token, algorithm, in: named, &checks).count == 1,
            !checks.contains(where: { $0.outcome == .failed }), let key = try? named[0].publicKey()
        else { return false }
        verifier = SignatureVerifier(key: key, scheme: scheme)
        header = Array(bytes)
        return verifier != nil
    }
}
