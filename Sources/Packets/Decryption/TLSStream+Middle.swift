internal import Wire

/// Connections whose beginning is not in the capture: whose they are shows by the secret that opens what they say.
extension TLSStream {
    /// Whose keys a record is under that no hello stands before.
    private struct Owner {
        var random: TLSRandom
        var epoch: TLSDirection.Epoch
        var suite: TLSCipherSuite
        var secret: [UInt8]
        var protection: TLSRecordProtection
        var number: UInt64 = 0
        /// How often the keys were updated (RFC 8446, section 4.6.3).
        var updates = 0
    }

    /// Secrets of the key log that are tried on a connection.
    private static let mostSecrets = 256
    /// AES with both key sizes in GCM, and ChaCha20: what is not of small devices.
    private static let usualSuites = suitesOfTLS13.prefix(3)
    /// Records of a side that end its handshake, with a client's certificate among them.
    private static let mostNumbersOfHandshake: UInt64 = 4
    /// Records of a client that may be of no key: the first ones may be of early data, or broken.
    private static let mostPassedOver = 8
    /// As many trials as to make the keys of one secret takes time for.
    private static let trialsForKeys = 8
    /// How often keys may have been updated before the capture, those of how many owners are tried, and how often.
    private static let mostUpdates = 3
    private static let mostUpdatedOwners = 8
    private static let trialsForUpdates = 1024

    /// The words for a connection that is of no secret.
    private static let noBeginning = "it begins in the middle: its handshake is not in the capture"

    /// Reads a record of a client of whom no hello was seen; nil where it may be that, or says nothing of it.
    mutating func readWithoutHello(
        _ record: UnsafeRawBufferPointer,
        _ header: TLSRecordHeader,
        _ direction: TLSDirection,
        _ keys: TLSKeyLog,
        _ sink: inout some TLSStreamSink
    ) -> Verdict? {
        switch header.type {
        case TLSContentType.handshake where isOfNoOwner && !isHello(record):
            endInTheMiddle(&sink)
            return .read
        case TLSContentType.changeCipherSpec:
            // Behind it stands the end of a handshake, or a second ClientHello.
            handshake.beginsInTheMiddle = true
            return .read
        case TLSContentType.applicationData: return readInTheMiddle(record, direction, keys, &sink)
        default: return nil
        }
    }

    /// Reads on with a record that a client sends on a connection whose beginning is not in the capture, where a secret opens it, among those
    /// of no hello that was seen.
    ///
    /// That is one of the handshake's end as well. Records that no secret opens are passed over, up to a few.
    private mutating func readInTheMiddle(
        _ record: UnsafeRawBufferPointer,
        _ direction: TLSDirection,
        _ keys: TLSKeyLog,
        _ sink: inout some TLSStreamSink
    ) -> Verdict {
        handshake.beginsInTheMiddle = true
        if let owner = owner(of: record, from: .client, keys) {
            guard owner.epoch == .early else {
                beginInTheMiddle(owner, keys, &sink)
                return .read
            }
            // Only the client's hello is missing: what the server says to both is still to come.
            missClientHello(ofEarlyData: owner.random)
            direction.waits = .peer
            return .hold
        }
        if mayBeTurned, let owner = owner(of: record, from: .server, keys) {
            turnedFor = owner.random
            direction.waits = .peer
            return .hold
        }
        mayBeTurned = false
        // Without secrets, which may come yet, that says nothing of the server.
        if handshake.passedInTheMiddle == 0, handshake.trialsInTheMiddle > 0 {
            sessions.hellos.inTheMiddle.foundNothing(of: peer)
        }
        if handshake.passedInTheMiddle + 1 < Self.mostPassedOver, mayHaveOwner(keys) {
            handshake.passedInTheMiddle += 1
            holdServer()
        } else {
            endInTheMiddle(&sink)
        }
        return .read
    }

    /// Whether it began in the middle, and no secret has opened anything.
    var isOfNoOwner: Bool { handshake.beginsInTheMiddle && handshake.clientHellos == 0 }

