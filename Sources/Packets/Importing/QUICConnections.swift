internal import Captures
internal import Wire

/// Tells the QUIC connections of a capture apart by their connection IDs, and by addresses and ports (RFC 9000, section 5).
struct QUICConnections {
    private struct Path: Hashable {
        var client: Endpoint
        var server: Endpoint
    }

    private struct Named {
        var slot: Int
        /// Who is called so.
        var side: Side
    }

    private struct Connection: OrderedByUse {
        let reader: QUICConnectionReader
        /// From 1, in the order in which they began.
        let number: Int
        /// In whose order of use it stands.
        var importance: QUICConnectionReader.Importance
        /// Those that it was seen on, first the one it began on.
        var paths: [Path]
        var ids: [[UInt8]] = []
        var newer: Int32 = -1
        var older: Int32 = -1
    }

    /// Connections that are followed at a time.
    ///
    /// Behind them each new one takes the place of another, which is found at once: of one that is over, else of one that nobody
    /// answered, else of one that was answered; of its like it is the one that was silent longest.
    private static let most = 4096
    /// Of the IDs of one connection.
    private static let mostIDs = 256
    /// Of addresses and ports that a connection moves between.
    private static let mostPaths = 16
    /// Datagram that a client begins with, at least (RFC 9000, section 14.1).
    private static let smallestFirst = 1200

    private var connections: [Connection] = []
    private var uses = [UseOrder<Connection>](
        repeating: UseOrder(),
        count: QUICConnectionReader.Importance.allCases.count
    )
    private var byPath: [Path: [Int]] = [:]
    private var byID: [[UInt8]: Named] = [:]
    /// The longest first.
    private var idSizes: [Int] = []
    private var count = 0

    /// Takes a datagram.
    ///
    /// - Returns: whether it is one of QUIC; others are passed over.
    mutating func receive(
        _ bytes: UnsafeRawBufferPointer,
        from source: Endpoint,
        to destination: Endpoint,
        at time: Timestamp,
        _ reading: PacketReading
    ) -> Bool {
        guard let first = bytes.first else { return false }
        let isLong = first & 0x80 != 0
        // Most of UDP is something else.
        guard isLong || !connections.isEmpty else { return false }
        let datagram = Array(bytes)
        if isLong {
            guard let packet = QUICPacket(datagram, at: 0, idSize: 0) else {
                return datagram.dropFirst().starts(with: Self.versionNegotiation)
                    && onPath(datagram, isLong, source, destination) != nil
            }
            if !packet.destination.isEmpty, let named = byID[Array(packet.destination)] {
                let isOurs = pass(datagram, to: named.slot, from: named.side.other, at: time)
                if isOurs { note(source, destination, of: named) }
                return true
            }
            if datagram.count >= Self.smallestFirst,
                let version = QUICConnection.begins(with: packet)
            {
                begin(packet, version, datagram, from: source, to: destination, at: time, reading)
                return true
            }
        }
        guard let (slot, side) = onPath(datagram, isLong, source, destination) else { return false }
        if pass(datagram, to: slot, from: side, at: time) {
            note(source, destination, of: Named(slot: slot, side: side.other))
        }
        return true
    }

    /// What a server says to a version that it does not know begins with it (RFC 9000, section 17.2.1).
    private static let versionNegotiation: [UInt8] = [0, 0, 0, 0]

    /// Takes note of where a connection was seen, `named` being who was spoken to: its side may have no ID to be known by.
    private mutating func note(_ source: Endpoint, _ destination: Endpoint, of named: Named) {
        let path =
            named.side == .server
            ? Path(client: source, server: destination) : Path(client: destination, server: source)
        let known = connections[named.slot].paths
        guard !known.contains(path), known.count < Self.mostPaths else { return }
        connections[named.slot].paths.append(path)
        byPath[path, default: []].append(named.slot)
    }

    private mutating func begin(
        _ packet: QUICPacket,
        _ version: QUICVersion,
        _ datagram: [UInt8],
        from source: Endpoint,
        to destination: Endpoint,
        at time: Timestamp,
        _ reading: PacketReading
    ) {
        count += 1
        let path = Path(client: source, server: destination)
        let entry = ConnectionEntry(from: source, to: destination, at: time, id: "u\(count)")
        let connection = QUICConnection(
            packet,
            version: version,
            heldForKeys: reading.heldForKeys,
            budget: reading.budget
        )
        let reader = QUICConnectionReader(reading, connection, entry)
        let slot = place(
            Connection(reader: reader, number: count, importance: reader.importance, paths: [path]),
            at: time
        )
        byPath[path, default: []].append(slot)
        pass(datagram, to: slot, from: .client, at: time)
    }

