internal import LibCrypto
internal import Wire

/// Taking the protection off packets (RFC 9001, section 5).
extension QUICConnection {
    /// What came of a packet that has keys of its own.
    enum Opening {
        case payload([UInt8])
        case waits, passed, refused
    }

    func openInitial(_ packet: QUICPacket, from side: Side) -> [UInt8]? {
        guard let version = packet.version else { return nil }
        if self[side].initial[version] == nil {
            self[side].initial[version] = QUICProtection.initial(initialID, version, from: side)
        }
        if let keys = self[side].initial[version],
            let payload = open(packet, keys, at: .initial, from: side)
        {
            return payload
        }
        // Behind a Retry it is another ID that they are made of (RFC 9001, section 5.2).
        guard side == .client, packet.destination != initialID,
            let keys = QUICProtection.initial(packet.destination, version, from: .client),
            let payload = open(packet, keys, at: .initial, from: .client)
        else { return nil }
        initialID = packet.destination
        self[.client].initial = [version: keys]
        self[.server].initial = [:]
        return payload
    }

    func open(_ packet: QUICPacket, from side: Side, keys: TLSKeyLog) -> Opening {
        switch packet.kind {
        case .handshake: openHandshake(packet, from: side, keys: keys)
        case .earlyData: side == .client ? openEarly(packet, keys: keys) : .passed
        case .application: openApplication(packet, from: side, keys: keys)
        case .initial, .retry: .passed
        }
    }

    private func openHandshake(_ packet: QUICPacket, from side: Side, keys: TLSKeyLog)
        -> Opening
    {
        if self[side].handshake == nil {
            self[side].handshake = protection(Self.handshakeLabel(side), keys, version)
        }
        guard let protection = self[side].handshake else {
            // A key log may have the secrets of what comes behind the handshake only.
            guard suite != nil, let clientRandom else { return .waits }
            return keys.secret(.serverTraffic, for: clientRandom) == nil ? .waits : .passed
        }
        return open(packet, protection, at: .handshake, from: side).map(Opening.payload)
            ?? .refused
    }

    private static func handshakeLabel(_ side: Side) -> TLSKeyLog.Label {
        side == .client ? .clientHandshakeTraffic : .serverHandshakeTraffic
    }

    private func openEarly(_ packet: QUICPacket, keys: TLSKeyLog) -> Opening {
        guard suite != nil else { return .waits }
        switch takesEarlyData {
        case false?: return .passed
        // The server's EncryptedExtensions will say it.
        case nil where protection(Self.handshakeLabel(.server), keys, version) != nil: return .waits
        case nil, true?: break
        }
        // It may be of another version than the one that is agreed on (RFC 9369, section 4.1).
        if early == nil { early = protection(.clientEarlyTraffic, keys, packet.version ?? version) }
        guard let early else { return .waits }
        return open(packet, early, at: .application, from: .client).map(Opening.payload)
            ?? .refused
    }

    private func openApplication(_ packet: QUICPacket, from side: Side, keys: TLSKeyLog)
        -> Opening
    {
        if self[side].application == nil {
            let label: TLSKeyLog.Label = side == .client ? .clientTraffic : .serverTraffic
            self[side].application = protection(label, keys, version).map { QUICApplicationKeys($0) }
        }
        let largest = self[side].spaces[Level.application.rawValue].largest
        guard
            let opened = self[side].application?.open(packet, version, largest: largest)
        else { return self[side].application == nil ? .waits : .refused }
        saw(opened.number, at: .application, from: side)
        return .payload(opened.payload)
    }

    private func open(
        _ packet: QUICPacket,
        _ keys: QUICProtection,
        at level: Level,
        from side: Side
    ) -> [UInt8]? {
        guard let header = keys.header(of: packet) else { return nil }
        let number = QUICProtection.number(
            header.number,
            size: header.numberSize,
            largest: self[side].spaces[level.rawValue].largest
        )
        guard let payload = keys.open(packet, header, number: number) else { return nil }
        saw(number, at: level, from: side)
        return payload
    }

    private func saw(_ number: Int, at level: Level, from side: Side) {
        let largest = self[side].spaces[level.rawValue].largest
        self[side].spaces[level.rawValue].largest = max(largest, number)
    }

    private func protection(_ label: TLSKeyLog.Label, _ keys: TLSKeyLog, _ version: QUICVersion)
        -> QUICProtection?
    {
        guard let suite, let clientRandom, let secret = keys.secret(label, for: clientRandom) else {
            return nil
        }
        return QUICProtection(suite, secret: secret, version)
    }
}
