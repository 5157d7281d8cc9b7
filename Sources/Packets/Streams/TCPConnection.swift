import Captures
import Wire

/// One connection: who is who, both directions, and what has been told of it.
struct TCPConnection: OrderedByUse {
    let key: FlowKey
    /// Whether the client is the end that the key names first.
    private(set) var clientIsFirst: Bool
    private let startedAt: Timestamp
    /// Whether its SYN, or the answer to it, is in the capture.
    let hasBeginning: Bool
    /// The server's first number in the one before between the same ends, where the client begins with its number of then.
    private let earlierServerNumber: UInt32?
    /// The number it is told by; nil until there is something to tell.
    private(set) var number: Int?
    private(set) var isClosed = false
    private(set) var isEstablished = false
    /// How often the client's SYN came.
    private var attempts: UInt8 = 0
    /// What one side acknowledged while nothing of the other was known.
    private(set) var heard: UInt32?
    /// Who said that the client's SYN was not delivered, and why.
    private var rejection: String?
    private(set) var lastTime: Timestamp
    /// Of what was told last: time does not go back.
    private var toldTime: Timestamp
    private(set) var client = TCPDirection()
    private(set) var server = TCPDirection()
    /// What may have ended it.
    private var reset: TCPReset?
    /// Segments of both that are damaged.
    var doubtful = DoubtfulSegments()

    var newer: Int32 = -1
    var older: Int32 = -1

    var pendingWeight: Int { client.pendingWeight + server.pendingWeight + doubtful.weight }

    /// A connection whose first packet this is.
    init(
        _ key: FlowKey,
        _ segment: TCPSegment,
        isFromFirst: Bool,
        earlierServerNumber: UInt32?,
        at time: Timestamp
    ) {
        self.key = key
        self.earlierServerNumber = earlierServerNumber
        startedAt = time
        lastTime = time
        toldTime = time
        hasBeginning = segment.flags.contains(.synchronize)
        let isFromClient =
            hasBeginning
            ? !segment.flags.contains(.acknowledge) : segment.sourcePort >= segment.destinationPort
        clientIsFirst = isFromClient == isFromFirst
    }

    /// Takes a segment of the connection.
    ///
    /// - Parameters:
    ///   - segment: one of this connection's.
    ///   - isFromFirst: whether it is from the end that the key names first.
    ///   - time: when it was captured.
    ///   - isCrowded: whether all connections together hold too much.
    ///   - sink: is told what becomes known.
    ///   - numbers: the number of the next connection that is told of.
    @inline(__always)
    mutating func receive<Sink: TCPStreamSink>(
        _ segment: TCPSegment,
        isFromFirst: Bool,
        at time: Timestamp,
        isCrowded: Bool,
        into sink: inout Sink,
        _ numbers: inout Int
    ) {
        guard !isClosed, !isStray(segment, isFromFirst: isFromFirst),
            !answersAnother(segment, isFromFirst: isFromFirst)
        else { return }
        lastTime = time
        if number == nil, !hasBeginning { settleRoles(segment, isFromFirst: isFromFirst, sink) }
        let side: Side = isFromFirst == clientIsFirst ? .client : .server
        if segment.flags.contains(.reset) { return takeReset(segment, from: side, at: time, into: &sink) }
        if let reset, reset.isBelied(by: segment, from: side, side == .client ? client : server) {
            self.reset = nil
        }
        let opens = segment.flags.contains(.synchronize)
        if opens {
            if side == .client, attempts < .max { attempts += 1 }
            withDirection(side) {
                if !$0.isFirm, !$0.hasEnded { $0.begin(at: segment.sequence &+ 1, isFirm: true) }
            }
        }
        if segment.checksum == .fits { withDirection(side) { $0.noteFittingChecksum() } }
        if segment.flags.contains(.acknowledge) {
            takeAcknowledgment(segment, from: side)
            if !doubtful.isEmpty { takeConfirmed(into: &sink) }
        }
        if number == nil, opens || segment.dataCount > 0 { tellOpened(into: &sink, &numbers) }
        if !isEstablished { tellEstablished(segment, from: side, at: time, into: &sink) }
        if side == .server, !hasBeginning, answersEarlier(segment) {
            server.pass(segment.sequence, segment.dataCount)
        } else {
            takeData(segment, from: side, at: time, into: &sink)
        }
        if client.mayHaveGap || server.mayHaveGap { passGaps(at: time, isCrowded: isCrowded, into: &sink) }
        if client.isFinished || server.isFinished { tellEnds(at: time, into: &sink) }
    }

