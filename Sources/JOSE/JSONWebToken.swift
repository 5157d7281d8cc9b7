package import JSON

/// A compact JWS or JWE (RFC 7515, section 7.1; RFC 7516, section 7.1) as it was found, whatever is wrong
/// with it.
///
/// Nothing is refused: an unknown `alg`, padding, duplicate members are what a broken login is made of.
/// ``deviations`` names them.
package struct JSONWebToken: Sendable, Hashable {
    /// Signed (three parts) or encrypted (five).
    package enum Form: Sendable, Hashable {
        case signed
        case encrypted
    }

    /// Something that the specification does not allow, with its section.
    package struct Deviation: Sendable, Hashable, CustomStringConvertible {
        /// `header`, `payload`, `signature`.
        package var part: String
        /// In words, without the part.
        package var what: String
        /// `RFC 7515 §2` and the like.
        package var specification: String

        package var description: String { "\(part): \(what) (\(specification))" }
    }

    /// As it was found.
    package let text: String
    /// By the number of its parts.
    package let form: Form
    /// The JOSE header; nil where the first part is no JSON object.
    package let header: JSONObject?
    /// The claims; nil where the payload is no JSON object, and always for encrypted tokens.
    package let claims: JSONObject?
    /// The payload's bytes; the ciphertext's for encrypted tokens.
    package let payload: [UInt8]
    /// The signature's bytes; the tag's of encrypted tokens.
    package let signature: [UInt8]
    /// In the order of the parts.
    package let deviations: [Deviation]

    /// Whether this looks like two signed tokens without anything between them: five parts behind the header of a signed one.
    ///
    /// `enc` has to be in the header of a JWE (RFC 7516, section 4.1.2), and the `alg` of a JWS is none of its own.
    package var isTwoRunTogether: Bool {
        guard form == .encrypted, let header, header["enc"] == nil, let algorithm else { return false }
        return SignatureAlgorithm(rawValue: algorithm) != nil || algorithm.lowercased() == "none"
    }

    /// Longer ones are not taken apart: no deployed server takes them, and a capture is hostile.
    private static let maximumLength = 16 << 20

    /// Takes apart a text with the shape of a compact token.
    ///
    /// - Returns: nil when it has not three or five parts of the alphabet, or its first part is not even the beginning of an object.
    package static func parse(_ text: String) -> JSONWebToken? {
        let bytes = text.utf8
        // `{"` is `eyJ` or, with white space, `ew`/`eyA`, and `{}` is `e30`: cheap to say no to everything else.
        guard bytes.count >= 10, bytes.count <= maximumLength,
            bytes.starts(with: "ey".utf8) || bytes.starts(with: "ew".utf8) || bytes.starts(with: "e30.".utf8)
        else { return nil }
        let dots = bytes.reduce(0) { $1 == 0x2e ? $0 + 1 : $0 }
        if dots == 2 || dots == 4, bytes.allSatisfy(isTokenByte) {
            return JSONWebToken(
                text,
                parts: bytes.split(separator: 0x2e, omittingEmptySubsequences: false).map { Substring($0) }
            )
        }
        // A mark in the place of the signature is of any characters.
        let parts = bytes.split(separator: 0x2e, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].allSatisfy(isTokenByte), parts[1].allSatisfy(isTokenByte),
            Placeholder.isOne(String(Substring(parts[2])))
        else { return nil }
        return JSONWebToken(text, parts: parts.map { Substring($0) })
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2b, 0x2d, 0x2e, 0x2f, 0x3d, 0x5f: true
        default: false
        }
    }

    /// A text of claims is UTF-8 (RFC 7519, section 7.2); nearly all are ASCII.
    static func isUTF8(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.allSatisfy { $0 < 0x80 } || String(validating: bytes, as: UTF8.self) != nil
    }

    private init?(_ text: String, parts: [Substring]) {
        var reader = TokenPartReader()
        self.text = text
        form = parts.count == 5 ? .encrypted : .signed
        let headerBytes = reader.bytes(of: parts[0], called: "header")
        // Something with dots in it, a host name say, is no token.
        guard headerBytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else { return nil }
        switch form {
        case .signed:
            header = reader.object(in: headerBytes, of: "header", "RFC 7515 §4")
            payload = reader.bytes(of: parts[1], called: "payload")
            signature = reader.bytes(of: parts[2], called: "signature")
            claims = reader.object(in: payload, of: "payload", "RFC 7519 §7.2")
        case .encrypted:
            header = reader.object(in: headerBytes, of: "header", "RFC 7516 §4")
            payload = reader.bytes(of: parts[3], called: "ciphertext")
            signature = reader.bytes(of: parts[4], called: "tag")
            claims = nil
        }
        deviations = reader.deviations
    }

    /// Whether somebody put a mark in the place of the signature, as sanitizers of captures do.
    package var isSignatureTakenOut: Bool {
        guard form == .signed else { return false }
        let parts = text.utf8.split(separator: 0x2e, maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count == 3 && Placeholder.isOne(String(Substring(parts[2])))
    }

    /// Whether it has no payload, which stands beside it then, as in a header of Open Banking (RFC 7515, appendix F), or is empty.
    var isDetached: Bool { form == .signed && payload.isEmpty }

    // MARK: - Header

    /// `alg`; nil where it is no string.
    package var algorithm: String? { header?["alg"]?.string }
    /// `kid`: the key to verify with, or to open with.
    package var keyID: String? { header?["kid"]?.string }
    /// `typ` as it stands (RFC 7515, section 4.1.9).
    package var type: String? { header?["typ"]?.string }

    /// What is signed: header and payload as they stand (RFC 7515, section 5.1).
    package var signingInput: [UInt8] {
        Array(text.utf8[..<(text.utf8.lastIndex(of: 0x2e) ?? text.utf8.endIndex)])
    }

    // MARK: - Registered claims (RFC 7519, section 4.1)

    /// The first claim of a name; nil where the payload cannot be read, too.
    package func claim(_ name: String) -> JSONValue? { claims?[name] }

    /// `iss`, if it is a string.
    package var issuer: String? { claim("iss")?.string }
    /// `sub`, if it is a string.
    package var subject: String? { claim("sub")?.string }

    /// `aud`, a string or an array of them; empty where there is none.
    package var audience: [String] {
        switch claim("aud") {
        case .string(let audience): [audience]
        case .array(let audiences): audiences.compactMap(\.string)
        default: []
        }
    }

    /// Seconds since the epoch; fractions are cut off.
    package var expiresAt: Int64? { seconds("exp") }
    /// `iat`, in the same way.
    package var issuedAt: Int64? { seconds("iat") }
    /// `nbf`, in the same way.
    package var notBefore: Int64? { seconds("nbf") }

    /// A claim that is a time (NumericDate, RFC 7519, section 2); whole seconds, nil where it is none that can be.
    ///
    /// `takingDigits`: digits in a string say it, too, though a number is due.
    package func seconds(_ name: String, takingDigits: Bool = false) -> Int64? {
        let claim = claim(name)
        let digits = takingDigits ? claim?.string.flatMap { Int64($0) }.map(Double.init) : nil
        guard let value = claim?.double ?? digits, abs(value) < 1e15 else { return nil }
        return Int64(value.rounded(.down))
    }
}
