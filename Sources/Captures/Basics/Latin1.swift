/// Text whose bytes are no UTF-8, read as HTTP/1.1's first edition had it: each byte is the character of that number.
///
/// Nothing is lost by it, as long as it is known that a text was read so.
package enum Latin1 {
    /// Always as many characters as there are bytes.
    package static func text(of bytes: some Sequence<UInt8>) -> String {
        var scalars = String.UnicodeScalarView()
        for byte in bytes { scalars.append(Unicode.Scalar(byte)) }
        return String(scalars)
    }

    /// The bytes that the text was read from; nil where it has characters that cannot be of such a text.
    package static func bytes(of text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            guard let byte = UInt8(exactly: scalar.value) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }
}
