internal import Captures
internal import LibCrypto
internal import Wire

/// Reads the packets of one QUIC connection: the handshake of TLS, and the bytes of the streams (RFC 9000, RFC 9001).
///
/// A listener: acknowledges nothing, and waits for what is sent again. Packets that come before their keys are held, as far
/// as there is room.
final class QUICConnection {
    /// What numbers of packets belong to (RFC 9000, section 12.3).
    enum Level: Int {
        case initial, handshake, application
    }

    /// What one side says at one level.
    struct Space {
        /// Of the numbers of its packets; -1 before the first.
        var largest = -1
        var crypto = QUICByteStream()
        var messages = TLSHandshakeMessages()
    }

    /// One side.
    struct Direction {
        var spaces = [Space(), Space(), Space()]
        /// Of the connection IDs that it chose.
        var idSize: Int?
        var initial: [QUICVersion: QUICProtection] = [:]
        var handshake: QUICProtection?
        var application: QUICApplicationKeys?
        var streams: [Int: QUICByteStream] = [:]
        /// By the two bits of a stream's number that say whose it is, and whether it goes both ways.
        var finished = [FinishedStreams(), FinishedStreams(), FinishedStreams(), FinishedStreams()]
        var hasFinished = false
    }

    private struct Held {
        var packet: [UInt8]
        var side: Side
        var time: Timestamp
    }

    /// Bytes behind missing ones that one connection may have.
    private static let mostHeld = 16 << 20
    private static let mostStreams = 8192
    /// Of packets before it is known what opens them: some of the server's first flight may come before its hello.
    private static let heldBeforeHello = 128 << 10

    private(set) var facts = TLSStreamFacts()
    /// Connection IDs that were chosen since the last call of ``takeIDs()``.
    private var ids: [(id: ArraySlice<UInt8>, of: Side)] = []
    private var client = Direction()
    private var server = Direction()
    /// That the client chose for the server's first packets; keys are made of it.
    private var initialID: ArraySlice<UInt8>
    private var version: QUICVersion
    private var clientRandom: TLSRandom?
    private var suite: TLSCipherSuite?
    private var early: QUICProtection?
    private let heldForKeys: Int
    private var held: [Held] = []
    private var heldBytes = 0
    /// What the streams hold.
    private var streamBytes = 0
    /// Nothing more is read.
    private(set) var isOver = false
    private var isTold = false
    /// The server had the client begin again.
    private var isRetried = false

    private subscript(side: Side) -> Direction {
        get { side == .client ? client : server }
        _modify { if side == .client { yield &client } else { yield &server } }
    }

    /// `packet`: the first of the client; see ``begins(with:in:)``.
    init(_ packet: QUICPacket, version: QUICVersion, heldForKeys: Int) {
        initialID = packet.destination
        self.version = version
        self.heldForKeys = heldForKeys
        ids.append((packet.destination, .server))
    }

    /// Whether a packet is the first of a client: whoever knows the version can open it.
    static func begins(with packet: QUICPacket, in datagram: [UInt8]) -> QUICVersion? {
        guard packet.kind == .initial, let version = packet.version, packet.destination.count >= 8,
            let keys = QUICProtection.initial(packet.destination, version, from: .client),
            let header = keys.header(of: packet, in: datagram),
            keys.open(packet, in: datagram, header, number: header.number) != nil
        else { return nil }
        return version
    }

    /// The connection IDs that a side chose since the last call.
    func takeIDs() -> [(id: ArraySlice<UInt8>, of: Side)] {
        defer { ids = [] }
        return ids
    }

    /// Whether packets wait for keys that may come.
    var waitsForKeys: Bool { !held.isEmpty && suite != nil && !isOver }

    /// Whether bytes are missing in front of others.
    var hasGaps: Bool {
        client.streams.values.contains { $0.hasGap } || server.streams.values.contains { $0.hasGap }
    }

    // MARK: - Packets

