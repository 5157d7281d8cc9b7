import JSON

/// Makes an exchange of one flow of mitmproxy's.
struct MitmproxyExchange {
    private let flow: TypedNetstring
    private let source: CaptureSource
    /// What of the flow was left in the file, by the places where it stands.
    private(set) var losses: [(offset: Int, what: String)] = []

    /// Bytes of the longest text of a head that is read.
    private static let longestText = 1 << 20

    init(_ flow: TypedNetstring, source: CaptureSource) {
        self.flow = flow
        self.source = source
    }

    /// Nil for flows of other protocols.
    mutating func exchange() -> Exchange? {
        guard (flow["type"]?.text ?? "http") == "http", let request = flow.first("request") else {
            return nil
        }
        let headers = headers(request["headers"])
        let began = request.first("timestamp_start")?.number
        let start = began.flatMap(ForeignTime.seconds)
        var exchange = Exchange(
            startedAt: start ?? Timestamp(nanoseconds: 0),
            duration: duration(from: began),
            request: RecordedRequest(
                method: text(of: request["method"], "method") ?? "",
                url: url(request, headers),
                httpVersion: Self.version(request),
                headers: headers,
                body: body(request.first("content", "body"), headers, isRequest: true),
                trailers: self.headers(request["trailers"])
            ),
            response: flow.first("response").flatMap { response($0) },
            failure: text(of: flow.first("error")?["msg"], "error"),
            timings: timings(request),
            connection: connection(),
            client: ClientFacts(address: Self.address(flow["client_conn"]?.first("peername", "address")))
        )
        exchange.isZoneKnown = start != nil
        exchange.keep(note: text(of: flow["comment"], "comment"))
        takeWebSocket(&exchange)
        return exchange
    }

    private mutating func response(_ response: TypedNetstring) -> RecordedResponse? {
        guard let status = response.first("status_code", "code")?.integer, (100...999).contains(status) else {
            return nil
        }
        let headers = headers(response["headers"])
        return RecordedResponse(
            status: status,
            statusText: text(of: response.first("reason", "msg"), "reason") ?? "",
            httpVersion: Self.version(response),
            headers: headers,
            body: body(response.first("content", "body"), headers, isRequest: false),
            trailers: self.headers(response["trailers"])
        )
    }

    // MARK: - Messages

    /// A text of a head, also one that stands in the file still; `name` is told where it is too long to be read.
    private mutating func text(of value: TypedNetstring?, _ name: String) -> String? {
        guard case .range(let range)? = value else { return value?.text }
        guard range.count <= Self.longestText else {
            losses.append((range.lowerBound, "its \(name) has \(range.count) bytes, and is left out"))
            return nil
        }
        return String(decoding: source.bytes(at: range.lowerBound, count: range.count), as: UTF8.self)
    }

    private mutating func headers(_ value: TypedNetstring?) -> HeaderFields {
        HeaderFields(
            (value?.list ?? []).compactMap { pair in
                guard let pair = pair.list, pair.count == 2, let name = text(of: pair[0], "field name") else {
                    return nil
                }
                return HeaderFields.Field(
                    name: name,
                    value: text(of: pair[1], "field \(name.prefix(60))") ?? ""
                )
            }
        )
    }

    /// `HTTP/1.1`; before 0.14 two numbers.
    private static func version(_ message: TypedNetstring) -> String {
        if let text = message["http_version"]?.text { return ForeignTime.httpVersion(text) }
        let numbers = message["httpversion"]?.list?.compactMap(\.integer) ?? []
        return numbers.isEmpty ? "" : "HTTP/" + numbers.map(String.init).joined(separator: ".")
    }

    /// As the client meant it: by the host it named, not by the address that was dialled for it.
    private mutating func url(_ request: TypedNetstring, _ headers: HeaderFields) -> RecordedURL {
        let host = request["host"]?.text ?? ""
        let port = request["port"]?.integer
        let dialled = ForeignTime.address(host, port: port.map(Int64.init))
        let path = text(of: request["path"], "path") ?? ""
        if request["method"]?.text == "CONNECT" {
            let named = text(of: request["authority"], "authority") ?? ""
            return RecordedURL("https://\(named.isEmpty ? dialled : named)")
        }
        let scheme = request["scheme"]?.text ?? ""
        let named = [text(of: request["authority"], "authority"), headers.first("host")].compactMap { $0 }
            .first {
                !$0.isEmpty
            }
        let isDefault = scheme == "https" && port == 443 || scheme == "http" && port == 80
        let authority = named ?? (isDefault ? ForeignTime.address(host, port: nil) : dialled)
        if path.hasPrefix("http://") || path.hasPrefix("https://") { return RecordedURL(path) }
        return RecordedURL("\(scheme.isEmpty ? "http" : scheme)://\(authority)\(path)")
    }

