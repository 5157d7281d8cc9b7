internal import Wire

/// Looking for the next record: the one that authenticates, under keys and with a number that it may have. None is guessed.
extension TLSStream {
    /// Records that may fail to authenticate while none ever has.
    private static let mostFailures = 8
    /// The same where the first keys are missing and records of theirs come first.
    private static let mostPassedOver = 64

    /// Looks for a record in `partial`; false where more bytes are needed for that.
    mutating func search(
        _ direction: TLSDirection,
        _ keys: TLSKeyLog,
        _ sink: inout some TLSStreamSink
    ) -> Bool {
        guard direction.unread > 0, findCandidates(direction, keys, &sink) else { return false }
        return look(direction, isAtEnd: false, keys, &sink)
    }

    /// The same where no more bytes come.
    mutating func searchToTheEnd(
        _ direction: TLSDirection,
        _ keys: TLSKeyLog,
        _ sink: inout some TLSStreamSink
    ) {
        while direction.unread > 0, direction.search != nil, findCandidates(direction, keys, &sink),
            look(direction, isAtEnd: true, keys, &sink), direction.unread > 0
        {
            let rest = Array(direction.partial[direction.start...])
            direction.dropUnread()
            rest.withUnsafeBytes { _ = readRecords($0, direction, keys, &sink) }
        }
    }

    /// Whether no record stands behind the missing bytes, which are told then: there is nothing that could authenticate.
    func isLostAtTheEnd(_ direction: TLSDirection, _ sink: inout some TLSStreamSink) -> Bool {
        guard let search = direction.search, search.attempts == 0 else { return false }
        // Where the capture began in the middle, a side that says nothing more lacks nothing.
        if search.beginsInTheMiddle, direction.unread == 0 { return true }
        guard search.passed > 0, direction.carriesData, direction.hasAuthenticated else { return false }
        sink.lostPlaintext(
            atMost: max(1, search.passed - TLSRecordHeader.size - (direction.protection?.overhead ?? 0)),
            isExact: false,
            from: direction.side
        )
        return true
    }

    /// False where there are none; the direction waits for them then, or is stopped.
    private mutating func findCandidates(
        _ direction: TLSDirection,
        _ keys: TLSKeyLog,
        _ sink: inout some TLSStreamSink
    ) -> Bool {
        guard let search = direction.search, search.candidates == nil else { return true }
        if let obstacle = handshake.obstacle {
            stopBoth(obstacle, &sink)
            return false
        }
        let hasHello = assumeServerHello(keys)
        let found = candidates(for: direction, keys)
        direction.search?.candidates = found
        guard found.isEmpty else { return true }
        guard hasHello || mayWaitForSecrets(keys) else {
            giveUpServer(&sink)
            return false
        }
        guard mostHeldForKeys > 0 else {
            // What the other side says may be read all the same.
            if let random = handshake.clientRandom, keys.hasSecrets(for: random) {
                stop(direction, otherKeys(than: direction, of: random), &sink)
            } else {
                stopBoth(handshake.missingKey, &sink)
            }
            return false
        }
        let rest = Array(direction.partial[direction.start...])
        direction.dropUnread()
        direction.search = nil
        direction.waits = .keys
        if search.passed > 0 { direction.holdGap(search.passed) }
        rest.withUnsafeBytes { direction.hold($0[...]) }
        return false
    }

    /// The keys that the next record may be under, those in use first.
    func candidates(for direction: TLSDirection, _ keys: TLSKeyLog) -> [TLSRecordSearch.Candidate] {
        var found: [TLSRecordSearch.Candidate] = []
        if let protection = direction.protection {
            found.append(
                .init(
                    epoch: direction.epoch,
                    protection: protection,
                    secret: direction.secret,
                    number: direction.number,
                    isLater: false
                )
            )
        }
        func add(_ epoch: TLSDirection.Epoch) {
            if epoch == direction.epoch, direction.protection != nil { return }
            found += candidates(for: direction.side, in: epoch, keys)
        }
        switch direction.epoch {
        case .plain where !handshake.isTLS13, .legacy: add(.legacy)
        case .plain, .handshake, .early:
            if direction.epoch == .early { add(.early) }
            add(.handshake)
            add(.application)
        case .application:
            if let search = direction.search, search.updates > 0 {
                found += candidates(for: direction.side, besides: search.updates, keys)
            } else {
                add(.application)
            }
            if let following = candidate(following: direction) { found.append(following) }
        }
        return found
    }

