import Captures

/// What is given for a key log, by its first bytes.
package enum KeyLogFile {
    /// What the file is where it is no key log, with what is needed; nil where its first bytes do not tell.
    static func otherKind(_ head: [UInt8]) -> String? {
        let text = String(decoding: head.prefix(4096), as: UTF8.self)
        // By bytes: a carriage return and a line feed are one character.
        if text.hasPrefix("-----BEGIN") || text.containsBytes("\n-----BEGIN ") {
            return text.contains("PRIVATE KEY-----")
                ? "is a private key, which opens no connection of today's key exchanges"
                : text.contains("CERTIFICATE-----") ? "is a certificate" : "is a PEM file"
        }
        let kinds: [([UInt8], String)] = [
            ([0x89, 0x50, 0x4e, 0x47], "is a PNG picture"), ([0xff, 0xd8, 0xff], "is a JPEG picture"),
            ([0x50, 0x4b, 3, 4], "is a zip file; unpack it first"),
            ([0x1f, 0x8b], "is gzip'ed; unpack it first: gunzip -k FILE"),
            ([0x28, 0xb5, 0x2f, 0xfd], "is packed with zstd; unpack it first: zstd -d FILE"),
            ([0x7f, 0x45, 0x4c, 0x46], "is a program"), ([0x25, 0x50, 0x44, 0x46], "is a PDF"),
        ]
        if let kind = kinds.first(where: { head.starts(with: $0.0) }) { return kind.1 }
        if PacketFile.isPacketFile(head) { return "is a packet capture" }
        return switch text.first(where: { !$0.isWhitespace }) {
        case "{", "[": "is JSON"
        case "<": "is HTML or XML"
        default: nil
        }
    }

    /// The text of a key log that is written while it is read, in one byte a character.
    package struct GrowingText {
        /// What has come while it is too little to tell how the text is written.
        private var head: [UInt8] = []
        private var isKnown = false
        private var utf16: UTF16Reader?

        package init() {}

        /// The text of the file's next bytes.
        package mutating func text(_ bytes: [UInt8]) -> [UInt8] {
            guard !isKnown else { return utf16?.text(bytes) ?? bytes }
            head += bytes
            guard head.count > 1 else { return [] }
            isKnown = true
            utf16 = UTF16Reader(head)
            defer { head = [] }
            return utf16?.text(head) ?? head
        }
    }

    /// UTF-16, as a PowerShell's `>` writes text, made ASCII; what is not ASCII is no part of a key.
    struct UTF16Reader {
        private let highIsFirst: Bool
        private var first: UInt8?

        /// Nil where the file begins neither with the mark of UTF-16 nor with a character of ASCII in it.
        init?(_ head: [UInt8]) {
            guard head.count > 1 else { return nil }
            switch (head[0], head[1]) {
            case (0xff, 0xfe): highIsFirst = false
            case (0xfe, 0xff): highIsFirst = true
            // No text of one byte a character has a zero in it.
            case (0x09...0x7e, 0): highIsFirst = false
            case (0, 0x09...0x7e): highIsFirst = true
            default: return nil
            }
        }

        /// The text of the file's next bytes.
        mutating func text(_ bytes: [UInt8]) -> [UInt8] {
            var text: [UInt8] = []
            text.reserveCapacity(bytes.count / 2 + 1)
            for byte in bytes {
                guard let before = first else {
                    first = byte
                    continue
                }
                first = nil
                let (high, low) = highIsFirst ? (before, byte) : (byte, before)
                if high == 0xfe, low == 0xff { continue }
                text.append(high == 0 ? low : UInt8(ascii: "?"))
            }
            return text
        }
    }
}
