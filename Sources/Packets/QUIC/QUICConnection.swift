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

    /// Packets that there were keys for.
    struct Tally {
        var opened = 0
        var refused = 0
    }

    /// One side.
    struct Direction {
        var spaces = [Space(), Space(), Space()]
        /// Of the connection IDs that it chose.
        var idSize: Int?
        var initial: [QUICVersion: QUICProtection] = [:]
        var handshake: QUICProtection?
        var application: QUICApplicationKeys?
        var streams = QUICStreams()
        var hasFinished = false
        var handshakePackets = Tally()
        var applicationPackets = Tally()
        /// Of the datagrams that its machine puts into one, as it was last.
        var segmentSize: Int?

        var refused: Int { handshakePackets.refused + applicationPackets.refused }

        /// Whether the keys are others, as far as can be said.
        var hasOtherKeys: Bool {
            applicationPackets.opened == 0
                && (applicationPackets.refused > 0
                    || handshakePackets.opened == 0 && handshakePackets.refused > 0)
        }

        mutating func count(_ kind: QUICPacket.Kind, isOpened: Bool) {
            let path: WritableKeyPath<Direction, Tally> =
                kind == .handshake ? \.handshakePackets : \.applicationPackets
            if isOpened { self[keyPath: path].opened += 1 } else { self[keyPath: path].refused += 1 }
        }
    }

    /// What became of a packet.
    enum Outcome {
        case opened
        /// It is held until there are keys.
        case waits
        /// It is of no use.
        case passed
        /// The keys do not open it.
        case refused
    }

    private struct Held {
        var packet: [UInt8]
        var side: Side
        var isEarly: Bool
        var time: Timestamp
    }

    /// Bytes behind missing ones that one connection may have.
    static let mostHeld = 16 << 20
    /// Of packets before it is known what opens them: some of the server's first flight may come before its hello.
    static let heldBeforeHello = 128 << 10

    var facts = TLSStreamFacts()
    /// Connection IDs that were chosen since the last call of ``takeIDs()``.
    var ids: [(id: ArraySlice<UInt8>, of: Side)] = []
    private var client = Direction()
    private var server = Direction()
    /// That the client chose for the server's first packets; keys are made of it.
    var initialID: ArraySlice<UInt8>
    var version: QUICVersion
    /// Of the server's last Initial packet: the one that is agreed on where that has its hello (RFC 9368, section 2.3).
    var offeredVersion: QUICVersion
    var clientRandom: TLSRandom?
    /// Whether that, and what else is known of the client's hello, is of its beginning alone.
    var hasHalfHello = false
    var suite: TLSCipherSuite?
    var early: QUICProtection?
    /// Whether the server takes what was sent early; nil before it is known.
    var takesEarlyData: Bool?
    private let heldForKeys: Int
    private var held: [Held] = []
    /// Bytes of packets that wait for their keys.
    private(set) var heldBytes = 0
    /// Tries to take a datagram apart that are left; what succeeds earns more.
    var segmentTrials = QUICConnection.mostSegmentTrials
    /// How much it may hold is shared with all others.
    let share: RecordingBudget.Share
    /// What of it is taken.
    var sharedBytes = 0
    /// Nothing more is read.
    private(set) var isOver = false
    /// Whether both sides finished the handshake.
    var isEstablished = false
    /// Whether the client sent what it can only where the server had answered.
    private(set) var wasAnswered = false
    /// The server had the client begin again.
    private var isRetried = false

    subscript(side: Side) -> Direction {
        get { side == .client ? client : server }
        _modify { if side == .client { yield &client } else { yield &server } }
    }

    /// `packet`: the first of the client; see ``begins(with:in:)``.
    init(_ packet: QUICPacket, version: QUICVersion, heldForKeys: Int, budget: RecordingBudget) {
        initialID = packet.destination
        self.version = version
        offeredVersion = version
        self.heldForKeys = heldForKeys
        share = RecordingBudget.Share(of: budget)
        ids.append((packet.destination, .server))
    }

    /// Whether a packet is the first of a client: whoever knows the version can open it.
    static func begins(with packet: QUICPacket) -> QUICVersion? {
        guard packet.kind == .initial, let version = packet.version, packet.destination.count >= 8,
            let keys = QUICProtection.initial(packet.destination, version, from: .client),
            let header = keys.header(of: packet),
            keys.open(packet, header, number: header.number) != nil
        else { return nil }
        return version
    }

    /// The connection IDs that a side chose since the last call.
    func takeIDs() -> [(id: ArraySlice<UInt8>, of: Side)] {
        defer { ids = [] }
        return ids
    }

    /// Whether packets wait for keys that may come.
    var waitsForKeys: Bool { suite != nil && !isOver && hasHeld }

    /// Whether bytes are missing in front of others.
    var hasGaps: Bool { client.streams.hasGaps || server.streams.hasGaps }

    // MARK: - Packets

    /// Takes a datagram.
    ///
    /// - Returns: whether it is one of this connection, as far as that can be said.
    @discardableResult
    func receive(
        _ datagram: [UInt8],
        from side: Side,
        keys: TLSKeyLog,
        into sink: inout some QUICSink
    ) -> Bool {
        var place = 0
        var isOurs = false
        // Several packets may be in one datagram; one with a short header is the last.
        while !isOver, let packet = packet(in: datagram, at: place, from: side) {
            switch take(packet, from: side, keys: keys, &sink) {
            case .opened, .waits: isOurs = true
            case .passed: break
            case .refused:
                if takeSegments(from: packet, side, keys: keys, &sink) { return true }
                self[side].count(packet.kind, isOpened: false)
            }
            place = packet.end
        }
        return isOurs
    }

    func packet(in datagram: [UInt8], at place: Int, from side: Side) -> QUICPacket? {
        // Where both agree on that the bit says nothing (RFC 9287); without it, what fills a datagram up looks like a packet.
        guard place == 0 || place < datagram.count && datagram[place] & 0x40 != 0 else { return nil }
        // The IDs that the other side chose.
        return QUICPacket(datagram, at: place, idSize: self[side.other].idSize ?? 0)
    }

    func take(
        _ packet: QUICPacket,
        from side: Side,
        keys: TLSKeyLog,
        _ sink: inout some QUICSink
    ) -> Outcome {
        switch packet.kind {
        case .retry: takeRetry(packet, from: side)
        case .initial: takeInitial(packet, from: side, keys: keys, &sink)
        case .earlyData, .handshake, .application:
            takeProtected(packet, from: side, keys: keys, &sink)
        }
    }

    /// The client begins again, with keys that are made of what the server calls itself; once, and before the server has said
    /// anything else (RFC 9000, section 17.2.5.2).
    private func takeRetry(_ packet: QUICPacket, from side: Side) -> Outcome {
        guard side == .server, server.spaces[Level.initial.rawValue].largest < 0, !isRetried else {
            return .passed
        }
        isRetried = true
        ids.append((packet.source, .server))
        // Some clients say another hello then.
        client.spaces[Level.initial.rawValue] = Space()
        clientRandom = nil
        hasHalfHello = false
        return .opened
    }

    private func takeInitial(
        _ packet: QUICPacket,
        from side: Side,
        keys: TLSKeyLog,
        _ sink: inout some QUICSink
    ) -> Outcome {
        guard let payload = openInitial(packet, from: side) else { return .passed }
        if self[side].idSize == nil {
            self[side].idSize = packet.source.count
            ids.append((packet.source, side))
        }
        if side == .server, let offered = packet.version { offeredVersion = offered }
        take(payload, at: .initial, from: side, keys: keys, &sink)
        return .opened
    }

    private func takeProtected(
        _ packet: QUICPacket,
        from side: Side,
        keys: TLSKeyLog,
        _ sink: inout some QUICSink
    ) -> Outcome {
        if side == .client, packet.kind != .earlyData { wasAnswered = true }
        switch open(packet, from: side, keys: keys) {
        case .waits:
            hold(packet, side, &sink)
            return .waits
        case .passed: return .passed
        case .refused: return .refused
        case .payload(let payload):
            self[side].count(packet.kind, isOpened: true)
            let level = packet.kind == .handshake ? Level.handshake : .application
            take(payload, at: level, from: side, keys: keys, &sink)
            return .opened
        }
    }

    // MARK: - Packets before their keys

    private func hold(_ packet: QUICPacket, _ side: Side, _ sink: inout some QUICSink) {
        let isEarly = packet.kind == .earlyData
        // What was sent early may have keys of its own, or be sent again.
        let room = suite == nil || isEarly ? Self.heldBeforeHello : heldForKeys
        let bytes = Array(packet.datagram[packet.start..<packet.end])
        guard heldBytes + bytes.count <= room else {
            if !isEarly { stopWithoutKeys(&sink) }
            return
        }
        heldBytes += bytes.count
        held.append(Held(packet: bytes, side: side, isEarly: isEarly, time: sink.time))
    }

    /// Why packets cannot be opened.
    private var missing: String {
        guard let clientRandom else {
            return "its ClientHello is not in the capture, by which keys are found"
        }
        return suite == nil
            ? "its ServerHello is not in the capture"
            : "\(TLSHandshakeState.noKey) (client random \(clientRandom))"
    }

    private func stopWithoutKeys(_ sink: inout some QUICSink) {
        takeHalfHello()
        stop(missing, &sink)
    }

    /// Keys, or what they go by, came after packets that they open.
    func keysAdded(_ keys: TLSKeyLog, into sink: inout some QUICSink) {
        let packets = held
        held = []
        heldBytes = 0
        let now = sink.time
        for packet in packets where !isOver {
            sink.time = packet.time
            receive(packet.packet, from: packet.side, keys: keys, into: &sink)
        }
        sink.time = now
    }

    /// No more keys are waited for, nor what they go by.
    func stopWaiting(into sink: inout some QUICSink) {
        if hasHeld { return stopWithoutKeys(&sink) }
        // What was sent early may be sent again.
        held = []
        heldBytes = 0
    }

    /// Whether packets wait that are not sent again.
    private var hasHeld: Bool { held.contains { !$0.isEarly } }

    // MARK: - The end

    /// Nothing more will come.
    func finish(into sink: inout some QUICSink) {
        if !isOver, hasHeld { stopWithoutKeys(&sink) }
        end(&sink)
    }

    /// A side says that it is over.
    func closed(by side: Side, _ close: QUICClose, _ sink: inout some QUICSink) {
        end(&sink)
        sink.closed(by: side, close, facts)
    }

    func stop(_ reason: String, _ sink: inout some QUICSink) {
        guard !isOver else { return }
        end(&sink)
        sink.unreadable(reason)
    }

    /// Nothing more is read, and nothing is kept for it.
    private func end(_ sink: inout some QUICSink) {
        guard !isOver else { return }
        takeHalfHello()
        isOver = true
        for side in [Side.client, .server] where self[side].refused > 0 {
            sink.undecrypted(self[side].refused, from: side, isAll: self[side].hasOtherKeys)
        }
        held = []
        heldBytes = 0
        client = Direction()
        server = Direction()
        share.give(sharedBytes)
        sharedBytes = 0
    }
}
