/// Makes exchanges of the events of one connection.
///
/// Does no IO, reads no clock.
///
/// An exchange is finished when its answer is, even while the request's body still comes (RFC 9112, section
/// 9.5, lets a server answer early): what is seen of the request until then is kept and marked as truncated.
package struct ExchangeAssembler: ExchangeEventSink {
    private struct Open {
        var head: RequestHead
        var startedAt: Timestamp
        var requestEndedAt: Timestamp?
        var requestBody: BodyStore
        var requestSkipped = 0
        /// Whether a piece of the body is missing, so that nothing more of it is kept.
        var isRequestBroken = false
        var requestTrailers = HeaderFields()
        var response: ResponseHead?
        var responseAt: Timestamp?
        var responseBody: BodyStore
        var responseSkipped = 0
        /// See ``isRequestBroken``.
        var isResponseBroken = false
        var responseTrailers = HeaderFields()
        var malformations: [Malformation] = []
        var upgradedTo: String?
        var isPushed = false
        /// What of the budget this exchange has taken.
        var taken = 0

        init(head: RequestHead, startedAt: Timestamp, folder: String?) {
            self.head = head
            self.startedAt = startedAt
            requestBody = BodyStore(folder: folder)
            responseBody = BodyStore(folder: folder)
        }

        /// Keeps of a body what its limit and the budget of memory have room for.
        mutating func receive(
            _ bytes: UnsafeBufferPointer<UInt8>,
            of message: MessageSide,
            limit: Int,
            budget: RecordingBudget.Share?
        ) {
            switch message {
            case .request where isRequestBroken: requestSkipped += bytes.count
            case .response where isResponseBroken: responseSkipped += bytes.count
            case .request:
                requestSkipped += bytes.count - Self.keep(bytes, in: &requestBody, limit, budget, &taken)
            case .response:
                responseSkipped += bytes.count - Self.keep(bytes, in: &responseBody, limit, budget, &taken)
            }
        }

        mutating func lost(_ count: Int, of message: MessageSide) {
            switch message {
            case .request:
                isRequestBroken = true
                requestSkipped = Self.sum(requestSkipped, count)
            case .response:
                isResponseBroken = true
                responseSkipped = Self.sum(responseSkipped, count)
            }
        }

        /// What is missing may be a stranger's word only.
        private static func sum(_ skipped: Int, _ count: Int) -> Int {
            min(skipped, maximumLost) + min(count, maximumLost)
        }

        private static func keep(
            _ bytes: UnsafeBufferPointer<UInt8>,
            in body: inout BodyStore,
            _ limit: Int,
            _ budget: RecordingBudget.Share?,
            _ taken: inout Int
        ) -> Int {
            var kept = max(0, min(bytes.count, limit - body.count))
            guard let budget, body.spooled == nil else {
                return body.append(UnsafeBufferPointer(rebasing: bytes[..<kept]))
            }
            kept = budget.take(upTo: kept)
            taken += kept
            let held = body.bytes.count + kept
            kept = body.append(UnsafeBufferPointer(rebasing: bytes[..<kept]))
            if body.spooled != nil {
                // It takes no memory any more.
                budget.give(held)
                taken -= held
            }
            return kept
        }
    }

    /// Bytes of a body that are counted as missing at a time: no body is larger, and sums of them have room.
    private static let maximumLost = 1 << 40
    /// Of one exchange; a hostile end could go on forever.
    static let maximumMalformations = 64

    private let scheme: String
    private let schemeWithoutPort: String?
    private let authority: String
    private let isAuthorityFixed: Bool
    private let maximumBodyBytes: Int
    private let spoolFolder: String?
    private let budget: RecordingBudget.Share?
    private var connection: Sparse<ConnectionFacts>
    private let client: Sparse<ClientFacts>
    private var openingTimings: Timings
    private var open: [Int: Open] = [:]
    private var finished: [Exchange] = []

    /// Nothing has begun.
    ///
    /// - Parameters:
    ///   - scheme: of the URLs.
    ///   - schemeWithoutPort: of the URLs of requests whose `Host` names no port, where it is another.
    ///   - authority: where the connection goes to.
    ///   - isAuthorityFixed: whether `Host` says nothing about that.
    ///   - maximumBodyBytes: how much of a body is kept.
    ///   - spoolFolder: where large bodies wait; nil keeps them in memory.
    ///   - budget: of the memory for them; nil where there is no limit.
    ///   - connection: what is known of it.
    ///   - client: who asks.
    ///   - timings: what it took to open the connection.
    package init(
        scheme: String,
        schemeWithoutPort: String? = nil,
        authority: String,
        isAuthorityFixed: Bool = false,
        maximumBodyBytes: Int,
        spoolFolder: String? = nil,
        budget: RecordingBudget? = nil,
        connection: ConnectionFacts = ConnectionFacts(),
        client: ClientFacts = ClientFacts(),
        timings: Timings = Timings()
    ) {
        self.scheme = scheme
        self.schemeWithoutPort = schemeWithoutPort
        self.authority = authority
        self.isAuthorityFixed = isAuthorityFixed
        self.maximumBodyBytes = maximumBodyBytes
        self.spoolFolder = spoolFolder
        self.budget = budget.map(RecordingBudget.Share.init)
        self.connection = Sparse(wrappedValue: connection)
        self.client = Sparse(wrappedValue: client)
        openingTimings = timings
    }

    /// Exchanges that have begun and are not finished.
    package var pendingCount: Int { open.count }

    /// The exchanges that were finished since the last call, in the order in which they were.
    package mutating func takeFinished() -> [Exchange] {
        guard !finished.isEmpty else { return [] }
        defer { finished = [] }
        return finished
    }

    /// The server has asked for a certificate meanwhile: what it was shown, as in ``ConnectionFacts/clientCertificate``.
    package mutating func showed(clientCertificate: String) {
        connection.wrappedValue.clientCertificate = clientCertificate
    }

    package mutating func receive(_ event: ExchangeEvent, of exchange: Int) {
        if case .requestHead(let head, let time) = event {
            open[exchange] = Open(head: head, startedAt: time, folder: spoolFolder)
            return
        }
        // Changed where it stands: through the key it would be copied out and in again.
        guard let index = open.index(forKey: exchange) else { return }
        switch event {
        case .requestHead, .interimResponse: break
        case .requestTrailers(let fields): open.values[index].requestTrailers = fields
        case .requestEnd(let time): open.values[index].requestEndedAt = time
        case .responseHead(let head, let time):
            open.values[index].response = head
            open.values[index].responseAt = time
        case .responseTrailers(let fields): open.values[index].responseTrailers = fields
        case .responseEnd(let time): finish(index, at: time, failure: nil)
        case .upgraded(let name): open.values[index].upgradedTo = name
        case .pushed: open.values[index].isPushed = true
        case .malformed(let malformation):
            guard open.values[index].malformations.count < Self.maximumMalformations else { return }
            open.values[index].malformations.append(malformation)
        case .failed(let reason, let time): finish(index, at: time, failure: reason)
        }
    }

    package mutating func receiveBody(
        _ bytes: UnsafeBufferPointer<UInt8>,
        of message: MessageSide,
        in exchange: Int
    ) {
        guard let index = open.index(forKey: exchange) else { return }
        open.values[index].receive(bytes, of: message, limit: maximumBodyBytes, budget: budget)
    }

    package mutating func lostBody(_ count: Int, of message: MessageSide, in exchange: Int) {
        open[exchange]?.lost(count, of: message)
    }

    package mutating func mayHold(_ change: Int) -> Bool {
        guard let budget else { return true }
        guard change > 0 else {
            budget.give(-change)
            return true
        }
        let granted = budget.take(upTo: change)
        if granted < change { budget.give(granted) }
        return granted == change
    }

    // MARK: -

    private mutating func finish(_ index: Dictionary<Int, Open>.Index, at time: Timestamp, failure: String?) {
        let open = open.remove(at: index).value
        budget?.give(open.taken)
        var exchange = Exchange(
            startedAt: open.startedAt,
            duration: time - open.startedAt,
            request: request(of: open),
            response: open.response.map { response(of: open, $0, isWhole: failure == nil) },
            failure: open.head.isTargetUnknown ? AnswerLoss.targetMissing : failure,
            timings: timings(of: open, endedAt: time),
            malformations: open.malformations,
            upgradedTo: open.upgradedTo
        )
        exchange.sharedConnection = connection
        exchange.sharedClient = client
        exchange.isPushed = open.isPushed
        let unknown = (open.head.unknownFields, open.response?.unknownFields ?? 0)
        if unknown != (0, 0) {
            exchange.unknownFields = UnknownFields(request: unknown.0, response: unknown.1)
        }
        finished.append(exchange)
        openingTimings = Timings()
    }

    private func request(of open: Open) -> RecordedRequest {
        var body: Body?
        let wireSize = open.requestBody.count + open.requestSkipped
        let isWhole = open.requestEndedAt != nil
        // What follows a request that has become another protocol is none of its body.
        if wireSize > 0 || open.isRequestBroken
            || !isWhole && open.response != nil && open.upgradedTo == nil
        {
            body = decoded(
                open.requestBody,
                headers: open.head.headers,
                unknownFields: open.head.unknownFields,
                wireSize: wireSize,
                isTruncated: open.requestSkipped > 0 || open.isRequestBroken || !isWhole
            )
        }
        var request = RecordedRequest(
            method: open.head.method,
            url: url(of: open.head),
            httpVersion: open.head.httpVersion,
            headers: open.head.headers,
            body: body,
            trailers: open.requestTrailers
        )
        request.isURLLatin1 = open.head.isTargetLatin1
        return request
    }

    private func response(of open: Open, _ head: ResponseHead, isWhole: Bool) -> RecordedResponse {
        RecordedResponse(
            status: head.status,
            statusText: head.statusText,
            httpVersion: head.httpVersion,
            headers: head.headers,
            body: decoded(
                open.responseBody,
                headers: head.headers,
                unknownFields: head.unknownFields,
                wireSize: open.responseBody.count + open.responseSkipped,
                isTruncated: open.responseSkipped > 0 || open.isResponseBroken || !isWhole
            ),
            trailers: open.responseTrailers
        )
    }

    private func decoded(
        _ coded: BodyStore,
        headers: HeaderFields,
        unknownFields: Int,
        wireSize: Int,
        isTruncated: Bool
    ) -> Body {
        let type = headers.first("content-type")
        let codings = ContentCoding.codings(of: headers)
        let mayBeCoded = unknownFields > 0 && !headers.contains("content-encoding")
        guard !codings.isEmpty || mayBeCoded, coded.count > 0 else {
            return Body(
                content: coded.content,
                mediaType: type,
                size: wireSize,
                wireSize: wireSize,
                isTruncated: isTruncated
            )
        }
        let result =
            mayBeCoded
            ? ContentCoding.decodeUnnamed(coded, limit: maximumBodyBytes, folder: spoolFolder)
            : ContentCoding.decode(coded, codings: codings, limit: maximumBodyBytes, folder: spoolFolder)
        return Body(
            content: result.body.content,
            mediaType: type,
            size: result.isWhole && !isTruncated ? result.body.count : nil,
            wireSize: wireSize,
            isTruncated: isTruncated || !result.isWhole && result.remaining == nil,
            remainingCoding: result.remaining
        )
    }

    /// The absolute URL of a target (RFC 9112, section 3.2): the authority of the connection, or of a sound
    /// `Host` field, unless the former is fixed.
    private func url(of head: RequestHead) -> RecordedURL {
        let asked = head.isTargetUnknown && head.target.utf8.isEmpty ? "/" : head.target
        guard !asked.utf8.isEmpty else { return RecordedURL("\(scheme)://\(authority)/") }
        let isAsterisk = asked == "*"
        guard asked.utf8.first == 0x2f || isAsterisk else {
            // absolute-form is what it says; authority-form names where the tunnel goes.
            return RecordedURL(head.method == "CONNECT" ? "\(scheme)://\(asked)/" : asked)
        }
        let named =
            isAuthorityFixed ? nil : head.headers.first("host").flatMap { Self.isSoundHost($0) ? $0 : nil }
        let host = named ?? authority
        // No page of the server is meant (RFC 9112, section 3.3): see `RecordedRequest.targetPath`.
        let target = isAsterisk ? head.method == "OPTIONS" ? "" : "/*" : asked
        let scheme = named.map { Self.hasPort($0) } == false ? schemeWithoutPort ?? scheme : scheme
        return RecordedURL(scheme: head.scheme ?? scheme, authority: host, target: target)
    }

    /// Whether a host has a port behind it; the colons of an address of IPv6 stand in brackets.
    private static func hasPort(_ host: String) -> Bool {
        host.utf8.lastIndex(of: UInt8(ascii: ":")).map {
            $0 > host.utf8.lastIndex(of: UInt8(ascii: "]")) ?? host.startIndex
        }
            ?? false
    }

    /// Letters, digits, and what else a host and port are made of; nothing that could make another URL of it.
    static func isSoundHost(_ host: String) -> Bool {
        !host.isEmpty && host.utf8.count <= 260 && host.utf8.allSatisfy { hostBytes[Int($0)] }
    }

    private static let hostBytes: [Bool] = (UInt8.min...UInt8.max).map { byte in
        byte.isASCIIAlphanumeric
            || "-._~:[]%".utf8.contains(byte)
    }

    private func timings(of open: Open, endedAt: Timestamp) -> Timings {
        var timings = openingTimings
        let answered = open.responseAt ?? endedAt
        // What comes of a request behind the beginning of its answer is no time before that.
        let sent = min(open.requestEndedAt ?? answered, answered)
        timings.send = max(.zero, sent - open.startedAt)
        timings.wait = max(.zero, answered - sent)
        timings.receive = max(.zero, endedAt - answered)
        return timings
    }
}
