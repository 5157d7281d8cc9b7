import Captures

/// Reads both directions of one HTTP/1 connection and reports what it sees; alters and refuses nothing.
///
/// Incremental and pure. Heads are bounded; bodies are passed on in the slices in which they come.
/// Where bytes cannot be read any further (no HTTP, contradictory lengths, broken chunks) it says so once and has *lost
/// the thread*: from there on the connection is opaque. Where they are the client's, the requests before are answered first, and
/// so is the one that they are of: what the server says to it tells most.
struct HTTP1Decoder {
    /// Longer heads are not read.
    struct HeadLimit {
        var bytes = Conversation.Configuration.usualHeadBytes
        /// What the user may say to have longer ones read.
        var option: String?

        var words: String {
            let size = bytes.isMultiple(of: 1024) ? "\(bytes / 1024) KiB" : "\(bytes) bytes"
            return "a head of more than \(size)" + (option.map { ": \($0) has longer ones read" } ?? "")
        }
    }

    /// Requests sent ahead of their answers; more are not followed.
    static let maximumPipelined = 1024

    enum State {
        case head
        case fixed(remaining: Int)
        case chunked(ChunkedBody)
        case trailers(TrailerSection)
        case untilClose
        /// What comes after a complaint that answers no request, up to the end of the connection.
        case unasked
        /// A body, or the next request instead.
        indirect case probing(RequestLineProbe, State)
    }

    /// One direction.
    struct Direction {
        var state: State = .head
        /// Bytes of a head that is not whole yet.
        var pending: [UInt8] = []
        /// How far `pending` was searched for its end.
        var searched = 0
        /// When bytes of this direction came last.
        var time = Timestamp(nanoseconds: 0)
        /// Bytes of this direction before the current input.
        var offset = 0
        /// The exchange that the message at hand belongs to.
        var exchange = 0
        /// Whether its client wants to be told to go on before it sends the body, and has sent nothing of it.
        var isBodyHeldBack = false

        /// The head that is on its way, as far as it has come, where it begins, and when the last of it came.
        var halfHead: (bytes: [UInt8], offset: Int, time: Timestamp)? {
            guard !pending.isEmpty, case .head = state else { return nil }
            return (pending, offset - pending.count, time)
        }

        /// Whether a message has ended, or none has begun, and nothing is there of the next one.
        var isBetweenMessages: Bool {
            guard case .head = state else { return false }
            return pending.isEmpty
        }

        /// Nothing of this direction is read any more.
        mutating func letGo(_ sink: inout some ExchangeEventSink) {
            if case .trailers(let section) = state { _ = sink.mayHold(-section.count) }
            if !pending.isEmpty { _ = sink.mayHold(-pending.count) }
            state = .head
            pending = []
        }
    }

    struct Awaited {
        var exchange: Int
        /// Empty of what is no request.
        var method: String
        /// What the client would say first in HTTP/2 (`HTTP2-Settings`, RFC 7540, section 3.2.1).
        var settings: [UInt8] = []
        /// What its head is counted with until its answer is complete.
        var headBytes = 0
    }

    let headLimit: HeadLimit
    private(set) var client = Direction()
    private(set) var server = Direction()
    var nextExchange = 0
    /// Requests whose final answer has not begun, oldest first; the first `answered` are done with.
    var awaited: [Awaited] = []
    var answered = 0
    /// The exchange whose final answer has begun and not ended.
    var answering: Int?
    /// What its head and that of its request are counted with.
    var answeringBytes = 0

    private(set) var hasLostTheThread = false
    /// Why nothing more of the client is read, and the exchange that shows it.
    private var clientLoss: (reason: String, exchange: Int)?
    var isUpgraded = false
    /// The exchange whose answer comes in HTTP/2, on stream 1 (`Upgrade: h2c`, RFC 7540, section 3.2).
    var goesOnAsHTTP2: Awaited?

    init(headLimit: HeadLimit = HeadLimit()) { self.headLimit = headLimit }

    private mutating func exchangeDirection(_ side: Side, _ direction: inout Direction) {
        if side == .client { swap(&client, &direction) } else { swap(&server, &direction) }
    }

    /// Whether the head of a request is on its way.
    var isHeadOnItsWay: Bool { !client.pending.isEmpty }

    var isOver: Bool { hasLostTheThread || isUpgraded || goesOnAsHTTP2 != nil }

    /// Whether what a side says cannot be read any further.
    func hasLost(_ side: Side) -> Bool { hasLostTheThread || side == .client && clientLoss != nil }

    /// Whether what a side says is read.
    func reads(_ side: Side) -> Bool { !isOver && !hasLost(side) }

