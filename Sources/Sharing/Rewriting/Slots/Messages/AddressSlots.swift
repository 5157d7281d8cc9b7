import Captures

/// Addresses with parameters among the words of a text, with a password, or that were sent to let somebody in:
/// `Found. Redirecting to https://app.example/cb?state=x`, `cannot reach postgres://app:Zk9wq@db/shop`; in style sheets too.
enum AddressSlots {
    /// `coding`: what the text is written in.
    static func slots(in text: ArraySlice<UInt8>, coding: TextCoding? = nil) -> [Slot] {
        let hasLinks = hasHost(text)
        guard hasLinks || text.contains(0x3d) || text.contains(0x40) else { return [] }
        let isOfStyles = text.firstRange(of: function) != nil
        return text.split { $0 <= 0x20 }
            .filter { $0.contains(0x3d) || $0.contains(0x40) || hasLinks && isLink($0) }
            .flatMap { isOfStyles ? called(in: $0) : [withPassword($0) ?? SentenceSlots.bare($0)] }
            .filter(isAddress).flatMap { word in
                [Slot(name: "", range: word.startIndex..<word.endIndex, coding: coding, kind: .url)]
                    + (password(in: word).map { range in
                        [Slot(name: "password", range: range, coding: coding ?? .percent, kind: .text)]
                    } ?? [])
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
    /// What an address's host begins behind.
    private static let hostMark = Array("://".utf8)

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
        (word.contains(0x3d) || withPassword(word) != nil || isLink(word)) && TextKind.guessed(word) == .url
    }

    /// Whether an address may be a link that lets in who has it, without a parameter: `https://shop.example/activate/Zk9wq…`.
    private static func isLink(_ word: ArraySlice<UInt8>) -> Bool {
        word.count <= longestLink && hasHost(word) && PathSlots.mayAskForTicket(word)
    }

    private static func hasHost(_ text: ArraySlice<UInt8>) -> Bool {
        var rest = text
        while let colon = rest.firstIndex(of: 0x3a) {
            rest = text[colon...]
            if rest.starts(with: hostMark) { return true }
            rest = rest.dropFirst()
        }
        return false
    }

    /// In bytes.
    private static let longestLink = 1 << 11

    /// By itself, since it may have marks in it that end the host elsewhere: `postgres://app:Zk9#wq@db`.
    private static func password(in word: ArraySlice<UInt8>) -> Range<Int>? {
        guard word.contains(0x40), let mark = word.firstRange(of: hostMark),
            let at = word[mark.upperBound...].prefix(longestUserInfo).lastIndex(of: 0x40),
            let colon = word[mark.upperBound..<at].firstIndex(of: 0x3a), colon + 1 < at,
            !word[mark.upperBound..<at].contains(0x2f)
        else { return nil }
        return (colon + 1)..<at
    }

    /// Of a word the address that has a password before its host, from its scheme on: `url=redis://:Zk9wq@cache/0`.
    private static func withPassword(_ word: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let password = password(in: word),
            let colon = word.firstRange(of: hostMark)?.lowerBound
        else { return nil }
        let scheme = word[..<colon].reversed().prefix { $0.isASCIIAlphanumeric || $0 == 0x2b }
        let end = word[password.upperBound...].firstIndex {
            [0x22, 0x27, 0x29, 0x2c, 0x3c, 0x3e, 0x60].contains($0)
        }
        return word[(colon - scheme.count)..<(end ?? word.endIndex)]
    }

    /// In bytes.
    private static let longestUserInfo = 256
}
