package import JSON

/// A command to a browser that is spoken to in the Chrome DevTools Protocol.
package struct DevToolsCommand: Sendable, Hashable {
    /// Tells its reply among others; counted by whoever speaks.
    package var id: Int64
    /// Domain and name, as in `Page.navigate`.
    package var method: String
    package var parameters: JSONObject
    /// The page that it is for; nil speaks to the browser as a whole.
    package var session: String?

    package init(id: Int64, _ method: String, _ parameters: JSONObject = [:], session: String? = nil) {
        self.id = id
        self.method = method
        self.parameters = parameters
        self.session = session
    }

    /// As it goes over the pipe: JSON, and a NUL behind it.
    package var bytes: [UInt8] {
        var object: JSONObject = ["id": JSONValue(id), "method": .string(method)]
        if !parameters.isEmpty { object["params"] = .object(parameters) }
        if let session { object["sessionId"] = .string(session) }
        var bytes: [UInt8] = []
        JSONWriter.append(.object(object), to: &bytes)
        bytes.append(0)
        return bytes
    }
}

/// What a browser says in the Chrome DevTools Protocol.
package enum DevToolsMessage: Sendable, Hashable {
    /// A command was carried out.
    case reply(id: Int64, JSONObject)
    /// A command was not carried out.
    case refusal(id: Int64, reason: String)
    /// Something happened, on a page or (without a session) to the browser.
    case event(String, JSONObject, session: String?)

    /// Nil for what is none of these.
    package init?(_ bytes: some Sequence<UInt8>) {
        guard let object = (try? JSONParser.parse(bytes))?.object else { return nil }
        if let id = object["id"]?.int {
            if let error = object["error"]?.object {
                self = .refusal(id: id, reason: error["message"]?.string ?? "no reason given")
            } else {
                self = .reply(id: id, object["result"]?.object ?? [:])
            }
            return
        }
        guard let method = object["method"]?.string else { return nil }
        self = .event(method, object["params"]?.object ?? [:], session: object["sessionId"]?.string)
    }
}