    /// Whether the request that is to be answered next, or is being answered, is on its way: its body, or its head where no other
    /// waits for an answer.
    var isRequestOnItsWay: Bool {
        if !isOver, isHeadOnItsWay, answering == nil, answered == awaited.count { return true }
        guard !isOver, !client.isBodyHeldBack,
            client.exchange == exchangeOfAnswer
        else { return false }
        return switch client.state {
        case .fixed, .chunked, .trailers: true
        case .head, .untilClose, .unasked, .probing: false
        }
    }

    /// Takes bytes of one side.
    ///
    /// - Parameters:
    ///   - input: the next ones.
    ///   - side: whose they are.
    ///   - time: when they came.
    ///   - isUpToEnd: whether no more is taken than up to the end of the message that is on its way.
    ///   - sink: is told what they say.
    /// - Returns: how many were taken: less than there are where another protocol begins, or behind that end.
    @discardableResult
    mutating func receive(
        _ input: UnsafeBufferPointer<UInt8>,
        from side: Side,
        at time: Timestamp,
        isUpToEnd: Bool = false,
        into sink: inout some ExchangeEventSink
    ) -> Int {
        // Taken out while it is worked on, so that nothing is copied.
        var direction = Direction()
        exchangeDirection(side, &direction)
        var index = 0
        while index < input.count, reads(side) {
            advance(&direction, side, input, &index, time, &sink)
            if isUpToEnd, direction.isBetweenMessages { break }
        }
        direction.offset += isUpToEnd && reads(side) ? index : input.count
        direction.time = time
        if !reads(side) { direction.letGo(&sink) }
        exchangeDirection(side, &direction)
        if isOver {
            client.letGo(&sink)
            server.letGo(&sink)
        }
        return index
    }

    /// So many bytes of one side are not there.
    ///
    /// - Returns: whether they were of a body whose end is known all the same, or of what is not read; otherwise nothing has changed.
    mutating func lost(
        _ count: Int,
        from side: Side,
        at time: Timestamp,
        into sink: inout some ExchangeEventSink
    ) -> Bool {
        guard !isOver else { return false }
        guard reads(side) else { return true }
        var direction = Direction()
        exchangeDirection(side, &direction)
        defer { exchangeDirection(side, &direction) }
        switch direction.state {
        case .fixed(let remaining) where count <= remaining:
            sink.lostBody(count, of: side.message, in: direction.exchange)
            direction.state = .fixed(remaining: remaining - count)
            if count == remaining { endMessage(&direction, side, time, &sink) }
        case .untilClose: sink.lostBody(count, of: side.message, in: direction.exchange)
        default: return false
        }
        direction.offset += count
        return true
    }

    /// The end of a direction: completes a body that ends with the connection, fails what else is under way
    /// there.
    mutating func end(
        _ side: Side,
        reason: String?,
        at time: Timestamp,
        into sink: inout some ExchangeEventSink
    ) {
        guard !isOver else { return }
        guard side == .server else {
            if let reason { failAll(reason, time, &sink) }
            return
        }
        if let exchange = answering, case .untilClose = server.state, reason == nil {
            sink.receive(.responseEnd(at: time), of: exchange)
            endAnswer(&sink)
        }
        failAll(reason ?? AnswerLoss.serverLeft, time, &sink)
    }

    /// Fails every exchange that is under way.
    mutating func failAll(_ reason: String, _ time: Timestamp, _ sink: inout some ExchangeEventSink) {
        takeHalfAnswer(&sink)
        if let exchange = answering { sink.receive(.failed(reason: reason, at: time), of: exchange) }
        endAnswer(&sink)
        for request in awaited[answered...] {
            let isUnread = request.exchange == clientLoss?.exchange
            let reason = isUnread ? clientLoss?.reason ?? reason : reason
            sink.receive(.failed(reason: reason, at: time), of: request.exchange)
            _ = sink.mayHold(-request.headBytes)
        }
        awaited.removeAll()
        answered = 0
    }

    /// The exchange that is being answered is done with.
    private mutating func endAnswer(_ sink: inout some ExchangeEventSink) {
        if answeringBytes > 0 { _ = sink.mayHold(-answeringBytes) }
        answering = nil
        answeringBytes = 0
    }

    // MARK: - One step of one direction

