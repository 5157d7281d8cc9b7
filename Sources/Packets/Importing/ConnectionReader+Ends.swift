internal import Captures
internal import Wire

/// What is missing of a connection, how it ends, and what is told of one that could not be read.
extension ConnectionReader {
    /// Bytes of one direction are not in the capture.
    func lost(_ count: Int, from sender: Side, at time: Timestamp) {
        let side = isTurned ? sender.other : sender
        bytes.count(count, from: side, isCaptured: false)
        decideByServer(time)
        switch state {
        case .undecided:
            held = []
            beginClear(isWhole: false)
            messages?.lost(count, from: side, at: time)
        case .tls: loseTLS(count, side, time)
        case .clear: messages?.lost(count, from: side, at: time)
        case .socks: socks?.lost(count, from: side, at: time)
        case .other: break
        }
    }

    /// Whether all of it began before the capture, or one direction is not there.
    private func countClear() {
        // The end of a side is a packet of its own.
        if bytes.isOneWay, finished.count < 2 {
            reading.counts.oneWayClearConnections += 1
        } else if messages?.isAwaitingBeginning == true {
            reading.counts.lateConnections += 1
        }
    }

    /// A side sends no more.
    func ended(_ ender: Side, _ end: TCPStreamEnd, at time: Timestamp) {
        let side = isTurned ? ender.other : ender
        let end = isTurned ? end.turned : end
        if end == .finished { finished.insert(side) }
        if self.end == nil { self.end = ConnectionEnd(side: side, ending: end, time: time) }
        // Only behind a FIN of the client's may the server still go on.
        if side == .server || end != .finished { decideByServer(time) }
        if state == .tls { endTLS(side, time) }
        if state == .tls, tls.waitsForKeys {
            heldEnds.append(ConnectionEnd(side: side, ending: end, time: time))
        } else {
            messages?.ended(side, end, at: time)
            socks?.ended(side, end, at: time)
        }
        if side == .server, bytes.sent == 0, bytes.received == 0, isWhole, !isTold {
            neverBegan(end, at: time)
        }
    }

    /// The connection did not come about, which is an entry where it may have been wanted for a login.
    private func neverBegan(_ end: TCPStreamEnd, at time: Timestamp) {
        let reason: String
        switch end {
        case .reset(by: .server) where depth > 0, .finished where depth > 0 && self.end?.by == .server:
            reason = "connection closed by the server before anything was said in the proxy's tunnel"
        case .reset(by: .server): reason = "connection refused"
        case .unanswered(_, let rejection?): reason = "connection rejected by \(rejection)"
        case .unanswered(let attempts, nil):
            reason = "connection timed out: nobody answered \(attempts) tries to connect"
        default: return
        }
        isTold = true
        entry.named(reading.name(of: entry.facts.serverAddress))
        guard OtherPorts.mayBeWeb(entry.port) || reading.isWebServer(entry.facts.serverAddress) else {
            return
        }
        reading.finish(entry.failed(reason, at: time))
    }

    /// Nothing more will come.
    func closed(at time: Timestamp) {
        if state == .tls || state == .clear { decideByServer(time) }
        if state == .tls { closeTLS(time) }
        if mayLackClient, !isTold, let reason = tls.untoldReason {
            unreadable(reason, nil, at: time)
        }
        tellHalfRequest()
        messages?.closed(at: time)
        socks?.closed(at: time)
        if isUnreadable, !isTold { settleEnds() }
        tellReasons()
        tellUnfinishedHandshake(at: time)
        guard isUnreadable, !isTold, !isSilentClient else {
            if state == .clear { countClear() }
            if state == .tls, messages?.isAwaitingBeginning == true { reading.counts.lateConnections += 1 }
            return
        }
        isTold = true
        if hasHellos, !tls.isBeyondKeys, !tls.hasSecrets(in: reading.keys) {
            reading.counts.keylessConnections += 1
        }
        entry.agreed(tls.facts)
        let tunnel = TunnelFacts(
            reason: hasHellos ? .noKeys : .notWhole,
            sentBytes: bytes.sent,
            receivedBytes: bytes.received
        )
        reading.finish(entry.unread(tunnel, at: time))
        reading.counts.unreadConnections += 1
    }

