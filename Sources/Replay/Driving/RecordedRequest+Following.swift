import Captures

extension RecordedRequest {
    /// Where a browser goes by a reference in the answer.
    ///
    /// - Returns: the URL, and whether its bytes are no UTF-8 (``RecordedRequest/isURLLatin1`` of a request for it).
    func following(_ reference: SentText) -> (url: RecordedURL, isLatin1: Bool) {
        resolving(SentText(Self.asRead(reference.text), isLatin1: reference.isLatin1))
    }

    /// A reference as a browser reads it: blanks around it and line breaks in it are none of it, and what would end a
    /// request line is encoded (URL Standard, sections 4.4 and 1.3).
    private static func asRead(_ reference: String) -> String {
        func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 }
        guard reference.utf8.contains(where: { isBlank($0) || $0 == 0x22 || $0 == 0x3c || $0 == 0x3e }) else {
            return reference
        }
        var rest = reference.utf8[...]
        while let first = rest.first, isBlank(first) { rest.removeFirst() }
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        var bytes: [UInt8] = []
        for byte in rest {
            switch byte {
            case 0x09, 0x0a, 0x0d: break
            case 0x00...0x20, 0x22, 0x3c, 0x3e:
                bytes += PercentEncoding.encode(String(UnicodeScalar(byte))).utf8
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
