internal import Wire

/// Records: cutting them out of the bytes, and what each says to the state of its direction.
extension TLSStream {
    enum Verdict {
        case read
        /// Cannot be read yet; `TLSDirection.waits` says for what.
        case hold
        /// Does not authenticate.
        case unfit
    }

    /// Reads records up to the end of the bytes, or to one that cannot be read yet.
    ///
    /// - Returns: how many of the bytes are done with; fewer than all where the direction waits. A record that had begun before
    ///   them is held back here.
    mutating func readRecords(
        _ bytes: UnsafeRawBufferPointer,
        _ direction: TLSDirection,
        _ keys: TLSKeyLog,
        _ sink: inout some TLSStreamSink
    ) -> Int {
        var place = 0
        while !direction.isStopped, direction.waits == nil {
            // Early data comes before what the server answers to it, also where that is in the same bytes.
            if changes > 0 { settle(keys, &sink) }
            if direction.skipped > 0, direction.search == nil {
                let count = min(direction.skipped, bytes.count - place)
                direction.skipped -= count
                place += count
                if direction.skipped > 0 { return place }
            } else if direction.search != nil {
                if search(direction, keys, &sink) || direction.isStopped || direction.waits != nil {
                    continue
                }
                guard place < bytes.count else { break }
                take(bytes, &place, TLSRecordHeader.size + TLSRecordHeader.longest, direction)
            } else if direction.unread > 0 {
                if readPartial(direction, keys, &sink) { continue }
                guard place < bytes.count else { break }
                let header = direction.partial.withUnsafeBytes { TLSRecordHeader($0[direction.start...]) }
                take(bytes, &place, (header?.size ?? TLSRecordHeader.size) - direction.unread, direction)
            } else {
                guard place < bytes.count else { break }
                guard readInPlace(bytes, &place, direction, keys, &sink) else { return place }
            }
        }
        return direction.isStopped ? bytes.count : place
    }

