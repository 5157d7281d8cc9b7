import Captures
import JOSE

/// How a value that a provider makes up looks: its length, alphabet, prefix and separators, so that a fresh one
/// can be made that looks the same.
package struct ValueTemplate: Sendable, Hashable {
    /// A value of the recording, never given out again.
    private let model: [UInt8]
    /// Bytes of the model that stay: the prefix that tells the kind (`gho_`, `ya29.`, `4/0`), and the header of
    /// a token.
    private let kept: Int

    package init(like model: String) {
        self.model = Array(model.utf8)
        kept = Self.prefixLength(self.model)
    }

    /// What is made where no recording shows a value: 43 characters of base64url.
    package static let token = ValueTemplate(like: "0aA0aA0aA0aA0aA0aA0aA0aA0aA0aA0aA0aA0aA0aA0")

    /// Makes a value of this shape, of `random` bytes.
    package func make(_ random: (Int) -> [UInt8]) -> String {
        let alphabet = alphabet
        guard !alphabet.isEmpty else { return Base64URL.encode(random(16)) }
        var source = random(model.count * 2)[...]
        let bytes = model.enumerated().map { index, byte -> UInt8 in
            guard index >= kept, byte.isASCIIAlphanumeric, !isVersion(index) else { return byte }
            let high = Int(source.popFirst() ?? 0)
            let low = Int(source.popFirst() ?? 0)
            return alphabet[(high << 8 | low) % alphabet.count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether nobody guesses a value of this shape: one with less freedom is no secret, and better kept.
    package var isUnguessable: Bool { model.dropFirst(kept).count(where: \.isASCIIAlphanumeric) >= 8 }

    // MARK: - Reading the model

    private static let digits = Array("0123456789".utf8)
    private static let lower = Array("abcdefghijklmnopqrstuvwxyz".utf8)
    private static let upper = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)

    /// The characters that stand for letters and digits of the model.
    private var alphabet: [UInt8] {
        let used = model.dropFirst(kept).filter(\.isASCIIAlphanumeric)
        let hasDigits = used.contains { $0 <= 0x39 }
        let hasUpper = used.contains { (0x41...0x5a).contains($0) }
        let hasLower = used.contains { $0 >= 0x61 }
        if hasDigits, used.count >= 8, used.allSatisfy(\.isHexadecimalDigit), hasUpper != hasLower {
            return Self.digits + (hasUpper ? Self.upper : Self.lower).prefix(6)
        }
        return (hasDigits ? Self.digits : []) + (hasUpper ? Self.upper : []) + (hasLower ? Self.lower : [])
    }

    /// Version and variant of a UUID say how it was made (RFC 9562, sections 4.1 and 4.2).
    private func isVersion(_ index: Int) -> Bool {
        (index == 14 || index == 19) && model.isUUID
    }

    /// The length of what is the same in all values of a kind.
    private static func prefixLength(_ model: [UInt8]) -> Int {
        let text = String(decoding: model, as: UTF8.self)
        if text.hasPrefix("eyJ"), let dot = model.firstIndex(of: 0x2e), model.count - dot > 16 {
            return dot + 1
        }
        // `gho_…`, `ya29.…`, `1.…`, `4/0…`, `urn:ietf:params:oauth:request_uri:…`
        if text.hasPrefix("urn:"), let colon = model.lastIndex(of: 0x3a), model.count - colon > 8 {
            return colon + 1
        }
        guard let end = model.prefix(6).firstIndex(where: { [0x5f, 0x2e, 0x2f].contains($0) }),
            model.count - end > 12
        else { return 0 }
        return end + 1
    }
}