    /// The keys with which a side begins an epoch; with each suite, where it is not known which one was agreed on.
    private func candidates(for side: Side, in epoch: TLSDirection.Epoch, _ keys: TLSKeyLog)
        -> [TLSRecordSearch.Candidate]
    {
        (handshake.suite.map { [$0] } ?? handshake.possibleSuites).compactMap { suite in
            guard let made = material(epoch, side, suite, keys), let protection = made.protection else {
                return nil
            }
            return .init(
                epoch: epoch,
                suite: suite,
                protection: protection,
                secret: made.secret,
                number: 0,
                isLater: false
            )
        }
    }

    /// The keys of a side where those of the other one were updated so often: mostly one side asks the other for the same.
    private func candidates(for side: Side, besides updates: Int, _ keys: TLSKeyLog)
        -> [TLSRecordSearch.Candidate]
    {
        guard let suite = handshake.suite, let made = material(.application, side, suite, keys) else {
            return []
        }
        var secrets = [made.secret]
        for place in 0...updates { secrets.append(TLSKeySchedule.next(secrets[place], of: suite)) }
        return [updates, updates - 1, updates + 1].compactMap { times in
            TLSKeySchedule.protection(of: suite, secret: secrets[times]).map { protection in
                .init(
                    epoch: .application,
                    protection: protection,
                    secret: secrets[times],
                    number: 0,
                    isLater: times > 0
                )
            }
        }
    }

    /// The keys behind those in use (RFC 8446, section 7.2).
    private func candidate(following direction: TLSDirection) -> TLSRecordSearch.Candidate? {
        guard let suite = handshake.suite, !direction.secret.isEmpty else { return nil }
        let secret = TLSKeySchedule.next(direction.secret, of: suite)
        return TLSKeySchedule.protection(of: suite, secret: secret).map { protection in
            .init(epoch: .application, protection: protection, secret: secret, number: 0, isLater: true)
        }
    }

    private mutating func look(
        _ direction: TLSDirection,
        isAtEnd: Bool,
        _ keys: TLSKeyLog,
        _ sink: inout some TLSStreamSink
    ) -> Bool {
        guard var search = direction.search else { return false }
        let partial = direction.partial
        let found: TLSRecordProtection.Opened? = partial.withUnsafeBytes { all in
            let bytes = UnsafeRawBufferPointer(rebasing: all[direction.start...])
            while let header = TLSRecordHeader(bytes.dropFirst(search.offset)) {
                if isPossible(header) {
                    if bytes.count - search.offset >= header.size {
                        let end = search.offset + header.size
                        let record = UnsafeRawBufferPointer(rebasing: bytes[search.offset..<end])
                        if let opened = open(record, &search, direction, keys, &sink) {
                            direction.start += end
                            return opened
                        }
                        if direction.isStopped { return nil }
                    } else if !isAtEnd {
                        return nil
                    }
                }
                search.offset += 1
            }
            if isAtEnd { search.offset = bytes.count }
            return nil
        }
        guard !direction.isStopped else { return false }
        if let found {
            direction.search = nil
            sink.foundPlace(of: direction.side)
            letOtherSideGoFirst(found, keys, &sink)
            // What the other side has said may have been the end of both.
            guard !direction.isStopped else { return false }
            deliver(found, direction, keys, &sink)
            return true
        }
        direction.start += search.offset
        search.passed &+= search.offset
        search.offset = 0
        direction.search = search
        return false
    }

    /// Whether a protected record may begin like this.
    private func isPossible(_ header: TLSRecordHeader) -> Bool {
        guard header.isPlausible, header.size >= TLSRecordSearch.smallestRecord else { return false }
        return handshake.isTLS13
            ? header.type == TLSContentType.applicationData && header.version == 0x0303
            : header.version == handshake.version
    }

