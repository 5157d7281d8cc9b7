import JSON

/// Makes an exchange of what the DevTools protocol said of one hop.
///
/// What the network layer saw (`…ExtraInfo`) counts before what the renderer was told: only there are cookies, and the
/// status of an answer that was used from the cache.
struct DevToolsExchange {
    private let hop: DevToolsLog.Hop
    private let postData: [UInt8]?
    private let body: JSONEvents.Place?
    private let source: CaptureSource

    init(_ hop: DevToolsLog.Hop, postData: [UInt8]?, body: JSONEvents.Place?, source: CaptureSource) {
        self.hop = hop
        self.postData = postData
        self.body = body
        self.source = source
    }

    /// Nil for what is no HTTP.
    func exchange() -> Exchange? {
        let request = hop.sent["request"]?.object ?? JSONObject()
        let url = (request["url"]?.string ?? "") + (request["urlFragment"]?.string ?? "")
        guard url.hasPrefix("http://") || url.hasPrefix("https://") || url.hasPrefix("ws") else { return nil }
        let start = hop.sent["wallTime"]?.double.flatMap(ForeignTime.seconds)
        let headers = Self.headers(hop.requestExtra?["headers"] ?? request["headers"])
        var exchange = Exchange(
            startedAt: start ?? Timestamp(nanoseconds: 0),
            duration: duration,
            request: RecordedRequest(
                method: request["method"]?.string ?? "",
                url: RecordedURL(url),
                httpVersion: version,
                headers: headers,
                body: requestBody(request, headers)
            ),
            response: response(),
            failure: hop.failure,
            timings: timings(),
            connection: connection()
        )
        exchange.isZoneKnown = start != nil
        if let initiator = hop.sent["initiator"] { exchange.foreign["_initiator"] = initiator }
        if let type = hop.sent["type"]?.string {
            exchange.foreign["_resourceType"] = .string(type.lowercased())
        }
        if let cache = hop.cache { exchange.foreign["_fromCache"] = .string(cache) }
        Self.keepBlocked("associatedCookies", of: hop.requestExtra, in: &exchange.request.foreign)
        return exchange
    }

    /// From the request to the last byte, by the browser's steady clock.
    private var duration: Duration? {
        guard let start = hop.sent["timestamp"]?.double, let end = hop.endedAt else { return nil }
        return ForeignTime.span(from: start, to: end)
    }

    // MARK: - Request

    /// An object with a member for each name; fields of the same name are joined by line feeds.
    private static func headers(_ value: JSONValue?) -> HeaderFields {
        HeaderFields(
            Producers.fields(value).flatMap { field in
                field.value.split(separator: "\n", omittingEmptySubsequences: false).map {
                    HeaderFields.Field(name: field.name, value: String($0))
                }
            }
        )
    }

    private func requestBody(_ request: JSONObject, _ headers: HeaderFields) -> Body? {
        let type = headers.first("content-type")
        let pieces = (request["postDataEntries"]?.array ?? []).compactMap { $0["bytes"]?.string }
        if !pieces.isEmpty {
            let bytes = pieces.flatMap { Base64.decode($0) }
            return Body(content: .bytes(bytes), mediaType: type, size: bytes.count)
        }
        if let text = request["postData"]?.string { return Body(text: text, mediaType: type) }
        // A redirect has the number of what it is of, and mostly not its body.
        guard request["hasPostData"] == .bool(true) else { return nil }
        let content = postData.map(Body.Content.bytes) ?? .missing
        return Body(content: content, mediaType: type, size: postData?.count)
    }

    // MARK: - Response

    private var version: String {
        if let line = statusLine { return line.version }
        return ForeignTime.httpVersion(hop.response?["protocol"]?.string)
    }

    /// Of HTTP/1, where the text of the head was told.
    private var statusLine: (version: String, reason: String)? {
        guard let text = hop.responseExtra?["headersText"]?.string ?? hop.response?["headersText"]?.string,
            let line = text.utf8.split(whereSeparator: { $0 == 0x0d || $0 == 0x0a }).first
        else { return nil }
        let parts = line.split(separator: 0x20, maxSplits: 2).map { String(decoding: $0, as: UTF8.self) }
        guard parts.count > 1, parts[0].hasPrefix("HTTP/") else { return nil }
        return (parts[0], parts.count > 2 ? parts[2] : "")
    }

