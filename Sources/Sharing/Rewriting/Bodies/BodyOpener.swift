import Captures
import JSON

/// Writes the bodies of an entry without their content codings, as far as that can be, and others where they cannot be read.
struct BodyOpener {
    /// What can be decoded is replaced, too: where it tells another story than it did before.
    var replacesDecoded = false
    /// Whether a body was decoded.
    private(set) var hasDecoded = false
    /// Whether a body was replaced as a whole.
    private(set) var hasReplaced = false

    init(replacesDecoded: Bool = false) { self.replacesDecoded = replacesDecoded }

    /// An entry with bodies that can be read.
    mutating func opening(_ value: JSONValue, codings: [String] = []) -> JSONValue {
        switch value {
        case .array(let elements): return .array(elements.map { opening($0, codings: codings) })
        case .object(let object): return .object(opening(object, codings))
        default: return value
        }
    }

    private mutating func opening(_ object: JSONObject, _ codings: [String]) -> JSONObject {
        let inner = object["headers"]?.array.map(Self.codings) ?? codings
        var result = object
        result.members = object.members.map { member in
            switch member.value {
            case .array, .object:
                JSONObject.Member(name: member.name, value: opening(member.value, codings: inner))
            default: member
            }
        }
        guard let body = Body(object, codings) else { return result }
        switch body.reading {
        case .plain:
            guard let other = body.withoutUnreadParts else { return result }
            hasReplaced = true
            result["text"] = .string(body.written(other))
        case .decoded(let whole) where !replacesDecoded:
            hasDecoded = true
            let other = CodedBody.withoutUnreadParts(whole, mediaType: body.mediaType)
            if other != nil { hasReplaced = true }
            let bytes = other ?? whole
            let text = String(validating: bytes, as: UTF8.self)
            result["text"] = .string(text ?? Base64.encode(bytes))
            result.members.removeAll { $0.name == "encoding" }
            if text == nil { result["encoding"] = "base64" }
            if result["size"]?.int == Int64(body.bytes.count) {
                result["size"] = JSONValue(bytes.count)
            }
            if var ours = result["_authreel"]?.object {
                ours.members.removeAll { $0.name == "contentCoding" }
                result["_authreel"] = .object(ours)
            }
        case .decoded, .unreadable:
            hasReplaced = true
            let other = CodedBody.replacement(of: body.bytes)
            result["text"] = .string(body.written(other))
        }
        return result
    }

    /// Where bodies stand in an entry whose bytes nobody can read.
    static func unread(_ value: JSONValue) -> Int {
        switch value {
        case .array(let elements): elements.reduce(0) { $0 + unread($1) }
        case .object(let object):
            object.members.reduce(Body(object, []).map { $0.isUnread ? 1 : 0 } ?? 0) {
                $0 + unread($1.value)
            }
        default: 0
        }
    }

    private static func codings(of headers: [JSONValue]) -> [String] {
        ContentCoding.codings(
            of: HeaderFields(
                headers.compactMap { header in
                    guard let name = header["name"]?.string, let value = header["value"]?.string else {
                        return nil
                    }
                    return HeaderFields.Field(name: name, value: value)
                }
            )
        )
    }

    /// A body as a HAR writes it.
    private struct Body {
        let bytes: [UInt8]
        let isBase64: Bool
        let mediaType: String
        let label: [String]?
        let codings: [String]

        /// Nil for what is none, and for one without bytes.
        init?(_ object: JSONObject, _ codings: [String]) {
            guard let type = object["mimeType"], let text = object["text"]?.string, !text.isEmpty else {
                return nil
            }
            mediaType = type.string ?? ""
            self.codings = codings
            label = object["_authreel"]?["contentCoding"]?.string.map {
                ContentCoding.codings(listedIn: [$0])
            }
            isBase64 =
                object["encoding"]?.string?.lowercased() == "base64" && BodyKind.mayBeBase64(text)
            if isBase64 {
                bytes = Base64.decode(text)
            } else if text.utf8.starts(with: [0x1f, 0xc2, 0x8b]),
                text.unicodeScalars.allSatisfy({ $0.value < 0x100 })
            {
                // Bytes that were taken for characters, one each.
                bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
            } else {
                bytes = Array(text.utf8)
            }
            guard !bytes.isEmpty else { return nil }
        }

        var reading: CodedBody.Reading {
            CodedBody.reading(of: bytes, mediaType: mediaType, label: label, codings: codings)
        }

        var withoutUnreadParts: [UInt8]? { CodedBody.withoutUnreadParts(bytes, mediaType: mediaType) }

        var isUnread: Bool {
            CodedBody.isUnread(bytes, mediaType: mediaType, isLabelled: label != nil)
                || withoutUnreadParts != nil
        }

        /// Other bytes as the HAR wrote these.
        func written(_ other: [UInt8]) -> String {
            isBase64 ? Base64.encode(other) : String(decoding: other, as: UTF8.self)
        }
    }
}