    mutating func advance(
        _ direction: inout Direction,
        _ side: Side,
        _ input: UnsafeBufferPointer<UInt8>,
        _ index: inout Int,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        if direction.isBodyHeldBack, side == .client {
            let body = direction.state
            let isNotSure = mayLackBody(direction)
            direction.isBodyHeldBack = false
            if isNotSure { direction.state = .probing(RequestLineProbe(), body) }
        }
        switch direction.state {
        case .probing(let probe, let body):
            self.probe(probe, body, &direction, input, &index, time, &sink)
        case .head:
            head(&direction, side, input, &index, time, &sink)
        case .fixed(let remaining):
            let count = min(remaining, input.count - index)
            body(&direction, side, input, index..<(index + count), &sink)
            index += count
            direction.state = .fixed(remaining: remaining - count)
            if count == remaining { endMessage(&direction, side, time, &sink) }
        case .untilClose:
            body(&direction, side, input, index..<input.count, &sink)
            index = input.count
        case .unasked: index = input.count
        case .chunked(var chunks):
            let output = chunks.next(input, &index)
            direction.state = .chunked(chunks)
            switch output {
            case .data(let range): body(&direction, side, input, range, &sink)
            case .needsMore: index = input.count
            case .trailers: direction.state = .trailers(TrailerSection())
            case .named(let place, let reason):
                report([(place, reason)], at: direction.offset, side.message, of: direction.exchange, &sink)
            case .broken(let place, let reason):
                lose(reason, at: direction.offset + place, side, of: direction.exchange, time, &sink)
            }
        case .trailers(let section):
            trailers(section, &direction, side, input, &index, time, &sink)
        }
    }

    // MARK: - Bodies and ends

    private func body(
        _ direction: inout Direction,
        _ side: Side,
        _ input: UnsafeBufferPointer<UInt8>,
        _ range: Range<Int>,
        _ sink: inout some ExchangeEventSink
    ) {
        guard !range.isEmpty else { return }
        sink.receiveBody(
            UnsafeBufferPointer(rebasing: input[range]),
            of: side == .client ? .request : .response,
            in: direction.exchange
        )
    }

    mutating func endMessage(
        _ direction: inout Direction,
        _ side: Side,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        direction.state = .head
        sink.receive(side == .client ? .requestEnd(at: time) : .responseEnd(at: time), of: direction.exchange)
        guard side == .server else { return }
        endAnswer(&sink)
        if let clientLoss, !isOver, !isAnswerAwaited { giveUp(clientLoss.reason, time, &sink) }
    }

    func report(
        _ problems: [HeadParser.Problem],
        at offset: Int,
        _ side: MessageSide,
        of exchange: Int,
        _ sink: inout some ExchangeEventSink
    ) {
        for problem in problems {
            sink.receive(
                .malformed(Malformation(side: side, offset: offset + problem.offset, reason: problem.reason)),
                of: exchange
            )
        }
    }

    /// Reports what cannot be read, with its place, and gives up on the connection; behind the client's bytes once no answer is awaited.
    mutating func lose(
        _ reason: String,
        at offset: Int,
        _ side: Side,
        of exchange: Int?,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        let place = Malformation(side: side.message, offset: offset, reason: reason)
        let subject = exchange ?? (side == .server ? exchangeOfAnswer : nil) ?? enqueueNoRequest(time, &sink)
        sink.receive(.malformed(place), of: subject)
        let reason = "the connection could not be read any further: \(reason)"
        guard side == .client, isAnswerAwaited else { return giveUp(reason, time, &sink) }
        clientLoss = (reason, subject)
    }

    /// Whether a request has no answer yet, or half of one.
    private var isAnswerAwaited: Bool {
        answering != nil || answered < awaited.count && !awaited[answered].method.isEmpty
    }

    /// Lets the client's ``Direction/halfHead`` be the request of an exchange, which it is counted with: nothing more of the client is read.
    mutating func endHalfHead(_ reason: String, in exchange: Int) {
        client.pending = []
        clientLoss = (reason, exchange)
    }

    /// That which the server's bytes belong to; nil where nothing is awaited.
    private var exchangeOfAnswer: Int? {
        answering ?? (answered < awaited.count ? awaited[answered].exchange : nil)
    }

    /// The connection itself is what there is to tell of: its exchange.
    private mutating func enqueueNoRequest(_ time: Timestamp, _ sink: inout some ExchangeEventSink) -> Int {
        let head = RequestHead(method: "", target: "", httpVersion: "", headers: HeaderFields())
        let exchange = nextExchange
        nextExchange += 1
        sink.receive(.requestHead(head, at: time), of: exchange)
        awaited.append(Awaited(exchange: exchange, method: ""))
        return exchange
    }

    /// Reads no more of the connection: everything under way is reported as it stands.
    private mutating func giveUp(_ reason: String, _ time: Timestamp, _ sink: inout some ExchangeEventSink) {
        hasLostTheThread = true
        failAll(reason, time, &sink)
    }
}
