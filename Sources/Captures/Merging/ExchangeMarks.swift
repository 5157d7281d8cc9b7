/// What tells an exchange from others: hashes of what two recorders of it must both have seen.
///
/// Hashes are of this process only, and keyed: a file cannot be made to collide.
struct ExchangeMarks: Sendable {
    /// Of method, path and query: equal for every sighting, unless a proxy has another path behind it.
    var key: Int
    /// The same with the end of the path alone, which proxies leave as it is.
    var looseKey: Int
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
        let key = Self.key(of: request, request.url.path.isEmpty ? "/" : request.url.path)
        let end = request.url.path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        let looseKey = Self.key(of: request, String(end))
        self.key = key
        self.looseKey = looseKey
        var marks: [Int] = []
        func add(_ kind: Int, _ name: String, _ value: String, to key: Int) {
            var hasher = Hasher()
            hasher.combine(key)
            hasher.combine(kind)
            hasher.combine(bytes: name)
            hasher.combine(bytes: value)
            marks.append(hasher.finalize())
        }
        func add(_ kind: Int, _ name: String, _ value: String) {
            add(kind, name, value, to: key)
            add(kind + 16, name, value, to: looseKey)
        }
        if request.url.query != nil, OneTimeValue.isAmong(request.url.queryItems) { add(0, "", "") }
        for field in request.headers.fields {
            let name = field.name.lowercased()
            if Self.requestIDs.contains(name) { add(1, name, Self.requestID(field.value, name)) }
        }
        if let fields = BodyFields(request.body), fields.isOneTime { add(2, "", fields.text) }
        if let response = exchange.response {
            // Its host may be another one behind a proxy.
            if let location = response.location.map({ RecordedURL($0) }) {
                for items in [location.query, location.fragment].compactMap(\.self)
                where OneTimeValue.isAmong(QueryItems(items)) {
                    add(3, "", items)
                }
            }
            // The same page at the same second of the same server's clock. An answer that says its age is a copy.
            if let date = response.headers.first("date"), !response.headers.contains("age"),
                let host = request.url.host
            {
                add(4, host, date, to: key)
                dated = marks.last
            }
        }
        // Without an answer there is little else. Two of one capture that were asked for in one instant have no mark: it is not one
        // that nothing else has.
        let length = exchange.duration.map(ClockSpan.nanoseconds) ?? 0
        if exchange.response == nil, (exchange.startedAt.nanoseconds &+ length) % 1_000_000_000 != 0 {
            let instant = "\(exchange.startedAt.nanoseconds) \(length) "
            add(5, request.url.host ?? "", instant + (exchange.failure ?? ""), to: key)
        }
        self.marks = marks
    }

    private static func key(of request: RecordedRequest, _ path: String) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: request.method)
        hasher.combine(bytes: path)
        hasher.combine(bytes: request.url.query ?? "")
        return hasher.finalize()
    }

    /// The part of it that proxies hand on unchanged: they put their own span behind the trace.
    static func requestID(_ value: String, _ name: String) -> String {
        guard name == "traceparent" else { return value }
        let parts = value.split(separator: "-", omittingEmptySubsequences: false)
        return parts.count > 1 ? String(parts[1]) : value
    }
}

/// A form as two recorders of it agree on it: it may stand as text or as parameters.
struct BodyFields {
    let text: String
    let isOneTime: Bool

    /// Nil for what is no form, is not there, was cut short, or would have to be read from the file.
    init?(_ body: Body?) {
        guard let body, !body.isTruncated else { return nil }
        let fields: [HeaderFields.Field]
        switch body.content {
        case .missing, .deferred, .spooled: return nil
        case .parameters(let parameters): fields = parameters
        case .bytes(let bytes):
            guard !bytes.isEmpty, body.essence == FormBody.mediaType else { return nil }
            fields = QueryItems(String(decoding: bytes, as: UTF8.self)).items.map {
                HeaderFields.Field(name: $0.name, value: $0.value)
            }
        }
        text = fields.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        isOneTime = fields.contains { OneTimeValue.isOne($0.value, under: $0.name) }
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
