/// Text of HTML with its character references, both ways.
package enum HTMLText {
    /// Undoes `&amp;`, `&#47;`, `&#x2f;` and the other references that form values meet.
    package static func decode(_ bytes: some Collection<UInt8>) -> String {
        let bytes = Array(bytes)
        guard bytes.contains(0x26) else { return String(decoding: bytes, as: UTF8.self) }
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard bytes[index] == 0x26, let end = bytes[index...].prefix(12).firstIndex(of: 0x3b),
                let scalar = scalar(of: bytes[(index + 1)..<end])
            else {
                result.append(bytes[index])
                index += 1
                continue
            }
            result.append(contentsOf: Array(String(Character(scalar)).utf8))
            index = end + 1
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The first sentence that a person reads on a page without headings and scripts, its title aside; nil for one of more
    /// than `limit` bytes, and where there is none.
    package static func openingSentence(of page: [UInt8], limit: Int) -> String? {
        var others = HTMLTags(page, of: ["h1", "h2", "script", "noscript"])
        guard others.next() == nil else { return nil }
        var tags = HTMLTags(page, of: ["body"])
        if tags.next() == nil { tags = HTMLTags(page, of: []) }
        let words = tags.words(limit: page.count)
        let sentence = words.firstIndex { ".!?:;".contains($0) }.map { words[...$0] } ?? words[...]
        return sentence.isEmpty || sentence.utf8.count > limit ? nil : String(sentence)
    }

    /// The words that a person reads first on a page, scripts aside: at most `limit` bytes of it are looked at; nil where there are
    /// none.
    package static func opening(of page: [UInt8], limit: Int) -> String? {
        var tags = HTMLTags(page, of: ["body"])
        if tags.next() == nil { tags = HTMLTags(page, of: []) }
        let words = tags.words(limit: limit)
        return words.isEmpty ? nil : words
    }

    /// Text as it stands in a page, in elements and in quoted attributes.
    package static func escaped(_ text: String) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case 0x26: result += "&amp;".utf8
            case 0x3c: result += "&lt;".utf8
            case 0x3e: result += "&gt;".utf8
            case 0x22: result += "&quot;".utf8
            case 0x27: result += "&#39;".utf8
            default: result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func scalar(of reference: ArraySlice<UInt8>) -> Unicode.Scalar? {
        let text = String(decoding: reference, as: UTF8.self)
        if text.hasPrefix("#x") || text.hasPrefix("#X") {
            return UInt32(text.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
        }
        if text.hasPrefix("#") { return UInt32(text.dropFirst()).flatMap(Unicode.Scalar.init) }
        return named[text]
    }

    private static let named: [String: Unicode.Scalar] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{a0}", "sol": "/",
        "equals": "=", "plus": "+", "colon": ":", "times": "\u{d7}", "hellip": "\u{2026}",
        "lsquo": "\u{2018}", "rsquo": "\u{2019}", "ldquo": "\u{201c}", "rdquo": "\u{201d}",
        "ndash": "\u{2013}", "mdash": "\u{2014}",
    ]
}
