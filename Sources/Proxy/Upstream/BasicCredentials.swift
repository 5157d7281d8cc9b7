internal import Captures
internal import LibCrypto

/// A user name and a password, as a proxy asks for them (RFC 7617; RFC 1929).
package struct BasicCredentials: Sendable, Hashable {
    package let user: String
    package let password: String

    /// Neither may hold a control character, nor the user name a colon: there would be no way to send them.
    package init?(user: String, password: String) {
        let isSendable = (user + password).unicodeScalars.allSatisfy { $0.value > 0x1f && $0.value != 0x7f }
        guard !user.isEmpty, !user.utf8.contains(0x3a), isSendable else { return nil }
        self.user = user
        self.password = password
    }

    /// Reads `user:password`; a password may hold colons.
    package init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        self.init(user: String(text[..<colon]), password: String(text[text.index(after: colon)...]))
    }

    /// `user:password` as it stands before the host of a URL.
    package var inURL: String { "\(PercentEncoding.encode(user)):\(PercentEncoding.encode(password))" }

    /// The value of `Proxy-Authorization`.
    var fieldValue: String { "Basic " + Base64.encode(Array("\(user):\(password)".utf8)) }

    /// Whether the value of a `Proxy-Authorization` is these.
    ///
    /// In UTF-8, or in ISO 8859-1, which clients use that were told nothing else. Takes as long whatever the value is:
    /// digests are compared, and to the end.
    func accept(_ value: some Collection<UInt8>) -> Bool {
        let words = value.split(whereSeparator: \.isBlank)
        guard words.count == 2, String(decoding: words[0], as: UTF8.self).lowercased() == "basic" else {
            return false
        }
        let given = Digest.of(Base64.decode(String(decoding: words[1], as: UTF8.self)))
        let text = "\(user):\(password)"
        let isUTF8 = Self.areEqual(given, Digest.of(text.utf8))
        // What has no place in ISO 8859-1 becomes what no text has there.
        let isLatin = Self.areEqual(
            given,
            Digest.of(text.unicodeScalars.map { UInt8(exactly: $0.value) ?? 0 })
        )
        return isUTF8 || isLatin
    }

    private static func areEqual(_ given: [UInt8], _ wanted: [UInt8]) -> Bool {
        zip(given, wanted).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

// Passwords are not for messages.
extension BasicCredentials: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String { "\(user):***" }
    package var debugDescription: String { description }
}
