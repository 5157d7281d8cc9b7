internal import Captures
internal import NIOCore

/// Reads both directions of one HTTP/2 connection and reports what it sees; alters and refuses nothing.
///
/// Incremental and pure. A listener, not an end: it counts no windows and answers no settings. Streams are followed
/// while their answers are awaited. What cannot be read any further (no frames, a broken header block) costs the
/// thread of the whole connection, since all header blocks of a direction share one state (RFC 9113, section 4.3).
struct HTTP2Decoder {
    /// What a client says first (RFC 9113, section 3.4).
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    /// Of the heads of all streams that are under way.
    static let maximumHeadBytes = 4 << 20
    /// Streams under way; servers allow a hundred or two.
    static let maximumStreams = 4096

    typealias Block = HTTP2Direction.Block

    let scheme: String
    var client = HTTP2Direction()
    var server = HTTP2Direction()
    /// How much of the preface has come.
    var prefaceBytes = 0
    var streams: [UInt32: ExchangeStream] = [:]
    var headBytes = 0
    var clientStreams = ClientStreams()
    var nextExchange = 0
    /// Whether an answer that is whole waits for the rest of its request, see ``letEarlyAnswersGo(_:)``.
    var waitsForRequests = false
    /// How many do.
    var earlyAnswers = 0

    var tunnels = HTTP2Tunnels()

    private(set) var hasLostTheThread = false
    /// What came of bytes that are missing; see ``lost(_:isExact:from:at:into:)``.
    var losses = MessageLosses()

    subscript(side: Side) -> HTTP2Direction {
        get { side == .client ? client : server }
        _modify { if side == .client { yield &client } else { yield &server } }
    }

    /// `scheme`: of the connection's URLs.
    init(scheme: String) { self.scheme = scheme }

    /// Goes on where an HTTP/1 connection changed to HTTP/2: its request is stream 1 (RFC 7540, section 3.2).
    ///
    /// The settings in it are in force already when the server begins to answer (section 3.2.1).
    init(scheme: String, upgraded request: HTTP1Decoder.Awaited) {
        self.init(scheme: scheme)
        streams[1] = ExchangeStream(exchange: request.exchange, method: request.method)
        streams[1]?.requestEnded()
        clientStreams.open(1)
        nextExchange = request.exchange + 1
        settings(request.settings, .client)
    }

    /// Goes on in the middle of a connection: the client's next bytes are frames, of whose requests the first one has this stream.
    ///
    /// Where a frame of the server's begins is looked for.
    init(scheme: String, inTheMiddleAt stream: UInt32) {
        self.init(scheme: scheme)
        prefaceBytes = Self.preface.count
        clientStreams.begin(with: stream)
        server.search = FrameSearch()
        client.doubt = HTTP2Direction.Doubt(mayHoldHeads: true, mayHaveEnded: [])
        server.doubt = client.doubt
    }

    mutating func receive(
        _ input: UnsafeBufferPointer<UInt8>,
        from side: Side,
        at time: Timestamp,
        into sink: inout some ExchangeEventSink
    ) {
        guard !hasLostTheThread else { return }
        guard self[side].search == nil else { return search(input, side, at: time, &sink) }
        read(input, from: side, at: time, into: &sink)
    }

    mutating func read(
        _ input: UnsafeBufferPointer<UInt8>,
        from side: Side,
        at time: Timestamp,
        into sink: inout some ExchangeEventSink
    ) {
        var index = 0
        if side == .client, !skipPreface(input, &index) {
            lose("no HTTP/2 connection preface", at: client.offset + index, side, time, &sink)
        }
        while !hasLostTheThread, advance(side, input, &index, time, &sink) {}
        self[side].offset += input.count
    }

