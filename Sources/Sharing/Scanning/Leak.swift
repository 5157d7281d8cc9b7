import Captures

/// A piece of a secret that stands in what was to be shared.
///
/// Says what it is, where and how it is encoded; never holds any of the secret's text.
package struct Leak: Sendable, Hashable {
    /// An encoding around a leak.
    package enum Encoding: String, Sendable, Hashable, CaseIterable {
        case percent
        case json = "JSON"
        case html = "HTML"
        /// Of style sheets.
        case style = "CSS"
        /// Either alphabet.
        case base64
        case hexadecimal
        /// Bytes by their numbers.
        case decimal
        /// Of any alphabet.
        case base85 = "base 85"
        case uuencoded = "uuencode"
    }

    package var kind: Secret.Kind
    /// The index of the entry in `log.entries`, from zero; nil outside of the entries.
    package var entry: Int?
    /// The place inside of the entry: `response.headers[3].value`.
    ///
    /// Member names that HAR does not define could be part of a secret: they are given as ordinals from zero,
    /// `_extra` of `response` as `response.{7}`. A leak in a member name ends with `(name)`.
    package var path: String
    /// Where the leak begins: bytes of the decoded string's UTF-8, from zero.
    package var offset: Int
    /// From the outermost on; empty for a leak as it is.
    package var encodings: [Encoding]
    /// How many characters of the secret stand there in a row.
    package var characters: Int

    package init(
        kind: Secret.Kind,
        entry: Int?,
        path: String,
        offset: Int,
        encodings: [Encoding],
        characters: Int
    ) {
        self.kind = kind
        self.entry = entry
        self.path = path
        self.offset = offset
        self.encodings = encodings
        self.characters = characters
    }
}

extension Leak: CustomStringConvertible {
    /// For example `12 characters of a secret (access token) in entry 3, response.content.text, byte 120, encoded:
    /// percent, base64`.
    package var description: String {
        let place = entry.map { "entry \($0), " } ?? ""
        let how =
            encodings.isEmpty ? "" : ", encoded: " + encodings.map(\.rawValue).joined(separator: ", ")
        let count = characters.counted("character")
        return "\(count) of a secret (\(kind.rawValue)) in \(place)\(path), byte \(offset)\(how)"
    }
}
