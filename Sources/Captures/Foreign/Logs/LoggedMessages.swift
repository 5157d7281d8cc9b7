/// What a client's log says that went over each of its connections, put together into exchanges.
struct LoggedMessages {
    private struct Pair {
        var sent: [UInt8] = []
        var received: [UInt8] = []
        var start: Timestamp?
        var end: Timestamp?
        /// Whether there was more than one answer: several threads print into one log, and nobody knows which is whose.
        var isMixed = false
    }

    /// Whether the log has the bodies of answers.
    let showsBodies: Bool
    private var pairs: [Pair] = []
    /// The pair that is under way, by the name of its connection.
    private var open: [ArraySlice<UInt8>: Int] = [:]
    /// Of servers that were connected to.
    private var origins: Set<String> = []

    init(showsBodies: Bool) { self.showsBodies = showsBodies }

    // MARK: - What the log says

    /// A part of a request, as it was sent.
    ///
    /// `connection`: its name; empty where the log names none. `isFirst`: whether another request begins here, though the one
    /// before was not answered.
    mutating func sent(
        _ bytes: [UInt8],
        on connection: ArraySlice<UInt8> = [],
        at time: Timestamp?,
        isFirst: Bool
    ) {
        guard !isFirst, let index = open[connection], awaitsAnswer(index) else {
            open[connection] = pairs.count
            pairs.append(Pair(sent: bytes, start: time))
            return
        }
        pairs[index].sent += bytes
    }

    /// A part of an answer, as it came.
    mutating func received(_ bytes: [UInt8], on connection: ArraySlice<UInt8> = [], at time: Timestamp?) {
        guard let index = open[connection] else { return }
        if awaitsAnswer(index) {
            // Behind one that is on the way to another comes the other.
            if bytes.starts(with: "HTTP/".utf8) { pairs[index].received = [] }
            if pairs[index].received.isEmpty, !bytes.starts(with: "HTTP/".utf8) { return }
        }
        pairs[index].received += bytes
        pairs[index].end = time
    }

    /// The first line of an answer.
    mutating func answered(_ line: [UInt8], on connection: ArraySlice<UInt8> = [], at time: Timestamp?) {
        guard let index = open[connection] else { return }
        if !awaitsAnswer(index) { pairs[index].isMixed = true }
        pairs[index].received = line
        pairs[index].end = time
    }

    /// `url`: of a server that was connected to.
    mutating func connected(to url: String) {
        if let origin = RecordedURL(url).origin { origins.insert(origin) }
    }

    private func awaitsAnswer(_ index: Int) -> Bool {
        pairs[index].received.isEmpty || RawMessage.isInterim(pairs[index].received)
    }

    // MARK: - Exchanges

    /// In the order in which they began.
    var exchanges: [Exchange] { pairs.compactMap(exchange) }

    private func exchange(of pair: Pair) -> Exchange? {
        // What makes a tunnel is no part of a login.
        guard let message = RawMessage(pair.sent), !message.words[0].hasPrefix("HTTP/"),
            message.words[0] != "CONNECT"
        else { return nil }
        var request = message.request(to: url(of: message)) { [bytes = pair.sent] in bytes }
        request.body = Self.body(request.body, message.headers, isShown: true)
        let span = pair.start.flatMap { start in pair.end.map { $0 - start } }
        var exchange = Exchange(
            startedAt: pair.start ?? Timestamp(nanoseconds: 0),
            duration: span.flatMap { $0 >= .zero ? $0 : nil },
            request: request,
            response: pair.isMixed ? nil : answer(pair.received, to: message)
        )
        exchange.isZoneKnown = false
        return exchange
    }

    /// What the log says of the server's scheme counts; where it says nothing the target is left as it is.
    private func url(of message: RawMessage) -> RecordedURL {
        let target = message.words[1]
        guard target.hasPrefix("/") else { return message.url(scheme: "https", authority: "") }
        let host = message.headers.first("host") ?? ""
        let scheme = ["https", "http"].first {
            RecordedURL("\($0)://\(host)/").origin.map(origins.contains) ?? false
        }
        return scheme.map { message.url(scheme: $0, authority: "") } ?? RecordedURL(target)
    }

    private func answer(_ bytes: [UInt8], to request: RawMessage) -> RecordedResponse? {
        guard let message = RawMessage(bytes), var answer = message.response(reload: { bytes }) else {
            return nil
        }
        let isBodiless = [204, 304].contains(answer.status) || request.words[0] == "HEAD"
        if !isBodiless {
            answer.body = Self.body(answer.body, message.headers, isShown: showsBodies)
        }
        return answer
    }

    /// A body as far as the log has it; `isShown`: whether one of which it has no bytes is empty, unless the header fields tell of
    /// some.
    private static func body(_ body: Body?, _ headers: HeaderFields, isShown: Bool) -> Body? {
        let length = headers.first("content-length").flatMap { Int($0) }
        guard var body, let size = body.wireSize, size > 0 else {
            let isMissing = length.map { $0 > 0 } ?? (!isShown || headers.contains("transfer-encoding"))
            guard isMissing else { return body }
            let isCoded = headers.contains("content-encoding")
            return Body(
                content: .missing,
                mediaType: headers.first("content-type"),
                size: isCoded ? nil : length,
                wireSize: length
            )
        }
        if let length, size < length { body.isTruncated = true }
        return body
    }
}