    /// Reads the record that begins at a place where it lies; what is not whole is taken into `partial`.
    ///
    /// - Returns: false where it is to be held back.
    private mutating func readInPlace(
        _ bytes: UnsafeRawBufferPointer,
        _ place: inout Int,
        _ direction: TLSDirection,
        _ keys: TLSKeyLog,
        _ sink: inout some TLSStreamSink
    ) -> Bool {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[place...])
        guard let header = TLSRecordHeader(rest[...]), isReadable(header, rest, direction, &sink),
            rest.count >= header.size
        else {
            if direction.isStopped { return true }
            // Also what is no header: it is looked at again as the beginning of what is kept.
            let most = TLSRecordHeader.size + TLSRecordHeader.longest
            take(bytes, &place, min(rest.count, most), direction)
            return true
        }
        let record = UnsafeRawBufferPointer(rebasing: rest[..<header.size])
        switch readRecord(record, header, direction, keys, &sink) {
        case .read: place += header.size
        case .hold: return false
        case .unfit:
            take(bytes, &place, header.size, direction)
            beginSearch(direction, &sink)
        }
        return true
    }

    private func take(
        _ bytes: UnsafeRawBufferPointer,
        _ place: inout Int,
        _ count: Int,
        _ direction: TLSDirection
    ) {
        direction.compact()
        let end = place + min(max(1, count), bytes.count - place)
        direction.partial.append(contentsOf: bytes[place..<end])
        place = end
    }

    /// Reads the record that `partial` begins with; false where it is not whole.
    private mutating func readPartial(
        _ direction: TLSDirection,
        _ keys: TLSKeyLog,
        _ sink: inout some TLSStreamSink
    ) -> Bool {
        // Taken out meanwhile: the direction changes while its bytes are read.
        let partial = direction.partial
        let start = direction.start
        let verdict: Verdict? = partial.withUnsafeBytes { bytes in
            let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
            guard let header = TLSRecordHeader(rest[...]) else { return nil }
            guard isReadable(header, rest, direction, &sink) else {
                return direction.isStopped ? .read : .unfit
            }
            guard rest.count >= header.size else { return nil }
            direction.start = start + header.size
            return readRecord(
                UnsafeRawBufferPointer(rebasing: rest[..<header.size]),
                header,
                direction,
                keys,
                &sink
            )
        }
        switch verdict {
        case nil: return false
        case .read: break
        case .hold:
            partial.withUnsafeBytes { direction.hold($0[start...]) }
            direction.partial.removeAll(keepingCapacity: true)
            direction.start = 0
        case .unfit:
            direction.start = start
            beginSearch(direction, &sink)
        }
        return true
    }

    /// Whether a record begins like this here; stops the direction where nothing could be made of it.
    private mutating func isReadable(
        _ header: TLSRecordHeader,
        _ bytes: UnsafeRawBufferPointer,
        _ direction: TLSDirection,
        _ sink: inout some TLSStreamSink
    ) -> Bool {
        if header.isPlausible { return true }
        guard direction.epoch == .plain else { return false }
        let isFirst = direction.side == .client ? handshake.clientHellos == 0 : !handshake.hasServerHello
        guard isFirst else {
            let reason = "the \(direction.side.rawValue)'s bytes are no TLS record any more"
            stop(direction, reason, &sink)
            return false
        }
        // A hello of SSL 2.0 is a length with its first bit set, and the type 1.
        let reason =
            if bytes[0] & 0x80 != 0, bytes[2] == 1 {
                "it begins with a hello of SSL 2.0, which is not supported"
            } else if (20...24).contains(bytes[0]), bytes[1] == 0xfe {
                "it is DTLS, which is not supported"
            } else if (20...24).contains(bytes[0]), bytes[1] == 3 {
                "its first record claims \(header.length) bytes"
            } else {
                "it is not TLS, or its beginning is not in the capture"
            }
        stopBoth(reason, &sink)
        return false
    }

    // MARK: - One record

    private mutating func readRecord(
        _ record: UnsafeRawBufferPointer,
        _ header: TLSRecordHeader,
        _ direction: TLSDirection,
        _ keys: TLSKeyLog,
        _ sink: inout some TLSStreamSink
    ) -> Verdict {
        if direction.epoch == .plain {
            let verdict = readUnprotected(record, header, direction, keys, &sink)
            // TLS 1.3 has no sign for it: the first protected record says that keys are in use.
            guard direction.epoch != .plain, header.type == TLSContentType.applicationData else {
                return verdict
            }
        } else if direction.epoch != .legacy, header.type != TLSContentType.applicationData {
            // What is not protected in TLS 1.3: ChangeCipherSpec for the middleboxes, alerts of who has no keys.
            switch (header.type, header.length) {
            case (TLSContentType.changeCipherSpec, 1): break
            case (TLSContentType.alert, 2): tellAlert(record[TLSRecordHeader.size...], direction, &sink)
            default: return .unfit
            }
            return .read
        }
        return readProtected(record, header, direction, keys, &sink)
    }

    private mutating func readProtected(
        _ record: UnsafeRawBufferPointer,
        _ header: TLSRecordHeader,
        _ direction: TLSDirection,
        _ keys: TLSKeyLog,
        _ sink: inout some TLSStreamSink
    ) -> Verdict {
        if direction.protection == nil {
            if handshake.mayHoldAnotherHello { findInnerHello(record, direction, keys) }
            let verdict = prepare(direction, keys, &sink)
            if direction.isStopped { return .read }
            guard verdict == .read else { return verdict }
        }
        guard let protection = direction.protection else { return .unfit }
        buffer.reserve(record.count)
        guard let opened = protection.open(record, number: direction.number, into: buffer.start) else {
            guard direction.passableEarlyData > 0 else { return .unfit }
            passOverEarlyData(record, header, direction, &sink)
            return .read
        }
        trialBudget = min(Self.mostTrials, trialBudget + 4 * record.count)
        deliver(opened, direction, keys, &sink)
        return .read
    }

    /// A record that does not authenticate, where it may be of early data that the server has rejected.
    private func passOverEarlyData(
        _ record: UnsafeRawBufferPointer,
        _ header: TLSRecordHeader,
        _ direction: TLSDirection,
        _ sink: inout some TLSStreamSink
    ) {
        direction.passableEarlyData -= record.count
        if handshake.earlyData == .undecided {
            // Whether the server took it could not be read.
            sink.lostPlaintext(atMost: header.length, isExact: false, from: direction.side)
        } else if direction.passableEarlyData <= 0 {
            // So much is hardly early data alone: the Finished was broken, and what followed it is lost.
            let passed = Self.mostEarlyData - direction.passableEarlyData
            sink.lostPlaintext(atMost: passed, isExact: false, from: direction.side)
        }
    }

    /// Whether there are secrets by now that may open what a direction holds back.
    func mayOpen(_ direction: TLSDirection, _ keys: TLSKeyLog) -> Bool {
        let epochs = handshake.isTLS13 ? [direction.epoch, .handshake, .application] : [.legacy]
        return epochs.contains { material($0, direction.side, handshake.suite, keys) != nil }
            || handshake.suite == nil && !candidates(for: direction, keys).isEmpty
            || !handshake.hasServerHello && !possibleSuites(keys).isEmpty
            || handshake.mayHoldAnotherHello && mayFindInnerHello(direction, keys)
    }

    /// Makes the keys of a direction's epoch.
    private mutating func prepare(
        _ direction: TLSDirection,
        _ keys: TLSKeyLog,
        _ sink: inout some TLSStreamSink
    ) -> Verdict {
        if let obstacle = handshake.obstacle {
            stopBoth(obstacle, &sink)
            return .read
        }
        guard let random = handshake.clientRandom else {
            stopBoth(handshake.missingKey, &sink)
            return .read
        }
        // Which cipher it is shows with the first record that authenticates.
        if handshake.suite == nil, !candidates(for: direction, keys).isEmpty { return .unfit }
        if let made = material(direction.epoch, direction.side, handshake.suite, keys) {
            guard let protection = made.protection else {
                stop(
                    direction,
                    "its secret in the key log is not one for \(facts.cipherSuite ?? "its cipher")",
                    &sink
                )
                return .read
            }
            direction.protection = protection
            direction.secret = made.secret
            return .read
        }
        // Without this epoch's key those of a later one may be there: where they begin shows when a record authenticates.
        if direction.epoch != .application, direction.epoch != .legacy,
            material(.application, direction.side, handshake.suite, keys) != nil
        {
            return .unfit
        }
        if mostHeldForKeys > 0 {
            direction.waits = .keys
            return .hold
        }
        if keys.hasSecrets(for: random) {
            stop(direction, otherKeys(than: direction, of: random), &sink)
        } else if direction.side == .client || !leaveServer() {
            stopBoth(handshake.missingKey, &sink)
        }
        return .read
    }

    /// The words for a direction whose keys are not among those that the key log has of its connection.
    func otherKeys(than direction: TLSDirection, of random: TLSRandom) -> String {
        "the key log has other keys of it, but not its \(missingLabel(direction)) (client random \(random))"
    }

    /// The keys of an epoch from the key log, for a suite of TLS 1.3; nil where they are not there, without a protection where they do
    /// not suit.
    func material(
        _ epoch: TLSDirection.Epoch,
        _ side: Side,
        _ suite: TLSCipherSuite?,
        _ keys: TLSKeyLog
    ) -> (protection: TLSRecordProtection?, secret: [UInt8])? {
        guard let random = handshake.clientRandom, random != TLSRandom.unseen, let suite, epoch != .plain
        else { return nil }
        if epoch == .legacy {
            guard let legacy = handshake.legacy, let secret = masterSecret(of: legacy, keys) else {
                return nil
            }
            return (TLSKeySchedule.protection(of: legacy, master: secret, for: side), secret)
        }
        guard let secret = keys.secret(Self.label(epoch, side), for: random) else { return nil }
        return (TLSKeySchedule.protection(of: suite, secret: secret), secret)
    }

    /// What key logs call the secret of an epoch.
    static func label(_ epoch: TLSDirection.Epoch, _ side: Side) -> TLSKeyLog.Label {
        switch (epoch, side) {
        case (.plain, _), (.legacy, _): .masterSecret
        case (.early, _): .clientEarlyTraffic
        case (.handshake, .client): .clientHandshakeTraffic
        case (.handshake, .server): .serverHandshakeTraffic
        case (.application, .client): .clientTraffic
        case (.application, .server): .serverTraffic
        }
    }

    /// The line that would have opened what a direction says: that of the handshake is needed by nobody who has the later one.
    private func missingLabel(_ direction: TLSDirection) -> String {
        let epoch: TLSDirection.Epoch =
            switch direction.epoch {
            case .plain: handshake.isTLS13 ? .application : .legacy
            case .handshake: .application
            default: direction.epoch
            }
        return Self.label(epoch, direction.side).rawValue
    }

    /// The master secret of TLS 1.2 and before, its session's where it goes on with one, or made of the premaster secret; nil
    /// where the key log has none of them.
    private func masterSecret(of legacy: TLSLegacyHandshake, _ keys: TLSKeyLog) -> [UInt8]? {
        let first = firstRandom(of: legacy.clientRandom)
        if let secret = keys.secret(.masterSecret, for: legacy.clientRandom)
            ?? keys.secret(.masterSecret, for: first) ?? sessions.master(of: first)
            ?? keys.master(ofSession: handshake.sessionID)
        {
            return secret
        }
        guard let premaster = keys.premaster(named: handshake.premasterName),
            let secret = TLSKeySchedule.masterSecret(of: premaster, legacy)
        else { return nil }
        sessions.add(master: secret, of: legacy.clientRandom)
        return secret
    }

    /// What a record that has authenticated says; its content is in the buffer.
    mutating func deliver(
        _ opened: TLSRecordProtection.Opened,
        _ direction: TLSDirection,
        _ keys: TLSKeyLog,
        _ sink: inout some TLSStreamSink
    ) {
        direction.number &+= 1
        direction.hasAuthenticated = true
        direction.passableEarlyData = 0
        let content = UnsafeRawBufferPointer(start: buffer.start, count: opened.length)
        switch opened.type {
        case TLSContentType.applicationData:
            if opened.length > 0, direction.carriesData {
                sink.receivedPlaintext(content, from: direction.side)
            }
        case TLSContentType.handshake:
            if direction.epoch == .handshake { direction.messages.findPlace(in: content[...]) }
            readMessages(content[...], direction, &sink)
        case TLSContentType.alert: tellAlert(content[...], direction, &sink)
        case TLSContentType.changeCipherSpec: if direction.epoch == .legacy { direction.enter(.legacy) }
        default: break
        }
    }

    func tellAlert(
        _ content: UnsafeRawBufferPointer.SubSequence,
        _ direction: TLSDirection,
        _ sink: inout some TLSStreamSink
    ) {
        // An alert of two bytes is what everyone sends; what is longer is encrypted, with keys that are not there.
        guard content.count == 2, let level = content.first, let code = content.last else { return }
        sink.alert(TLSStreamAlert(level: level, code: code), from: direction.side, facts)
    }
}
