import JSON

/// Makes an exchange of what the network log said of one request.
struct NetLogExchange {
    private let hop: NetLog.Hop
    private let tickOffset: Double?
    private let source: CaptureSource

    init(_ hop: NetLog.Hop, tickOffset: Double?, source: CaptureSource) {
        self.hop = hop
        self.tickOffset = tickOffset
        self.source = source
    }

    /// Nil for what is no HTTP.
    func exchange() -> Exchange? {
        guard hop.url.hasPrefix("http://") || hop.url.hasPrefix("https://") || hop.url.hasPrefix("ws") else {
            return nil
        }
        let start = tickOffset.flatMap { ForeignTime.seconds(($0 + hop.startedAt) / 1000) }
        let headers = HeaderFields(Producers.fields(.array(hop.requestHeaders ?? [])))
        let version = ForeignTime.httpVersion(hop.alpn)
        let hasPseudoFields = headers.fields.first?.name.hasPrefix(":") == true
        var exchange = Exchange(
            startedAt: start ?? Timestamp(nanoseconds: 0),
            duration: span(hop.startedAt, hop.endedAt),
            request: RecordedRequest(
                method: hop.method,
                url: RecordedURL(hop.url),
                // Of what is not known, HTTP/2 is the likelier.
                httpVersion: hasPseudoFields && version != "HTTP/3" ? "HTTP/2" : version,
                headers: headers,
                body: requestBody(headers)
            ),
            response: response(),
            failure: hop.failure,
            timings: Timings(
                send: span(hop.sending.begin, hop.sending.end),
                wait: span(hop.waiting.begin, hop.waiting.end),
                receive: span(hop.waiting.end, hop.endedAt)
            ),
            connection: ConnectionFacts(serverAddress: hop.peer, alpn: hop.alpn)
        )
        exchange.isZoneKnown = start != nil
        if let type = hop.requestType { exchange.foreign["_resourceType"] = .string(type) }
        if hop.isFromCache, hop.requestHeaders == nil { exchange.foreign["_fromCache"] = "disk" }
        if !hop.cookies.isEmpty { exchange.foreign["_cookieInclusion"] = .array(hop.cookies) }
        return exchange
    }

    private func requestBody(_ headers: HeaderFields) -> Body? {
        guard let size = hop.sentBytes ?? hop.sentBody?.count else { return nil }
        return Body(
            content: hop.sentBody.map { .bytes($0) } ?? .missing,
            mediaType: headers.first("content-type"),
            size: hop.sentBody?.count,
            wireSize: size
        )
    }

    private func span(_ start: Double?, _ end: Double?) -> Duration? {
        guard let start, let end else { return nil }
        return ForeignTime.span(from: start / 1000, to: end / 1000)
    }

    private func response() -> RecordedResponse? {
        guard let lines = hop.responseHeaders, let first = lines.first?.string else { return nil }
        let parts = first.split(separator: " ", maxSplits: 2).map(String.init)
        // `HTTP/1.1 302 Found`; of HTTP/2 the pseudo-field.
        guard parts.count > 1, let status = Int(parts[1]), (100...999).contains(status) else { return nil }
        let isLine = parts[0].hasPrefix("HTTP/")
        let fields = HeaderFields(Producers.fields(.array(isLine ? Array(lines.dropFirst()) : lines)))
        let alpn = ForeignTime.httpVersion(hop.alpn)
        return RecordedResponse(
            status: status,
            statusText: isLine && parts.count > 2 ? parts[2] : "",
            httpVersion: alpn.isEmpty && isLine ? parts[0] : alpn,
            headers: fields,
            body: body(fields)
        )
    }

    private func body(_ headers: HeaderFields) -> Body {
        let pieces = hop.pieces.isEmpty ? hop.wirePieces : hop.pieces
        var body = Body(
            content: .missing,
            mediaType: headers.first("content-type"),
            size: hop.decodedBytes ?? (ContentCoding.codings(of: headers).isEmpty ? hop.wireBytes : nil),
            wireSize: hop.wireBytes
        )
        guard !pieces.isEmpty else { return body }
        let codings = hop.pieces.isEmpty ? ContentCoding.codings(of: headers) : []
        body.content = .deferred { [source] in
            var bytes: [UInt8] = []
            for place in pieces {
                let params = JSONEvents.event(at: place, in: source)?["params"]
                if let text = params?["bytes"]?.string { bytes += Base64.decode(text) }
                if let text = params?["hex_encoded_bytes"]?.string { bytes += Self.hexadecimal(text) }
            }
            return codings.isEmpty
                ? bytes
                : ContentCoding.decode(bytes, codings: codings, limit: ContentCoding.largestDecoded).bytes
        }
        return body
    }

    private static func hexadecimal(_ text: String) -> [UInt8] {
        let digits = text.utf8.compactMap(\.hexadecimalValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