    /// Whether the server sent data before it had anything that the capture has of its client: that answers what was asked before.
    ///
    /// Its settings of HTTP/2 ask for nothing; what a damaged segment says that it had is not believed.
    @inline(never)
    private func answersEarlier(_ segment: TCPSegment) -> Bool {
        segment.dataCount > 0 && client.isFirm && segment.flags.contains(.acknowledge)
            && segment.checksum != .isWrong
            && segment.flags.isDisjoint(with: [.synchronize, .finish])
            && Int32(bitPattern: segment.acknowledgment &- client.firstSequence) <= 0
            && !FirstBytes.isSettings(segment.payload)
    }

    /// Takes a segment's data and end, behind what its sender had of the other side.
    @inline(__always)
    private mutating func takeData<Sink: TCPStreamSink>(
        _ segment: TCPSegment,
        from side: Side,
        at time: Timestamp,
        into sink: inout Sink
    ) {
        let other =
            segment.dataCount == 0 || !segment.flags.contains(.acknowledge)
            ? nil
            : side == .client
                ? server.place(givenAfter: segment.acknowledgment)
                : client.place(givenAfter: segment.acknowledgment)
        change(side, into: &sink) {
            $0.take(
                segment.flags.contains(.synchronize) ? segment.sequence &+ 1 : segment.sequence,
                segment.payload,
                missing: segment.missing,
                isLast: segment.flags.contains(.finish),
                at: time,
                behind: other,
                give: $1
            )
        }
    }

    /// Goes on where a side waited for the other's bytes, or long enough for its own.
    private mutating func passGaps<Sink: TCPStreamSink>(
        at time: Timestamp,
        isCrowded: Bool,
        into sink: inout Sink
    ) {
        release(into: &sink)
        for side in [Side.client, .server] {
            var isPartLeft = true
            while isPartLeft {
                let waiting = waiting(for: side)
                change(side, into: &sink) {
                    isPartLeft = $0.passGaps(at: time, isCrowded: isCrowded, before: waiting, give: $1)
                }
                release(into: &sink)
            }
        }
    }

    /// What waits for bytes of a side.
    private func waiting(for side: Side) -> TCPDirection.Waiting? {
        side == .client ? server.waiting : client.waiting
    }

    /// Takes note that the client's SYN was not delivered; a later one may be.
    mutating func receive(_ undelivered: Undelivered, at time: Timestamp) {
        guard !isClosed, hasBeginning, undelivered.isFromFirst == clientIsFirst, !server.isKnown,
            client.isFirm,
            undelivered.sequence &+ 1 == client.firstSequence
        else { return }
        lastTime = time
        rejection = undelivered.reason
    }

    // MARK: - Ends

    /// When something came that may have ended the connection; nil where nothing has.
    var resetTime: Timestamp? { reset?.time }

    @inline(never)
    private mutating func takeReset<Sink: TCPStreamSink>(
        _ segment: TCPSegment,
        from side: Side,
        at time: Timestamp,
        into sink: inout Sink
    ) {
        let (own, other) = side == .client ? (client, server) : (server, client)
        let isAnswer = segment.flags.contains(.acknowledge)
        let refuses = hasBeginning && !own.isKnown && isAnswer
        // Who refuses names what is refused (RFC 9293, section 3.10.7.3).
        if refuses, other.isFirm, !other.mayBegin(with: segment.acknowledgment) { return }
        guard let found = TCPReset(segment, from: side, own, at: time) else { return }
        // Before there is an answer to its SYN, a client resets what answers another one, and nothing else.
        guard !hasBeginning || side == .server || other.isKnown || isSure(found) else { return }
        if isAnswer { takeAcknowledgment(segment, from: side) }
        if reset.map({ isSure($0) || !isSure(found) }) != true { reset = found }
        if refuses || number == nil { close(.reset(by: side), at: time, into: &sink) }
    }

