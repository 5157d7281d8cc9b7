internal import LibCrypto
internal import Wire

/// Handshake messages, and records in clear.
extension TLSStream {
    private typealias MessageType = TLSHandshakeMessages.MessageType

    /// More handshakes than this are not followed on one connection.
    private static let mostHandshakes = 1000
    /// Bytes of rejected early data that are passed over; servers take 16 KB mostly (`max_early_data_size`; RFC 8446, section
    /// 4.2.10).
    static let mostEarlyData = 256 << 10

    /// A record that is protected by nothing, or says by its type that protected ones begin.
    mutating func readUnprotected(
        _ record: UnsafeRawBufferPointer,
        _ header: TLSRecordHeader,
        _ direction: TLSDirection,
        _ keys: TLSKeyLog,
        _ sink: inout some TLSStreamSink
    ) -> Verdict {
        if direction.side == .server, handshake.clientHellos == 0 {
            return waitForPeer(direction, keys, &sink)
        }
        if let verdict = missClientHello(header, direction, keys, &sink) { return verdict }
        if direction.side == .client, handshake.clientHellos == 0,
            let verdict = readWithoutHello(record, header, direction, keys, &sink)
        {
            return verdict
        }
        switch header.type {
        case TLSContentType.handshake:
            readMessages(record[TLSRecordHeader.size...], direction, &sink)
            return .read
        case TLSContentType.alert:
            tellAlert(record[TLSRecordHeader.size...], direction, &sink)
            return .read
        case TLSContentType.changeCipherSpec:
            // In front of a second ClientHello it is for the middleboxes.
            if !handshake.hasServerHello, handshake.sawRetryRequest { return .read }
            guard hasServerHello(direction, keys) else { return waitForPeer(direction, keys, &sink) }
            if !handshake.isTLS13 { enterLegacy(direction) }
            return .read
        case TLSContentType.applicationData:
            if hasServerHello(direction, keys) {
                guard handshake.isTLS13 else {
                    stop(
                        direction,
                        "the \(direction.side.rawValue) sends data in front of its handshake's end",
                        &sink
                    )
                    return .read
                }
                return enterTLS13(direction, &sink)
            }
            // Early data that the server has answered with the wish for another ClientHello is never read.
            if direction.side == .client, handshake.sawRetryRequest { return .read }
            return waitForPeer(direction, keys, &sink)
        default: return .read
        }
    }

    /// Whether the server's hello is there, or need not be as one of its protected records comes.
    private mutating func hasServerHello(_ direction: TLSDirection, _ keys: TLSKeyLog) -> Bool {
        handshake.hasServerHello || direction.side == .server && assumeServerHello(keys)
    }

    /// What the other side says first is needed, and may still come.
    private mutating func waitForPeer(
        _ direction: TLSDirection,
        _ keys: TLSKeyLog,
        _ sink: inout some TLSStreamSink
    ) -> Verdict {
        if other(direction).isStopped {
            stop(direction, waitReason(direction), &sink)
            return .read
        }
        if direction.side == .server, handshake.clientHellos > 0 {
            return missServerHello(direction, keys, &sink)
        }
        direction.waits = .peer
        return .hold
    }

    func waitReason(_ direction: TLSDirection) -> String {
        // The same for both.
        if direction.side == .client, handshake.isServerGivenUp { return handshake.missingHello }
        if direction.side == .client, handshake.hasServerHello {
            return "whether the server takes early data could not be read"
        }
        return direction.side == .client
            ? "the server's hello is not in the capture" : "the client's hello is not in the capture"
    }

    /// The client random under which key logs have the secret of a session: that of its first connection.
    func firstRandom(of random: TLSRandom) -> TLSRandom {
        // A full handshake makes a secret of its own; so does a server that names another session than was offered.
        guard !handshake.isFull, handshake.sessionID == handshake.offeredSessionID else { return random }
        return sessions.random(of: handshake.offeredTicket) ?? sessions.random(of: handshake.sessionID)
            ?? random
    }

    private mutating func enterLegacy(_ direction: TLSDirection) {
        direction.enter(.legacy)
        if let random = handshake.legacy?.clientRandom, handshake.isFull, random != TLSRandom.unseen {
            sessions.add(handshake.sessionID, of: random)
        }
        if direction.side == .server, handshake.serverHellos == 1 { facts.isResumed = !handshake.isFull }
    }

    /// The first protected record of a direction in TLS 1.3.
    private mutating func enterTLS13(
        _ direction: TLSDirection,
        _ sink: inout some TLSStreamSink
    ) -> Verdict {
        guard direction.side == .client else {
            direction.enter(.handshake)
            return .read
        }
        switch handshake.earlyData {
        case .none: direction.enter(.handshake)
        case .taken: direction.enter(.early)
        case .undecided where !server.isStopped && server.epoch != .application:
            direction.waits = .peer
            return .hold
        case .undecided, .rejected:
            direction.enter(.handshake)
            direction.passableEarlyData = Self.mostEarlyData
        }
        return .read
    }

