/// The exchanges that curl tells of, put together out of what it sent and received.
struct CurlTransfers {
    /// What is known of one message so far.
    private struct Message {
        /// As it came: the head and, behind it, what of the body was told.
        var bytes: [UInt8] = []
        var isHeadOpen = false
        var hasBody = false
        /// Whether the body stands there with dots for what is no character of ASCII.
        var isDotted = false
    }

    private(set) var exchanges: [Exchange] = []
    private var request = Message()
    private var response = Message()
    private var failure: String?
    /// Whether more of the answer would have come.
    private var isBrokenOff = false
    /// Nobody shows the body of an answer that is followed elsewhere.
    private var isBodyIgnored = false
    private var isClosed = false
    /// The server that curl is connected to, and as what it told that.
    private var server: (name: String, address: String, port: Int64)?
    /// By the server's name in lower case.
    private var isSecure: [String: Bool] = [:]

    // MARK: - What it says

    var isSentHeadOpen: Bool { request.isHeadOpen }
    var isReceivedHeadOpen: Bool { response.isHeadOpen }

    /// Whether a line without a mark is one of an answer's body.
    var takesBody: Bool {
        !response.bytes.isEmpty && !response.isHeadOpen && !isBodyIgnored && !isClosed
    }

    /// A part of a request's head, be it a line or all of it.
    mutating func sent(head: some Collection<UInt8>) {
        if !request.isHeadOpen {
            finish()
            request.isHeadOpen = true
        }
        request.bytes += head
        request.isHeadOpen = !request.bytes.suffix(4).elementsEqual([0x0d, 0x0a, 0x0d, 0x0a])
    }

    mutating func sent(data: [UInt8], isDotted: Bool) {
        guard !request.bytes.isEmpty, !request.isHeadOpen else { return }
        request.bytes += data
        request.hasBody = true
        request.isDotted = isDotted
    }

    /// A part of an answer's head; what stands behind a body (trailers) is none.
    mutating func received(head: some Collection<UInt8>) {
        if !response.isHeadOpen {
            guard !request.bytes.isEmpty, head.starts(with: "HTTP/".utf8) else { return }
            // Behind one that is on the way to another comes the other.
            if !RawMessage.isInterim(response.bytes) { response = Message() }
            response.isHeadOpen = true
            (isBodyIgnored, isClosed) = (false, false)
        }
        response.bytes += head
        response.isHeadOpen = !response.bytes.suffix(4).elementsEqual([0x0d, 0x0a, 0x0d, 0x0a])
    }

    mutating func received(data: some Collection<UInt8>, isDotted: Bool) {
        guard !response.bytes.isEmpty, !response.isHeadOpen else { return }
        response.bytes += data
        response.hasBody = true
        response.isDotted = isDotted
    }

    /// What curl says besides.
    mutating func informed(_ words: String) {
        if let place = Self.place(in: words) {
            server = place
            isSecure[place.name.lowercased()] = place.port == 443
        } else if Self.isOfTLS(words) {
            if let server { isSecure[server.name.lowercased()] = true }
        } else if words.hasPrefix("Ignoring the response-body") {
            isBodyIgnored = true
        } else if words.hasPrefix("Connection #") || words.hasPrefix("Closing connection") {
            // Where curl prints into a pipe the body comes behind its words.
            isClosed = response.hasBody
        }
    }

    /// In the words of the libraries that it is built with.
    private static func isOfTLS(_ words: String) -> Bool {
        ["SSL connection using ", "ALPN", "schannel: "].contains(where: words.hasPrefix)
            || ["TLS handshake", "connection using TLS", "[:scheme: https]"].contains(
                where: words.containsBytes
            )
    }

    /// Why curl gave up: `(52) Empty reply from server`; with a whole answer curl may be at odds as well, with its status (22) or
    /// with where it is to be written (23).
    mutating func failed(_ words: String) {
        guard !request.bytes.isEmpty else { return }
        isBrokenOff = !response.bytes.isEmpty && Self.breaksOff.contains(where: words.hasPrefix)
        if isBrokenOff || response.bytes.isEmpty { failure = "curl: \(words)" }
    }

