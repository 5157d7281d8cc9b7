internal import Captures
internal import Wire

/// The tunnels that a client has within one connection to a proxy of HTTP/2, each a connection of its own.
struct StreamTunnels {
    private let reading: PacketReading
    private let depth: Int
    private var open: [UInt32: ConnectionReader] = [:]
    /// Those that are over and wait for keys.
    private var waiting: [ConnectionReader] = []

    /// `depth`: how many tunnels the connection itself is in.
    init(_ reading: PacketReading, depth: Int) {
        self.reading = reading
        self.depth = depth
    }

    var readers: [ConnectionReader] {
        waiting + open.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Takes what was said in them.
    ///
    /// - Parameters:
    ///   - pieces: in their order.
    ///   - entry: of the connection.
    ///   - time: when.
    /// - Returns: how many were begun.
    mutating func take(_ pieces: [HTTP2TunnelPiece], in entry: ConnectionEntry, at time: Timestamp) -> Int {
        var begun = 0
        for piece in pieces {
            if case .opened(let authority) = piece.content {
                guard reading.takeStreamTunnel() else { continue }
                begun += 1
                let inner = ConnectionEntry(in: entry, to: authority, stream: piece.stream, at: time)
                open[piece.stream] = ConnectionReader(reading, inner, isWhole: true, depth: depth + 1)
            } else if let reader = open[piece.stream] {
                pass(piece, to: reader, at: time)
            }
        }
        return begun
    }

    private mutating func pass(_ piece: HTTP2TunnelPiece, to reader: ConnectionReader, at time: Timestamp) {
        let side = piece.side
        switch piece.content {
        case .opened: return
        case .bytes(let bytes): bytes.withUnsafeBytes { reader.received($0, from: side, at: time) }
        case .lost(let count): reader.lost(count, from: side, at: time)
        case .ended: reader.ended(side, .finished, at: time)
        case .reset:
            reader.ended(side, .reset(by: side), at: time)
            close(piece.stream, at: time)
        case .closed: close(piece.stream, at: time)
        }
    }

    private mutating func close(_ stream: UInt32, at time: Timestamp) {
        guard let reader = open.removeValue(forKey: stream) else { return }
        guard !reader.waitsForKeys else { return waiting.append(reader) }
        reader.closed(at: time)
        reading.giveStreamTunnels(1)
    }

    /// A side of the connection itself sends no more.
    func ended(_ side: Side, _ end: TCPStreamEnd, at time: Timestamp) {
        for (_, reader) in open.sorted(by: { $0.key < $1.key }) { reader.ended(side, end, at: time) }
    }

    /// Nothing more will come.
    mutating func closed(at time: Timestamp) {
        let readers = readers
        open = [:]
        waiting = []
        for reader in readers { reader.closed(at: time) }
        reading.giveStreamTunnels(readers.count)
    }
}