    /// Whether bytes of the client may be missing that would show what became of a handshake.
    private var mayLackClient: Bool {
        hasGaps || (tls.endsWithinHello ? !hasBeginning : tls.facts.clientRandom == nil)
    }

    /// Says that a request did not come to the end of its head, and why: it is no entry, with half of its fields.
    private func tellHalfRequest() {
        guard let request = messages?.halfRequest else { return }
        note("\(end?.words ?? ConnectionEnd.captureEnded) in the middle of a request's head (\(request))")
    }

    // MARK: - Why it cannot be read

    /// Whether it has a beginning, by which its client is known.
    var hasBeginning: Bool { isWhole || hasHello }

    /// Takes each side for the other where connections were opened to the one that was taken for the client, and none to the other.
    private func settleEnds() {
        guard let turned, !hasBeginning, reading.isServer(entry.client), !reading.isServer(turned.client)
        else { return }
        turnEnds()
    }

    /// Takes each side for the other from here on.
    func turnEnds() {
        guard let turned else { return }
        self.turned = nil
        isTurned = true
        entry = turned
        bytes.turn()
        firstOfTLS.side = firstOfTLS.side.other
        finished = Set(finished.map(\.other))
        end = end.map { ConnectionEnd(side: $0.side.other, ending: $0.ending.turned, time: $0.time) }
    }

    /// Does so where nothing could be read by now, and who was taken for the server asks for something, or says hello.
    func turnEnds(where side: Side, says bytes: UnsafeRawBufferPointer) {
        guard turned != nil, side == .server, state == .clear, messages?.isAwaitingBeginning == true,
            !reading.isServer(entry.facts.serverAddress ?? ""),
            FirstBytes.sender(of: bytes) ?? HTTP2Middle.sender(of: bytes) == .client
        else { return }
        turnEnds()
        tls.mayBeTurned = false
        beginClear(isWhole: false)
    }

    /// Takes note of what of it cannot be read.
    func note(_ reason: String) {
        reading.note(PacketLoss(entry.id, entry, reason))
    }

    /// Says why it cannot be read, of which the keys are not the cause where a whole direction is missing.
    private func tellReasons() {
        guard !reasons.isEmpty, !isSilentClient else { return }
        guard hasBeginning, let side = bytes.onlySide else {
            for reason in reasons { note(reason) }
            return
        }
        reading.counts.oneWayConnections += 1
        note(
            "nothing of the \(side == .client ? "server" : "client") is in the capture, without which no key opens it"
        )
    }

    /// Whether the client took the connection and said nothing in it, as who looks whether somebody listens.
    private var isSilentClient: Bool {
        isWhole && bytes.sent == 0 && (isEstablished || end?.by == .client)
    }

    /// Tells of a handshake that began with the client's hello and came to nothing, if it is one.
    private func tellUnfinishedHandshake(at time: Timestamp) {
        guard state == .tls, tls.facts.clientRandom != nil || tls.endsWithinHello, !isSecured, !isUnreadable,
            !isTold, !hasGaps
        else { return }
        isTold = true
        let handshake = UnfinishedHandshake(
            end: end,
            isHelloWhole: !tls.endsWithinHello,
            isAnswered: bytes.received > 0,
            hasCertificate: tls.facts.showsServerCertificate
        )
        entry.agreed(tls.facts)
        if tls.facts.serverName == nil { entry.named(reading.name(of: entry.facts.serverAddress)) }
        reading.finish(entry.failed(handshake.reason, at: end?.time ?? time))
    }

    /// Whether both hellos are there, without which no key opens it.
    private var hasHellos: Bool {
        bytes.onlySide == nil && tls.facts.clientRandom != nil && tls.facts.version != nil
    }
}
