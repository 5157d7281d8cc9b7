import JSON

/// Reads the report that Newman, Postman's runner, writes of a run (`--reporters json`): requests with what was put in for their
/// variables, and the last answer to each.
///
/// Times of day are not in it, but for the whole run; redirects that were followed are not, either.
enum NewmanReport {
    /// Nil where there is no exchange in it.
    static func read(_ source: CaptureSource) -> Capture? {
        var events = JSONEvents(source)
        var exchanges: [Exchange] = []
        events.run(list: "executions", in: "run", behind: "", member: { _ in true }) { event, place in
            let reload: @Sendable () -> JSONValue? = { JSONEvents.event(at: place, in: source) }
            if let exchange = exchange(of: event, reload: reload) { exchanges.append(exchange) }
            return true
        }
        guard !exchanges.isEmpty else { return nil }
        var capture = Capture(foreign: exchanges, creator: "Newman", version: "")
        if let loss = events.loss { capture.losses.append(loss) }
        return capture
    }

    /// `reload`: gives the execution again, for a body of some size.
    private static func exchange(of execution: JSONValue, reload: @escaping @Sendable () -> JSONValue?)
        -> Exchange?
    {
        guard let request = execution["request"]?.object, let url = url(request["url"]) else { return nil }
        let headers = headers(request["header"])
        var exchange = Exchange(
            startedAt: Timestamp(nanoseconds: 0),
            duration: HAREntry.duration(execution["response"]?["responseTime"]),
            request: RecordedRequest(
                method: Producers.method(request["method"]),
                url: RecordedURL(url),
                httpVersion: "",
                headers: headers,
                body: requestBody(request["body"], headers)
            ),
            response: response(of: execution, reload: reload),
            failure: failure(execution["requestError"])
        )
        exchange.isZoneKnown = false
        exchange.keep(note: execution["item"]?["name"]?.string)
        return exchange
    }

    /// `{"code":"ECONNREFUSED","syscall":"connect","address":"127.0.0.1","port":1}`; what has words of its own says it in them.
    private static func failure(_ error: JSONValue?) -> String? {
        guard let error, error != .null else { return nil }
        return error["message"]?.string ?? error["code"]?.string ?? Producers.words(ofError: error)
            ?? "failed"
    }

    // MARK: - URL

    /// A text, or its parts: `{"protocol":"https","host":["id","example"],"path":["token"],"query":[{"key":…,"value":…}]}`.
    private static func url(_ value: JSONValue?) -> String? {
        guard let url = value?.object else { return value?.string.flatMap { $0.isEmpty ? nil : $0 } }
        guard let host = joined(url["host"], by: "."), !host.isEmpty else { return url["raw"]?.string }
        var text = "\(url["protocol"]?.string ?? "http")://\(host)"
        if let port = Producers.text(url["port"]), !port.isEmpty { text += ":\(port)" }
        let variables = enabled(url["variable"])
        let path = url["path"]?.array?.compactMap(\.string).map { segment in
            guard segment.hasPrefix(":"),
                let known = variables.first(where: { $0.name == segment.dropFirst() })
            else { return segment }
            return known.value
        }
        text += "/" + (path?.joined(separator: "/") ?? url["path"]?.string ?? "")
        // One without a value has no equals sign, unlike an empty one.
        let query = (url["query"]?.array ?? []).compactMap { item in
            field(item).map { item["value"] ?? .null == .null ? $0.name : "\($0.name)=\($0.value)" }
        }
        if !query.isEmpty { text += "?" + query.joined(separator: "&") }
        if let fragment = url["hash"]?.string, !fragment.isEmpty { text += "#" + fragment }
        return encoded(text)
    }

    private static func joined(_ value: JSONValue?, by separator: String) -> String? {
        value?.array.map { $0.compactMap(\.string).joined(separator: separator) } ?? value?.string
    }

    /// As it is sent: Postman keeps what somebody wrote, and encodes what no URL has.
    private static func encoded(_ text: String) -> String {
        text.unicodeScalars.map {
            isOfURL($0) ? String($0) : PercentEncoding.encode(String($0))
        }.joined()
    }

    /// Printable ASCII but for quotation marks and angle brackets.
    private static func isOfURL(_ scalar: Unicode.Scalar) -> Bool {
        ("!"..."~").contains(scalar) && scalar != "\"" && scalar != "<" && scalar != ">"
    }

    // MARK: - Messages

    /// What is switched off is not sent.
    private static func enabled(_ list: JSONValue?, where isWanted: (JSONValue) -> Bool = { _ in true })
        -> [HeaderFields.Field]
    {
        (list?.array ?? []).filter(isWanted).compactMap(field)
    }

    private static func field(_ item: JSONValue) -> HeaderFields.Field? {
        guard item["disabled"] != true, let name = item["key"]?.string else { return nil }
        return HeaderFields.Field(name: name, value: Producers.text(item["value"]) ?? "")
    }

    private static func headers(_ list: JSONValue?) -> HeaderFields { HeaderFields(enabled(list)) }

    /// By its `mode`; of files no more than that there was one is told.
    private static func requestBody(_ body: JSONValue?, _ headers: HeaderFields) -> Body? {
        guard let body, let mode = body["mode"]?.string, body["disabled"] != true else { return nil }
        let type = headers.first("content-type")
        switch mode {
        case "raw":
            return body["raw"]?.string.flatMap { $0.isEmpty ? nil : Body(text: $0, mediaType: type) }
        case "urlencoded":
            let fields = enabled(body["urlencoded"]).map { ($0.name, $0.value) }
            return fields.isEmpty
                ? nil : Body(text: FormBody.encode(fields), mediaType: type ?? FormBody.mediaType)
        case "graphql":
            guard let told = body["graphql"] else { return nil }
            return Body(text: JSONWriter.text(of: told), mediaType: type ?? "application/json")
        case "formdata":
            // What stood between the parts is not told, nor what a file had in it.
            let fields = enabled(body["formdata"], where: { $0["type"] != "file" })
            return Body(
                content: fields.isEmpty ? .missing : .parameters(fields),
                mediaType: type ?? MultipartForm.mediaType
            )
        default: return Body(content: .missing, mediaType: type)
        }
    }

    private static func response(of execution: JSONValue, reload: @escaping @Sendable () -> JSONValue?)
        -> RecordedResponse?
    {
        guard let response = execution["response"]?.object,
            let status = Producers.integer(response["code"]), (100...999).contains(status)
        else { return nil }
        let headers = headers(response["header"])
        let bytes = bytes(response["stream"])
        let load: @Sendable () -> [UInt8]? = { reload()?["response"]?["stream"].flatMap(self.bytes) }
        let content: Body.Content =
            bytes.map { $0.count > HAREntry.eagerBodyLimit ? .deferred(load) : .bytes($0) } ?? .missing
        return RecordedResponse(
            status: Int(status),
            statusText: response["status"]?.string ?? "",
            httpVersion: "",
            headers: headers,
            body: Body(content: content, mediaType: headers.first("content-type"), size: bytes?.count)
        )
    }

    /// `{"type":"Buffer","data":[123,125]}`, as Node writes bytes, in Base64 as others do, or a text; its coding is undone.
    private static func bytes(_ stream: JSONValue?) -> [UInt8]? {
        guard let data = stream?["data"] else { return stream?.string.map { Array($0.utf8) } }
        if let text = data.string { return Base64.decode(text) }
        return data.array?.compactMap { $0.int.flatMap { UInt8(exactly: $0) } }
    }
}
