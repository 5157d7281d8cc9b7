internal import Wire

/// What the handshake of TLS says, as far as it matters here (RFC 9001, section 4).
extension QUICConnection {
    func take(
        crypto bytes: ArraySlice<UInt8>,
        at offset: Int,
        _ level: Level,
        from side: Side,
        keys: TLSKeyLog,
        _ sink: inout some QUICSink
    ) {
        self[side].spaces[level.rawValue].crypto.add(bytes, at: offset)
        guard self[side].spaces[level.rawValue].crypto.held <= Self.heldBeforeHello * 4,
            !self[side].spaces[level.rawValue].crypto.isScattered
        else {
            return stop("more of its handshake came out of its order than is held", &sink)
        }
        while let next = self[side].spaces[level.rawValue].crypto.next() {
            next.withUnsafeBytes { bytes in
                var rest = bytes[...]
                while let message = self[side].spaces[level.rawValue].messages.next(&rest) {
                    read(message, level, from: side, keys: keys, &sink)
                }
            }
        }
    }

    private func read(
        _ message: TLSHandshakeMessages.Message,
        _ level: Level,
        from side: Side,
        keys: TLSKeyLog,
        _ sink: inout some QUICSink
    ) {
        typealias MessageType = TLSHandshakeMessages.MessageType
        switch (level, side, message.type) {
        case (.initial, .client, MessageType.clientHello):
            // The second of two is the answer to a HelloRetryRequest, and has the random of the first.
            guard clientRandom == nil || hasHalfHello, let hello = TLSClientHello(message.body) else {
                return
            }
            hasHalfHello = false
            take(hello)
        case (.initial, .server, MessageType.serverHello):
            guard suite == nil, let hello = TLSServerHello(message.body) else { return }
            read(hello, keys: keys, &sink)
        case (.handshake, .server, MessageType.encryptedExtensions):
            let extensions = TLSEncryptedExtensions(message.body)
            facts.alpn = extensions.alpn
            facts.usesEarlyData = extensions.takesEarlyData
            if takesEarlyData == nil { takesEarlyData = extensions.takesEarlyData }
            keysAdded(keys, into: &sink)
        case (.handshake, .server, MessageType.certificateRequest): facts.wantsClientCertificate = true
        case (.handshake, _, MessageType.finished):
            self[side].hasFinished = true
            guard self[.client].hasFinished, self[.server].hasFinished, !isEstablished else { return }
            isEstablished = true
            sink.handshakeEnded(facts)
        default: return
        }
    }

    private func take(_ hello: TLSClientHello) {
        clientRandom = hello.random
        facts.hello(hello)
    }

    /// Goes by the beginning of the client's hello where no more of it has come: its random stands in front, by which keys are found.
    func takeHalfHello() {
        guard clientRandom == nil, let message = self[.client].spaces[Level.initial.rawValue].messages.begun,
            message.type == TLSHandshakeMessages.MessageType.clientHello,
            let hello = TLSClientHello(message.body, isWhole: false)
        else { return }
        hasHalfHello = true
        take(hello)
    }

    private func read(_ hello: TLSServerHello, keys: TLSKeyLog, _ sink: inout some QUICSink) {
        // Whoever has to begin again is not heard with what it sent early (RFC 8446, section 4.1.2).
        if hello.isRetryRequest || !hello.takesPreSharedKey { takesEarlyData = false }
        guard !hello.isRetryRequest else { return }
        takeHalfHello()
        let agreed = TLSCipherSuite(hello.suite)
        suite = agreed
        version = offeredVersion
        facts.version = "TLSv1.3"
        facts.cipherSuite = agreed.name
        facts.isResumed = hello.takesPreSharedKey
        keysAdded(keys, into: &sink)
    }
}
