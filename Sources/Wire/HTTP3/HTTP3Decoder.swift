internal import Captures

/// Reads both directions of one HTTP/3 connection and reports what it sees; alters and refuses nothing (RFC 9114).
///
/// A listener, as ``HTTP2Decoder`` is. It is handed the bytes of each stream in their order. Promised answers are passed over,
/// which no browser takes. A field section that refers to fields which have not come holds up its own stream only; one that
/// cannot be read costs the thread of the whole connection.
struct HTTP3Decoder {
    /// Of the heads of all streams that are under way.
    static let maximumHeadBytes = 4 << 20
    /// Streams under way; servers allow a hundred or two.
    static let maximumStreams = 4096
    /// Streams that wait for fields; a server lets a client have a hundred.
    private static let maximumBlocked = 512
    /// Of one direction of a stream, that wait.
    private static let maximumWaiting = 1 << 20

    /// One way: what the sender says of the connection (RFC 9114, section 6.2; RFC 9204, section 4.2).
    enum Unidirectional {
        /// The type has not come.
        case begun([UInt8])
        case control(HTTP3FrameReader)
        case encoder
        case other
    }

    let scheme: String
    var fields: (client: QPACKDecoder, server: QPACKDecoder) = (QPACKDecoder(), QPACKDecoder())
    var unidirectional: [Int: Unidirectional] = [:]
    /// Each side has one of these each.
    var hasControl: Set<Side> = []
    var hasEncoder: Set<Side> = []
    /// Streams whose field sections wait, and for how many insertions.
    var blocked: (client: [Int: Int], server: [Int: Int]) = ([:], [:])
    /// How many insertions the first of them wait for, at least.
    var unblocksAt: [Side: Int] = [:]
    var streams: [Int: HTTP3Stream] = [:]
    var finished = FinishedStreams()
    var headBytes = 0
    /// Bytes that wait.
    var heldBytes = 0
    /// Bytes of the tables.
    var tableBytes = 0
    var nextExchange = 0
    var losses = MessageLosses()
    /// What waits is read as far as it can be, as nothing more comes that it waits for.
    var readsWhatWaits = false

    private(set) var hasLostTheThread = false
    /// Nothing more is read.
    private var isOver = false

    subscript(blocked side: Side) -> [Int: Int] {
        get { side == .client ? blocked.client : blocked.server }
        _modify { if side == .client { yield &blocked.client } else { yield &blocked.server } }
    }

    /// `scheme`: of the connection's URLs.
    init(scheme: String) { self.scheme = scheme }

    /// The next bytes of a stream, by its number (RFC 9000, section 2.1).
    mutating func receive(
        _ bytes: ArraySlice<UInt8>,
        of stream: Int,
        from side: Side,
        isLast: Bool,
        at time: Timestamp,
        into sink: inout some ExchangeEventSink
    ) {
        guard !isOver else { return }
        switch stream & 3 {
        case 0: receiveMessage(bytes, of: stream, from: side, isLast: isLast, at: time, into: &sink)
        case 2 where side == .client, 3 where side == .server:
            receiveUnidirectional(bytes, of: stream, from: side, at: time, into: &sink)
        default: break
        }
    }

    // MARK: - Requests and answers

    private mutating func receiveMessage(
        _ bytes: ArraySlice<UInt8>,
        of id: Int,
        from side: Side,
        isLast: Bool,
        at time: Timestamp,
        into sink: inout some ExchangeEventSink
    ) {
        guard !finished.contains(id >> 2) else { return }
        if streams[id] == nil {
            guard streams.count < Self.maximumStreams else {
                return lose("more streams than are followed", at: 0, side, time, &sink)
            }
            streams[id] = HTTP3Stream(begunAt: time)
        }
        streams[id]?[side].lastAt = time
        if isLast { streams[id]?[side].hasEnded = true }
        if !waits(id, side) {
            read(bytes, of: id, side, time, &sink)
        } else if !wait(bytes, of: id, side, &sink) {
            return lose(LossReason.noRoom, at: streams[id]?[side].reader.offset ?? 0, side, time, &sink)
        } else if isLast, streams[id]?.exchange != nil {
            endMessage(of: id, side, time, &sink)
        }
    }

