internal import Captures

/// The integers and strings that QPACK and HPACK are written in (RFC 9204, section 4.1; RFC 7541, section 5).
enum FieldReader {
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

    /// A string as it is written.
    struct Text {
        let isCoded: Bool
        let bytes: ArraySlice<UInt8>

        func sent() throws(Malformed) -> SentText {
            guard isCoded else { return bytes.withUnsafeBufferPointer { SentText($0) } }
            guard let decoded = HuffmanCode.bytes(of: bytes) else {
                throw Malformed(reason: "a string that Huffman's code does not have")
            }
            return decoded.withUnsafeBufferPointer { SentText($0) }
        }
    }

    /// A string whose first byte has so many bits of its length, and before them the one that says that it is in Huffman's
    /// code; nil where its end has not come.
    ///
    /// `room`: the size of a table that it is for.
    static func text(
        _ bytes: inout ArraySlice<UInt8>,
        bits: Int,
        room: Int? = nil
    ) throws(Malformed) -> Text? {
        var rest = bytes
        guard let first = rest.first, let length = try integer(&rest, bits: bits) else { return nil }
        guard length <= FrameReader.maximumHeaderBlock else {
            throw Malformed(reason: "a string of more than 256 KiB")
        }
        let isCoded = Int(first) & 1 << bits != 0
        // No character of the code has more than 30 bits.
        if let room, length > (isCoded ? 4 * room : room) { throw .noRoom }
        guard rest.count >= length else { return nil }
        bytes = rest.dropFirst(length)
        return Text(isCoded: isCoded, bytes: rest.prefix(length))
    }
}

extension FieldReader.Malformed {
    static let noRoom = Self(reason: "a field that the table has no room for")
    static let notInTable = Self(reason: "a field that is not in the table")
}
