internal import Captures
internal import Wire

/// Tells the QUIC connections of a capture apart by their connection IDs, and by addresses and ports (RFC 9000, section 5).
struct QUICConnections {
    private struct Path: Hashable {
        var client: Endpoint
        var server: Endpoint
    }

    private struct Named {
        var number: Int
        /// Who is called so.
        var side: Side
    }

    private final class Connection {
        let reader: QUICConnectionReader
        /// Those that it was seen on, first the one it began on.
        var paths: [Path]
        var ids: [[UInt8]] = []

        init(_ reader: QUICConnectionReader, on path: Path) {
            self.reader = reader
            paths = [path]
        }
    }

    /// Connections that are followed at a time; one that is over makes room, or that nobody answered, or that was silent longest.
    private static let most = 4096
    /// Of the IDs of one connection.
    private static let mostIDs = 256
    /// Of addresses and ports that a connection moves between.
    private static let mostPaths = 16
    /// Datagram that a client begins with, at least (RFC 9000, section 14.1).
    private static let smallestFirst = 1200

    private var connections: [Int: Connection] = [:]
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
                let isOurs = pass(datagram, to: named.number, from: named.side.other, at: time)
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
        guard let (number, side) = onPath(datagram, isLong, source, destination) else { return false }
        if pass(datagram, to: number, from: side, at: time) {
            note(source, destination, of: Named(number: number, side: side.other))
        }
        return true
    }

    /// What a server says to a version that it does not know begins with it (RFC 9000, section 17.2.1).
    private static let versionNegotiation: [UInt8] = [0, 0, 0, 0]

    /// Takes note of where a connection was seen, `named` being who was spoken to: its side may have no ID to be known by.
    private mutating func note(_ source: Endpoint, _ destination: Endpoint, of named: Named) {
        guard let connection = connections[named.number] else { return }
        let path =
            named.side == .server
            ? Path(client: source, server: destination) : Path(client: destination, server: source)
        guard !connection.paths.contains(path), connection.paths.count < Self.mostPaths else { return }
        connection.paths.append(path)
        byPath[path, default: []].append(named.number)
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
        if connections.count >= Self.most { makeRoom(at: time) }
        let number = count
        count += 1
        let path = Path(client: source, server: destination)
        let entry = ConnectionEntry(from: source, to: destination, at: time, id: "u\(number + 1)")
        let connection = QUICConnection(
            packet,
            version: version,
            heldForKeys: reading.heldForKeys,
            budget: reading.budget
        )
        connections[number] = Connection(QUICConnectionReader(reading, connection, entry), on: path)
        byPath[path, default: []].append(number)
        pass(datagram, to: number, from: .client, at: time)
    }

    /// - Returns: whether the datagram is one of the connection, as far as that can be said.
    @discardableResult
    private mutating func pass(_ datagram: [UInt8], to number: Int, from side: Side, at time: Timestamp)
        -> Bool
    {
        guard let connection = connections[number] else { return false }
        let isOurs = connection.reader.received(datagram, from: side, at: time)
        for (bytes, side) in connection.reader.takeIDs() where connection.ids.count < Self.mostIDs {
            let id = Array(bytes)
            guard !id.isEmpty, byID[id] == nil else { continue }
            byID[id] = Named(number: number, side: side)
            if !idSizes.contains(id.count) {
                idSizes.append(id.count)
                idSizes.sort(by: >)
            }
            connection.ids.append(id)
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
                    return (named.number, named.side.other)
                }
            }
        }
        return here.last.map { ($0, side) }
    }

    private mutating func makeRoom(at time: Timestamp) {
        let order = { (number: Int, reader: QUICConnectionReader) in
            (reader.importance, reader.lastPacket, number)
        }
        let least = connections.min { order($0.key, $0.value.reader) < order($1.key, $1.value.reader) }
        guard let (number, connection) = least else { return }
        connection.reader.closed(at: time, makesRoom: true)
        connections[number] = nil
        for id in connection.ids { byID[id] = nil }
        for path in connection.paths {
            byPath[path]?.removeAll { $0 == number }
            if byPath[path]?.isEmpty == true { byPath[path] = nil }
        }
    }

    /// Keys came after the packets that they open.
    func keysAdded(at time: Timestamp) {
        for (_, connection) in connections.sorted(by: { $0.key < $1.key }) {
            connection.reader.keysAdded(at: time)
        }
    }

    /// The capture ends here.
    mutating func finish(at time: Timestamp) {
        for (_, connection) in connections.sorted(by: { $0.key < $1.key }) {
            connection.reader.closed(at: time)
        }
        connections = [:]
        byPath = [:]
        byID = [:]
    }
}

extension Side {
    /// The one that it speaks with.
    fileprivate var other: Side { self == .client ? .server : .client }
}
