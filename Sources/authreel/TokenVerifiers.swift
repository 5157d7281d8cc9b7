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
        let issuer =
            keys.areOfIssuers ? JSONWebToken.parse(String(decoding: token, as: UTF8.self))?.issuer : nil
        if let known = byIssuer[issuer] { return known }
        let verifier = TokenVerifier(keys: keys.keys(of: issuer), secret: secret, expecting: expected)
        byIssuer[issuer] = verifier
        return verifier
    }
}
