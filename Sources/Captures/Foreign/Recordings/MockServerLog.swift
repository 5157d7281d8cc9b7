import JSON

/// Reads what MockServer was asked and answered, where it plays a provider or a service or stands in between:
/// `/mockserver/retrieve` with the type `REQUEST_RESPONSES` or `RECORDED_EXPECTATIONS`.
enum MockServerLog {
    /// Nil where there is no exchange in it.
    static func read(_ source: CaptureSource) -> Capture? {
        HAREntry.capture(of: source, list: nil, creator: "MockServer", makeEntry: entry)
    }

    /// Nil for what it is to answer when it is asked, where nobody has: that names no server.
    @Sendable private static func entry(of event: JSONValue) -> JSONObject? {
        guard let request = event["httpRequest"]?.object, let response = event["httpResponse"]?.object,
            let method = request["method"]?.string, let url = url(of: request)
        else { return nil }
        let (sent, received) = (fields(request["headers"]), fields(response["headers"]))
        var asked: JSONObject = [
            "method": .string(method), "url": .string(url), "headers": sent,
            "httpVersion": .string(httpVersion(request["protocol"])),
        ]
        if let body = body(request["body"], sent) { asked["postData"] = .object(body) }
        var entry: JSONObject = [
            "request": .object(asked),
            "response": [
                // What a response does not say is 200.
                "status": response["statusCode"] ?? 200,
                "statusText": .string(response["reasonPhrase"]?.string ?? ""),
                "headers": received,
                "content": .object(
                    body(response["body"], received) ?? ["size": 0, "mimeType": "", "text": ""]
                ),
            ],
        ]
        entry["startedDateTime"] = event["timestamp"]
        return entry
    }

    // MARK: - URL

    private static func url(of request: JSONObject) -> String? {
        guard let path = request["path"]?.string, path.hasPrefix("/"),
            let host = HAREntry.headers(fields(request["headers"])).first("host"), !host.isEmpty
        else { return nil }
        let scheme = request["secure"] == true ? "https" : "http"
        let query = HAREntry.headers(fields(request["queryStringParameters"])).fields
            .map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
        return "\(scheme)://\(host)\(path)" + (query.isEmpty ? "" : "?\(query.joined(separator: "&"))")
    }

    /// `HTTP_1_1`.
    private static func httpVersion(_ name: JSONValue?) -> String {
        switch name?.string {
        case "HTTP_1_1": "HTTP/1.1"
        case "HTTP_2": "HTTP/2"
        default: ""
        }
    }

    // MARK: - Messages

    /// Names with their values: `{"Host":["op.example"]}` or, before its version 5, `[{"name":"Host","values":["op.example"]}]`.
    private static func fields(_ value: JSONValue?) -> JSONValue {
        guard let list = value?.array else { return value ?? [] }
        return EntrySpelling.pairs(
            list.flatMap { item in
                (item["values"]?.array ?? [item["value"] ?? ""]).map {
                    HeaderFields.Field(
                        name: item["name"]?.string ?? "",
                        value: Producers.text($0) ?? ""
                    )
                }
            }
        )
    }

    /// A text, JSON as it is, or an object with its `type`.
    private static func body(_ body: JSONValue?, _ headers: JSONValue) -> JSONObject? {
        guard let body, body != .null else { return nil }
        switch body["type"]?.string {
        case "STRING": return HAREntry.told(body: body["string"]?.string, headers)
        case "XML": return HAREntry.told(body: body["xml"]?.string, headers)
        case "BINARY": return HAREntry.told(body: body["base64Bytes"]?.string, isBase64: true, headers)
        case "JSON" where body["json"] != nil: return told(body["json"] ?? .null, headers)
        case "PARAMETERS":
            let items = HAREntry.headers(fields(body["parameters"])).fields
            return HAREntry.told(body: FormBody.encode(items.map { ($0.name, $0.value) }), headers)
        default: return told(body, headers)
        }
    }

    private static func told(_ value: JSONValue, _ headers: JSONValue) -> JSONObject? {
        HAREntry.told(body: value.string ?? JSONWriter.text(of: value), headers)
    }
}