    private func isSure(_ reset: TCPReset) -> Bool { reset.isSure(reset.side == .client ? client : server) }

    /// Closes the connection if it has been reset for sure; else it goes on until something else ends it.
    mutating func settle<Sink: TCPStreamSink>(into sink: inout Sink) {
        guard let reset, isSure(reset) else { return }
        close(.reset(by: reset.side), into: &sink)
    }

    /// Tells what there is, and that the connection is not followed any more.
    ///
    /// `time`: nil for that of its last packet.
    mutating func close<Sink: TCPStreamSink>(
        _ end: TCPStreamEnd,
        at time: Timestamp? = nil,
        into sink: inout Sink
    ) {
        guard !isClosed else { return }
        isClosed = true
        // What the capture has behind a reset was sent before it, or to no one.
        let end =
            reset.map { .reset(by: $0.side) }
            ?? (isUnanswered ? .unanswered(attempts: Int(attempts), rejection: rejection) : end)
        let time = max(reset?.time ?? time ?? lastTime, toldTime)
        let number = number
        flush(at: time, into: &sink)
        doubtful = DoubtfulSegments()
        guard let number else { return }
        for (side, direction) in [(Side.client, client), (.server, server)] where !direction.hasEnded {
            sink.ended(side, of: number, direction.isFinished ? .finished : end, at: time)
        }
        sink.closed(number, at: time)
    }

    /// Whether it never came about: the client has nothing of the server that it could acknowledge either.
    private var isUnanswered: Bool { (attempts > 1 || rejection != nil) && !server.isKnown }

    // MARK: - The order of both directions

    /// Gives what has waited for the other side's bytes, now that these are given.
    private mutating func release<Sink: TCPStreamSink>(into sink: inout Sink) {
        while client.hasBarrier || server.hasBarrier {
            var isReleased = false
            for (side, place) in [(Side.client, server.next), (.server, client.next)] {
                change(side, into: &sink) {
                    if $0.release(place, give: $1) { isReleased = true }
                }
            }
            if isReleased { continue }
            // Each waits for the other. The client's bytes were sent again by then, or that is no order that there was.
            guard client.isHeld, server.isHeld else { return }
            change(.client, into: &sink) { _ = $0.release(nil, give: $1) }
        }
    }

    /// Gives all there is, what was said first before what answers it.
    private mutating func flush<Sink: TCPStreamSink>(at time: Timestamp, into sink: inout Sink) {
        var isPassed = true
        while isPassed {
            release(into: &sink)
            isPassed = takeNextDoubtful(into: &sink)
            for side in [Side.client, .server] where !isPassed {
                let waiting = waiting(for: side)
                change(side, into: &sink) { isPassed = $0.passGap(at: time, before: waiting, give: $1) }
            }
        }
        for side in [Side.client, .server] {
            change(side, into: &sink) { $0.flush(at: time, give: $1) }
        }
    }

    // MARK: - What a segment says

    /// Ports are a guess where the SYN is not in the capture; what is said first may tell better, and so may other connections.
    @inline(never)
    private mutating func settleRoles(
        _ segment: TCPSegment,
        isFromFirst: Bool,
        _ sink: some TCPStreamSink
    ) {
        guard segment.dataCount > 0 else { return }
        let sender = FirstBytes.sender(of: segment.payload) ?? HTTP2Middle.sender(of: segment.payload)
        let firstIsClient = sender.map { ($0 == .client) == isFromFirst } ?? firstIsClient(knownBy: sink)
        guard let firstIsClient, firstIsClient != clientIsFirst else { return }
        clientIsFirst.toggle()
        swap(&client, &server)
    }

    private func firstIsClient(knownBy sink: some TCPStreamSink) -> Bool? {
        let (first, second) = key.ends
        let firstIsServer = sink.isServer(first)
        return firstIsServer == sink.isServer(second) ? nil : !firstIsServer
    }

