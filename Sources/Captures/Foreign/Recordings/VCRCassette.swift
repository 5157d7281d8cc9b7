import JSON

/// Reads cassettes in JSON, in which tests keep what a program asked and was answered: of Ruby's and R's VCR and Python's Betamax
/// (`http_interactions`), of vcrpy (`interactions`, formerly a list), of PHP-VCR (a list).
///
/// When something was asked only the first say, in whole seconds; redirects that a client followed have entries of their own.
enum VCRCassette {
    /// Nil where there is no exchange in it.
    static func read(_ source: CaptureSource, _ sketch: JSONSketch) -> Capture? {
        let list = ["http_interactions", "interactions"].first(where: sketch.names.contains)
        return HAREntry.capture(of: source, list: list, creator: "VCR", makeEntry: entry)
    }

    /// Nil where the answer's status is no object: then it is no interaction.
    @Sendable private static func entry(of interaction: JSONValue) -> JSONObject? {
        guard let request = interaction["request"]?.object, let response = interaction["response"]?.object,
            let url = request["uri"]?.string ?? request["url"]?.string,
            let status = response["status"]?.object, let code = status["code"]
        else { return nil }
        let version = status["http_version"] ?? response["http_version"]
        var entry: JSONObject = [
            "request": .object(self.request(request, url)),
            "response": [
                "status": code,
                "statusText": .string(status["message"]?.string ?? ""),
                "httpVersion": .string(version?.string.map(httpVersion) ?? ""),
                "headers": response["headers"] ?? [],
                // All that came is kept.
                "content": .object(body(response) ?? ["size": 0, "mimeType": "", "text": ""]),
            ],
        ]
        entry["startedDateTime"] = interaction["recorded_at"]
        return entry
    }

    private static func request(_ request: JSONObject, _ url: String) -> JSONObject {
        var told: JSONObject = [
            "method": request["method"] ?? "GET", "url": .string(url), "headers": request["headers"] ?? [],
        ]
        if let body = body(request), body["text"] != "" { told["postData"] = .object(body) }
        return told
    }

    /// A text, or `{"encoding":"UTF-8","string":"…"}`, in which the bytes may be `base64_string`.
    private static func body(_ message: JSONObject) -> JSONObject? {
        let body = message["body"]
        if let coded = body?["base64_string"]?.string, !coded.isEmpty {
            return HAREntry.told(body: coded, isBase64: true, message["headers"])
        }
        return HAREntry.told(body: body?.string ?? body?["string"]?.string, message["headers"])
    }

    /// `HTTP/1.1` for `1.1`.
    private static func httpVersion(_ name: String) -> String {
        ForeignTime.httpVersion(name.utf8.first.map(\.isASCIIDigit) ?? false ? "HTTP/\(name)" : name)
    }
}
