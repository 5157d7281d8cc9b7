import JSON

/// Reads Chromium's network log (`chrome://net-export`, `--log-net-log`), whole or cut off.
///
/// Of the many sources of events `URL_REQUEST` is read: there is one for each request, redirects included. How much
/// stands there depends on the capture mode: cookies are there with sensitive data included, bodies with raw bytes; those of
/// requests in what the sockets sent (``NetLogSockets``).
struct NetLog {
    /// One request on the wire.
    struct Hop {
        var startedAt: Double
        var endedAt: Double?
        var method: String
        var url: String
        var requestHeaders: [JSONValue]?
        var responseHeaders: [JSONValue]?
        /// The phases' ends and beginnings, in ticks.
        var sending: (begin: Double?, end: Double?)
        var waiting: (begin: Double?, end: Double?)
        var decodedBytes: Int?
        var wireBytes: Int?
        var sentBytes: Int?
        /// The body of the request.
        var sentBody: [UInt8]?
        /// Where the pieces of the body stand, coding undone.
        var pieces: [JSONEvents.Place] = []
        /// As they came.
        var wirePieces: [JSONEvents.Place] = []
        var failure: String?
        var cookies: [JSONValue] = []
        var peer: String?
        var alpn: String?
        var isFromCache = false
        var requestType: String?
        /// Where its beginning stands in the log.
        var place = JSONEvents.Place(offset: 0)
        /// Whether no page asked for it, but the browser itself: for its accounts, its updates, the time.
        var isOfBrowserItself = false
    }

    private let source: CaptureSource
    private var eventNames: [Int64: String] = [:]
    private var requestType: Int64?
    private var socketType: Int64?
    private var sessionType: Int64?
    private var sockets = NetLogSockets()
    private var errorNames: [Int64: String] = [:]
    /// Milliseconds from the steady clock's zero to 1970.
    private var tickOffset: Double?
    private(set) var hops: [Hop] = []
    /// The newest hop of each source.
    private var open: [Int64: Int] = [:]

    /// Nil where this is no such log.
    static func read(_ source: CaptureSource) -> Capture? {
        var log = NetLog(source: source)
        var events = JSONEvents(source)
        var isLog = false
        events.run(
            list: "events",
            behind: "constants",
            member: { constants in
                isLog = log.take(constants: constants)
                return isLog
            },
            { event, place in
                log.take(event, at: place)
                return isLog
            }
        )
        guard isLog else { return nil }
        log.sockets.giveBodies(to: &log.hops)
        let idle = log.leaveOutIdleCalls()
        let mode = log.exchanges()
        var capture = Capture(foreign: mode, creator: "Chromium's network log", version: log.version)
        if let idle { capture.losses.append(idle) }
        if let loss = events.loss { capture.losses.append(loss) }
        return capture
    }

    private var version = ""

    init(source: CaptureSource) { self.source = source }

    mutating func take(constants: JSONValue) -> Bool {
        guard let types = constants["logEventTypes"]?.object, let sources = constants["logSourceType"]?.object
        else {
            return false
        }
        for member in types.members { if let number = member.value.int { eventNames[number] = member.name } }
        for member in constants["netError"]?.object?.members ?? [] {
            if let number = member.value.int { errorNames[number] = member.name }
        }
        requestType = sources["URL_REQUEST"]?.int
        socketType = sources["SOCKET"]?.int
        sessionType = sources["HTTP2_SESSION"]?.int
        tickOffset = Producers.number(constants["timeTickOffset"])
        let client = constants["clientInfo"]
        version = [client?["name"]?.string, client?["version"]?.string].compactMap { $0 }.joined(
            separator: " "
        )
        return requestType != nil
    }

    // MARK: - Events