    /// False where what the client says is another thing.
    private mutating func skipPreface(_ input: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> Bool {
        while prefaceBytes < Self.preface.count, index < input.count {
            guard input[index] == Self.preface[prefaceBytes] else { return false }
            prefaceBytes += 1
            index += 1
        }
        return true
    }

    /// The end of a direction: what is under way there fails.
    ///
    /// Of the client's only with a reason, for it may still be waiting for its answers.
    mutating func end(
        _ side: Side,
        reason: String?,
        at time: Timestamp,
        into sink: inout some ExchangeEventSink
    ) {
        guard !hasLostTheThread else { return }
        if side == .client {
            if let reason { failAll(reason, time, &sink) }
            return
        }
        var words = reason ?? AnswerLoss.serverLeft
        if let goAway = server.goAway { words += " (\(goAway))" }
        failAll(words, time, &sink)
    }

    /// Fails every exchange that is under way.
    mutating func failAll(_ reason: String, _ time: Timestamp, _ sink: inout some ExchangeEventSink) {
        for (_, stream) in streams.sorted(by: { $0.value.exchange < $1.value.exchange }) {
            fail(stream, stream.loss ?? reason, time, &sink)
        }
        streams = [:]
        earlyAnswers = 0
        _ = sink.mayHold(-headBytes)
        headBytes = 0
    }

    /// Ends an exchange that has not come to the end of its stream.
    ///
    /// An answer that is whole by its length is no failure: who counts resets the stream at once, as curl does, and the
    /// frame that would have ended it may come too late.
    private func fail(
        _ stream: ExchangeStream,
        _ reason: String,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        let end = stream.answeredAt ?? (stream.isWhole(.response) ? time : nil)
        sink.receive(
            end.map { .responseEnd(at: $0) } ?? .failed(reason: reason, at: time),
            of: stream.exchange
        )
    }

    // MARK: - Frames

    /// Takes the next piece of the input; false when there is none.
    private mutating func advance(
        _ side: Side,
        _ input: UnsafeBufferPointer<UInt8>,
        _ index: inout Int,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) -> Bool {
        let piece = self[side].reader.next(input, &index)
        let offset = (side == .client ? client.offset : server.offset) + index
        switch piece {
        case .needsMore: return false
        case .data(let range, let header): data(input, range, of: header.stream, side, time, &sink)
        case .endOfData(let header):
            if header.length == 0, side == .client, streams[header.stream]?.hasRequestEnded == true {
                nameLateFrame(of: header.stream, at: offset, &sink)
            } else if header.has(.endStream) {
                endMessage(header.stream, side, at: offset, time, &sink)
            }
        case .frame(let header):
            let frame = ControlFrame(
                header: header,
                payload: side == .client ? client.reader.payload : server.reader.payload,
                side: side,
                offset: offset - header.length - HTTP2FrameHeader.size,
                time: time
            )
            take(frame, &sink)
        case .broken(let reason): lose(reason, at: offset, side, time, &sink)
        case .noFrame(let what):
            lose(Self.reason(inPlaceOfFrames: what, side, end: offset), at: offset, side, time, &sink)
        }
        return true
    }

    /// Takes bytes of a DATA frame: of a body, or of a tunnel.
    private mutating func data(
        _ input: UnsafeBufferPointer<UInt8>,
        _ range: Range<Int>,
        of id: UInt32,
        _ side: Side,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        guard let stream = streams.index(forKey: id) else {
            return tunnels.add(input, range, of: id, from: side)
        }
        let message = side.message
        guard side == .server || !streams.values[stream].hasRequestEnded else {
            return nameLateFrame(of: id, at: self[side].offset + range.lowerBound, &sink)
        }
        if self[side].doubt != nil { self[side].doubt?.mayHaveEnded.remove(id) }
        if side == .server, streams.values[stream].loss != nil, !streams.values[stream].hasResponseHead {
            return lackHead(id, time, &sink)
        }
        streams.values[stream].received(range.count, of: message)
        sink.receiveBody(
            UnsafeBufferPointer(rebasing: input[range]),
            of: message,
            in: streams.values[stream].exchange
        )
    }

    /// `end`: behind as many bytes as a frame's header has.
    private static func reason(inPlaceOfFrames what: String, _ side: Side, end: Int) -> String {
        side == .server && end == HTTP2FrameHeader.size
            ? "not HTTP/2 but \(what): the server does not speak HTTP/2 on this port"
            : "\(what) in the place of frames"
    }

    private mutating func take(_ frame: ControlFrame, _ sink: inout some ExchangeEventSink) {
        let header = frame.header
        let unfinished = frame.side == .client ? client.block?.stream : server.block?.stream
        if let unfinished, header.type != HTTP2FrameType.continuation || header.stream != unfinished {
            return lose("a header block that another frame interrupts", at: frame, &sink)
        }
        switch header.type {
        case HTTP2FrameType.headers: headers(frame, &sink)
        case HTTP2FrameType.pushPromise: pushPromise(frame, &sink)
        case HTTP2FrameType.continuation: continuation(frame, &sink)
        case HTTP2FrameType.settings where !header.has(.acknowledges) && header.stream == 0:
            settings(frame.payload, frame.side)
        case HTTP2FrameType.rstStream: reset(frame, &sink)
        case HTTP2FrameType.goAway: goAway(frame, &sink)
        default: break
        }
    }

    private mutating func settings(_ payload: [UInt8], _ side: Side) {
        for start in stride(from: 0, through: payload.count - 6, by: 6) {
            let value = HTTP2FrameHeader.number(payload[(start + 2)...])
            switch HTTP2FrameHeader.number(payload[start..<(start + 2)]) {
            // SETTINGS_HEADER_TABLE_SIZE is what the other side may use.
            case 1: self[side.other].allowTable(of: Int(value))
            case 2: self[side].allowsPush = value != 0
            default: break
            }
        }
    }

    private mutating func reset(_ frame: ControlFrame, _ sink: inout some ExchangeEventSink) {
        tunnels.reset(frame.header.stream, by: frame.side)
        // Whoever wants no more of a request is told of what is on its way all the same.
        if frame.side == .server, streams[frame.header.stream]?.answeredAt != nil { return }
        guard let stream = forget(frame.header.stream, &sink) else { return }
        let number = HTTP2FrameHeader.number(frame.payload)
        let code = HTTP2ErrorCode.name(number)
        // Whether the client had all of an answer with a hole is not known. A server that says NO_ERROR has sent all of it
        // (RFC 9113, section 8.1).
        let reason =
            frame.side == .client
            ? stream.loss
                ?? "the client gave the request up before the answer was complete (RST_STREAM \(code))"
            : (number == 0 ? stream.loss : nil) ?? "the provider broke off the answer (RST_STREAM \(code))"
        fail(stream, reason, frame.time, &sink)
    }

    private mutating func goAway(_ frame: ControlFrame, _ sink: inout some ExchangeEventSink) {
        let payload = frame.payload
        guard payload.count >= 8 else { return }
        var words = "GOAWAY \(HTTP2ErrorCode.name(HTTP2FrameHeader.number(payload[4...])))"
        let debug = payload[8...].filter { (0x20...0x7e).contains($0) }
        if !debug.isEmpty { words += ": \(String(decoding: debug, as: UTF8.self))" }
        self[frame.side].goAway = words
        guard frame.side == .server else { return }
        // What it has not begun it will not do; clients ask again on another connection (RFC 9113, section 6.8).
        let last = HTTP2FrameHeader.number(payload) & 0x7fff_ffff
        let refused = streams.filter { $0.key > last && $0.key % 2 == 1 && $0.value.answeredAt == nil }
        for (id, stream) in refused.sorted(by: { $0.key < $1.key }) {
            forget(id, &sink)
            sink.receive(
                .failed(
                    reason: "the provider closes the connection and did not take the request (\(words))",
                    at: frame.time
                ),
                of: stream.exchange
            )
        }
    }

    // MARK: - Ends

    mutating func endMessage(
        _ id: UInt32,
        _ side: Side,
        at offset: Int,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        tunnels.end(id, from: side)
        guard let stream = streams[id], side == .client || stream.hasResponseHead else { return }
        guard side == .server || !stream.hasRequestEnded else { return }
        if let problem = stream.problem(of: side.message) {
            sink.report([problem], at: offset, side.message, of: stream.exchange)
        }
        guard side == .server else {
            streams[id]?.requestEnded()
            sink.receive(.requestEnd(at: time), of: stream.exchange)
            return endEarlyAnswer(id, &sink)
        }
        guard !waits(stream) else {
            streams[id]?.answeredAt = time
            return earlyAnswers += 1
        }
        sink.receive(.responseEnd(at: time), of: stream.exchange)
        forget(id, &sink)
    }

    mutating func nameLateFrame(of id: UInt32, at offset: Int, _ sink: inout some ExchangeEventSink) {
        guard let problem = streams[id]?.problemOfLateFrame(), let exchange = streams[id]?.exchange else {
            return
        }
        sink.report([problem], at: offset, .request, of: exchange)
    }

    // MARK: -

    @discardableResult
    mutating func forget(_ id: UInt32, _ sink: inout some ExchangeEventSink) -> ExchangeStream? {
        guard let stream = streams.removeValue(forKey: id) else { return nil }
        if stream.answeredAt != nil { earlyAnswers -= 1 }
        headBytes -= stream.headBytes
        _ = sink.mayHold(-stream.headBytes)
        return stream
    }

    /// Gives up on the connection at a frame, see ``lose(_:at:_:_:_:)``.
    mutating func lose(_ reason: String, at frame: ControlFrame, _ sink: inout some ExchangeEventSink) {
        lose(reason, at: frame.offset, frame.side, frame.time, &sink)
    }

    /// Gives up on the connection: everything under way is reported as it stands, with the place.
    mutating func lose(
        _ reason: String,
        at offset: Int,
        _ side: Side,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        hasLostTheThread = true
        tunnels.closeAll(from: side)
        let place = Malformation(side: side.message, offset: offset, reason: reason)
        if streams.isEmpty {
            sink.beginNameless(nextExchange, "HTTP/2", at: time)
            streams[0] = ExchangeStream(exchange: nextExchange, method: "")
            nextExchange += 1
        }
        for stream in streams.values { sink.receive(.malformed(place), of: stream.exchange) }
        failAll("the connection could not be read any further: \(reason)", time, &sink)
        for direction in [client, server] {
            _ = sink.mayHold(-(direction.block?.bytes.readableBytes ?? 0) - (direction.search?.count ?? 0))
        }
        client = HTTP2Direction()
        server = HTTP2Direction()
    }
}

extension Side {
    /// The message that this side sends.
    var message: MessageSide { self == .client ? .request : .response }
}