    /// Says that nothing of it can be read.
    mutating func endInTheMiddle(_ sink: inout some TLSStreamSink) { stopBoth(Self.noBeginning, &sink) }

    /// Has the server's bytes wait until it is known whose they are: they may begin anywhere in a record.
    private func holdServer() {
        guard server.waits == nil, !server.isStopped else { return }
        holdBegun(server)
        server.waits = .peer
    }

    /// Holds back what is there of a record that has begun.
    private func holdBegun(_ direction: TLSDirection) {
        let rest = Array(direction.partial[direction.start...])
        direction.dropUnread()
        rest.withUnsafeBytes { direction.hold($0[...]) }
    }

    private func mayHaveOwner(_ keys: TLSKeyLog) -> Bool {
        mostHeldForKeys > 0 || !sessions.hellos.unseen(.clientTraffic, in: keys).isEmpty
    }

    /// Whether a record is a ClientHello: behind another one, whose answer asks for it, or what is encrypted.
    private func isHello(_ record: UnsafeRawBufferPointer) -> Bool {
        let head = TLSRecordHeader.size + 4
        let type = TLSHandshakeMessages.MessageType.clientHello
        guard record.count > head, record[TLSRecordHeader.size] == type else { return false }
        let length = record[(head - 3)..<head].reduce(0) { $0 << 8 | Int($1) }
        return record.count == head + length
    }

    // MARK: - Whose it is

    /// Finds out whose record it is, by the secret that opens it, whatever its number.
    private mutating func owner(
        of record: UnsafeRawBufferPointer,
        from side: Side,
        _ keys: TLSKeyLog
    ) -> Owner? {
        let hellos = sessions.hellos
        guard hellos.inTheMiddle.isOpen else { return nil }
        let randoms =
            turnedFor.map { [$0] }
            ?? Self.mostLikely(hellos.unseen(.clientTraffic, in: keys), Self.mostSecrets)
        // Of a secret there are keys of two suites, as there are of the handshake's.
        let making = 4 * randoms.count * Self.trialsForKeys
        let share = (hellos.inTheMiddle.share(of: peer) - handshake.trialsInTheMiddle) / 2
        let least = handshake.trialsInTheMiddle == 0 ? 2 * making : 0
        guard !randoms.isEmpty, making < max(share, least) else { return nil }
        let candidates = Self.owners(among: randoms, side, keys)
        var trials = candidates.count * Self.trialsForKeys
        var found = Self.open(record, candidates, mostTrials: max(share, least), &trials, into: buffer)
        let most = trials + min(share / 4, Self.trialsForUpdates)
        if found == nil, trials + Self.mostUpdatedOwners * Self.mostUpdates * Self.trialsForKeys < most {
            let updated = Self.updated(candidates)
            trials += updated.count * Self.trialsForKeys
            found = Self.open(record, updated, mostTrials: most, &trials, into: buffer)
        }
        handshake.trialsInTheMiddle += trials
        hellos.inTheMiddle.take(trials)
        if found != nil { hellos.inTheMiddle.foundOwner(of: peer) }
        return found
    }

    private static func owners(among randoms: [TLSRandom], _ side: Side, _ keys: TLSKeyLog) -> [Owner] {
        let epochs: [TLSDirection.Epoch] = [.application, .handshake] + (side == .client ? [.early] : [])
        return randoms.flatMap { random in
            epochs.flatMap { epoch in
                let secret = keys.secret(label(epoch, side), for: random) ?? []
                return usualSuites.compactMap { suite in
                    TLSKeySchedule.protection(of: suite, secret: secret).map {
                        Owner(random: random, epoch: epoch, suite: suite, secret: secret, protection: $0)
                    }
                }
            }
        }
    }

