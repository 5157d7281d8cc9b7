import Captures
import Packets
import Wire

/// One connection after the other, a packet each millisecond.
struct ConnectionScript {
    static let start = Timestamp(seconds: 1_800_000_000)
    /// Two bytes, and the connection stays.
    static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    var exchanges = PacketExchanges(maximumBodyBytes: 1 << 20, budget: RecordingBudget(bytes: 1 << 30))
    var now = ConnectionScript.start
    var stream = 0

    mutating func tick() { now = now + .milliseconds(1) }

    mutating func open(port: UInt16 = 80, beganMidStream: Bool = false) {
        let facts = TCPStreamFacts(
            client: Endpoint(address: [10, 0, 0, 1], port: 50_000),
            server: Endpoint(address: [10, 0, 0, 2], port: port),
            startedAt: now,
            beganMidStream: beganMidStream
        )
        exchanges.opened(stream, facts)
        tick()
        if !beganMidStream { exchanges.established(stream, at: now) }
        tick()
    }

    mutating func client(_ text: String) { send(Array(text.utf8), .client) }
    mutating func server(_ text: String) { send(Array(text.utf8), .server) }

    mutating func send(_ bytes: [UInt8], _ side: Side) {
        bytes.withUnsafeBytes { exchanges.received($0, of: stream, from: side, at: now) }
        tick()
    }

    mutating func lost(_ count: Int, _ side: Side) {
        exchanges.lost(count, of: stream, from: side, at: now)
        tick()
    }

    mutating func close(_ end: TCPStreamEnd = .finished, by side: Side = .server) {
        exchanges.ended(side, of: stream, end, at: now)
        exchanges.closed(stream, at: now)
        stream += 1
    }
}
