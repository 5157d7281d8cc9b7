import JOSE
import JSON
import Reports

/// A token with what was checked of it; the inner one where it is encrypted and a key opens it.
struct JudgedToken {
    private let token: JSONWebToken
    /// The encrypted token that held it.
    private let envelope: JSONWebToken?
    private let verification: SignatureVerification
    private let claims: [TokenCheck]

    init(
        _ found: JSONWebToken,
        _ keys: TokenKeys,
        _ secret: [UInt8]?,
        expecting expected: TokenExpectations
    ) {
        let outer = keys.keys(of: found.issuer)
        let inner = JSONWebEncryption(found)?.open(keys: outer, secret: secret).flatMap {
            JSONWebToken.parse(String(decoding: $0.plaintext, as: UTF8.self))
        }
        token = inner ?? found
        envelope = inner == nil ? nil : found
        verification = token.verify(keys: keys.keys(of: token.issuer), secret: secret).tellingOfSignature
        claims = token.checks(against: expected)
    }

    private var checks: [TokenCheck] { verification.checks + claims }

    /// Whether it is written as it has to be, and no check failed.
    var isGood: Bool { token.deviations.isEmpty && checks.allSatisfy { $0.outcome != .failed } }

    /// The option that would have its signature verified; nil where it was, or there is none to verify.
    var missingOption: String? {
        guard verification.outcome == .unknownKey else { return nil }
        let isSymmetric = token.algorithm.flatMap(SignatureAlgorithm.init(rawValue:))?.isSymmetric ?? false
        return isSymmetric ? "--secret-env VARIABLE" : "--jwks FILE"
    }

    /// `columns`: of the terminal, nil where there is none.
    func text(_ style: TextStyle, columns: Int?) -> String {
        TokenText.text(of: token, envelope: envelope, checks: checks, style: style, columns: columns)
    }

    var json: JSONValue {
        TokenText.json(of: token, envelope: envelope, verification: verification, claims: claims)
    }
}
