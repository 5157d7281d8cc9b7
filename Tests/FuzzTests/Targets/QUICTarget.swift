@testable import Captures
@testable import Packets
@testable import Wire

/// The payloads of a QUIC connection's packets, their protection taken off: frames, handshake, streams, HTTP/3.
///
/// ``StreamPiece`` tells the form of the input; kinds: 0 Initial, 1 Handshake, 2 and 3 what comes behind it.
enum QUICTarget {
    private static let held = 1 << 20

    /// Hands on to HTTP/3 what the streams say.
    private struct Sink: QUICSink {
        let conversation: HTTP3Conversation
        var time = HTTP1Target.now
        var found: [Exchange] = []
        var ended = 0

        mutating func handshakeEnded(_ facts: TLSStreamFacts) {}

        mutating func received(_ bytes: ArraySlice<UInt8>, of stream: Int, from side: Side, isLast: Bool) {
            found += conversation.received(bytes, of: stream, from: side, isLast: isLast, at: HTTP1Target.now)
        }

        mutating func reset(_ stream: Int, by side: Side, code: Int) {
            found +=
                side == .client
                ? conversation.requestReset(stream, code: code, at: time)
                : conversation.reset(stream, by: .server, code: code, at: time)
        }

        mutating func stopped(_ stream: Int, by side: Side, code: Int) {
            guard side == .client else { return }
            found += conversation.reset(stream, by: .client, code: code, at: time)
        }

        mutating func lost(_ stream: Int, from side: Side) {
            found += conversation.lost(stream, from: side, at: HTTP1Target.now)
        }

        mutating func undecrypted(_ packets: Int, from side: Side, isAll: Bool) {}

        mutating func closed(by side: Side, _ close: QUICClose, _ facts: TLSStreamFacts) { ended += 1 }

        mutating func unreadable(_ reason: String) { ended += 1 }
    }

    static func check(_ input: [UInt8]) throws(FuzzFinding) {
        let first: [UInt8] = [0xc0, 0, 0, 0, 1, 8, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0]
        guard let packet = QUICPacket(first, at: 0, idSize: 0) else {
            throw FuzzFinding("the first packet is none")
        }
        let budget = RecordingBudget(bytes: held)
        var configuration = Conversation.Configuration(scheme: "https", authority: "idp.example")
        configuration.maximumBodyBytes = 64 << 10
        configuration.budget = budget
        let connection = QUICConnection(
            packet,
            version: QUICVersion.all[0],
            heldForKeys: 1 << 20,
            budget: budget
        )
        var sink = Sink(conversation: HTTP3Conversation(configuration))
        for piece in StreamPiece.parse(input) where !connection.isOver {
            let level = QUICConnection.Level(rawValue: Int(piece.kind)) ?? .application
            connection.take(Array(piece.bytes), at: level, from: piece.side, keys: TLSKeyLog(), &sink)
        }
        connection.finish(into: &sink)
        sink.found += sink.conversation.abandon(at: HTTP1Target.now, reason: "the recording ended")
        try require(sink.ended <= 1, "the connection ended \(sink.ended) times")
        try require(budget.available == held, "\(budget.available) bytes of \(held) were given back")
        try RoundTrip.check(sink.found)
    }
}
