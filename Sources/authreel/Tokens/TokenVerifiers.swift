import JOSE

/// Judges the tokens of a file, one after the other: each by the keys of its issuer.
struct TokenVerifiers {
    private let keys: TokenKeys
    private let secret: [UInt8]?
    private let expected: TokenExpectations
    private var byIssuer: [String?: TokenVerifier] = [:]

    init(keys: TokenKeys, secret: [UInt8]?, expecting expected: TokenExpectations) {
        self.keys = keys
        self.secret = secret
        self.expected = expected
    }

    /// The verdict on one token, with no white space around it.
    mutating func verdict(on token: UnsafeBufferPointer<UInt8>) -> TokenVerifier.Verdict {
        verifier(for: token).verdict(on: token)
    }

    private mutating func verifier(for token: UnsafeBufferPointer<UInt8>) -> TokenVerifier {
        // No token is taken apart for keys that are for all of them.
        let issuer = keys.areOfIssuers ? issuer(of: String(decoding: token, as: UTF8.self)) : nil
        if let known = byIssuer[issuer] { return known }
        let verifier = TokenVerifier(keys: keys.keys(of: issuer), secret: secret, expecting: expected)
        byIssuer[issuer] = verifier
        return verifier
    }

    /// Of an encrypted token it is that of the one in it, which is verified.
    private func issuer(of text: String) -> String? {
        guard let token = JSONWebToken.parse(text) else { return nil }
        let opened = JSONWebEncryption(token)?.open(keys: keys.keys(of: token.issuer), secret: secret)
        guard
            let inner = opened.flatMap({ JSONWebToken.parse(String(decoding: $0.plaintext, as: UTF8.self)) })
        else { return token.issuer }
        return inner.issuer
    }
}
