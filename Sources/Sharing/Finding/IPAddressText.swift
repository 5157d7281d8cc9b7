import Captures

/// IP addresses in a text.
enum IPAddressText {
    /// Where an IPv4 address ends that begins here; nil for none, and for those that are nobody's: loopback and the
    /// unspecified one.
    static func endOfIPv4(_ text: [UInt8], _ start: Int) -> Int? {
        var index = start
        var first = 0
        for part in 0..<4 {
            let begin = index
            var value = 0
            while index < text.count, index - begin < 3, text[index].isASCIIDigit {
                value = value * 10 + Int(text[index] - 0x30)
                index += 1
            }
            guard index > begin, value <= 255, index - begin == 1 || text[begin] != 0x30 else { return nil }
            if part == 0 { first = value }
            if part < 3 {
                guard index < text.count, text[index] == 0x2e else { return nil }
                index += 1
            }
        }
        if index < text.count {
            let next = text[index]
            if next.isASCIIAlphanumeric || next == 0x5f {
                return nil
            }
            if next == 0x2e, index + 1 < text.count, text[index + 1].isASCIIDigit { return nil }
        }
        return first == 127 || first == 0 || first >= 224 ? nil : index
    }

    /// The same for IPv6 (RFC 4291, section 2.2).
    static func endOfIPv6(_ text: [UInt8], _ start: Int) -> Int? {
        var end = start
        while end < text.count, end - start < 40,
            text[end].isHexadecimalDigit || text[end] == 0x3a
        {
            end += 1
        }
        if end < text.count {
            // A sentence may end behind one; `::ffff:203.0.113.7` is another form.
            let next = text[end] == 0x2e && end + 1 < text.count ? text[end + 1] : text[end]
            if next.isASCIIWordByte { return nil }
        }
        // `2001:db8::7: refused`
        if end > start + 1, text[end - 1] == 0x3a, text[end - 2] != 0x3a { end -= 1 }
        // Most of what begins so is a word or a number.
        guard end - start >= shortestIPv6, text[start..<end].contains(0x3a) else { return nil }
        let groups = text[start..<end].split(separator: 0x3a, omittingEmptySubsequences: false)
        guard groups.count >= 3, groups.count <= 8, groups.allSatisfy({ $0.count <= 4 }) else { return nil }
        let empty = groups.filter(\.isEmpty).count
        let isShort = Bytes.index(of: [0x3a, 0x3a], in: Array(text[start..<end]), from: 0) != nil
        guard isShort ? empty >= 1 && empty <= 2 : groups.count == 8 && empty == 0 else { return nil }
        let digits = groups.joined().filter { $0 != 0x30 }
        // Loopback and the unspecified one, and what is a time or a name space (`a::b`).
        guard digits.count >= 4 else { return nil }
        return end
    }

    /// In bytes: two colons and the digits that one has.
    private static let shortestIPv6 = 6

    /// Another address of the same shape, for the same sort of network.
    ///
    /// `keepsNetwork`: a private network stays itself.
    static func standIn(_ text: [UInt8], keepsNetwork: Bool = true, cipher: ([UInt8]) -> [UInt8]) -> [UInt8] {
        guard text.contains(0x2e) else { return cipher(text) }
        let parts = text.split(separator: 0x2e).map(Array.init)
        guard parts.count == 4, let first = Int(String(decoding: parts[0], as: UTF8.self)) else {
            return cipher(text)
        }
        let second = Int(String(decoding: parts[1], as: UTF8.self)) ?? 0
        let kept: Int
        switch (first, second) {
        case _ where !keepsNetwork: kept = 0
        case (10, _): kept = 1
        case (192, 168), (172, 16...31), (169, 254): kept = 2
        default: kept = 0
        }
        let other = cipher(text).split(separator: 0x2e).map(Array.init)
        guard other.count == 4 else { return cipher(text) }
        let numbers = zip(parts, other).enumerated().map { index, pair -> [UInt8] in
            if index < kept { return pair.0 }
            var digits = pair.1
            // As many digits, and a number of a byte; the first one stays clear of what has a meaning of its own.
            if digits.count == 3 {
                digits[0] = digits[0] & 1 == 0 ? 0x31 : 0x32
                if digits[0] == 0x32 { digits[1] = 0x30 + (digits[1] - 0x30) % (index == 0 ? 2 : 5) }
            } else if digits.count > 1, digits[0] == 0x30 {
                digits[0] = 0x31
            }
            if index == 0, digits == Array("127".utf8) || digits == Array("10".utf8) || digits == [0x30] {
                digits[digits.count - 1] = 0x38
            }
            return digits
        }
        return Array(numbers.joined(separator: [0x2e]))
    }
}
