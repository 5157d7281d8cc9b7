/// A text of a message as it was sent: UTF-8, or bytes that are none, each of them read as a character (see ``Latin1``).
package struct SentText: Sendable, Hashable {
    package var text: String
    package var isLatin1: Bool

    package init(_ text: String, isLatin1: Bool = false) {
        self.text = text
        self.isLatin1 = isLatin1
    }

    package init(_ bytes: UnsafeBufferPointer<UInt8>) {
        var union: UInt8 = 0
        for byte in bytes { union |= byte }
        // Nearly always, and much faster.
        if union < 0x80 {
            self.init(String(decoding: bytes, as: UTF8.self))
        } else if let text = String(validating: bytes, as: UTF8.self) {
            self.init(text)
        } else {
            self.init(Latin1.text(of: bytes), isLatin1: true)
        }
    }

    /// A text that was replaced since by one that Latin-1 has not is UTF-8.
    package var bytes: [UInt8] { (isLatin1 ? Latin1.bytes(of: text) : nil) ?? Array(text.utf8) }

    /// How many bytes were sent.
    package var count: Int { isLatin1 ? text.unicodeScalars.count : text.utf8.count }

    /// The same bytes, each of them a character.
    package var asLatin1: SentText {
        isLatin1 ? self : SentText(Latin1.text(of: text.utf8), isLatin1: true)
    }
}

extension Sequence<SentText> {
    /// All of them behind one another; of one that is no UTF-8 the others are read so as well.
    package func joined(separator: String = "") -> SentText {
        let isLatin1 = contains { $0.isLatin1 }
        let text = map { isLatin1 ? $0.asLatin1.text : $0.text }.joined(separator: separator)
        return SentText(text, isLatin1: isLatin1)
    }
}

extension HeaderFields.Field {
    /// Of one of them that is no UTF-8 the other is read so as well.
    package init(name: SentText, value: SentText) {
        let isLatin1 = name.isLatin1 || value.isLatin1
        self.init(
            name: isLatin1 ? name.asLatin1.text : name.text,
            value: isLatin1 ? value.asLatin1.text : value.text,
            isLatin1: isLatin1
        )
    }

    package var sentName: SentText {
        SentText(name, isLatin1: isLatin1 && !name.utf8.allSatisfy { $0 < 0x80 })
    }
    package var sentValue: SentText { SentText(value, isLatin1: isLatin1) }
}
