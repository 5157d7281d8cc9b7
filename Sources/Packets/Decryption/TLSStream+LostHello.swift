internal import Wire

/// Hellos that are not in the capture, or not whole, of connections whose keys are there all the same.
///
/// Of a server's hello TLS 1.3 takes the cipher suite only, and there are few: which one it was tells the first record that
/// authenticates. TLS 1.2 takes the server's random, which nothing else has.
extension TLSStream {
    /// Those that anybody agrees on (RFC 8446, section B.4; those with CCM in small devices).
    private static let suitesOfTLS13 = (0x1301...0x1305 as ClosedRange<UInt16>).map { TLSCipherSuite($0) }

    /// Goes on as if the server had said that it speaks TLS 1.3, where the key log has secrets of that for the client's random.
    ///
    /// - Returns: whether there is a hello now.
    mutating func assumeServerHello(_ keys: TLSKeyLog) -> Bool {
        if handshake.hasServerHello { return true }
        let suites = possibleSuites(keys)
        guard !suites.isEmpty else { return false }
        handshake.serverHellos = 1
        handshake.version = TLSHandshakeState.tls13
        handshake.possibleSuites = suites
        facts.version = Self.versionName(handshake.version)
        changes += 1
        return true
    }

    /// The cipher suites that the secrets of the client's random may be of: they are as long as the digest.
    func possibleSuites(_ keys: TLSKeyLog) -> [TLSCipherSuite] {
        guard let random = handshake.clientRandom else { return [] }
        let labels: [TLSKeyLog.Label] = [
            .serverTraffic, .clientTraffic, .serverHandshakeTraffic, .clientHandshakeTraffic,
        ]
        guard let secret = labels.lazy.compactMap({ keys.secret($0, for: random) }).first else { return [] }
        return Self.suitesOfTLS13.filter { TLSKeySchedule.protection(of: $0, secret: secret) != nil }
    }

    /// The server's hello is missing where its first protected record comes.
    mutating func missServerHello(
        _ direction: TLSDirection,
        _ keys: TLSKeyLog,
        _ sink: inout some TLSStreamSink
    ) -> Verdict {
        guard mayWaitForSecrets(keys) else {
            stop(direction, handshake.missingHello, &sink)
            return .read
        }
        direction.waits = .keys
        return .hold
    }

    /// Whether secrets of TLS 1.3 may still come: a log that has the master secret has said that it is another version.
    func mayWaitForSecrets(_ keys: TLSKeyLog) -> Bool {
        guard mostHeldForKeys > 0, let random = handshake.clientRandom else { return false }
        return keys.secret(.masterSecret, for: random) == nil
    }

    /// The record by which the cipher suite is known.
    mutating func agreed(on suite: TLSCipherSuite) {
        guard handshake.suite == nil else { return }
        handshake.suite = suite
        facts.cipherSuite = suite.name
    }

    // MARK: - No client's hello

    /// Whether the server has answered a hello that is not in the capture.
    var mayMissClientHello: Bool {
        handshake.clientHellos == 0 && server.waits == .peer
            && server.held[server.heldStart...].withUnsafeBytes(FirstBytes.sender(of:)) == .server
    }

    /// Goes on as if the client had said hello: whose it was shows by the secret, among those of no hello that was seen, which opens the
    /// first protected record.
    mutating func missClientHello(_ keys: TLSKeyLog, _ sink: inout some TLSStreamSink) {
        handshake.clientHellos = 1
        handshake.clientRandom = TLSRandom.unseen
        handshake.mayHoldAnotherHello = true
        release(server, keys, &sink)
    }

    // MARK: - Neither hello

    /// Secrets of the key log that are tried on a connection.
    private static let mostSecrets = 256
    /// AES with both key sizes in GCM, and ChaCha20: what is not of small devices.
    private static let usualSuites = suitesOfTLS13.prefix(3)