    mutating func take(_ event: JSONValue, at place: JSONEvents.Place) {
        guard let source = event["source"], let kind = source["type"]?.int,
            kind == requestType || kind == socketType || kind == sessionType, let id = source["id"]?.int,
            let type = event["type"]?.int, let name = eventNames[type],
            let time = Producers.number(event["time"])
        else { return }
        guard kind == requestType else { return takeOfConnection(id, name, event, time) }
        let params = event["params"]?.object ?? JSONObject()
        // 0 is an event without duration, 1 and 2 are beginning and end.
        let phase = event["phase"]?.int ?? 0
        switch name {
        case "URL_REQUEST_START_JOB" where phase != 2: begin(id, params, time, place)
        case "URL_REQUEST_START_JOB", "REQUEST_ALIVE":
            guard phase == 2 else { return }
            let words = failure(params)
            change(id) { hop in
                if let words { hop.failure = words }
                if name == "REQUEST_ALIVE", hop.endedAt == nil { hop.endedAt = time }
            }
        case "FAILED", "CANCELLED":
            let words = failure(params) ?? "net::ERR_ABORTED"
            change(id) { $0.failure = words }
        case "HTTP_TRANSACTION_SEND_REQUEST_HEADERS", "HTTP_TRANSACTION_HTTP2_SEND_REQUEST_HEADERS",
            "HTTP_TRANSACTION_QUIC_SEND_REQUEST_HEADERS":
            let headers = params["headers"].flatMap(Self.lines) ?? []
            send(id, headers, time)
        case "HTTP_TRANSACTION_READ_RESPONSE_HEADERS", "URL_REQUEST_FAKE_RESPONSE_HEADERS_CREATED":
            change(id) { $0.responseHeaders = params["headers"].flatMap(Self.lines) }
        case "HTTP_TRANSACTION_SEND_REQUEST":
            change(id) { if phase == 1 { $0.sending.begin = time } else { $0.sending.end = time } }
        case "HTTP_TRANSACTION_READ_HEADERS":
            change(id) { if phase == 1 { $0.waiting.begin = time } else { $0.waiting.end = time } }
        case "HTTP_TRANSACTION_SEND_REQUEST_BODY":
            change(id) { hop in
                if let length = params["length"]?.int, length >= 0 { hop.sentBytes = Int(length) }
            }
        case "HTTP_CACHE_READ_INFO": change(id) { $0.isFromCache = true }
        case "COOKIE_INCLUSION_STATUS": change(id) { $0.cookies.append(.object(params)) }
        case "URL_REQUEST_JOB_FILTERED_BYTES_READ", "URL_REQUEST_JOB_BYTES_READ":
            read(id, params, place, isDecoded: name == "URL_REQUEST_JOB_FILTERED_BYTES_READ")
        case "LOCAL_NETWORK_ACCESS_CHECK", "PRIVATE_NETWORK_ACCESS_CHECK":
            if let info = params["transport_info"]?.string { change(id) { Self.take(transport: info, &$0) } }
        default: break
        }
    }

    private mutating func takeOfConnection(_ id: Int64, _ name: String, _ event: JSONValue, _ time: Double) {
        guard let params = event["params"]?.object else { return }
        switch name {
        case "SSL_SOCKET_BYTES_SENT": sockets.sent(id, params, isEncrypted: true, at: time)
        case "SOCKET_BYTES_SENT": sockets.sent(id, params, isEncrypted: false, at: time)
        case "HTTP2_SESSION_INITIALIZED": sockets.session(id, over: params)
        case "HTTP2_SESSION_SEND_HEADERS": sockets.opened(params, in: id)
        default: break
        }
    }

    /// Headers as lines; older versions wrote an object for HTTP/2.
    private static func lines(_ value: JSONValue) -> [JSONValue]? {
        value.array ?? value.object?.members.map { .string("\($0.name): \($0.value.string ?? "")") }
    }

