/// Bodies of `application/x-www-form-urlencoded`.
package enum FormBody {
    package static let mediaType = "application/x-www-form-urlencoded"

    /// The items of a form body; nil when the body is of another kind or not recorded.
    ///
    /// A body without a media type counts when it looks like a form. `postData.params` is used only without
    /// text.
    package static func items(of body: Body?) -> QueryItems? {
        guard let body else { return nil }
        if case .parameters(let fields) = body.content {
            let isEncoded = body.essence == mediaType && areEncoded(fields.map(\.value))
            return QueryItems(
                items: fields.map {
                    let value = isEncoded ? PercentEncoding.decode($0.value, plusIsSpace: true) : $0.value
                    return QueryItems.Item(name: $0.name, value: value, rawValue: $0.value)
                }
            )
        }
        switch body.essence {
        case mediaType: break
        case nil, "", "application/octet-stream", "text/plain":
            guard let bytes = body.bytes, looksLikeForm(bytes) else { return nil }
        default: return nil
        }
        return body.text.map { QueryItems(withoutLineEnd($0)) }
    }

    /// Whether values are as they went over the wire: a URL among them has no slashes and a URN no colons, and nothing in them would
    /// not be encoded.
    static func areEncoded(_ values: [String]) -> Bool {
        values.map { $0.asciiLowercased() }.contains { $0.containsBytes("%3a%2f") || $0.hasPrefix("urn%3a") }
            && values.allSatisfy {
                !$0.utf8.contains(where: { $0 <= 0x20 || $0 == 0x2f || $0 == 0x3a || $0 > 0x7e })
            }
    }

    /// The text of a form: hand-made requests often end in a line feed that belongs to no value.
    package static func withoutLineEnd(_ text: String) -> Substring {
        text.utf8.lastIndex { $0 != 0x0a && $0 != 0x0d }.map { text[...$0] } ?? ""
    }

    /// The items of a form that is sent under the name of another media type, or as `multipart/form-data`; nil
    /// for other bodies.
    package static func misnamedItems(of body: Body?) -> QueryItems? {
        guard let body, let bytes = body.bytes else { return nil }
        if body.essence == MultipartForm.mediaType { return MultipartForm.items(of: body) }
        guard looksLikeForm(bytes) else { return nil }
        return QueryItems(String(decoding: bytes, as: UTF8.self))
    }

    /// Whether a body is no more than what JavaScript calls an object that was to be written as a form: `[object Object]`.
    package static func isObjectsName(_ body: Body?) -> Bool {
        guard let bytes = body?.bytes, bytes.count < 80 else { return false }
        let text = PercentEncoding.decode(String(decoding: bytes, as: UTF8.self), plusIsSpace: true)
        return text.hasPrefix("[object ") && (text.hasSuffix("]") || text.hasSuffix("]="))
    }

    /// Writes items as a browser does: everything but unreserved characters percent-encoded, a space as `+`.
    package static func encode(_ items: [(String, String)]) -> String {
        items.map { "\(encode($0.0))=\(encode($0.1))" }.joined(separator: "&")
    }

    private static func encode(_ text: String) -> String {
        PercentEncoding.encode(text, spaceIsPlus: true)
    }

    private static func looksLikeForm(_ bytes: [UInt8]) -> Bool {
        guard let equals = bytes.firstIndex(of: 0x3d), equals > 0, equals < 256 else { return false }
        return bytes[..<equals].allSatisfy {
            $0 == 0x5f || $0 == 0x2d || $0 == 0x2e || (0x30...0x7a).contains($0) && $0 != 0x3c && $0 != 0x3e
        }
    }
}
