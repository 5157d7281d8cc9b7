import Captures

/// Addresses with parameters among the words of a text: `Found. Redirecting to https://app.example/cb?state=x`, in style sheets
/// too.
enum AddressSlots {
    /// `coding`: what the text is written in.
    static func slots(in text: ArraySlice<UInt8>, coding: TextCoding? = nil) -> [Slot] {
        guard text.contains(0x3d) else { return [] }
        let isOfStyles = text.firstRange(of: function) != nil
        return text.split { $0 <= 0x20 }
            .flatMap { isOfStyles ? called(in: $0) : [SentenceSlots.bare($0)] }
            .filter(isAddress).map {
                Slot(name: "", range: $0.startIndex..<$0.endIndex, coding: coding, kind: .url)
            }
    }

    /// `background:url("/x?sid=1")`, of which a word may hold several; the word itself where there is none.
    private static func called(in word: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var addresses: [ArraySlice<UInt8>] = []
        var rest = word
        while let open = rest.firstRange(of: function)?.upperBound {
            let inner = rest[open...].prefix { $0 != 0x29 }
            addresses.append(SentenceSlots.bare(withoutReferences(inner)))
            rest = rest[inner.endIndex...]
        }
        return addresses.isEmpty ? [SentenceSlots.bare(word)] : addresses
    }

    private static let function = Array("url(".utf8)

    /// Without the quotation marks around it, as an attribute has them.
    private static func withoutReferences(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let mark = quotes.first(where: text.starts) else { return text }
        let inner = text.dropFirst(mark.count)
        return inner[..<(inner.firstRange(of: mark)?.lowerBound ?? inner.endIndex)]
    }

    private static let quotes = ["&quot;", "&apos;", "&#34;", "&#39;", "&#x22;", "&#x27;"].map {
        Array($0.utf8)
    }

    private static func isAddress(_ word: ArraySlice<UInt8>) -> Bool {
        word.contains(0x3d) && TextKind.guessed(word) == .url
    }
}
