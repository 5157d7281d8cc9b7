import JSON

/// Reads cassettes, in which tests keep what a program asked and was answered: of Ruby's and R's VCR and Python's Betamax
/// (`http_interactions`), of vcrpy (`interactions`, formerly a list), of Go's go-vcr (`interactions`), of PHP-VCR (a list), in JSON
/// or in YAML.
///
/// When something was asked only the first say, in whole seconds; redirects that a client followed have entries of their own.
enum VCRCassette {
    /// Nil where there is no exchange in it.
    static func read(_ source: CaptureSource, _ sketch: JSONSketch) -> Capture? {
        let list = ["http_interactions", "interactions"].first(where: sketch.names.contains)
        return HAREntry.capture(of: source, list: list, creator: "VCR", makeEntry: entry)
    }

    private static let lists = ["http_interactions:", "interactions:"].map { Array($0.utf8) }

    /// One in YAML, which all but Betamax write where nobody says otherwise; nil where there is no exchange in it.
    static func readYAML(_ source: CaptureSource) -> Capture? {
        let text = LogText(source)
        // PHP-VCR's is the list itself.
        var start: Int? =
            text.bytes.starts(with: "-\n".utf8) || text.bytes.starts(with: "-\r\n".utf8)
                || text.bytes.starts(with: "- request:".utf8) ? 0 : nil
        var line = 0
        text.forEachLine { bytes in
            if start == nil, lists.contains(where: bytes.starts) { start = line + bytes.count }
            line += bytes.count
        }
        guard let start else { return nil }
        var reader = YAMLReader(text.bytes, at: start)
        var exchanges: [Exchange] = []
        var losses = LossList()
        var place = (offset: 0, line: 1)
        reader.elements { interaction in
            if let entry = entry(of: interaction) {
                exchanges.append(HAREntry.exchange(told: entry) { [entry] in entry })
            }
            return true
        } fail: { problem in
            place = (problem.offset, source.line(of: problem.offset, behind: place))
            let what = "an interaction cannot be read (expected \(problem.expected)); the others are"
            losses.append(Capture.Loss(offset: problem.offset, line: place.line, what: what))
        }
        guard !exchanges.isEmpty else { return nil }
        var capture = text.capture(of: exchanges, creator: "VCR")
        capture.losses += losses.all
        return capture
    }

    /// Nil where the answer's status is not told as cassettes tell it: then it is no interaction.
    @Sendable private static func entry(of interaction: JSONValue) -> JSONObject? {
        guard let request = interaction["request"]?.object, let response = interaction["response"]?.object,
            let url = request["uri"]?.string ?? request["url"]?.string,
            let status = status(of: response)
        else { return nil }
        let version = response["status"]?["http_version"] ?? response["http_version"] ?? response["proto"]
        var entry: JSONObject = [
            "request": .object(self.request(request, url)),
            "response": [
                "status": status.code,
                "statusText": .string(status.words),
                "httpVersion": .string(version?.string.map(httpVersion) ?? ""),
                "headers": response["headers"] ?? [],
                // All that came is kept.
                "content": .object(body(response) ?? ["size": 0, "mimeType": "", "text": ""]),
            ],
        ]
        entry["startedDateTime"] = interaction["recorded_at"]
        return entry
    }

    /// Of an object, or go-vcr's `status: 400 Bad Request` with `code: 400` beside it.
    private static func status(of response: JSONObject) -> (code: JSONValue, words: String)? {
        if let status = response["status"]?.object {
            return status["code"].map { ($0, status["message"]?.string ?? "") }
        }
        guard let line = response["status"]?.string, let code = response["code"] else { return nil }
        return (code, String(line.drop { $0 != " " }.dropFirst()))
    }

    private static func request(_ request: JSONObject, _ url: String) -> JSONObject {
        var told: JSONObject = [
            "method": request["method"] ?? "GET", "url": .string(url), "headers": request["headers"] ?? [],
        ]
        if let body = body(request), body["text"] != "" { told["postData"] = .object(body) }
        return told
    }

    /// A text, or `{"encoding":"UTF-8","string":"…"}`, in which the bytes may be `base64_string`; each text in YAML may be bytes.
    private static func body(_ message: JSONObject) -> JSONObject? {
        let body = message["body"]
        let coded = [body?["base64_string"], body?["string"]?["base64"], body?["base64"]].lazy.compactMap {
            $0?.string
        }
        if let coded = coded.first, !coded.isEmpty {
            return HAREntry.told(body: coded, isBase64: true, message["headers"])
        }
        return HAREntry.told(body: body?.string ?? body?["string"]?.string, message["headers"])
    }

    /// `HTTP/1.1` for `1.1`.
    private static func httpVersion(_ name: String) -> String {
        ForeignTime.httpVersion(name.utf8.first.map(\.isASCIIDigit) ?? false ? "HTTP/\(name)" : name)
    }
}
