internal import Captures
internal import LibCrypto
internal import Wire

/// TLS, which is deciphered, and what comes in its place.
extension ConnectionReader {
    /// Bytes of TLS come from here on, these of one side first.
    func beginTLS(_ first: UnsafeRawBufferPointer, _ side: Side, at time: Timestamp) {
        state = .tls
        messages = nil
        firstOfTLS = (Array(first.prefix(FirstBytes.hello)), side)
        lacksClientRecord = side == .server && !hasHello
        helloAt = time
        reading.noteWebServer(entry.facts.serverAddress)
        reading.counts.tlsConnections += 1
        decipher(first, side, time)
    }

    /// Whether a record begins where messages were to be read: the connection began before the capture, in the middle of a record,
    /// or its client's hello is missing.
    func isRecordInTheMiddle(_ bytes: UnsafeRawBufferPointer) -> Bool {
        messages?.isAwaitingBeginning == true && FirstBytes.isRecord(bytes)
    }

    /// Whether what is there of TLS begins with a hello, of whichever side.
    var hasHello: Bool { firstOfTLS.bytes.withUnsafeBytes(FirstBytes.sender(of:)) != nil }

    /// More comes of what began TLS in a few bytes.
    func goesOnFirst(_ bytes: UnsafeRawBufferPointer, _ side: Side) {
        let missing = FirstBytes.hello - firstOfTLS.bytes.count
        if missing > 0, side == firstOfTLS.side, !hasGaps {
            firstOfTLS.bytes.append(contentsOf: bytes.prefix(missing))
        }
    }

    /// Whether the server may still answer the client's hello with something else than TLS.
    var mayAnswerInClear: Bool { hasHello && !hasGaps && !isTold && messages == nil }

    /// The server's first words to a client that has begun TLS.
    func answersHello(_ bytes: UnsafeRawBufferPointer, _ time: Timestamp) {
        let isInClear =
            FirstBytes.isSettings(bytes)
            || FirstBytes.sender(of: bytes) == .server && FirstBytes(bytes) != .tls
        if mayAnswerInClear, isInClear {
            tellAnswerInClear(bytes, at: time)
        } else {
            decipher(bytes, .server, time)
        }
    }

    /// The server's first words to a client that speaks in clear.
    func answersRequest(_ bytes: UnsafeRawBufferPointer, _ time: Timestamp) {
        if let alert = FirstBytes.alert(bytes) {
            messages?.abandon(
                "the server answered with the TLS alert \(alert.name): it speaks https on this port",
                at: time
            )
        }
        messages?.received(bytes, from: .server, at: time)
    }

    /// The client was told https of a port where the server speaks http.
    private func tellAnswerInClear(_ bytes: UnsafeRawBufferPointer, at time: Timestamp) {
        state = .other
        isTold = true
        entry.agreed(tls.facts)
        // What the client has said behind its hello waits for nothing any more.
        tls = TLSStream(holdingForKeys: 0, sessions: reading.sessions)
        countWaiting()
        let line = FirstBytes.firstLine(of: bytes)
        let words = FirstBytes.isSettings(bytes) ? "HTTP/2" : String(decoding: line, as: UTF8.self)
        reading.finish(
            entry.failed(
                "server TLS handshake failed: the server answered in clear (\(words))",
                at: time
            )
        )
    }

    /// Reads what is in records, as far as there are keys.
    func decipher(_ bytes: UnsafeRawBufferPointer, _ side: Side, _ time: Timestamp) {
        var events = Events(reader: self, time: time)
        let waited = tls.waitsForKeys
        tls.receive(bytes, from: side, keys: reading.keys, into: &events)
        // Who writes them has mostly done so by then.
        if !waited, tls.waitsForKeys, reading.findKeys() { tls.keysAdded(reading.keys, into: &events) }
        countWaiting()
    }

    /// Bytes of records are not in the capture.
    func loseTLS(_ count: Int, _ side: Side, _ time: Timestamp) {
        hasGaps = true
        messages?.hasGaps = true
        if side == .server { noteLackOfAnswers(true) } else if lacksClientRecord { return }
        var events = Events(reader: self, time: time)
        tls.lost(count, from: side, into: &events)
    }

    /// A side sends no more records.
    func endTLS(_ side: Side, _ time: Timestamp) {
        var events = Events(reader: self, time: time)
        tls.ended(side, keys: reading.keys, into: &events)
        passPostponed()
    }

    /// Keys came after the packets that they open.
    func keysAdded(at time: Timestamp) {
        if state == .tls {
            var events = Events(reader: self, time: time)
            tls.keysAdded(reading.keys, into: &events)
            countWaiting()
            if !tls.waitsForKeys { passHeldEnds() }
        }
        messages?.keysAdded(at: time)
        socks?.keysAdded(at: time)
    }

    /// No more keys are waited for, nor what the other side says.
    func stopWaiting(at time: Timestamp) {
        if state == .tls, waitingBytes > 0 { closeTLS(time) }
        for tunnel in tunnels { tunnel.stopWaiting(at: time) }
    }

    /// Nothing more will come, nor any keys.
    func closeTLS(_ time: Timestamp) {
        var events = Events(reader: self, time: time)
        tls.abandon(into: &events)
        countWaiting()
        passPostponed()
        passHeldEnds()
    }

    /// Ends what has been read, where it ended before there were keys for it.
    private func passHeldEnds() {
        let ends = heldEnds
        heldEnds = []
        if !ends.isEmpty { passPostponed() }
        for end in ends { messages?.ended(end.side, end.ending, at: end.time) }
    }

