package import JSON

/// Bodies that are JSON, whatever media type they are sent with.
package enum JSONBody {
    /// What a body is; nil where it is no JSON, or is not recorded.
    package static func value(of body: Body?) -> JSONValue? {
        body?.bytes.flatMap { try? JSONParser.parse($0) }
    }

    /// The object that a body is; nil where it is anything else, is not recorded, or is too large to be read for what is asked.
    ///
    /// `limit`: in bytes; bodies of this size, as the capture has it, and larger ones are left unread.
    package static func object(of body: Body?, below limit: Int = .max) -> JSONObject? {
        guard let body, (body.size ?? 0) < limit, let bytes = body.bytes,
            // A page is no JSON: said by its first byte, without reading all of it.
            bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{")
        else { return nil }
        return (try? JSONParser.parse(bytes))?.object
    }
}