    private func response() -> RecordedResponse? {
        guard let told = hop.response else { return nil }
        let extra = hop.responseExtra
        guard let status = Producers.integer(extra?["statusCode"]) ?? Producers.integer(told["status"]),
            (100...999).contains(status)
        else { return nil }
        let text = extra?["headersText"]?.string ?? told["headersText"]?.string
        var headers = text.map(Self.headers(ofText:)) ?? HeaderFields()
        if headers.fields.isEmpty { headers = Self.headers(extra?["headers"] ?? told["headers"]) }
        var response = RecordedResponse(
            status: Int(status),
            statusText: statusLine?.reason ?? told["statusText"]?.string ?? "",
            httpVersion: version,
            headers: headers,
            body: responseBody(told)
        )
        if let count = Producers.integer(hop.finished?["encodedDataLength"] ?? told["encodedDataLength"]) {
            response.foreign["_transferSize"] = JSONValue(count)
        }
        Self.keepBlocked("blockedCookies", of: extra, in: &response.foreign)
        return response
    }

    private static func headers(ofText text: String) -> HeaderFields {
        let lines = text.utf8.split(whereSeparator: { $0 == 0x0d || $0 == 0x0a }).dropFirst()
        return HeaderFields(
            Producers.fields(.array(lines.map { .string(String(decoding: $0, as: UTF8.self)) }))
        )
    }

    private func responseBody(_ told: JSONObject) -> Body {
        var body = Body(content: .missing, mediaType: told["mimeType"]?.string, size: hop.receivedBytes)
        if let place = self.body {
            body.content = .deferred { [source] in
                guard var event = JSONEvents.event(at: place, in: source) else { return nil }
                for _ in 0..<4 where event["result"] == nil {
                    guard let message = event["message"] else { break }
                    event = message.string.flatMap { try? JSONParser.parse(Array($0.utf8)) } ?? message
                }
                guard let result = event["result"], let text = result["body"]?.string else { return nil }
                return result["base64Encoded"] == .bool(true) ? Base64.decode(text) : Array(text.utf8)
            }
        } else if hop.finished != nil, hop.receivedBytes == nil, hop.cache == nil {
            body.size = 0
            body.content = .bytes([])
        }
        return body
    }

    /// Cookies that the browser did not send or take, with its reasons.
    private static func keepBlocked(_ name: String, of extra: JSONObject?, in foreign: inout JSONObject) {
        let blocked = (extra?[name]?.array ?? []).filter { $0["blockedReasons"]?.array?.isEmpty == false }
        if !blocked.isEmpty { foreign["_blockedCookies"] = .array(blocked) }
    }

    // MARK: - Connection

    private func connection() -> ConnectionFacts {
        guard let told = hop.response else { return ConnectionFacts() }
        let security = told["securityDetails"]
        return ConnectionFacts(
            id: Producers.text(told["connectionId"]).flatMap { $0 == "0" ? nil : $0 },
            serverAddress: told["remoteIPAddress"]?.string.flatMap {
                $0.isEmpty ? nil : ForeignTime.address($0, port: Producers.integer(told["remotePort"]))
            },
            serverTLSVersion: security?["protocol"]?.string.map(ForeignTime.tlsVersion),
            cipher: security?["cipher"]?.string,
            alpn: told["protocol"]?.string
        )
    }

    /// Milliseconds since `requestTime`; -1 where a phase was not there.
    private func timings() -> Timings {
        guard let timing = hop.response?["timing"]?.object else { return Timings() }
        func span(_ from: String, _ to: String) -> Duration? {
            guard let start = timing[from]?.double, let end = timing[to]?.double, start >= 0, end >= start
            else {
                return nil
            }
            return ForeignTime.span(from: start / 1000, to: end / 1000)
        }
        var timings = Timings(
            dns: span("dnsStart", "dnsEnd"),
            connect: span("connectStart", "connectEnd"),
            tls: span("sslStart", "sslEnd"),
            send: span("sendStart", "sendEnd"),
            wait: span("sendEnd", "receiveHeadersEnd")
        )
        if let base = timing["requestTime"]?.double, let head = timing["receiveHeadersEnd"]?.double,
            head >= 0,
            let end = hop.endedAt
        {
            timings.receive = ForeignTime.span(from: base + head / 1000, to: end)
        }
        return timings
    }
}
