import JSON

/// Reads the sessions that Charles exports as XML (*XML Session File*, `.chlsx`).
struct CharlesXML {
    /// A message of the transaction at hand.
    private struct Message {
        var attributes: [String: String] = [:]
        var firstLine = ""
        var headers: [HeaderFields.Field] = []
        var body: (range: Range<Int>, encoding: String?)?
    }

    private let source: CaptureSource
    private let name: String
    private var exchanges: [Exchange] = []
    private var transaction: [String: String]?
    private var request = Message()
    private var response: Message?
    /// The tag whose text may follow.
    private var open: XMLTags.Tag?
    private var fieldName = ""

    private init(_ source: CaptureSource, name: String) {
        self.source = source
        self.name = name
    }

    /// - Throws: ``CaptureError`` where there is not one exchange in it.
    static func read(_ source: CaptureSource, name: String) throws(CaptureError) -> Capture {
        var session = CharlesXML(source, name: name)
        return try session.capture()
    }

    private mutating func capture() throws(CaptureError) -> Capture {
        var tags = XMLTags(source)
        while let tag = tags.next() {
            if tag.isEnd { end(tag) } else { begin(tag) }
        }
        guard !exchanges.isEmpty else {
            throw .notCapture(
                path: name,
                looksLike: "a Charles session without a request",
                advice: "in Charles: File, Export Session, HTTP Archive (.har)"
            )
        }
        var capture = Capture(foreign: exchanges, creator: "Charles", version: "")
        if transaction != nil {
            capture.losses.append(
                Capture.Loss(
                    offset: source.size,
                    line: source.line(of: source.size),
                    what: "the session breaks off here; what stands before is read",
                    isEnd: true
                )
            )
        }
        return capture
    }

    // MARK: - Tags

    private mutating func begin(_ tag: XMLTags.Tag) {
        switch tag.name {
        case "transaction": (transaction, request, response) = (tag.attributes, Message(), nil)
        case "request": request.attributes = tag.attributes
        case "response": response = Message(attributes: tag.attributes)
        case "value" where tag.isEmpty: take(value: "")
        default: open = tag.isEmpty ? nil : tag
        }
    }

    private mutating func end(_ tag: XMLTags.Tag) {
        if tag.name == "transaction" {
            if let transaction, let exchange = exchange(transaction) { exchanges.append(exchange) }
            transaction = nil
            return
        }
        guard let begin = open, begin.name == tag.name, transaction != nil else { return open = nil }
        open = nil
        let range = begin.range.upperBound..<tag.range.lowerBound
        switch tag.name {
        case "first-line":
            let line = text(range)
            change { $0.firstLine = line }
        case "name": fieldName = text(range)
        case "value": take(value: text(range))
        case "body":
            change { $0.body = (range, begin.attributes["encoding"]) }
        default: break
        }
    }

    private mutating func take(value: String) {
        let field = HeaderFields.Field(name: fieldName, value: value)
        if !fieldName.isEmpty { change { $0.headers.append(field) } }
        fieldName = ""
    }

    private mutating func change(_ change: (inout Message) -> Void) {
        guard var answer = response else { return change(&request) }
        response = nil
        change(&answer)
        response = answer
    }

    private func text(_ range: Range<Int>) -> String {
        guard range.count < 64 << 10 else { return "" }
        return Producers.withoutBlanksAround(String(decoding: XMLTags.text(range, of: source), as: UTF8.self))
    }

    // MARK: - Exchanges

    private func exchange(_ told: [String: String]) -> Exchange? {
        guard let method = told["method"], let host = told["host"], !host.isEmpty else { return nil }
        let start = milliseconds(told["startTimeMillis"]).flatMap { ForeignTime.seconds($0 / 1000) }
        let end = milliseconds(told["endTimeMillis"]).flatMap { ForeignTime.seconds($0 / 1000) }
        let version = ForeignTime.httpVersion(told["protocolVersion"])
        let headers = HeaderFields(request.headers)
        var exchange = Exchange(
            startedAt: start ?? Timestamp(nanoseconds: 0),
            duration: start.flatMap { start in end.map { $0 - start } }.flatMap { $0 >= .zero ? $0 : nil },
            request: RecordedRequest(
                method: method,
                url: url(told, host, isTunnel: method == "CONNECT"),
                httpVersion: version,
                headers: headers,
                body: body(of: request, headers)
            ),
            response: response.flatMap { answer($0, version: version) },
            connection: ConnectionFacts(
                serverAddress: told["remoteAddress"].flatMap {
                    CharlesExchange.address($0, port: told["actualPort"].flatMap { Int64($0) })
                }
            )
        )
        exchange.isZoneKnown = start != nil
        return exchange
    }

    private func milliseconds(_ text: String?) -> Double? { text.flatMap { Double($0) } }

    private func url(_ told: [String: String], _ host: String, isTunnel: Bool) -> RecordedURL {
        let scheme = told["protocol"]?.lowercased() == "http" ? "http" : "https"
        let port = (told["port"] ?? told["actualPort"]).flatMap { Int64($0) }
        let isDefault = !isTunnel && port == (scheme == "http" ? 80 : 443)
        let authority = ForeignTime.address(host, port: isDefault ? nil : port)
        if isTunnel { return RecordedURL("https://\(authority)") }
        let query = told["query"].map { $0.isEmpty ? "" : "?\($0)" } ?? ""
        return RecordedURL("\(scheme)://\(authority)\(told["path"] ?? "/")\(query)")
    }

    private func answer(_ message: Message, version: String) -> RecordedResponse? {
        guard let status = message.attributes["status"].flatMap({ Int($0) }), (100...999).contains(status)
        else { return nil }
        let headers = HeaderFields(message.headers)
        let words = message.firstLine.split(separator: " ", maxSplits: 2)
        return RecordedResponse(
            status: status,
            statusText: words.count > 2 ? String(words[2]) : "",
            httpVersion: version,
            headers: headers,
            body: body(of: message, headers)
                ?? Body(content: .missing, mediaType: headers.first("content-type"))
        )
    }

    /// Nil where none is told.
    private func body(of message: Message, _ headers: HeaderFields) -> Body? {
        guard let told = message.body, !told.range.isEmpty else { return nil }
        let type = headers.first("content-type") ?? message.attributes["mime-type"]
        let load: @Sendable () -> [UInt8]? = { [source] in
            CharlesExchange.bytes(of: XMLTags.text(told.range, of: source), in: told.encoding).map {
                ContentCoding.decodeUnlessDone($0, headers: headers).bytes
            }
        }
        guard let bytes = load() else { return Body(content: .missing, mediaType: type) }
        return Body(
            content: bytes.count > HAREntry.eagerBodyLimit ? .deferred(load) : .bytes(bytes),
            mediaType: type,
            size: bytes.count
        )
    }
}
