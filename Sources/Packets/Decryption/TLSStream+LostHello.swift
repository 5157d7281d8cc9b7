internal import Wire

/// Hellos that are not in the capture, or not whole, of connections whose keys are there all the same.
///
/// Of a server's hello TLS 1.3 takes the cipher suite only, and there are few: which one it was tells the first record that
/// authenticates. TLS 1.2 takes the server's random, which nothing else has.
extension TLSStream {
    /// Those that anybody agrees on (RFC 8446, section B.4; those with CCM in small devices).
    static let suitesOfTLS13 = (0x1301...0x1305 as ClosedRange<UInt16>).map { TLSCipherSuite($0) }

    /// Goes on as if the server had said that it speaks TLS 1.3, where the key log has secrets of that for the client's random.
    ///
    /// - Returns: whether there is a hello now.
    mutating func assumeServerHello(_ keys: TLSKeyLog) -> Bool {
        if handshake.hasServerHello { return true }
        let suites = possibleSuites(keys)
        guard !suites.isEmpty else {
            handshake.isOlderByKeys =
                handshake.clientRandom.map { keys.secret(.masterSecret, for: $0) != nil } ?? false
            return false
        }
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
            giveUpServer(&sink)
            return .read
        }
        direction.waits = .keys
        return .hold
    }

    /// Reads no more of the server, whose hello is missing; the client may still say something in clear.
    mutating func giveUpServer(_ sink: inout some TLSStreamSink) {
        handshake.isServerGivenUp = true
        stop(server, handshake.missingHello, &sink)
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

    /// Goes on as if the client had said hello, where what it says stands behind one: whose it was shows by the secret, among those of no
    /// hello that was seen, which opens the first protected record.
    ///
    /// The server's words, which wait for that hello, are read first.
    ///
    /// - Returns: nil where the record is to be read like any other.
    mutating func missClientHello(
        _ header: TLSRecordHeader,
        _ direction: TLSDirection,
        _ keys: TLSKeyLog,
        _ sink: inout some TLSStreamSink
    ) -> Verdict? {
        guard direction.side == .client, header.type != TLSContentType.handshake, mayMissClientHello else {
            return nil
        }
        handshake.clientHellos = 1
        handshake.clientRandom = TLSRandom.unseen
        handshake.mayHoldAnotherHello = true
        guard header.type == TLSContentType.applicationData else {
            release(server, keys, &sink)
            return direction.isStopped ? .read : nil
        }
        // It may be of early data, or its end: whether the server took that it says itself.
        handshake.earlyData = .undecided
        changes += 1
        direction.waits = .peer
        return .hold
    }

    /// Goes on as if the client had said hello with this random, and offered the early data that it sends.
    mutating func missClientHello(ofEarlyData random: TLSRandom) {
        handshake.beginsInTheMiddle = false
        handshake.clientHellos = 1
        handshake.clientRandom = random
        handshake.earlyData = .undecided
        facts.offersEarlyData = true
        changes += 1
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
