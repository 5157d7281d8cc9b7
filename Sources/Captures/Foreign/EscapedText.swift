/// JSON that was percent-encoded as a whole (RFC 3986, section 2.1), by itself or in a `data:` URL (RFC 2397), as scripts do that make
/// a link of what is to be saved.
enum EscapedText {
    private static let headBytes = 4096

    /// Whether an encoded text begins with an object, or with a list of them.
    static func isIt(_ source: CaptureSource) -> Bool {
        let head = source.bytes(at: 0, count: headBytes)
        return start(in: head) != nil
    }

    /// What was encoded.
    static func convert(_ source: CaptureSource, into text: ScratchText) throws(CaptureError) {
        let head = source.bytes(at: 0, count: headBytes)
        guard let start = start(in: head) else { return }
        // Who leaves colons or slashes as they are (encodeURI, escape) leaves plus signs as well; a form's spaces are such signs, and it
        // leaves neither.
        let plusIsSpace = !head[start...].contains { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
        var rest: [UInt8] = []
        var offset = start
        while offset < source.size {
            let window = source.bytes(at: offset, count: 256 << 10)
            guard !window.isEmpty else { break }
            offset += window.count
            let bytes = rest + window
            // What has begun at the end of a window goes on in the next one.
            let begun = offset < source.size ? bytes.suffix(2).firstIndex(of: UInt8(ascii: "%")) : nil
            let end = begun ?? bytes.count
            rest = Array(bytes[end...])
            let decoded = PercentEncoding.decode(bytes: bytes[..<end], plusIsSpace: plusIsSpace)
            try decoded.withUnsafeBufferPointer { piece throws(CaptureError) in try text.append(piece) }
        }
    }

    /// Where the encoded text begins; nil where there is none.
    private static func start(in head: [UInt8]) -> Int? {
        var text = head.drop { $0 <= 0x20 || $0 == 0xef || $0 == 0xbb || $0 == 0xbf }
        if String(decoding: text.prefix(5), as: UTF8.self).lowercased() == "data:" {
            guard let comma = text.firstIndex(of: UInt8(ascii: ",")) else { return nil }
            text = text[(comma + 1)...]
        }
        guard text.first == UInt8(ascii: "%") else { return nil }
        let decoded = PercentEncoding.decode(bytes: text.prefix(256), plusIsSpace: true)
        let first = decoded.drop { $0 <= 0x20 }
        let second = first.dropFirst().drop { $0 <= 0x20 }.first
        let isJSON =
            first.first == UInt8(ascii: "{") && second == UInt8(ascii: "\"")
            || first.first == UInt8(ascii: "[") && second == UInt8(ascii: "{")
        return isJSON ? text.startIndex : nil
    }
}