    func receive(
        _ datagram: [UInt8],
        from side: Side,
        at time: Timestamp,
        keys: TLSKeyLog,
        into sink: inout some QUICSink
    ) {
        var place = 0
        // Several packets may be in one datagram; one with a short header is the last.
        while !isOver, let packet = packet(in: datagram, at: place, from: side) {
            take(packet, in: datagram, from: side, at: time, keys: keys, &sink)
            place = packet.end
        }
    }

    private func packet(in datagram: [UInt8], at place: Int, from side: Side) -> QUICPacket? {
        // The IDs that the other side chose.
        QUICPacket(datagram, at: place, idSize: self[side == .client ? .server : .client].idSize ?? 0)
    }

    private func take(
        _ packet: QUICPacket,
        in datagram: [UInt8],
        from side: Side,
        at time: Timestamp,
        keys: TLSKeyLog,
        _ sink: inout some QUICSink
    ) {
        switch packet.kind {
        case .retry:
            // The client begins again, with keys that are made of what the server calls itself; once, and before the server
            // has said anything else (RFC 9000, section 17.2.5.2).
            guard side == .server, server.spaces[Level.initial.rawValue].largest < 0, !isRetried else {
                return
            }
            isRetried = true
            ids.append((packet.source, .server))
            // Some clients say another hello then.
            client.spaces[Level.initial.rawValue] = Space()
            clientRandom = nil
        case .initial:
            guard let payload = openInitial(packet, in: datagram, from: side) else { return }
            if self[side].idSize == nil {
                self[side].idSize = packet.source.count
                ids.append((packet.source, side))
            }
            if side == .server, let agreed = packet.version { version = agreed }
            take(payload, at: .initial, from: side, keys: keys, &sink)
        case .earlyData, .handshake, .application:
            guard let payload = open(packet, in: datagram, from: side, keys: keys) else {
                return hold(datagram, packet, side, time, &sink)
            }
            let level = packet.kind == .handshake ? Level.handshake : .application
            guard !payload.isEmpty else { return }
            take(payload, at: level, from: side, keys: keys, &sink)
        }
    }

    private func openInitial(_ packet: QUICPacket, in datagram: [UInt8], from side: Side) -> [UInt8]? {
        guard let version = packet.version else { return nil }
        if self[side].initial[version] == nil {
            self[side].initial[version] = QUICProtection.initial(initialID, version, from: side)
        }
        if let keys = self[side].initial[version],
            let payload = open(packet, in: datagram, keys, at: .initial, from: side)
        {
            return payload
        }
        // Behind a Retry it is another ID that they are made of (RFC 9001, section 5.2).
        guard side == .client, packet.destination != initialID,
            let keys = QUICProtection.initial(packet.destination, version, from: .client),
            let payload = open(packet, in: datagram, keys, at: .initial, from: .client)
        else { return nil }
        initialID = packet.destination
        client.initial = [version: keys]
        server.initial = [:]
        return payload
    }

    /// The payload; empty where the packet is not one of this connection's, nil where there are no keys yet.
    private func open(_ packet: QUICPacket, in datagram: [UInt8], from side: Side, keys: TLSKeyLog)
        -> [UInt8]?
    {
        switch packet.kind {
        case .handshake:
            let label: TLSKeyLog.Label = side == .client ? .clientHandshakeTraffic : .serverHandshakeTraffic
            if self[side].handshake == nil { self[side].handshake = protection(label, keys) }
            guard let protection = self[side].handshake else {
                // A key log may have the secrets of what comes behind the handshake only.
                guard suite != nil, let clientRandom else { return nil }
                return keys.secret(.serverTraffic, for: clientRandom) == nil ? nil : []
            }
            return open(packet, in: datagram, protection, at: .handshake, from: side) ?? []
        case .earlyData:
            guard side == .client else { return [] }
            if early == nil { early = protection(.clientEarlyTraffic, keys) }
            return early.map { open(packet, in: datagram, $0, at: .application, from: side) ?? [] }
        case .application:
            let label: TLSKeyLog.Label = side == .client ? .clientTraffic : .serverTraffic
            if self[side].application == nil {
                self[side].application = protection(label, keys).map { QUICApplicationKeys($0) }
            }
            guard var current = self[side].application else { return nil }
            let largest = self[side].spaces[Level.application.rawValue].largest
            let opened = current.open(packet, in: datagram, version, largest: largest)
            self[side].application = current
            guard let opened else { return [] }
            saw(opened.number, at: .application, from: side)
            return opened.payload
        case .initial, .retry: return []
        }
    }

