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
        /// The one it began on.
        let path: Path
        var ids: [[UInt8]] = []

        init(_ reader: QUICConnectionReader, on path: Path) {
            self.reader = reader
            self.path = path
        }
    }

    /// Connections that are followed at a time; the one that was silent longest makes room.
    private static let most = 4096
    /// Of the IDs of one connection.
    private static let mostIDs = 256
    /// Datagram that a client begins with, at least (RFC 9000, section 14.1).
    private static let smallestFirst = 1200

    private var connections: [Int: Connection] = [:]
    private var byPath: [Path: [Int]] = [:]
    private var byID: [[UInt8]: Named] = [:]
    private var idSizes: Set<Int> = []
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
        guard let first = bytes.first, first & 0x40 != 0 else { return false }
        let isLong = first & 0x80 != 0
        // Most of UDP is something else.
        guard isLong || !connections.isEmpty else { return false }
        let datagram = Array(bytes)
        if isLong {
            guard let packet = QUICPacket(datagram, at: 0, idSize: 0) else { return false }
            if !packet.destination.isEmpty, let named = byID[Array(packet.destination)] {
                pass(datagram, to: named.number, from: named.side.other, at: time)
                return true
            }
            if datagram.count >= Self.smallestFirst,
                let version = QUICConnection.begins(with: packet, in: datagram)
            {
                begin(packet, version, datagram, from: source, to: destination, at: time, reading)
                return true
            }
        }
        guard let (number, side) = onPath(datagram, isLong, source, destination) else { return false }
        pass(datagram, to: number, from: side, at: time)
        return true
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
        let connection = QUICConnection(packet, version: version, heldForKeys: reading.heldForKeys)
        connections[number] = Connection(QUICConnectionReader(reading, connection, entry), on: path)
        byPath[path, default: []].append(number)
        pass(datagram, to: number, from: .client, at: time)
    }

    private mutating func pass(_ datagram: [UInt8], to number: Int, from side: Side, at time: Timestamp) {
        guard let connection = connections[number] else { return }
        connection.reader.received(datagram, from: side, at: time)
        for (bytes, side) in connection.reader.takeIDs() where connection.ids.count < Self.mostIDs {
            let id = Array(bytes)
            guard !id.isEmpty, byID[id] == nil else { continue }
            byID[id] = Named(number: number, side: side)
            idSizes.insert(id.count)
            connection.ids.append(id)
        }
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
        let oldest = connections.min {
            ($0.value.reader.lastPacket, $0.key) < ($1.value.reader.lastPacket, $1.key)
        }
        guard let (number, connection) = oldest else { return }
        connection.reader.closed(at: time)
        connections[number] = nil
        for id in connection.ids { byID[id] = nil }
        byPath[connection.path]?.removeAll { $0 == number }
        if byPath[connection.path]?.isEmpty == true { byPath[connection.path] = nil }
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