    /// Tries the record under every candidate and number; the direction goes on with what fits.
    private mutating func open(
        _ record: UnsafeRawBufferPointer,
        _ search: inout TLSRecordSearch,
        _ direction: TLSDirection,
        _ keys: TLSKeyLog,
        _ sink: inout some TLSStreamSink
    ) -> TLSRecordProtection.Opened? {
        let passed = search.passed &+ search.offset
        buffer.reserve(record.count)
        for candidate in search.candidates ?? [] {
            for step in 0..<UInt64(search.numbers(candidate, passed: passed)) {
                guard trialBudget > 0 else {
                    giveUp(search, direction, &sink)
                    return nil
                }
                trialBudget -= record.count + 512
                let number = candidate.number &+ step
                guard let opened = candidate.protection.open(record, number: number, into: buffer.start)
                else {
                    continue
                }
                let lost = search.beginsInTheMiddle ? search.lost : passed
                // Behind a missing handshake tickets come first, which answer nothing. In more records there may have been answers to
                // what the other side has waited with.
                if step > TLSRecordSearch.mostTickets { letOtherSideGoFirst(opened, keys, &sink) }
                guard !direction.isStopped else { return nil }
                goOn(with: candidate, step, passed: lost, direction, &sink)
                return opened
            }
            candidate.protection.passOver(record)
        }
        search.attempts += 1
        let isFirstKeyMissing = direction.epoch != .plain && direction.protection == nil
        if !direction.hasAuthenticated,
            search.attempts >= (isFirstKeyMissing ? Self.mostPassedOver : Self.mostFailures)
        {
            giveUp(search, direction, &sink)
        }
        return nil
    }

    /// What was tried by now is what the reason goes by.
    private mutating func giveUp(
        _ search: TLSRecordSearch,
        _ direction: TLSDirection,
        _ sink: inout some TLSStreamSink
    ) {
        direction.search = search
        stop(direction, searchReason(direction), &sink)
    }

    private mutating func goOn(
        with candidate: TLSRecordSearch.Candidate,
        _ step: UInt64,
        passed: Int?,
        _ direction: TLSDirection,
        _ sink: inout some TLSStreamSink
    ) {
        if let suite = candidate.suite { agreed(on: suite) }
        let isSame = direction.protection === candidate.protection
        let losesData: Bool
        switch candidate.epoch {
        case .plain: losesData = false
        // A record with the number 0 is the Finished.
        case .legacy: losesData = isSame ? step > 0 : step > 1 || direction.epoch == .legacy
        case .early: losesData = step > 0
        case .handshake: losesData = direction.epoch == .early
        case .application: losesData = step > 0 || candidate.isLater || direction.epoch == .early
        }
        if losesData, let passed {
            tellLost(passed, inRecords: isSame ? step : nil, candidate.protection, direction, &sink)
        }
        if !isSame {
            direction.enter(candidate.epoch)
            // It may be the middle of a message.
            if candidate.epoch == .handshake, step > 0 { direction.messages.lose() }
            direction.protection = candidate.protection
            direction.secret = candidate.secret
            if candidate.epoch == .application { changes += 1 }
        }
        direction.number = candidate.number &+ step
        guard candidate.epoch == .application || candidate.epoch == .legacy && step > 0 else { return }
        direction.hasFinished = true
        if client.hasFinished, server.hasFinished { endHandshake(&sink) }
    }

    /// Tells how much content so many bytes of records had, their number being known or not.
    private func tellLost(
        _ passed: Int,
        inRecords records: UInt64?,
        _ protection: TLSRecordProtection,
        _ direction: TLSDirection,
        _ sink: inout some TLSStreamSink
    ) {
        guard let records, let overhead = protection.overhead else {
            return sink.lostPlaintext(atMost: passed, isExact: false, from: direction.side)
        }
        let content = passed - Int(clamping: records) * (TLSRecordHeader.size + overhead)
        sink.lostPlaintext(atMost: max(0, content), isExact: content >= 0, from: direction.side)
    }

    func searchReason(_ direction: TLSDirection) -> String {
        guard handshake.hasServerHello else { return handshake.missingHello }
        if !direction.hasAuthenticated, direction.search?.attempts == 0 {
            return "no record of the \(direction.side.rawValue) is in the capture behind what is missing"
        }
        return direction.hasAuthenticated
            ? "after what is missing or broken no record of the \(direction.side.rawValue) authenticates any more"
            : "the keys in the log are not those of this connection, or all its records are broken: "
                + "none of the \(direction.side.rawValue) authenticates"
    }
}