    private func open(
        _ packet: QUICPacket,
        in datagram: [UInt8],
        _ keys: QUICProtection,
        at level: Level,
        from side: Side
    ) -> [UInt8]? {
        guard let header = keys.header(of: packet, in: datagram) else { return nil }
        let number = QUICProtection.number(
            header.number,
            size: header.numberSize,
            largest: self[side].spaces[level.rawValue].largest
        )
        guard let payload = keys.open(packet, in: datagram, header, number: number) else { return nil }
        saw(number, at: level, from: side)
        return payload
    }

    private func saw(_ number: Int, at level: Level, from side: Side) {
        let largest = self[side].spaces[level.rawValue].largest
        self[side].spaces[level.rawValue].largest = max(largest, number)
    }

    private func protection(_ label: TLSKeyLog.Label, _ keys: TLSKeyLog) -> QUICProtection? {
        guard let suite, let clientRandom, let secret = keys.secret(label, for: clientRandom) else {
            return nil
        }
        return QUICProtection(suite, secret: secret, version)
    }

    // MARK: - Packets before their keys

    private func hold(
        _ datagram: [UInt8],
        _ packet: QUICPacket,
        _ side: Side,
        _ time: Timestamp,
        _ sink: inout some QUICSink
    ) {
        // What was sent early may have keys of its own, or be sent again.
        let room = suite == nil ? Self.heldBeforeHello : packet.kind == .earlyData ? 0 : heldForKeys
        let bytes = Array(datagram[packet.start..<packet.end])
        guard heldBytes + bytes.count <= room else {
            if packet.kind != .earlyData { stop(missing, &sink) }
            return
        }
        heldBytes += bytes.count
        held.append(Held(packet: bytes, side: side, time: time))
    }

    /// Why packets cannot be opened.
    private var missing: String {
        guard let clientRandom else {
            return "its ClientHello is not in the capture, by which keys are found"
        }
        return suite == nil
            ? "its ServerHello is not in the capture"
            : "there is no key for it in the key log (client random \(clientRandom))"
    }

    /// Keys, or what they go by, came after packets that they open.
    func keysAdded(_ keys: TLSKeyLog, into sink: inout some QUICSink) {
        let packets = held
        held = []
        heldBytes = 0
        for packet in packets where !isOver {
            guard let header = self.packet(in: packet.packet, at: 0, from: packet.side) else { continue }
            take(header, in: packet.packet, from: packet.side, at: packet.time, keys: keys, &sink)
        }
    }

    /// Nothing more will come.
    func finish(into sink: inout some QUICSink) {
        if !held.isEmpty, !isOver { stop(missing, &sink) }
        end()
    }

    /// Nothing more is read, and nothing is kept for it.
    private func end() {
        isOver = true
        held = []
        client = Direction()
        server = Direction()
        streamBytes = 0
    }

    private func stop(_ reason: String, _ sink: inout some QUICSink) {
        guard !isOver else { return }
        end()
        sink.unreadable(reason)
    }

    // MARK: - Frames

