/// The names of the servers that clients begin QUIC connections to.
struct QUICServerNames {
    /// Longest ClientHello that is put together.
    private static let longestHello = 64 << 10
    /// Connections that are looked at at a time; who begins more without a name makes them up.
    private static let mostConnections = 1024

    private struct Connection {
        var hello: [UInt8] = []
        /// Pieces behind bytes that have not come.
        var pieces: [QUICInitial.Piece] = []
        var held = 0
        var isDone = false
    }

    private var connections: [[UInt8]: Connection] = [:]

    /// The name in a ClientHello that is whole with this datagram; once for each connection.
    mutating func name(in datagram: ArraySlice<UInt8>) -> String? {
        var rest = datagram
        var name: String?
        while let packet = QUICInitial(rest) {
            name = name ?? take(packet)
            rest = rest.dropFirst(packet.size)
        }
        return name
    }

    private mutating func take(_ packet: QUICInitial) -> String? {
        if connections[packet.connectionID] == nil, connections.count >= Self.mostConnections {
            connections = [:]
        }
        var connection = connections[packet.connectionID] ?? Connection()
        guard !connection.isDone else { return nil }
        for piece in packet.pieces where piece.offset + piece.bytes.count <= Self.longestHello {
            connection.held += piece.bytes.count
            connection.pieces.append(piece)
        }
        connection.pieces.sort { $0.offset < $1.offset }
        while let piece = connection.pieces.first, piece.offset <= connection.hello.count {
            connection.hello += piece.bytes.dropFirst(connection.hello.count - piece.offset)
            connection.pieces.removeFirst()
        }
        // A message of TLS: type and length, then the ClientHello.
        let hello = connection.hello
        let length = hello.count >= 4 ? Int(hello[1]) << 16 | Int(hello[2]) << 8 | Int(hello[3]) : nil
        let isWhole = length.map { hello.count >= 4 + $0 } ?? false
        connection.isDone = isWhole || connection.held > 2 * Self.longestHello
        let name = isWhole && hello[0] == 1 ? TLSClientHello(Array(hello[4...])).flatMap(\.serverName) : nil
        if connection.isDone { connection = Connection(isDone: true) }
        connections[packet.connectionID] = connection
        return name
    }
}
