import Captures

/// Cookies as programs print them: `<NSHTTPCookie version:1 name:sid value:… domain:…>` of Apple's Foundation, with spaces or lines
/// between the parts, and Python's `<Cookie sid=… for shop.example/>`.
enum PrintedCookies {
    /// In order.
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        guard text.firstRange(of: mark) != nil else { return [] }
        var slots: [Slot] = []
        var rest = text
        while let open = rest.firstIndex(of: 0x3c) {
            rest = rest[(open + 1)...]
            guard let value = ofApple(rest) ?? ofPython(rest) else { continue }
            slots.append(
                Slot(name: CookieFileSlots.name, range: value.startIndex..<value.endIndex, kind: .text)
            )
            rest = rest[value.endIndex...]
        }
        return slots
    }

    /// Whether a text begins with one, which is no element of a page.
    static func begin(_ text: ArraySlice<UInt8>) -> Bool {
        let own = text.dropFirst()
        return own.starts(with: apple) || own.starts(with: jar) || ofPython(own) != nil
    }

    private static let mark = Array("Cookie".utf8)
    private static let apple = Array("NSHTTPCookie".utf8)
    private static let python = Array("Cookie ".utf8)
    private static let jar = Array("RequestsCookieJar[".utf8)
    /// In bytes, of what stands before the value.
    private static let longestHead = 1 << 9
    /// In bytes, of a value.
    private static let longest = 1 << 13

    private static func ofApple(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard text.starts(with: apple),
            let name = text.prefix(longestHead).firstRange(of: Array("value:".utf8)),
            !text[..<name.lowerBound].contains(0x3e)
        else { return nil }
        // Its marks may be escaped, as the text of a list is.
        let start = text[name.upperBound...].drop { $0 == 0x5c }
        let isQuoted = start.first == 0x22
        let value = (isQuoted ? start.dropFirst() : text[name.upperBound...]).prefix(longest).prefix { byte in
            if byte == 0x22 || byte == 0x5c { return false }
            return isQuoted || (byte > 0x20 && byte != 0x3e)
        }
        return value.count > 1 ? value : nil
    }

    private static func ofPython(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard text.starts(with: python),
            let equals = text.prefix(longestHead).dropFirst(python.count).firstIndex(where: {
                $0 == 0x3d || $0 <= 0x20 || $0 == 0x3e
            }),
            text[equals] == 0x3d
        else { return nil }
        let value = text[(equals + 1)...].prefix(longest).prefix { $0 > 0x20 && $0 != 0x3e }
        return value.count > 1 && text[value.endIndex...].starts(with: " for ".utf8) ? value : nil
    }
}
