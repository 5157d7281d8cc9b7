extension String {
    /// `A`–`Z` in lower case, every other byte as it is: how protocols, and the words that are looked for in pages, compare.
    package func asciiLowercased() -> String {
        var text = self
        return text.withUTF8 { bytes in
            String(unsafeUninitializedCapacity: bytes.count) { room in
                for (index, byte) in bytes.enumerated() {
                    room.initializeElement(at: index, to: byte &- 0x41 < 26 ? byte | 0x20 : byte)
                }
                return bytes.count
            }
        }
    }
}