    /// Errors of HTTP/2 and HTTP/3, less than was announced, too much time, and a connection that broke.
    private static let breaksOff = ["(16) ", "(18) ", "(28) ", "(56) ", "(92) ", "(95) "]

    /// `Connected to NAME (ADDRESS) port PORT`; since its version 8.16 `Established connection to NAME (ADDRESS port PORT) from …`.
    private static func place(in words: String) -> (name: String, address: String, port: Int64)? {
        guard words.hasPrefix("Connected to ") || words.hasPrefix("Established ") else { return nil }
        let parts = words.split(separator: " ", maxSplits: 12)
        guard let to = parts.prefix(4).firstIndex(of: "to"), parts.count > to + 4,
            parts[to + 2].hasPrefix("("), parts[to + 3] == "port",
            let port = Int64(parts[to + 4].filter { $0 != ")" })
        else { return nil }
        return (String(parts[to + 1]), parts[to + 2].dropFirst().filter { $0 != ")" }, port)
    }

    // MARK: - Exchanges

    /// Ends the transfer that is under way.
    mutating func finish() {
        defer {
            (request, response, failure) = (Message(), Message(), nil)
            (isBodyIgnored, isClosed, isBrokenOff) = (false, false, false)
        }
        guard let message = RawMessage(request.bytes), !message.words[0].hasPrefix("HTTP/") else { return }
        let target = message.words[1]
        // Of a part of a log nobody knows what was connected to.
        let isBare = server == nil && target.hasPrefix("/")
        let url =
            isBare
            ? RecordedURL(target) : message.url(scheme: scheme(of: message), authority: server?.name ?? "")
        var exchange = Exchange(
            startedAt: Timestamp(nanoseconds: 0),
            request: message.request(to: url) { [bytes = request.bytes] in bytes },
            response: answer(to: message),
            failure: failure,
            connection: ConnectionFacts(
                serverAddress: server.map { ForeignTime.address($0.address, port: $0.port) }
            )
        )
        exchange.isZoneKnown = false
        let hasLength = message.headers.first("content-length").map { $0 != "0" } ?? false
        if request.hasBody {
            exchange.request.body = Self.told(exchange.request.body, request, message.headers)
        } else if hasLength || message.headers.first("transfer-encoding") != nil {
            exchange.request.body = Body(
                content: .missing,
                mediaType: message.headers.first("content-type"),
                size: message.headers.first("content-length").flatMap { Int($0) }
            )
        }
        exchanges.append(exchange)
    }

    private func scheme(of message: RawMessage) -> String {
        let name = message.headers.first("host").map { RecordedURL("http://\($0)/").host ?? $0 } ?? ""
        let isTold = isSecure[name.lowercased()] ?? server.flatMap { isSecure[$0.name.lowercased()] }
        return isTold == true ? "https" : "http"
    }

    private func answer(to request: RawMessage) -> RecordedResponse? {
        guard let message = RawMessage(response.bytes),
            var answer = message.response(reload: { [bytes = response.bytes] in bytes })
        else { return nil }
        let length = message.headers.first("content-length").flatMap { Int($0) }
        let isBodiless =
            length == 0 || [204, 304].contains(answer.status)
            || ["HEAD", "CONNECT"].contains(request.words[0])
        if response.hasBody {
            answer.body = Self.told(answer.body, response, message.headers)
        } else if !isBodiless {
            answer.body = Body(
                content: .missing,
                mediaType: message.headers.first("content-type"),
                size: length
            )
        }
        if isBrokenOff { answer.body?.isTruncated = true }
        return answer
    }

    /// The body as it was, as far as what was told of it shows that.
    private static func told(_ body: Body?, _ message: Message, _ headers: HeaderFields) -> Body? {
        guard message.isDotted, var body, let bytes = body.bytes else { return body }
        if headers.first("content-encoding") != nil {
            return Body(content: .missing, mediaType: body.mediaType, size: nil, wireSize: body.wireSize)
        }
        if body.essence?.hasSuffix("json") ?? false { body.content = .bytes(CurlDump.withoutDots(bytes)) }
        return body
    }
}
