@testable import JOSE
import JSON

/// Tokens, taken apart leniently for the report and strictly for a verdict.
enum TokenTarget {
    private static let expected = TokenExpectations(
        issuer: "https://idp.example",
        audience: "rp",
        nonce: "n",
        now: 1_780_000_000,
        leeway: 60
    )

    static func check(_ input: [UInt8]) throws(FuzzFinding) {
        let text = String(decoding: input, as: UTF8.self)
        try base64(text)
        if let token = JSONWebToken.parse(text) { try isWhatItSays(token) }
        // No input has a signature of this key.
        let verdict = input.withUnsafeBufferPointer {
            TokenVerifier(keys: [key], expecting: TokenExpectations()).verdict(on: $0)
        }
        try require(verdict != .valid, "a token that nobody signed is valid")
        try claimsAreJudgedAlike(input)
    }

    /// A key whose private half was thrown away.
    private static let key = JSONWebKey(
        json: [
            "kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "kid": "k",
            "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
        ]
    )

    private static func isWhatItSays(_ token: JSONWebToken) throws(FuzzFinding) {
        // A mark in the place of the signature may have dots in it.
        let parts = token.text.split(
            separator: ".",
            maxSplits: token.isSignatureTakenOut ? 2 : .max,
            omittingEmptySubsequences: false
        )
        try require(parts.count == (token.form == .signed ? 3 : 5), "\(parts.count) parts")
        let strict = parts.map { Base64URL.decode($0) }
        if token.deviations.isEmpty {
            let isStrict =
                strict[0] != nil && strict[token.form == .signed ? 1 : 3] != nil && strict.last != .some(nil)
            try require(isStrict && token.header != nil, "nothing is wrong with a token that is not strict")
            try require(
                token.form == .encrypted || token.claims != nil,
                "nothing is wrong with a token without claims"
            )
        }
        _ = (
            token.algorithm, token.keyID, token.type, token.audience, token.expiresAt, token.issuedAt,
            token.notBefore
        )
        _ = token.checks(against: expected)
        _ = token.verify(keys: [key], secret: [1, 2, 3])
        _ = JSONWebEncryption(token)?.open(keys: [key], secret: [1, 2, 3])
        let signed = token.signingInput
        try require(token.text.utf8.starts(with: signed), "what is signed is not how the token begins")
    }

    /// The input as claims: what the short way takes, the long way takes.
    private static func claimsAreJudgedAlike(_ input: [UInt8]) throws(FuzzFinding) {
        var scanner = ClaimScanner()
        for expected in [expected, TokenExpectations()] {
            guard input.withUnsafeBufferPointer({ scanner.accepts($0, expected) }) else { continue }
            let text =
                Base64URL.encode(Array("{\"alg\":\"EdDSA\"}".utf8)) + "." + Base64URL.encode(input) + "."
            guard let token = JSONWebToken.parse(text) else { throw FuzzFinding("no token to the long way") }
            let reasons = token.checks(against: expected).filter { $0.outcome == .failed }.map(\.detail)
            try require(
                reasons.isEmpty && token.deviations.isEmpty,
                "accepted by the short way: \(reasons + token.deviations.map(\.description))"
            )
        }
    }

    private static func base64(_ text: String) throws(FuzzFinding) {
        let strict = Base64URL.decode(text)
        let utf8 = Array(text.utf8)
        var buffer: [UInt8] = []
        let isStrict = utf8.withUnsafeBufferPointer { Base64URL.decodeStrictly($0[...], into: &buffer) }
        try require(isStrict == (strict != nil), "one decoder is stricter than the other")
        guard let strict else { return }
        try require(buffer == strict, "one decoder reads other bytes than the other")
        try require(Array(Base64URL.encode(strict).utf8) == utf8, "encoded anew it is another text")
    }
}
