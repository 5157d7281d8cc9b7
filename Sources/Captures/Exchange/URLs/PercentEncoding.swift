/// Percent-encoding (RFC 3986, section 2.1) and the form coding built on it.
package enum PercentEncoding {
    /// Undoes `%XX`; what is not followed by two hexadecimal digits stays as it is.
    ///
    /// Invalid UTF-8 becomes U+FFFD.
    ///
    /// `plusIsSpace`: as in `application/x-www-form-urlencoded`, where `+` stands for a space.
    package static func decode(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String {
        guard contains(0x25, text) || (plusIsSpace && contains(0x2b, text)) else { return String(text) }
        return String(decoding: decode(bytes: Array(text.utf8), plusIsSpace: plusIsSpace), as: UTF8.self)
    }

    /// The same of bytes, whatever they are.
    static func decode(bytes: some RandomAccessCollection<UInt8>, plusIsSpace: Bool) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            if byte == 0x25, let high = rest.first?.hexadecimalValue,
                let low = rest.dropFirst().first?.hexadecimalValue
            {
                result.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                result.append(plusIsSpace && byte == 0x2b ? 0x20 : byte)
            }
        }
        return result
    }

    private static func contains(_ byte: UInt8, _ text: some StringProtocol) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { bytes in
            ByteSearch.index(of: byte, in: bytes, 0..<bytes.count) != nil
        } ?? text.utf8.contains(byte)
    }

    /// Everything but the unreserved characters (RFC 3986, section 2.3) as `%XX`, in upper case.
    ///
    /// `spaceIsPlus`: as in `application/x-www-form-urlencoded`.
    package static func encode(_ text: some StringProtocol, spaceIsPlus: Bool = false) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if byte.isUnreserved {
                result.append(byte)
            } else if spaceIsPlus, byte == 0x20 {
                result.append(0x2b)
            } else {
                result.append(0x25)
                result += Hexadecimal.digits(of: byte, isUppercase: true)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// What is no ASCII as `%XX`, as browsers send a URL that was written with it; nil where all is.
    package static func encodingNonASCII(_ bytes: some Collection<UInt8>) -> [UInt8]? {
        guard bytes.contains(where: { $0 >= 0x80 }) else { return nil }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + 32)
        for byte in bytes {
            if byte < 0x80 {
                output.append(byte)
            } else {
                output.append(0x25)
                output += Hexadecimal.digits(of: byte, isUppercase: true)
            }
        }
        return output
    }

    /// As ``encode(_:spaceIsPlus:)``, with the hexadecimal digits in lower case, as some frameworks write them.
    package static func encodeLowercase(_ text: some StringProtocol) -> String {
        var bytes = Array(encode(text).utf8)
        for index in bytes.indices
        where index > 0 && bytes[index - 1] == 0x25 || index > 1 && bytes[index - 2] == 0x25 {
            if (0x41...0x46).contains(bytes[index]) { bytes[index] |= 0x20 }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A file's path as a relative URL: everything but unreserved characters and slashes encoded.
    package static func encodePath(_ path: String) -> String {
        path.utf8.split(separator: 0x2f, omittingEmptySubsequences: false).map { encode(Substring($0)) }
            .joined(separator: "/")
    }
}