    /// What the deciphering reports, at the time of the packet that says it.
    ///
    /// It comes while ``tls`` changes, which must not be looked at by what is called here.
    private struct Events: TLSStreamSink {
        unowned let reader: ConnectionReader
        var time: Timestamp

        /// When it was, as far as that is not before what was told already.
        private var now: Timestamp {
            reader.toldAt = max(reader.toldAt, time)
            return reader.toldAt
        }

        func receivedPlaintext(_ bytes: UnsafeRawBufferPointer, from side: Side) {
            reader.deciphered(bytes, side, at: now)
        }

        func lostPlaintext(atMost count: Int, isExact: Bool, from side: Side) {
            reader.lostPlaintext(count, isExact: isExact, side, at: now)
        }

        func lostPlace(of side: Side) { reader.lostPlace(of: side, at: now) }

        func foundPlace(of side: Side) { if side == .server { reader.foundPlaceOfServer() } }

        func handshakeEnded(_ facts: TLSStreamFacts) { reader.handshakeEnded(facts, at: now) }

        func alert(_ alert: TLSStreamAlert, from side: Side, _ facts: TLSStreamFacts) {
            reader.alerted(alert, side, facts, at: now)
        }

        func turned() { reader.turnEnds() }

        func unreadable(_ reason: String, from side: Side?) { reader.unreadable(reason, side, at: now) }
    }

    private func deciphered(_ bytes: UnsafeRawBufferPointer, _ side: Side, at time: Timestamp) {
        if side == .client {
            if postponed.holds(bytes, at: time) { return }
            passPostponed()
        } else {
            noteLackOfAnswers(false)
        }
        clear().received(bytes, from: side, at: time)
    }

    private func lostPlaintext(_ count: Int, isExact: Bool, _ side: Side, at time: Timestamp) {
        guard side == .client else {
            return clear().lost(count, isExact: isExact, from: side, at: postponed.since ?? time)
        }
        // Behind what waits, as it was sent.
        if postponed.holds(lost: count, isExact: isExact, at: time) { return }
        passPostponed()
        clear().lost(count, isExact: isExact, from: side, at: time)
    }

    /// More of a side may be missing, which shows with its next record only: what it asked in that is answered before, and what was
    /// asked of it before may have been answered in that.
    private func lostPlace(of side: Side, at time: Timestamp) {
        hasGaps = true
        messages?.hasGaps = true
        guard side == .server else { return }
        noteLackOfAnswers(true)
        passPostponed()
        postponed.begin(at: time)
    }

    /// What was missing of the server is told.
    private func foundPlaceOfServer() {
        noteLackOfAnswers(false)
        passPostponed()
    }

    private func noteLackOfAnswers(_ isPossible: Bool) {
        mayLackAnswers = isPossible
        messages?.mayLackAnswers = isPossible
    }

    /// Lets go on what the client said while it was not known what is missing of the server.
    private func passPostponed() {
        for piece in postponed.take() {
            switch piece.content {
            case .bytes(let bytes):
                bytes.withUnsafeBytes { clear().received($0, from: .client, at: piece.time) }
            case .lost(let count, let isExact):
                clear().lost(count, isExact: isExact, from: .client, at: piece.time)
            }
        }
    }

    /// The reader of what was deciphered.
    private func clear() -> MessageReader {
        if let messages { return messages }
        isTold = true
        let messages = MessageReader(reading, "https", entry, isWhole: hasBeginning, depth: depth)
        messages.hasGaps = hasGaps
        messages.mayLackAnswers = mayLackAnswers
        for (side, reason) in unreadableSides { messages.becameUnreadable(reason, side) }
        self.messages = messages
        return messages
    }

    private func handshakeEnded(_ facts: TLSStreamFacts, at time: Timestamp) {
        isSecured = true
        guard messages == nil else { return }
        entry.agreed(facts)
        if let helloAt, hasBeginning { entry.timings.secured(in: time - helloAt) }
    }

    private func alerted(
        _ sent: TLSStreamAlert,
        _ side: Side,
        _ facts: TLSStreamFacts,
        at time: Timestamp
    ) {
        if side == .client { passPostponed() }
        guard sent.alert != .closeNotify else {
            messages?.ended(side, .finished, at: time)
            return
        }
        guard sent.isFatal else { return }
        if let messages {
            messages.abandon("the \(side.rawValue) broke off with the TLS alert \(sent.alert.name)", at: time)
        } else if !isTold, side == .client || end?.by != .client || hasGaps {
            // A server may complain of a client that has gone: see ``tellUnfinishedHandshake(at:)``.
            isTold = true
            entry.agreed(facts)
            reading.finish(entry.brokenOff(by: side, sent.alert, at: time))
        }
    }

    /// Whether the client sent a fatal alert in the place of a hello, as one does that has nothing to offer.
    private var isWithoutHello: Bool { isWhole && !hasHello && isTold && messages == nil }

    /// Nothing more of a side can be deciphered, or of both.
    func unreadable(_ reason: String, _ side: Side?, at time: Timestamp) {
        guard !isWithoutHello else { return }
        isUnreadable = true
        passPostponed()
        messages?.abandon(AnswerLoss.undecrypted("from here on it", reason), at: time)
        let isKnown = side.map { unreadableSides[$0.other] == reason } ?? false
        if let side { unreadableSides[side] = reason }
        if isKnown { return }
        if hasBeginning, bytes.onlySide == nil { note(reason) } else { reasons.append(reason) }
    }
}