    /// Whether nothing more of a stream can be read yet, or ever.
    private func waits(_ id: Int, _ side: Side) -> Bool {
        guard let stream = streams[id] else { return false }
        let direction = stream[side]
        return direction.blocked != nil || direction.passedOver > 0
            || side == .server && stream.exchange == nil
    }

    /// Keeps bytes until they can be read; false where there is no room for them.
    private mutating func wait(
        _ bytes: ArraySlice<UInt8>,
        of id: Int,
        _ side: Side,
        _ sink: inout some ExchangeEventSink
    ) -> Bool {
        guard let (waiting, passedOver) = streams[id].map({ ($0[side].waiting.count, $0[side].passedOver) })
        else { return true }
        // An answer without its request may be a large one, and is nobody's but this stream's.
        let kept = bytes.prefix(passedOver > 0 ? 0 : Self.maximumWaiting - waiting)
        guard sink.mayHold(kept.count) else { return false }
        heldBytes += kept.count
        streams[id]?[side].waiting += kept
        streams[id]?[side].passedOver += bytes.count - kept.count
        return true
    }

    /// What came of an answer before its request.
    mutating func readAnswer(of id: Int, _ time: Timestamp, _ sink: inout some ExchangeEventSink) {
        guard let server = streams[id]?.server, !readsWhatWaits, server.held > 0 || server.hasEnded else {
            return
        }
        readWaiting(of: id, .server, time, &sink)
    }

    /// What waited goes on.
    mutating func readWaiting(
        of id: Int,
        _ side: Side,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        guard let direction = streams[id]?[side], side == .client || streams[id]?.exchange != nil else {
            return
        }
        streams[id]?[side].waiting = []
        streams[id]?[side].blocked = nil
        release(direction.held, &sink)
        let offset = direction.reader.frameStart
        if let section = direction.blocked,
            !readSection(
                section.section,
                of: id,
                side,
                needed: section.until,
                at: offset,
                readsWhatWaits ? section.at : time,
                &sink
            )
        {
            return waitOn(direction.waiting, of: id, side, at: offset, time, &sink)
        }
        read(direction.waiting, of: id, side, isHeld: true, time, &sink)
    }

    /// What waited waits again, where its stream still does.
    private mutating func waitOn(
        _ bytes: ArraySlice<UInt8>,
        of id: Int,
        _ side: Side,
        at offset: Int,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        guard !hasLostTheThread, streams[id] != nil else { return }
        guard sink.mayHold(bytes.count) else {
            return lose(LossReason.noRoom, at: offset, side, time, &sink)
        }
        heldBytes += bytes.count
        streams[id]?[side].waiting = bytes
    }

    private mutating func release(_ bytes: Int, _ sink: inout some ExchangeEventSink) {
        heldBytes -= bytes
        _ = sink.mayHold(-bytes)
    }

    private mutating func read(
        _ bytes: ArraySlice<UInt8>,
        of id: Int,
        _ side: Side,
        isHeld: Bool = false,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        var input = bytes
        while !hasLostTheThread, let piece = streams[id]?[side].reader.next(&input),
            let offset = streams[id]?[side].reader.frameStart
        {
            switch piece {
            case .needsMore:
                guard countBegun(id, side, &sink) else {
                    return lose(LossReason.noRoom, at: offset, side, time, &sink)
                }
                return endMessage(of: id, side, time, &sink)
            case .tooLong:
                return lose("a header block of more than 256 KiB", at: offset, side, time, &sink)
            case .data(let part):
                guard streams[id]?.exchange != nil else {
                    // A body without a head: another protocol, as WebTransport.
                    return forget(id, &sink)
                }
                streams[id]?.exchange?.received(part.count, of: side.message)
                guard let exchange = streams[id]?.exchange?.exchange else { return }
                part.withUnsafeBufferPointer { sink.receiveBody($0, of: side.message, in: exchange) }
            case .frame(HTTP3FrameReader.FrameType.headers, let section):
                guard readSection(section, of: id, side, at: offset, time, &sink) else {
                    if isHeld { return waitOn(Self.compact(input), of: id, side, at: offset, time, &sink) }
                    guard hasLostTheThread || wait(input, of: id, side, &sink) else {
                        return lose(LossReason.noRoom, at: offset, side, time, &sink)
                    }
                    return
                }
            case .otherProtocol:
                guard streams[id]?.exchange != nil else { return forget(id, &sink) }
            case .frame: break
            }
        }
    }

