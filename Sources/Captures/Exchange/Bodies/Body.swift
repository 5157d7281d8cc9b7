package import JSON

/// The body of a message, decoded when it is asked for.
///
/// A body read from a capture is a place in the file until somebody wants it; one that was just recorded
/// holds its bytes.
package struct Body: Sendable {
    /// Where the bytes are.
    package enum Content: Sendable {
        /// In memory, content coding undone.
        case bytes([UInt8])
        /// In a file of the recorder's, content coding undone.
        case spooled(SpooledBytes)
        /// Produced on demand; nil when the capture has become unreadable meanwhile.
        case deferred(@Sendable () -> [UInt8]?)
        /// The capture has none, though there may have been one (saved without content).
        case missing
        /// Only the parsed parameters of a form were kept (`postData.params` without `text`).
        case parameters([HeaderFields.Field])
    }

    package var content: Content
    /// `mimeType` as written, with its parameters; nil where unknown.
    package var mediaType: String?
    /// Bytes of the decoded body as the producer says, also where the bytes themselves are missing; nil where
    /// unknown.
    package var size: Int?
    /// Bytes as they came over the wire, coding not undone; nil where unknown.
    package var wireSize: Int?
    /// What the capture has in its place where ``mediaType`` is that of the header `Content-Type`; nil where it has that one.
    var writtenMediaType: String?
    /// The recorder kept only the first bytes (`_authreel.truncated`).
    package var isTruncated: Bool
    /// A content coding that could not be undone: the bytes are as they came (`_authreel.contentCoding`).
    package var remainingCoding: String?
    /// The members of `content` or `postData` that nothing above holds.
    package var foreign: JSONObject

    package init(
        content: Content,
        mediaType: String? = nil,
        size: Int? = nil,
        wireSize: Int? = nil,
        isTruncated: Bool = false,
        remainingCoding: String? = nil,
        foreign: JSONObject = JSONObject()
    ) {
        self.content = content
        self.mediaType = mediaType
        self.size = size
        self.wireSize = wireSize
        self.isTruncated = isTruncated
        self.remainingCoding = remainingCoding
        self.foreign = foreign
    }

    package init(text: String, mediaType: String? = nil) {
        let bytes = Array(text.utf8)
        self.init(content: .bytes(bytes), mediaType: mediaType, size: bytes.count)
    }

    /// The decoded bytes; nil where the capture does not hold them.
    package var bytes: [UInt8]? {
        switch content {
        case .bytes(let bytes): bytes
        case .spooled(let bytes): bytes.bytes
        case .deferred(let load): load()
        case .missing, .parameters: nil
        }
    }

    /// The body as text: UTF-8, invalid sequences replaced; nil where the capture does not hold it.
    package var text: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

    /// Whether the capture holds bytes of it, and at least one.
    package var hasBytes: Bool {
        switch content {
        case .bytes(let bytes): !bytes.isEmpty
        case .spooled(let bytes): bytes.count > 0
        case .deferred: size != 0
        case .missing, .parameters: false
        }
    }

    /// Whether there is something to read: bytes or parameters.
    package var isRecorded: Bool {
        if case .missing = content { return false }
        return true
    }

    /// Whether the capture has no bytes of it, be there parameters or not.
    var bytesAreElsewhere: Bool {
        switch content {
        case .missing, .parameters: true
        case .bytes, .spooled, .deferred: false
        }
    }

    /// The media type without parameters, in lower case: `application/x-www-form-urlencoded`.
    package var essence: String? { mediaType.map(Self.essence(of:)) }

    /// The same of any media type, as a `Content-Type` has it.
    package static func essence(of mediaType: String) -> String {
        // Most are written so.
        guard
            mediaType.utf8.contains(where: {
                $0 <= 0x20 || $0 == 0x3b || $0 > 0x7e || (0x41...0x5a).contains($0)
            })
        else { return mediaType }
        let type = mediaType.utf8.prefix { $0 != 0x3b }.filter { $0 != 0x20 && $0 != 0x09 }
        return String(decoding: type, as: UTF8.self).lowercased()
    }

    /// Whether this is a page: by its media type or, where the server names none, by how it begins.
    package var isPage: Bool {
        switch essence {
        case "text/html", "application/xhtml+xml": return true
        case nil, "", "application/x-unknown", "x-unknown":
            let start = (bytes ?? []).drop { $0 <= 0x20 || $0 == 0xef || $0 == 0xbb || $0 == 0xbf }.prefix(14)
            let head = String(decoding: start, as: UTF8.self).lowercased()
            return head.hasPrefix("<!doctype html") || head.hasPrefix("<html")
        default: return false
        }
    }
}
