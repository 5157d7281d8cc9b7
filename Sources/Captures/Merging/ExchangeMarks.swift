/// What tells an exchange from others: hashes of what two recorders of it must both have seen.
///
/// Hashes are of this process only, and keyed: a file cannot be made to collide.
struct ExchangeMarks: Sendable {
    /// Of method, path and query: equal for every sighting, unless a proxy has another path behind it.
    var key: Int
    /// The same with the end of the path alone, which proxies leave as it is.
    var looseKey: Int
    /// The same as ``key``, with the names of the query's values alone.
    var openKey: Int
    /// Whether values were taken out of the query.
    var isVeiled: Bool
    /// Each of something that two exchanges do not have in common, unless one repeats the other; bound to ``key`` or ``looseKey``.
    var marks: [Int]
    /// The one of ``marks`` that says no more than place and second; nil where there is none.
    var dated: Int?

    /// Request headers that are made for one request; in lower case.
    static let requestIDs: Set<String> = [
        "traceparent", "x-request-id", "x-correlation-id", "request-id", "x-amzn-trace-id",
        "x-cloud-trace-context", "x-b3-traceid", "uber-trace-id", "sec-websocket-key", "dpop",
        "idempotency-key",
    ]

    init(_ exchange: Exchange) {
        let request = exchange.request
        let end = request.url.path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        key = Self.key(of: request, request.url.path.isEmpty ? "/" : request.url.path)
        looseKey = Self.key(of: request, String(end))
        let query = request.url.query ?? ""
        let names = query.utf8.split(separator: UInt8(ascii: "&")).map { item in
            Substring(item.prefix { $0 != UInt8(ascii: "=") })
        }
        openKey = Self.key(request.method, request.url.path, names.joined(separator: "&"))
        isVeiled = RemovedValue.isWithin(query)
        marks = []
        addMarks(of: request)
        if let response = exchange.response {
            addMarks(of: response, to: request)
        } else {
            addMarks(ofUnanswered: exchange)
        }
    }

    // MARK: - Marks

    /// What a mark is made of; its hash is of this number, too.
    private enum Kind: Int {
        case query, requestID, form, location, date, instant
        /// Bound to ``looseKey``, its number is so much higher.
        static let loose = 16
    }

    /// A mark that is bound to both keys.
    private mutating func add(_ kind: Kind, _ name: String, _ value: String) {
        marks.append(Self.mark(kind.rawValue, name, value, key))
        marks.append(Self.mark(kind.rawValue + Kind.loose, name, value, looseKey))
    }

    private static func mark(_ kind: Int, _ name: String, _ value: String, _ key: Int) -> Int {
        var hasher = Hasher()
        hasher.combine(key)
        hasher.combine(kind)
        hasher.combine(bytes: name)
        hasher.combine(bytes: value)
        return hasher.finalize()
    }

    private mutating func addMarks(of request: RecordedRequest) {
        if request.url.query != nil, OneTimeValue.isAmong(request.url.queryItems) { add(.query, "", "") }
        for field in request.headers.fields {
            let name = field.name.lowercased()
            if Self.requestIDs.contains(name) { add(.requestID, name, Self.requestID(field.value, name)) }
        }
        if let fields = BodyFields(request.body), fields.isOneTime { add(.form, "", fields.text) }
    }

    private mutating func addMarks(of response: RecordedResponse, to request: RecordedRequest) {
        // Its host may be another one behind a proxy.
        if let location = response.location.map({ RecordedURL($0) }) {
            for items in [location.query, location.fragment].compactMap(\.self)
            where OneTimeValue.isAmong(QueryItems(items)) {
                add(.location, "", items)
            }
        }
        // The same page at the same second of the same server's clock. An answer that says its age is a copy.
        if let date = response.headers.first("date"), !response.headers.contains("age"),
            let host = request.url.host
        {
            let mark = Self.mark(Kind.date.rawValue, host, date, key)
            marks.append(mark)
            dated = mark
        }
    }

    /// Without an answer there is little else than the instant.
    ///
    /// Two of one capture that were asked for in one have no mark: it is not one that nothing else has.
    private mutating func addMarks(ofUnanswered exchange: Exchange) {
        let length = exchange.duration.map(ClockSpan.nanoseconds) ?? 0
        guard (exchange.startedAt.nanoseconds &+ length) % 1_000_000_000 != 0 else { return }
        let instant = "\(exchange.startedAt.nanoseconds) \(length) " + (exchange.failure ?? "")
        marks.append(Self.mark(Kind.instant.rawValue, exchange.request.url.host ?? "", instant, key))
    }

    private static func key(of request: RecordedRequest, _ path: String) -> Int {
        key(request.method, path, request.url.query ?? "")
    }

    private static func key(_ method: String, _ path: String, _ query: String) -> Int {
        var hasher = Hasher()
        for text in [method, path, query] { hasher.combine(bytes: text) }
        return hasher.finalize()
    }

    /// The part of it that proxies hand on unchanged: they put their own span behind the trace.
    static func requestID(_ value: String, _ name: String) -> String {
        guard name == "traceparent" else { return value }
        let parts = value.split(separator: "-", omittingEmptySubsequences: false)
        return parts.count > 1 ? String(parts[1]) : value
    }
}

extension Hasher {
    /// Texts that only look the same are two.
    mutating func combine(bytes text: String) {
        combine(text.utf8.count)
        var text = text
        text.withUTF8 { combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
