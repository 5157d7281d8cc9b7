/// Bodies of `multipart/form-data` (RFC 7578), as far as their fields are text.
package enum MultipartForm {
    package static let mediaType = "multipart/form-data"

    /// The fields in order; nil when the body is of another kind, not recorded, or names no boundary.
    ///
    /// At most 200 of them.
    package static func items(of body: Body?) -> QueryItems? {
        guard let (bytes, parts) = parts(of: body) else { return nil }
        return QueryItems(
            items: parts.map { part in
                let text = String(decoding: bytes[part.value], as: UTF8.self)
                return QueryItems.Item(name: part.name, value: text, rawValue: text)
            }
        )
    }

    /// The same body with other values in its fields; nil where ``items(of:)`` is.
    ///
    /// `replacing`: the value for a field, by its name and its own one. What is no UTF-8 stays as it is, a picture among the fields.
    package static func body(_ body: Body, replacing: (_ name: String, _ value: String) -> String) -> Body? {
        guard let (bytes, parts) = parts(of: body) else { return nil }
        var made: [UInt8] = []
        var written = bytes.startIndex
        for part in parts {
            guard let text = String(validating: bytes[part.value], as: UTF8.self) else { continue }
            made += bytes[written..<part.value.lowerBound]
            made += Array(replacing(part.name, text).utf8)
            written = part.value.upperBound
        }
        made += bytes[written...]
        return Body(content: .bytes(made), mediaType: body.mediaType, size: made.count)
    }

    /// The parts of a body with their names, and where their values stand in it.
    private static func parts(of body: Body?) -> (bytes: [UInt8], [(name: String, value: Range<Int>)])? {
        guard let body, body.essence == mediaType, let bytes = body.bytes,
            let boundary = body.mediaType.flatMap(boundary)
        else { return nil }
        let mark = Array("--".utf8) + boundary
        var parts: [(name: String, value: Range<Int>)] = []
        var rest = bytes[...]
        guard let first = rest.firstRange(of: mark) else { return nil }
        rest = rest[first.upperBound...]
        while parts.count < 200, let next = rest.firstRange(of: mark) {
            if let part = part(in: rest[..<next.lowerBound]) { parts.append(part) }
            rest = rest[next.upperBound...]
        }
        return (bytes, parts)
    }

    /// One part: head, empty line, value.
    private static func part(in part: ArraySlice<UInt8>) -> (name: String, value: Range<Int>)? {
        guard let end = part.firstRange(of: [0x0d, 0x0a, 0x0d, 0x0a]) else { return nil }
        let head = String(decoding: part[..<end.lowerBound], as: UTF8.self)
        guard let name = quoted("name=", in: head) else { return nil }
        var value = part[end.upperBound...]
        if value.suffix(2) == [0x0d, 0x0a] { value = value.dropLast(2) }
        return (name, value.indices)
    }

    /// What stands between the parts (RFC 2046, section 5.1.1), by the media type; nil where that tells none.
    package static func boundary(of mediaType: String) -> [UInt8]? {
        guard let value = quoted("boundary=", in: mediaType), !value.isEmpty, value.utf8.count <= 70 else {
            return nil
        }
        return Array(value.utf8)
    }

    /// The value of a header's parameter, quoted or not.
    private static func quoted(_ name: String, in header: String) -> String? {
        let bytes = Array(header.utf8)
        let lower = ASCIICase.lowercased(bytes)
        var place = lower.startIndex
        while let range = lower[place...].firstRange(of: Array(name.utf8)) {
            place = range.upperBound
            // Not the end of another name, as in `filename=`.
            let before = range.lowerBound == 0 ? 0x20 : lower[range.lowerBound - 1]
            guard before == 0x20 || before == 0x3b || before == 0x09 else { continue }
            let value = bytes[range.upperBound...]
            if value.first == 0x22 {
                return String(decoding: value.dropFirst().prefix { $0 != 0x22 }, as: UTF8.self)
            }
            return String(decoding: value.prefix { $0 != 0x3b && $0 > 0x20 }, as: UTF8.self)
        }
        return nil
    }
}