    /// - Returns: whether the datagram is one of the connection, as far as that can be said.
    @discardableResult
    private mutating func pass(_ datagram: [UInt8], to slot: Int, from side: Side, at time: Timestamp)
        -> Bool
    {
        let reader = connections[slot].reader
        let isOurs = reader.received(datagram, from: side, at: time)
        noteUse(of: slot)
        for (bytes, side) in reader.takeIDs() where connections[slot].ids.count < Self.mostIDs {
            let id = Array(bytes)
            guard !id.isEmpty, byID[id] == nil else { continue }
            byID[id] = Named(slot: slot, side: side)
            if !idSizes.contains(id.count) {
                idSizes.append(id.count)
                idSizes.sort(by: >)
            }
            connections[slot].ids.append(id)
        }
        return isOurs
    }

    /// The connection whose addresses a datagram has, or one that has moved (RFC 9000, section 9), and who sent it.
    private func onPath(
        _ datagram: [UInt8],
        _ isLong: Bool,
        _ source: Endpoint,
        _ destination: Endpoint
    ) -> (Int, Side)? {
        let sent = byPath[Path(client: source, server: destination)]
        let received = sent == nil ? byPath[Path(client: destination, server: source)] : nil
        let side: Side = sent == nil ? .server : .client
        let here = sent ?? received ?? []
        if here.count == 1 { return (here[0], side) }
        if !isLong {
            for size in idSizes where datagram.count > size {
                if let named = byID[Array(datagram[1..<(1 + size)])] {
                    return (named.slot, named.side.other)
                }
            }
        }
        return here.last.map { ($0, side) }
    }

    // MARK: - Room

    /// Gives a connection its place.
    private mutating func place(_ connection: Connection, at time: Timestamp) -> Int {
        let slot: Int
        if connections.count >= Self.most, let least = uses.lazy.compactMap(\.oldest).first {
            remove(least, at: time)
            connections[least] = connection
            slot = least
        } else {
            slot = connections.count
            connections.append(connection)
        }
        uses[connection.importance.rawValue].add(slot, to: &connections)
        return slot
    }

    /// What is in the place is not followed any longer.
    private mutating func remove(_ slot: Int, at time: Timestamp) {
        let connection = connections[slot]
        connection.reader.closed(at: time, makesRoom: true)
        uses[connection.importance.rawValue].remove(slot, from: &connections)
        for id in connection.ids { byID[id] = nil }
        for path in connection.paths {
            // Who was silent longest mostly came first.
            if let index = byPath[path]?.firstIndex(of: slot) { byPath[path]?.remove(at: index) }
            if byPath[path]?.isEmpty == true { byPath[path] = nil }
        }
    }

    private mutating func noteUse(of slot: Int) {
        noteImportance(of: slot)
        uses[connections[slot].importance.rawValue].use(slot, in: &connections)
    }

    private mutating func noteImportance(of slot: Int) {
        let (before, now) = (connections[slot].importance, connections[slot].reader.importance)
        guard before != now else { return }
        uses[before.rawValue].remove(slot, from: &connections)
        connections[slot].importance = now
        uses[now.rawValue].add(slot, to: &connections)
    }

    // MARK: - Keys and the end

    /// The places of all connections, in the order in which these began.
    private var slots: [Int] {
        connections.indices.sorted { connections[$0].number < connections[$1].number }
    }

    /// Keys came after the packets that they open.
    mutating func keysAdded(at time: Timestamp) {
        for slot in slots {
            connections[slot].reader.keysAdded(at: time)
            noteImportance(of: slot)
        }
    }

    /// The connections with packets that wait for their keys, and since when these may, in the order in which they began.
    var waiting: [(slot: Int, since: Timestamp)] {
        slots.compactMap { slot in connections[slot].reader.waitingSince.map { (slot, $0) } }
    }

    /// Has a connection wait no more for its keys; `slot`: see ``waiting``.
    mutating func stopWaiting(_ slot: Int, at time: Timestamp) {
        connections[slot].reader.stopWaiting(at: time)
        noteImportance(of: slot)
    }

    /// The capture ends here.
    mutating func finish(at time: Timestamp) {
        for slot in slots { connections[slot].reader.closed(at: time) }
        self = QUICConnections()
    }
}
