import Captures
import JSON

/// Keeps what a HAR says of a body's length true when the body has another one.
enum BodySizes {
    /// `part`: a request or an answer, rewritten; `name`: of the member that holds the body; `before`: as it was.
    static func adjust(_ part: inout JSONObject, _ name: String, before: JSONObject) {
        guard let old = length(before[name]), let new = length(part[name]), old != new else { return }
        func moved(_ value: JSONValue?) -> JSONValue? {
            value?.int == Int64(old) ? JSONValue(new) : nil
        }
        if var body = part[name]?.object, let size = moved(body["size"]) {
            body["size"] = size
            part[name] = .object(body)
        }
        if let size = moved(part["bodySize"]) { part["bodySize"] = size }
        guard let headers = part["headers"]?.array else { return }
        part["headers"] = .array(
            headers.map { header in
                guard header["name"]?.string?.lowercased() == "content-length",
                    header["value"]?.string == String(old), var object = header.object
                else { return header }
                object["value"] = .string(String(new))
                return .object(object)
            }
        )
    }

    /// In bytes; nil without a text.
    private static func length(_ body: JSONValue?) -> Int? {
        body?["text"]?.string.map { text in
            body?["encoding"]?.string?.lowercased() == "base64" ? Base64.decode(text).count : text.utf8.count
        }
    }
}