    /// What a packet says, its protection taken off.
    func take(
        _ payload: [UInt8],
        at level: Level,
        from side: Side,
        keys: TLSKeyLog,
        _ sink: inout some QUICSink
    ) {
        var frames = QUICFrameReader(payload)
        while !isOver, let frame = frames.next() {
            switch frame {
            case .crypto(let offset, let bytes):
                take(crypto: bytes, at: offset, level, from: side, keys: keys, &sink)
            case .close(let close):
                end()
                sink.closed(by: side, close, facts)
            case .stream(let id, let offset, let bytes, let isLast) where level == .application:
                take(bytes, of: id, at: offset, isLast: isLast, from: side, &sink)
            case .reset(let id, let code) where level == .application:
                drop(id, side)
                sink.reset(id, by: side, code: code)
            // That a server wants no more of a request does not end its answer.
            case .stop(let id, let code) where level == .application && side == .client:
                sink.reset(id, by: side, code: code)
            case .connectionID(let id) where level == .application: ids.append((id, side))
            case .stream, .reset, .stop, .connectionID: continue
            }
        }
    }

    private func take(
        _ bytes: ArraySlice<UInt8>,
        of id: Int,
        at offset: Int,
        isLast: Bool,
        from side: Side,
        _ sink: inout some QUICSink
    ) {
        guard !self[side].finished[id & 3].contains(id >> 2) else { return }
        var stream = self[side].streams[id] ?? QUICByteStream()
        let before = stream.held
        stream.add(bytes, at: offset, isLast: isLast)
        while let next = stream.next() { sink.received(next, of: id, from: side, isLast: stream.isComplete) }
        streamBytes += stream.held - before
        guard !stream.isComplete else {
            if isLast, bytes.isEmpty { sink.received([], of: id, from: side, isLast: true) }
            return drop(id, side)
        }
        self[side].streams[id] = stream
        guard streamBytes <= Self.mostHeld, self[side].streams.count <= Self.mostStreams,
            self[side].finished[id & 3].gaps <= Self.mostStreams
        else { return stop("more of it came out of its order than is held", &sink) }
    }

    /// Nothing more of a direction of a stream is taken.
    private func drop(_ id: Int, _ side: Side) {
        streamBytes -= self[side].streams.removeValue(forKey: id)?.held ?? 0
        self[side].finished[id & 3].insert(id >> 2)
    }

    // MARK: - Handshake

    private func take(
        crypto bytes: ArraySlice<UInt8>,
        at offset: Int,
        _ level: Level,
        from side: Side,
        keys: TLSKeyLog,
        _ sink: inout some QUICSink
    ) {
        self[side].spaces[level.rawValue].crypto.add(bytes, at: offset)
        guard self[side].spaces[level.rawValue].crypto.held <= Self.heldBeforeHello * 4 else {
            return stop("more of its handshake came out of its order than is held", &sink)
        }
        while let next = self[side].spaces[level.rawValue].crypto.next() {
            next.withUnsafeBytes { bytes in
                var rest = bytes[...]
                while let message = self[side].spaces[level.rawValue].messages.next(&rest) {
                    handle(message, level, from: side, keys: keys, &sink)
                }
            }
        }
    }

    private func handle(
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
            guard clientRandom == nil, let hello = TLSClientHello(message.body) else { return }
            clientRandom = hello.random
            facts.hello(hello)
        case (.initial, .server, MessageType.serverHello):
            guard suite == nil, let hello = TLSServerHello(message.body), !hello.isRetryRequest else {
                return
            }
            let agreed = TLSCipherSuite(hello.suite)
            suite = agreed
            facts.version = "TLSv1.3"
            facts.cipherSuite = agreed.name
            facts.isResumed = hello.takesPreSharedKey
            keysAdded(keys, into: &sink)
        case (.handshake, .server, MessageType.encryptedExtensions):
            let extensions = TLSEncryptedExtensions(message.body)
            facts.alpn = extensions.alpn
            facts.usesEarlyData = extensions.takesEarlyData
        case (.handshake, .server, MessageType.certificateRequest): facts.wantsClientCertificate = true
        case (.handshake, _, MessageType.finished):
            self[side].hasFinished = true
            guard client.hasFinished, server.hasFinished, !isTold else { return }
            isTold = true
            sink.handshakeEnded(facts)
        default: return
        }
    }
}