    // MARK: - Messages

    mutating func readMessages(
        _ content: UnsafeRawBufferPointer.SubSequence,
        _ direction: TLSDirection,
        _ sink: inout some TLSStreamSink
    ) {
        var rest = content
        let epoch = direction.epoch
        while let message = direction.messages.next(&rest) {
            read(message, direction, &sink)
            // What follows in a record behind a change of keys may not be there (RFC 8446, section 5.1).
            if direction.isStopped || direction.epoch != epoch { return }
        }
    }

    private mutating func read(
        _ message: TLSHandshakeMessages.Message,
        _ direction: TLSDirection,
        _ sink: inout some TLSStreamSink
    ) {
        // Within TLS 1.3 there are none.
        let mayBeHello = direction.epoch == .plain || direction.epoch == .legacy
        switch (direction.side, message.type) {
        case (.client, MessageType.clientHello) where mayBeHello: read(clientHello: message, &sink)
        case (.server, MessageType.serverHello) where mayBeHello: read(serverHello: message, &sink)
        case (.server, MessageType.encryptedExtensions):
            guard handshake.isTLS13, direction.epoch == .handshake else { return }
            take(TLSEncryptedExtensions(message.body))
        case (.server, MessageType.certificateRequest):
            facts.wantsClientCertificate = true
            var reader = TLSVectorReader(message.body[...])
            handshake.requestContextSize = handshake.isTLS13 ? reader.vector8()?.count ?? 0 : 0
        case (.server, MessageType.compressedCertificate) where handshake.isTLS13:
            facts.showsServerCertificate = true
        case (.server, MessageType.certificate):
            handshake.isFull = true
            facts.showsServerCertificate = true
        case (.server, MessageType.serverKeyExchange), (.server, MessageType.serverHelloDone):
            handshake.isFull = true
        case (.server, MessageType.newSessionTicket):
            if !handshake.isTLS13, let random = handshake.legacy?.clientRandom {
                // Four bytes say how long it is good for (RFC 5077, section 3.3).
                var reader = TLSVectorReader(message.body.dropFirst(4))
                if let ticket = reader.vector16() { sessions.add(ticket, of: firstRandom(of: random)) }
            }
        case (.client, MessageType.certificate):
            if showsCertificate(message.body) { facts.showsClientCertificate = true }
        case (.client, MessageType.compressedCertificate) where handshake.isTLS13:
            if showsCompressedCertificate(message.body) { facts.showsClientCertificate = true }
        case (.client, MessageType.clientKeyExchange):
            // Two bytes say how long it is.
            handshake.premasterName = Array(message.body.dropFirst(2).prefix(TLSKeyLog.premasterNameSize))
        case (.client, MessageType.endOfEarlyData):
            if direction.epoch == .early { direction.enter(.handshake) }
        case (_, MessageType.finished): finished(direction, &sink)
        case (_, MessageType.keyUpdate): updateKeys(direction, &sink)
        default: break
        }
    }

    private mutating func take(_ extensions: TLSEncryptedExtensions) {
        facts.alpn = extensions.alpn
        guard handshake.earlyData == .undecided else { return }
        handshake.earlyData = extensions.takesEarlyData ? .taken : .rejected
        facts.usesEarlyData = extensions.takesEarlyData
        // The hello that offered it may be missing.
        if extensions.takesEarlyData { facts.offersEarlyData = true }
        changes += 1
    }

    /// Whether the list of a Certificate message has anything in it (RFC 8446, section 4.4.2; RFC 5246, section 7.4.2).
    private func showsCertificate(_ body: [UInt8]) -> Bool {
        var reader = TLSVectorReader(body[...])
        if handshake.isTLS13, reader.vector8() == nil { return false }
        return reader.take(3)?.contains { $0 != 0 } ?? false
    }

    /// The same of a CompressedCertificate, by what its length was before it was packed: that of an empty one is the context of the
    /// request with its length, and the length of the list (RFC 8879, section 4).
    private func showsCompressedCertificate(_ body: [UInt8]) -> Bool {
        var reader = TLSVectorReader(body[...])
        // Which algorithm it was packed with.
        guard reader.integer16() != nil, let size = reader.take(3) else { return false }
        return size.reduce(0) { $0 << 8 | Int($1) } > 1 + handshake.requestContextSize + 3
    }

