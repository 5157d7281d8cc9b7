internal import Wire

/// Connections whose beginning is not in the capture: whose they are shows by the secret that opens what they say.
extension TLSStream {
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
}