    /// The same behind an update of the keys, or several: what has been said for so long is of few connections.
    private static func updated(_ owners: [Owner]) -> [Owner] {
        owners.filter { $0.epoch == .application }.prefix(mostUpdatedOwners).flatMap { owner in
            var owner = owner
            return (1...mostUpdates).compactMap { updates -> Owner? in
                owner.secret = TLSKeySchedule.next(owner.secret, of: owner.suite)
                owner.updates = updates
                guard let next = TLSKeySchedule.protection(of: owner.suite, secret: owner.secret) else {
                    return nil
                }
                owner.protection = next
                return owner
            }
        }
    }

    /// Tries the low numbers first: most connections have said little so far.
    private static func open(
        _ record: UnsafeRawBufferPointer,
        _ candidates: [Owner],
        mostTrials: Int,
        _ trials: inout Int,
        into buffer: PlaintextBuffer
    ) -> Owner? {
        buffer.reserve(record.count)
        // What a record takes longer than a small one.
        let cost = 1 + record.count / 2048
        for number in 0..<UInt64(TLSRecordSearch.mostNumbers) {
            for place in candidates.indices
            where candidates[place].epoch == .application || number < mostNumbersOfHandshake {
                guard trials < mostTrials else { return nil }
                trials += cost
                let protection = candidates[place].protection
                guard protection.open(record, number: number, into: buffer.start) != nil else { continue }
                var owner = candidates[place]
                owner.number = number
                return owner
            }
        }
        return nil
    }

    /// What was open when the capture began stands first in a log that began with it, and last in one that has long been written to.
    static func mostLikely(_ randoms: [TLSRandom], _ most: Int) -> [TLSRandom] {
        (0..<min(most, randoms.count)).map {
            randoms[$0 % 2 == 0 ? $0 / 2 : randoms.count - 1 - $0 / 2]
        }
    }

    // MARK: - What goes on

    /// The client's keys are known; the server's next record may have any number, and be of its handshake where the client's was.
    private mutating func beginInTheMiddle(
        _ owner: Owner,
        _ keys: TLSKeyLog,
        _ sink: inout some TLSStreamSink
    ) {
        // For others it stays: what has its addresses changed on one machine is in the capture twice.
        handshake.clientRandom = owner.random
        agreed(on: owner.suite)
        handshake.clientHellos = 1
        handshake.serverHellos = 1
        handshake.version = TLSHandshakeState.tls13
        facts.version = Self.versionName(handshake.version)
        for direction in [client, server] {
            direction.enter(owner.epoch)
            // Whatever comes first may be the middle of a message.
            if owner.epoch == .handshake, direction.side == .server || owner.number > 0 {
                direction.messages.lose()
            }
        }
        (client.protection, client.secret, client.number) = (owner.protection, owner.secret, owner.number)
        client.hasFinished = owner.epoch == .application
        // The end of a record with a hole is looked through like all that comes.
        server.skipped = 0
        var search = TLSRecordSearch(candidates: nil, passed: 0, offset: 0)
        search.beginsInTheMiddle = true
        search.followsHandshake = owner.epoch == .handshake || owner.number == 0 && owner.updates == 0
        search.updates = owner.updates
        server.search = search
        changes += 1
        if client.hasFinished { endHandshake(&sink) }
        // What the server has said by now answers nothing that the client says from here on.
        settle(keys, &sink)
        endHandshake(&sink)
    }

    // MARK: - Who is who

    /// Takes each side for the other, where what one has said turned out to be under the keys of the other.
    mutating func turn(_ keys: TLSKeyLog, _ sink: inout some TLSStreamSink) {
        mayBeTurned = false
        handshake = TLSHandshakeState()
        for direction in [client, server] {
            holdBegun(direction)
            direction.messages.reset()
        }
        swap(&client.held, &server.held)
        swap(&client.heldStart, &server.heldStart)
        swap(&client.gaps, &server.gaps)
        swap(&client.skipped, &server.skipped)
        swap(&client.hasEnded, &server.hasEnded)
        for index in heldOrder.indices { heldOrder[index].side = heldOrder[index].side.other }
        sink.turned()
        replayHeld(keys, &sink)
    }
}