    private mutating func begin(_ id: Int64, _ params: JSONObject, _ time: Double, _ place: JSONEvents.Place)
    {
        guard let url = params["url"]?.string else { return }
        if let index = open[id], hops[index].endedAt == nil { hops[index].endedAt = time }
        open[id] = hops.count
        hops.append(
            Hop(
                startedAt: time,
                method: params["method"]?.string ?? "",
                url: url,
                sending: (nil, nil),
                waiting: (nil, nil),
                requestType: params["request_type"]?.string,
                place: place,
                // A page's own address comes with all that it loads, and what a person opens is a frame.
                isOfBrowserItself: params["request_type"]?.string == "other"
                    && params["initiator"]?.string == "not an origin"
            )
        )
    }

    /// The same job asks once more where the server or a proxy wants credentials.
    private mutating func send(_ id: Int64, _ headers: [JSONValue], _ time: Double) {
        guard let index = open[id] else { return }
        if hops[index].requestHeaders != nil, hops[index].responseHeaders != nil {
            let former = hops[index]
            hops[index].endedAt = time
            open[id] = hops.count
            hops.append(
                Hop(
                    startedAt: time,
                    method: former.method,
                    url: former.url,
                    sending: (nil, nil),
                    waiting: (nil, nil)
                )
            )
        }
        change(id) { $0.requestHeaders = headers }
    }

    private mutating func read(_ id: Int64, _ params: JSONObject, _ place: JSONEvents.Place, isDecoded: Bool)
    {
        guard let count = params["byte_count"]?.int, count >= 0 else { return }
        let hasBytes = params["bytes"]?.string != nil || params["hex_encoded_bytes"]?.string != nil
        change(id) { hop in
            let path = isDecoded ? \Hop.decodedBytes : \Hop.wireBytes
            let sum = (hop[keyPath: path] ?? 0).addingReportingOverflow(Int(count))
            if !sum.overflow { hop[keyPath: path] = sum.partialValue }
            guard hasBytes else { return }
            if isDecoded { hop.pieces.append(place) } else { hop.wirePieces.append(place) }
        }
    }

    /// `TransportInfo{ type = …, endpoint = 127.0.0.1:21201, …, negotiated_protocol = http/1.1 }`.
    private static func take(transport info: String, _ hop: inout Hop) {
        for part in info.split(whereSeparator: { ",{}".contains($0) }) {
            let words = part.split(separator: " ")
            guard words.count == 3, words[1] == "=" else { continue }
            if words[0] == "endpoint" { hop.peer = String(words[2]) }
            // Chromium's name for HTTP/3 is older than that of RFC 9114.
            if words[0] == "negotiated_protocol", words[2] != "unknown" {
                hop.alpn = words[2] == "quic" ? "h3" : String(words[2])
            }
        }
    }

    private func failure(_ params: JSONObject) -> String? {
        // -1 is not an error but that there is none yet.
        guard let number = params["net_error"]?.int, number < -1 else { return nil }
        return errorNames[number].map { "net::\($0)" } ?? "net error \(number)"
    }

    private mutating func change(_ id: Int64, _ body: (inout Hop) -> Void) {
        guard let index = open[id] else { return }
        // A copy would have every append to its lists copy them.
        body(&hops[index])
    }

    /// Drops what the browser itself asked for in vain, which says nothing of anybody's login.
    ///
    /// - Returns: what is to be said of that, with the place of the first.
    private mutating func leaveOutIdleCalls() -> Capture.Loss? {
        let isIdle = { (hop: Hop) in
            hop.isOfBrowserItself && hop.responseHeaders == nil && hop.failure != nil
        }
        guard let first = hops.first(where: isIdle) else { return nil }
        let count = hops.count
        hops.removeAll(where: isIdle)
        let dropped = count - hops.count
        return Capture.Loss(
            offset: first.place.offset,
            line: source.line(of: first.place.offset),
            what: dropped == 1
                ? "a request of the browser itself had no answer, and is left out"
                : "\(dropped) requests of the browser itself, of which this is the first, had no answer, and are left out"
        )
    }

    private func exchanges() -> [Exchange] {
        hops.compactMap { NetLogExchange($0, tickOffset: tickOffset, source: source).exchange() }
    }
}
