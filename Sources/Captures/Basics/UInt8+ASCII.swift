extension UInt8 {
    /// `0`–`9`.
    @inlinable package var isASCIIDigit: Bool { self &- 0x30 < 10 }

    /// `A`–`Z`, `a`–`z`.
    @inlinable package var isASCIILetter: Bool { (self | 0x20) &- 0x61 < 26 }

    /// A letter or a digit of ASCII.
    @inlinable package var isASCIIAlphanumeric: Bool { isASCIIDigit || isASCIILetter }

    /// A letter or a digit of ASCII, or `_`.
    @inlinable package var isASCIIWordByte: Bool { isASCIIAlphanumeric || self == 0x5f }

    /// `0`–`9`, `A`–`F`, `a`–`f`.
    @inlinable package var isHexadecimalDigit: Bool { isASCIIDigit || (self | 0x20) &- 0x61 < 6 }

    /// What a hexadecimal digit of either case stands for; nil for every other byte.
    @inlinable package var hexadecimalValue: UInt8? {
        if isASCIIDigit { return self &- 0x30 }
        return isHexadecimalDigit ? (self | 0x20) &- 0x61 + 10 : nil
    }

    /// A character of base64url: a letter, a digit, `-` or `_` (RFC 4648, section 5).
    @inlinable package var isBase64URLCharacter: Bool { isASCIIWordByte || self == 0x2d }

    /// What names of hosts are made of: letters, digits, `-`, `.`, and `_`, which occurs.
    @inlinable package var isHostNameCharacter: Bool { isBase64URLCharacter || self == 0x2e }

    /// What stands for itself in every part of a URL: a letter, a digit, `-`, `.`, `_` or `~` (RFC 3986, section 2.3).
    @inlinable package var isUnreserved: Bool { isBase64URLCharacter || self == 0x2e || self == 0x7e }

    /// A space or a tab: white space within a line (RFC 9110, section 5.6.3).
    @inlinable package var isBlank: Bool { self == 0x20 || self == 0x09 }

    /// White space of ASCII: a blank, or what ends a line or a page (0x0a–0x0d).
    @inlinable package var isASCIIWhiteSpace: Bool { self == 0x20 || self &- 0x09 < 5 }

    /// A letter of ASCII in lower case, every other byte as it is; see ``ASCIICase``.
    @inlinable package var asciiLowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

    /// A character of a `token`, as methods and field names are made of (RFC 9110, section 5.6.2).
    @inlinable package var isTokenCharacter: Bool {
        switch self {
        case 0x21, 0x23...0x27, 0x2a, 0x2b, 0x2d, 0x2e, 0x5e...0x60, 0x7c, 0x7e: true
        default: isASCIIAlphanumeric
        }
    }
}
