package import Captures
package import Wire

/// Makes exchanges of TCP streams and of QUIC: what is in TLS is deciphered with the keys at hand, what is in a proxy's tunnel
/// is taken out of it.
///
/// A connection that cannot be read is one entry with its host, its times and how many bytes it carried.
package struct PacketExchanges: TCPStreamSink {
    private let reading: PacketReading
    private var connections: [Int: ConnectionReader] = [:]
    private var repeated = RepeatedConnections()
    private var late = LateConnections()
    private var quic = QUICConnections()
    /// When it was last looked whether an answer has waited long enough.
    private var lookedAt = Timestamp(nanoseconds: 0)
    /// How long it is not looked again.
    private static let lookingTime = Duration.seconds(1)

    /// - Parameters:
    ///   - maximumBodyBytes: how much of a body is kept.
    ///   - spoolFolder: where large bodies wait; nil keeps them in memory.
    ///   - budget: what all connections may hold together.
    ///   - heldForKeys: bytes of each direction that wait for keys, see ``keysAdded(at:)``; with 0 all keys are there before
    ///     the packets.
    ///   - heldForKeysInAll: those of all connections, and what waits for the other side's hello.
    package init(
        maximumBodyBytes: Int,
        spoolFolder: String? = nil,
        budget: RecordingBudget,
        heldForKeys: Int = 0,
        heldForKeysInAll: Int = 128 << 20
    ) {
        reading = PacketReading(
            maximumBodyBytes: maximumBodyBytes,
            spoolFolder: spoolFolder,
            budget: budget,
            heldForKeys: heldForKeys,
            heldForKeysInAll: heldForKeysInAll
        )
    }

    /// Adds lines of a key log (`SSLKEYLOGFILE`).
    package mutating func add(keyLog lines: [UInt8]) {
        lines.withUnsafeBytes { reading.keys.add($0) }
        reading.counts.keys = reading.keys.connections
    }

    /// The key log ends here; its last line may lack its end.
    package mutating func endKeyLog() {
        reading.keys.finish()
        reading.counts.keys = reading.keys.connections
    }

    /// Adds a file that was given for a key log; where it is something else, the report says what.
    ///
    /// - Parameters:
    ///   - name: what the file is called.
    ///   - reread: gives bytes of the file again, for one whose secrets are too many to be held; see
    ///     ``TLSKeyLog/begin(file:rereading:)``.
    ///   - next: the file's next bytes, none at its end.
    package mutating func add(
        keyLogFile name: String,
        rereading reread: (@Sendable (_ offset: Int, _ count: Int) -> [UInt8])? = nil,
        next: () -> [UInt8]
    ) {
        var bytes = next()
        let head = Array(bytes.prefix(4096))
        let (good, problems) = (reading.keys.goodLines, reading.keys.problemCount)
        var utf16 = KeyLogFile.UTF16Reader(head)
        reading.keys.begin(file: name, rereading: utf16 == nil ? reread : nil)
        while !bytes.isEmpty {
            (utf16?.text(bytes) ?? bytes).withUnsafeBytes { reading.keys.add($0) }
            bytes = next()
        }
        endKeyLog()
        guard reading.keys.goodLines == good else { return }
        let broken = reading.keys.problems.dropFirst(problems).first { $0.reason != TLSKeyLog.Line.noLabel }
        reading.keys.forgetProblems(behind: problems)
        let what =
            head.isEmpty
            ? "is empty"
            : KeyLogFile.otherKind(head) ?? broken.map {
                "has no whole line of a key log (line \($0.line): \($0.reason))"
            } ?? "has no line of a key log"
        reading.otherFiles.append(
            PacketLoss(
                what:
                    "\(name) \(what): a key log is what SSLKEYLOGFILE makes a program write while it connects"
            )
        )
    }

    /// Where keys come while packets are read: `news` gives the lines that have come, and is asked when a connection wants some, and
    /// before one is given up.
    package mutating func followKeyLog(_ news: @escaping () -> [UInt8]) { reading.lookForKeys = news }

    /// Whether keys came that ``keysAdded(at:)`` has not been called for.
    package var hasNewKeys: Bool { reading.hasNewKeys }

    /// Reads on where connections wait for keys that were added meanwhile.
    package mutating func keysAdded(at time: Timestamp) {
        reading.hasNewKeys = false
        for (_, connection) in connections.sorted(by: { $0.key < $1.key }) { connection.keysAdded(at: time) }
        late.keysAdded()
        quic.keysAdded(at: time)
    }

    /// The exchanges that were completed since the last call, in the order in which they were.
    package mutating func takeFinished() -> [Exchange] { reading.takeFinished() }

    /// What was read, and what could not be.
    package var report: PacketImportReport {
        var report = PacketImportReport()
        report.counts = reading.counts
        report.counts.repeatedConnections = repeated.count
        report.losses =
            reading.keyLogLosses
            + reading.losses.filter { reading.counts.keys > 0 || !$0.isMissingKey }
        report.furtherLosses = reading.furtherLosses
        return report
    }

    // MARK: - TCPStreamSink

    package mutating func opened(_ stream: Int, _ facts: TCPStreamFacts) {
        reading.counts.connections += 1
        let id = String(stream + 1)
        var turned: ConnectionEntry?
        if facts.beganMidStream {
            reading.counts.midStreamConnections += 1
            turned = ConnectionEntry(from: facts.server, to: facts.client, at: facts.startedAt, id: id)
        } else {
            reading.noteServer(facts.server.description)
        }
        repeated.opened(stream, facts)
        connections[stream] = ConnectionReader(
            reading,
            ConnectionEntry(facts, id: id),
            turned: turned,
            isWhole: !facts.beganMidStream
        )
    }

    package func isServer(_ end: Endpoint) -> Bool { reading.isServer(end.description) }

    package mutating func answeredAnew(_ stream: Int) { repeated.answeredAnew(stream) }

    package mutating func established(_ stream: Int, at time: Timestamp) {
        goOn(stream) { $0.established(at: time) }
    }

    package mutating func received(
        _ bytes: UnsafeRawBufferPointer,
        of stream: Int,
        from side: Side,
        at time: Timestamp
    ) {
        repeated.received(bytes, of: stream, from: side, at: time)
        goOn(stream) { $0.received(bytes, from: side, at: time) }
        if reading.waitingBytes > reading.heldForKeysInAll { makeRoom(at: time) }
    }

    /// Has those wait no more that have waited longest for their keys, or their servers: most of what a machine says is of programs
    /// that write none.
    private mutating func makeRoom(at time: Timestamp) {
        var streams = connections.filter { $0.value.isWaiting }
            .map { (stream: $0.key, since: $0.value.entry.startedAt) }.sorted { $0.stream < $1.stream }[...]
        var slots = quic.waiting[...]
        while reading.waitingBytes > reading.heldForKeysInAll / 2 {
            if let first = streams.first, slots.first.map({ first.since <= $0.since }) ?? true {
                streams.removeFirst()
                goOn(first.stream) { $0.stopWaiting(at: time) }
            } else if let first = slots.popFirst() {
                quic.stopWaiting(first.slot, at: time)
            } else {
                return
            }
        }
    }

    package mutating func lost(_ count: Int, of stream: Int, from side: Side, at time: Timestamp) {
        repeated.lost(of: stream)
        goOn(stream) { $0.lost(count, from: side, at: time) }
    }

    package mutating func ended(
        _ side: Side,
        of stream: Int,
        _ end: TCPStreamEnd,
        at time: Timestamp
    ) {
        goOn(stream) { $0.ended(side, end, at: time) }
    }

    package mutating func closed(_ stream: Int, at time: Timestamp) {
        // Who writes them has mostly done so by then.
        if connections[stream]?.waitsForKeys == true, reading.findKeys() {
            goOn(stream) { $0.keysAdded(at: time) }
        }
        let waiting = connections[stream].flatMap { $0.waitsForKeys ? $0 : nil }
        if waiting == nil { goOn(stream) { $0.closed(at: time) } }
        connections[stream] = nil
        let completed = repeated.closed(stream)
        reading.release(completed ?? [])
        if let waiting {
            if completed != nil {
                late.add(waiting, closedAt: time)
            } else {
                _ = reading.finishedWithin { waiting.closed(at: time) }
            }
        }
        late.timePassed(until: time)
    }

    /// Lets a connection go on; what it completes waits while it may be an earlier one that was captured twice.
    @inline(__always)
    private mutating func goOn(_ stream: Int, _ body: (ConnectionReader) -> Void) {
        guard let connection = connections[stream] else { return }
        guard repeated.mayBeRepeated(stream) else { return body(connection) }
        let completed = reading.finishedWithin { body(connection) }
        reading.release(repeated.hold(completed, of: stream))
    }

    package mutating func timePassed(until time: Timestamp) {
        guard time - lookedAt >= Self.lookingTime else { return }
        lookedAt = time
        late.timePassed(until: time)
        for stream in connections.filter({ $0.value.isAnswerWaiting }).keys.sorted() {
            goOn(stream) { $0.timePassed(until: time) }
        }
    }

    package mutating func receivedDatagram(
        _ bytes: UnsafeRawBufferPointer,
        from source: Endpoint,
        to destination: Endpoint,
        at time: Timestamp
    ) -> Bool {
        let isQUIC = quic.receive(bytes, from: source, to: destination, at: time, reading)
        if reading.waitingBytes > reading.heldForKeysInAll { makeRoom(at: time) }
        return isQUIC
    }

    package mutating func datagramsEnded(at time: Timestamp) {
        late.finish()
        quic.finish(at: time)
    }
}