    /// Finds out whose record it is that a client sends on a connection whose beginning is not in the capture: that of the secret, among
    /// those of no hello that was seen, which opens it, whatever its number.
    ///
    /// - Returns: whether the connection goes on from here.
    mutating func findConnection(
        _ record: UnsafeRawBufferPointer,
        _ keys: TLSKeyLog,
        _ sink: inout some TLSStreamSink
    ) -> Bool {
        let hellos = sessions.hellos
        let mostTrials = hellos.trialsOfOneInTheMiddle
        guard mostTrials > 0 else { return false }
        let candidates = Self.mostLikely(hellos.unseen(.clientTraffic, in: keys), Self.mostSecrets).flatMap {
            random in
            let secret = keys.secret(.clientTraffic, for: random) ?? []
            return Self.usualSuites.compactMap { suite in
                TLSKeySchedule.protection(of: suite, secret: secret).map { (random, secret, suite, $0) }
            }
        }
        guard !candidates.isEmpty else { return false }
        buffer.reserve(record.count)
        var trials = 0
        defer { hellos.takeTrialsInTheMiddle(trials) }
        // Most connections have said little so far.
        for number in 0..<UInt64(TLSRecordSearch.mostNumbers) {
            for (random, secret, suite, protection) in candidates {
                guard trialBudget > 0, trials < mostTrials else { return false }
                trials += 1
                trialBudget -= record.count + 512
                guard protection.open(record, number: number, into: buffer.start) != nil else { continue }
                // For others it stays: what has its addresses changed on one machine is in the capture twice.
                handshake.clientRandom = random
                agreed(on: suite)
                client.enter(.application)
                (client.protection, client.secret, client.number) = (protection, secret, number)
                beginInTheMiddle(keys, &sink)
                return true
            }
        }
        return false
    }

    /// What was open when the capture began stands first in a log that began with it, and last in one that has long been written to.
    static func mostLikely(_ randoms: [TLSRandom], _ most: Int) -> [TLSRandom] {
        (0..<min(most, randoms.count)).map {
            randoms[$0 % 2 == 0 ? $0 / 2 : randoms.count - 1 - $0 / 2]
        }
    }

    /// The client's keys are known; the server's next record may have any number.
    private mutating func beginInTheMiddle(_ keys: TLSKeyLog, _ sink: inout some TLSStreamSink) {
        // What others' keys have cost is nothing that the server's records are tried less for.
        trialBudget = Self.mostTrials
        handshake.clientHellos = 1
        handshake.serverHellos = 1
        handshake.version = TLSHandshakeState.tls13
        facts.version = Self.versionName(handshake.version)
        client.hasFinished = true
        server.enter(.application)
        // The end of a record with a hole is looked through like all that comes.
        server.skipped = 0
        var search = TLSRecordSearch(candidates: nil, passed: 0, offset: 0)
        search.beginsInTheMiddle = true
        server.search = search
        changes += 1
        endHandshake(&sink)
        // What the server has said by now answers nothing that the client says from here on.
        settle(keys, &sink)
    }

    // MARK: - Half a hello

    /// Takes what is there of a ClientHello whose end is missing: keys are found by its beginning.
    mutating func readHalfHello(_ direction: TLSDirection, _ sink: inout some TLSStreamSink) {
        guard direction.side == .client, handshake.clientHellos == 0, let begun = direction.messages.begun,
            begun.type == TLSHandshakeMessages.MessageType.clientHello,
            let hello = TLSClientHello(begun.body, isWhole: false)
        else { return }
        take(hello, &sink)
    }

    /// Takes what is there of a ClientHello behind which its sender has ended.
    ///
    /// - Returns: whether that is so.
    mutating func endWithinHello(_ direction: TLSDirection, _ sink: inout some TLSStreamSink) -> Bool {
        guard direction.side == .client, handshake.clientHellos == 0, direction.epoch == .plain,
            !direction.messages.isLost
        else { return false }
        if direction.unread > 0 {
            guard direction.partial[direction.start] == TLSContentType.handshake else { return false }
            if direction.unread > TLSRecordHeader.size { readBegunRecord(direction, &sink) }
        }
        let type = direction.messages.begunType
        guard handshake.clientHellos == 0, !direction.isStopped,
            type == TLSHandshakeMessages.MessageType.clientHello || type == nil && direction.unread > 0
        else { return false }
        endsWithinHello = true
        readHalfHello(direction, &sink)
        return true
    }

    /// Reads the messages in what is there of a record in clear.
    mutating func readBegunRecord(_ direction: TLSDirection, _ sink: inout some TLSStreamSink) {
        let partial = direction.partial
        let start = direction.start + TLSRecordHeader.size
        partial.withUnsafeBytes { readMessages($0[start...], direction, &sink) }
    }
}
