import Captures

/// Addresses with parameters among the words of a text: `Found. Redirecting to https://app.example/cb?state=x`.
enum AddressSlots {
    /// `coding`: what the text is written in.
    static func slots(in text: ArraySlice<UInt8>, coding: TextCoding? = nil) -> [Slot] {
        guard text.contains(0x3d) else { return [] }
        return text.split { $0 <= 0x20 }.map(SentenceSlots.bare).filter(isAddress).map {
            Slot(name: "", range: $0.startIndex..<$0.endIndex, coding: coding, kind: .url)
        }
    }

    private static func isAddress(_ word: ArraySlice<UInt8>) -> Bool {
        word.contains(0x3d) && TextKind.guessed(word) == .url
    }
}