    @inline(__always)
    mutating func withDirection(_ side: Side, _ body: (inout TCPDirection) -> Void) {
        if side == .client { body(&client) } else { body(&server) }
    }

    /// Lets a direction go on, and tells what it gives.
    @inline(__always)
    mutating func change<Sink: TCPStreamSink>(
        _ side: Side,
        into sink: inout Sink,
        _ body: (inout TCPDirection, TCPDirection.Give) -> Void
    ) {
        let number = number
        var told = toldTime
        withDirection(side) {
            body(&$0) { bytes, missing, time in
                told = max(told, time)
                Self.tell(bytes, missing, of: number, side, at: told, &sink)
            }
        }
        toldTime = told
    }

    @inline(__always)
    private mutating func takeAcknowledgment(_ segment: TCPSegment, from side: Side) {
        let ownIsKnown = side == .client ? client.isKnown : server.isKnown
        let opens = segment.flags.contains(.synchronize)
        let hasBeginning = hasBeginning
        let asksInTheMiddle =
            !hasBeginning && side == .client && segment.dataCount > 0 && !segment.flags.contains(.reset)
            && segment.checksum != .isWrong
        var isPeerKnown = true
        withDirection(side.other) { peer in
            if peer.isKnown {
                peer.takeAcknowledgment(segment.acknowledgment)
            } else if opens || (hasBeginning && ownIsKnown && !segment.flags.contains(.reset)) {
                // The peer's SYN is not in the capture, but what is acknowledged of it says its number.
                peer.begin(at: segment.acknowledgment, isFirm: false)
            } else if asksInTheMiddle {
                // What the server said before is no answer to it, be it captured later.
                peer.begin(at: segment.acknowledgment, isFirm: true)
            }
            isPeerKnown = peer.isKnown
        }
        if !isPeerKnown { heard = segment.acknowledgment }
    }

    // MARK: - What is told

    @inline(__always)
    private static func tell<Sink: TCPStreamSink>(
        _ bytes: UnsafeRawBufferPointer,
        _ missing: Int,
        of number: Int?,
        _ side: Side,
        at time: Timestamp,
        _ sink: inout Sink
    ) {
        guard let number else { return }
        if !bytes.isEmpty { sink.received(bytes, of: number, from: side, at: time) }
        if missing > 0 { sink.lost(missing, of: number, from: side, at: time) }
    }

    private mutating func tellOpened<Sink: TCPStreamSink>(into sink: inout Sink, _ numbers: inout Int) {
        let (first, second) = key.ends
        number = numbers
        sink.opened(
            numbers,
            TCPStreamFacts(
                client: clientIsFirst ? first : second,
                server: clientIsFirst ? second : first,
                startedAt: startedAt,
                beganMidStream: !hasBeginning,
                hasEarlierNumbers: earlierServerNumber != nil
            )
        )
        numbers += 1
    }

    /// The client's first acknowledgment ends the handshake.
    private mutating func tellEstablished<Sink: TCPStreamSink>(
        _ segment: TCPSegment,
        from side: Side,
        at time: Timestamp,
        into sink: inout Sink
    ) {
        guard hasBeginning, side == .client, server.isKnown, let number,
            segment.flags.contains(.acknowledge)
        else { return }
        isEstablished = true
        if let earlierServerNumber, earlierServerNumber != server.firstSequence { sink.answeredAnew(number) }
        sink.established(number, at: time)
    }

    private mutating func tellEnds<Sink: TCPStreamSink>(at time: Timestamp, into sink: inout Sink) {
        // An end alone is nothing to tell of; it is told once there is.
        guard let number else {
            isClosed = client.isFinished && server.isFinished
            return
        }
        for side in [Side.client, .server] {
            withDirection(side) {
                guard $0.isFinished, !$0.hasEnded else { return }
                $0.end()
                sink.ended(side, of: number, .finished, at: time)
            }
        }
        guard client.hasEnded, server.hasEnded else { return }
        isClosed = true
        doubtful = DoubtfulSegments()
        sink.closed(number, at: time)
    }
}
