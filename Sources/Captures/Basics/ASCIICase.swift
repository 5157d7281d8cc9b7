/// `A`–`Z` in lower case, every other byte as it is: how protocols, and the words that are looked for in pages, compare.
package enum ASCIICase {
    package static func lowercased(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBufferPointer { bytes in
            [UInt8](unsafeUninitializedCapacity: bytes.count) { room, count in
                write(bytes, lowercasedTo: room)
                count = bytes.count
            }
        }
    }

    /// Whether two texts are the same but for the case of `A`–`Z`.
    package static func areEqual(_ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>)
        -> Bool
    {
        guard one.count == other.count else { return false }
        for index in one.indices where one[index] != other[index] {
            let folded = one[index] | 0x20
            guard folded == other[index] | 0x20, folded &- 0x61 < 26 else { return false }
        }
        return true
    }

    /// Whether a text is a word of a protocol, but for the case of `A`–`Z`.
    package static func areEqual(_ text: UnsafeBufferPointer<UInt8>, _ word: StaticString) -> Bool {
        areEqual(text, UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }

    fileprivate static func write(
        _ bytes: UnsafeBufferPointer<UInt8>,
        lowercasedTo room: UnsafeMutableBufferPointer<UInt8>
    ) {
        for (index, byte) in bytes.enumerated() {
            room.initializeElement(at: index, to: byte.asciiLowercased)
        }
    }
}

extension String {
    /// See ``ASCIICase``.
    package func asciiLowercased() -> String {
        var text = self
        return text.withUTF8 { bytes in
            String(unsafeUninitializedCapacity: bytes.count) { room in
                ASCIICase.write(bytes, lowercasedTo: room)
                return bytes.count
            }
        }
    }
}
