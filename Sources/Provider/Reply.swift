import Captures
import JSON

/// The answers a provider gives, as recorded responses.
enum Reply {
    static func json(_ status: Int, _ object: JSONObject, headers: [(String, String)] = [])
        -> RecordedResponse
    {
        let body = JSONWriter.bytes(of: .object(object))
        // RFC 6749, section 5.1: what holds tokens is not kept.
        return response(
            status,
            type: "application/json",
            body,
            headers: [("Cache-Control", "no-store")] + headers
        )
    }

    static func html(_ status: Int, _ text: String, headers: [(String, String)] = []) -> RecordedResponse {
        response(
            status,
            type: "text/html; charset=utf-8",
            Array(text.utf8),
            headers: [("Cache-Control", "no-store")] + headers
        )
    }

    static func redirect(to location: String, headers: [(String, String)] = []) -> RecordedResponse {
        response(
            302,
            type: nil,
            [],
            headers: [("Location", location), ("Cache-Control", "no-store")] + headers
        )
    }

    /// An error of the token endpoint and its relatives (RFC 6749, section 5.2).
    static func error(_ status: Int, _ error: String, _ description: String, headers: [(String, String)] = [])
        -> RecordedResponse
    {
        json(status, ["error": .string(error), "error_description": .string(description)], headers: headers)
    }

    private static func response(_ status: Int, type: String?, _ body: [UInt8], headers: [(String, String)])
        -> RecordedResponse
    {
        var fields = HeaderFields(headers)
        if let type { fields.append("Content-Type", type) }
        return RecordedResponse(
            status: status,
            headers: fields,
            body: Body(content: .bytes(body), mediaType: type, size: body.count)
        )
    }
}