    /// The bytes, kept where they are unless most of what they are kept with is done with.
    private static func compact(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        bytes.startIndex > bytes.count ? Array(bytes)[...] : bytes
    }

    /// Counts what the reader keeps of a frame; false where there is no room for it.
    private mutating func countBegun(_ id: Int, _ side: Side, _ sink: inout some ExchangeEventSink) -> Bool {
        guard let direction = streams[id]?[side], direction.begun != direction.reader.held else {
            return true
        }
        let change = direction.reader.held - direction.begun
        guard sink.mayHold(change) else { return false }
        heldBytes += change
        streams[id]?[side].begun = direction.reader.held
        return true
    }

    /// False where it has to wait, or nothing more is read.
    private mutating func readSection(
        _ section: [UInt8],
        of id: Int,
        _ side: Side,
        needed: Int? = nil,
        at offset: Int,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) -> Bool {
        guard !readsWhatWaits else {
            return readLastSection(section, of: id, side, needed: needed, at: offset, time, &sink)
        }
        do throws(FieldReader.Malformed) {
            let decoded =
                side == .client
                ? try fields.client.decode(section[...], needed: needed)
                : try fields.server.decode(section[...], needed: needed)
            if case .blocked(let until) = decoded {
                guard sink.mayHold(section.count), self[blocked: side].count < Self.maximumBlocked else {
                    lose(LossReason.noRoom, at: offset, side, time, &sink)
                    return false
                }
                heldBytes += section.count
                streams[id]?[side].blocked = HTTP3Stream.Blocked(section: section, until: until, at: time)
                self[blocked: side][id] = until ?? .max
                unblocksAt[side] = min(unblocksAt[side] ?? .max, until ?? .max)
                return false
            }
            guard case .fields(let list) = decoded else { return false }
            let block = FieldBlock(list, of: "HTTP/3")
            take(block, of: id, side, at: offset, time, &sink)
            return streams[id] != nil
        } catch {
            lose("a field section that cannot be decoded (\(error.reason))", at: offset, side, time, &sink)
            return false
        }
    }

    /// Reads a section as far as it is known; false where nothing more is read.
    private mutating func readLastSection(
        _ section: [UInt8],
        of id: Int,
        _ side: Side,
        needed: Int?,
        at offset: Int,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) -> Bool {
        do throws(FieldReader.Malformed) {
            let (list, unknown) =
                side == .client
                ? try fields.client.decodeAtTheEnd(section[...], needed: needed)
                : try fields.server.decodeAtTheEnd(section[...], needed: needed)
            let block = FieldBlock(list, of: "HTTP/3", unknown: unknown)
            take(block, of: id, side, at: offset, time, &sink)
        } catch {
            lackHead("its header fields cannot be read (\(error.reason))", of: id, side, &sink)
        }
        return streams[id] != nil
    }

    // MARK: - The end

    /// Gives up on the connection: everything under way is reported as it stands, with the place.
    mutating func lose(
        _ reason: String,
        at offset: Int,
        _ side: Side,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        hasLostTheThread = true
        if !streams.values.contains(where: { $0.exchange != nil }) {
            sink.beginNameless(nextExchange, "HTTP/3", at: time)
            // No request has this number.
            streams[-1] = HTTP3Stream(
                begunAt: time,
                exchange: ExchangeStream(exchange: nextExchange, method: "")
            )
            nextExchange += 1
        }
        for stream in streams.values {
            guard let exchange = stream.exchange?.exchange else { continue }
            sink.report([reason], at: offset, side.message, of: exchange)
        }
        failAll("the connection could not be read any further: \(reason)", time, &sink)
    }

    /// Nothing more is read, and nothing kept for it.
    mutating func end(_ sink: inout some ExchangeEventSink) {
        isOver = true
        _ = sink.mayHold(-tableBytes)
        tableBytes = 0
        fields = (QPACKDecoder(), QPACKDecoder())
        unidirectional = [:]
        blocked = ([:], [:])
        unblocksAt = [:]
        finished = FinishedStreams()
    }
}