    private mutating func read(
        clientHello message: TLSHandshakeMessages.Message,
        _ sink: inout some TLSStreamSink
    ) {
        guard let hello = TLSClientHello(message.body) else {
            return stopBoth("its ClientHello of \(message.length) bytes cannot be read", &sink)
        }
        take(hello, &sink)
    }

    /// The client says hello, be it once more.
    mutating func take(_ hello: TLSClientHello, _ sink: inout some TLSStreamSink) {
        handshake.clientHellos += 1
        handshake.clientRandom = hello.random
        handshake.mayHoldAnotherHello = hello.mayHoldAnother
        sessions.hellos.note(hello.random)
        handshake.premasterName = []
        handshake.offeredTicket = hello.ticket
        handshake.offeredSessionID = hello.sessionID
        changes += 1
        guard handshake.clientHellos <= Self.mostHandshakes else {
            return stopBoth("there are more than \(Self.mostHandshakes) handshakes in it", &sink)
        }
        // Later ones are of a renegotiation, or the answer to a HelloRetryRequest, which may not offer early data.
        if !handshake.hasServerHello { handshake.earlyData = hello.offersEarlyData ? .undecided : .none }
        guard handshake.clientHellos == 1 else { return }
        facts.hello(hello)
    }

    private mutating func read(
        serverHello message: TLSHandshakeMessages.Message,
        _ sink: inout some TLSStreamSink
    ) {
        guard let hello = TLSServerHello(message.body) else {
            return stopBoth("its ServerHello of \(message.length) bytes cannot be read", &sink)
        }
        changes += 1
        if hello.isRetryRequest {
            handshake.sawRetryRequest = true
            if handshake.clientHellos == 1 { handshake.earlyData = .none }
            return
        }
        let suite = TLSCipherSuite(hello.suite)
        handshake.serverHellos += 1
        handshake.version = hello.version
        handshake.suite = suite
        handshake.isFull = false
        handshake.sessionID = hello.sessionID
        facts.cipherSuite = suite.name
        facts.version = Self.versionName(hello.version)
        if handshake.isTLS13 {
            facts.isResumed = hello.takesPreSharedKey
            // Nobody takes early data without the session that it belongs to.
            if !hello.takesPreSharedKey, handshake.earlyData == .undecided { handshake.earlyData = .rejected }
        } else {
            facts.alpn = hello.alpn ?? (handshake.serverHellos > 1 ? facts.alpn : nil)
            if handshake.earlyData == .undecided { handshake.earlyData = .rejected }
            if let random = handshake.clientRandom {
                handshake.legacy = TLSLegacyHandshake(
                    clientRandom: random,
                    serverRandom: hello.random,
                    version: hello.version,
                    suite: suite,
                    encryptsThenAuthenticates: hello.encryptsThenAuthenticates,
                    extendsMasterSecret: hello.extendsMasterSecret
                )
            }
        }
        handshake.obstacle = obstacle(hello, suite)
    }

    private func obstacle(_ hello: TLSServerHello, _ suite: TLSCipherSuite) -> String? {
        if !(0x0301...TLSHandshakeState.tls13).contains(hello.version) {
            return "\(Self.versionName(hello.version)) is not supported"
        }
        if suite.protection == nil || suite.isOfTLS13 != handshake.isTLS13 {
            return "the cipher suite \(suite.name) is not supported"
        }
        return hello.compression == 0 ? nil : "compression of TLS is not supported"
    }

    static func versionName(_ version: UInt16) -> String {
        switch version {
        case 0x0300: "SSLv3"
        case 0x0301: "TLSv1"
        case 0x0302: "TLSv1.1"
        case 0x0303: "TLSv1.2"
        case 0x0304: "TLSv1.3"
        case 0x7f00...0x7fff: "TLSv1.3 draft \(version & 255)"
        default: "version 0x\(String(version, radix: 16))"
        }
    }

    private mutating func finished(_ direction: TLSDirection, _ sink: inout some TLSStreamSink) {
        switch direction.epoch {
        case .handshake: direction.enter(.application)
        case .legacy: break
        // Of an authentication after the handshake.
        default: return
        }
        direction.hasFinished = true
        // Whether it took early data may have been said in what is missing: no more is said of that.
        if direction.side == .server, handshake.earlyData == .undecided { changes += 1 }
        if client.hasFinished, server.hasFinished { endHandshake(&sink) }
    }

    private mutating func updateKeys(_ direction: TLSDirection, _ sink: inout some TLSStreamSink) {
        guard direction.epoch == .application, let suite = handshake.suite else { return }
        direction.secret = TLSKeySchedule.next(direction.secret, of: suite)
        direction.protection = TLSKeySchedule.protection(of: suite, secret: direction.secret)
        direction.number = 0
    }
}