    private func body(_ content: TypedNetstring?, _ headers: HeaderFields, isRequest: Bool) -> Body? {
        let type = headers.first("content-type")
        let codings = ContentCoding.codings(of: headers)
        switch content {
        case .string(let bytes)?:
            if isRequest, bytes.isEmpty { return nil }
            let decoded = ContentCoding.decode(bytes, codings: codings, limit: ContentCoding.largestDecoded)
            var body = Body(
                content: .bytes(decoded.bytes),
                mediaType: type,
                size: decoded.bytes.count,
                wireSize: bytes.count
            )
            body.remainingCoding = decoded.remaining
            return body
        case .range(let range)?:
            let canUndo = codings.allSatisfy(ContentCoding.known.contains)
            return Body(
                content: .deferred { [source] in
                    let bytes = source.bytes(at: range.lowerBound, count: range.count)
                    guard canUndo, !codings.isEmpty else { return bytes }
                    return ContentCoding.decode(bytes, codings: codings, limit: ContentCoding.largestDecoded)
                        .bytes
                },
                mediaType: type,
                size: codings.isEmpty ? range.count : nil,
                wireSize: range.count,
                remainingCoding: canUndo ? nil : codings.joined(separator: ", ")
            )
        default:
            // Streamed past mitmproxy, or none.
            return isRequest ? nil : Body(content: .missing, mediaType: type)
        }
    }

    // MARK: - Times and connections

    private func duration(from start: Double?) -> Duration? {
        guard let start else { return nil }
        let end =
            flow.first("response")?.first("timestamp_end")?.number
            ?? flow.first("error")?["timestamp"]?.number
        return end.flatMap { ForeignTime.span(from: start, to: $0) }
    }

    private func timings(_ request: TypedNetstring) -> Timings {
        func span(_ start: Double?, _ end: Double?) -> Duration? {
            guard let start, let end else { return nil }
            return ForeignTime.span(from: start, to: end)
        }
        let response = flow.first("response")
        let sent = request.first("timestamp_end")?.number
        let head = response?.first("timestamp_start")?.number
        var timings = Timings(
            send: span(request.first("timestamp_start")?.number, sent),
            wait: span(sent, head),
            receive: span(head, response?.first("timestamp_end")?.number)
        )
        let server = flow.first("server_conn")
        let dialled = server?.first("timestamp_start")?.number
        // Only the first flow of a connection waited for it.
        if let dialled, let begin = request.first("timestamp_start")?.number, dialled >= begin {
            let connected = server?.first("timestamp_tcp_setup")?.number
            timings.connect = span(dialled, connected)
            timings.secured(
                in: span(connected, server?.first("timestamp_tls_setup", "timestamp_ssl_setup")?.number)
            )
        }
        return timings
    }

    private func connection() -> ConnectionFacts {
        let client = flow.first("client_conn")
        let server = flow.first("server_conn")
        return ConnectionFacts(
            id: client?["id"]?.text,
            serverAddress: Self.address(server?.first("peername", "ip_address", "peer_address")),
            clientTLSVersion: client?.first("tls_version")?.text,
            serverTLSVersion: server?.first("tls_version")?.text,
            cipher: server?.first("cipher", "cipher_name")?.text,
            serverName: client?.first("sni")?.text,
            alpn: client?.first("alpn", "alpn_proto_negotiated")?.text
        )
    }

    /// A list of host and port; before 2.0 in an object of its own.
    private static func address(_ value: TypedNetstring?) -> String? {
        guard let list = (value?["address"] ?? value)?.list, list.count >= 2, let host = list[0].text,
            !host.isEmpty
        else { return nil }
        return ForeignTime.address(host, port: list[1].integer.map(Int64.init))
    }

    /// Messages as browsers write them into HAR.
    private func takeWebSocket(_ exchange: inout Exchange) {
        guard let messages = flow.first("websocket")?["messages"]?.list else { return }
        exchange.upgradedTo = "websocket"
        let written = messages.compactMap { message -> JSONValue? in
            guard let parts = message.list, parts.count >= 4, let opcode = parts[0].integer else {
                return nil
            }
            let bytes: [UInt8]
            switch parts[2] {
            case .string(let content): bytes = content
            case .range(let range): bytes = source.bytes(at: range.lowerBound, count: range.count)
            default: bytes = []
            }
            return [
                "type": .string(parts[1].bool == true ? "send" : "receive"),
                "time": .number(JSONNumber(parts[3].number ?? 0)),
                "opcode": JSONValue(opcode),
                "data": .string(opcode == 1 ? String(decoding: bytes, as: UTF8.self) : Base64.encode(bytes)),
            ]
        }
        if !written.isEmpty { exchange.foreign["_webSocketMessages"] = .array(written) }
    }
}
