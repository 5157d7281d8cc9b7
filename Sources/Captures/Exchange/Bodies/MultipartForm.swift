/// Bodies of `multipart/form-data` (RFC 7578), as far as their fields are text.
package enum MultipartForm {
    package static let mediaType = "multipart/form-data"

    /// The fields in order; nil when the body is of another kind, not recorded, or names no boundary.
    ///
    /// At most 200 of them.
    package static func items(of body: Body?) -> QueryItems? {
        guard let body, body.essence == mediaType, let bytes = body.bytes,
            let boundary = body.mediaType.flatMap(boundary)
        else { return nil }
        let mark = Array("--".utf8) + boundary
        var items: [QueryItems.Item] = []
        var rest = bytes[...]
        guard let first = rest.firstRange(of: mark) else { return nil }
        rest = rest[first.upperBound...]
        while items.count < 200, let next = rest.firstRange(of: mark) {
            if let item = item(in: rest[..<next.lowerBound]) { items.append(item) }
            rest = rest[next.upperBound...]
        }
        return QueryItems(items: items)
    }

    /// One part: head, empty line, value.
    private static func item(in part: ArraySlice<UInt8>) -> QueryItems.Item? {
        guard let end = part.firstRange(of: [0x0d, 0x0a, 0x0d, 0x0a]) else { return nil }
        let head = String(decoding: part[..<end.lowerBound], as: UTF8.self)
        guard let name = quoted("name=", in: head) else { return nil }
        var value = part[end.upperBound...]
        if value.suffix(2) == [0x0d, 0x0a] { value = value.dropLast(2) }
        let text = String(decoding: value, as: UTF8.self)
        return QueryItems.Item(name: name, value: text, rawValue: text)
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
