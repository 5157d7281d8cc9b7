/// The integers and strings that QPACK is written in (RFC 9204, section 4.1).
enum QPACKReader {
    struct Malformed: Error {
        var reason: String
    }

    /// An integer whose first byte has so many bits of it (RFC 7541, section 5.1); nil where its end has not come.
    static func integer(_ bytes: inout ArraySlice<UInt8>, bits: Int) throws(Malformed) -> Int? {
        var rest = bytes
        guard let first = rest.popFirst() else { return nil }
        let most = 1 << bits - 1
        var value = Int(first) & most
        if value == most {
            var shift = 0
            while true {
                guard let byte = rest.popFirst() else { return nil }
                guard shift <= 49 else { throw Malformed(reason: "an integer that is too large") }
                value += Int(byte & 0x7f) << shift
                shift += 7
                if byte & 0x80 == 0 { break }
            }
        }
        bytes = rest
        return value
    }

    /// A string whose first byte has so many bits of its length, and before them the one that says that it is in Huffman's
    /// code; nil where its end has not come.
    static func string(
        _ bytes: inout ArraySlice<UInt8>,
        bits: Int,
        _ code: inout HuffmanCode
    ) throws(Malformed) -> String? {
        var rest = bytes
        guard let first = rest.first, let length = try integer(&rest, bits: bits) else { return nil }
        guard length <= FrameReader.maximumHeaderBlock else {
            throw Malformed(reason: "a string of more than 256 KiB")
        }
        guard rest.count >= length else { return nil }
        let text = rest.prefix(length)
        let isCoded = Int(first) & 1 << bits != 0
        guard let string = isCoded ? code.string(of: text) : String(decoding: text, as: UTF8.self) else {
            throw Malformed(reason: "a string that Huffman's code does not have")
        }
        bytes = rest.dropFirst(length)
        return string
    }
}
