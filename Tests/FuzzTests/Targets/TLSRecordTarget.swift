import Captures
import LibCrypto
import Packets
import Wire

/// A TLS connection from outside: records, hellos, the search behind missing bytes, and what keys open.
///
/// ``ConnectionPiece`` tells the form of the input.
enum TLSRecordTarget {
    static func check(_ input: [UInt8]) throws(FuzzFinding) {
        let (keyLog, pieces) = ConnectionPiece.parse(input)
        var keys = TLSKeyLog()
        keys.add(keyLog)
        keys.finish()
        let whole = read(pieces, keys, cut: 0)
        for cut in [1, 7] {
            let other = read(pieces, keys, cut: cut)
            try require(other == whole, "in pieces of \(cut): \(other) instead of \(whole)")
        }
        try require(
            whole.plaintext.count <= input.count,
            "\(whole.plaintext.count) bytes are read of \(input.count)"
        )
        try require(whole.reasons.count <= 3, "\(whole.reasons)")
        try require(whole.handshakes <= 1, "\(whole.handshakes) handshakes")
        try late(pieces, keys, input.count)
    }

    /// Keys that come behind everything.
    private static func late(_ pieces: [ConnectionPiece], _ keys: TLSKeyLog, _ most: Int) throws(FuzzFinding)
    {
        var stream = TLSStream(holdingForKeys: 1 << 20)
        var told = Told()
        for piece in pieces { apply(piece, to: &stream, TLSKeyLog(), cut: 0, &told) }
        try require(told.plaintext.isEmpty, "\(told.plaintext.count) bytes are read without keys")
        stream.keysAdded(keys, into: &told)
        for side in [Side.client, .server] { stream.ended(side, keys: keys, into: &told) }
        stream.abandon(into: &told)
        try require(told.plaintext.count <= most, "\(told.plaintext.count) bytes are read of \(most)")
    }

    private static func read(_ pieces: [ConnectionPiece], _ keys: TLSKeyLog, cut: Int) -> Told {
        var stream = TLSStream()
        var told = Told()
        for piece in pieces { apply(piece, to: &stream, keys, cut: cut, &told) }
        for side in [Side.client, .server] { stream.ended(side, keys: keys, into: &told) }
        return told
    }

    private static func apply(
        _ piece: ConnectionPiece,
        to stream: inout TLSStream,
        _ keys: TLSKeyLog,
        cut: Int,
        _ told: inout Told
    ) {
        switch piece {
        case .lost(let side, let count): stream.lost(count, from: side, into: &told)
        case .ended(let side): stream.ended(side, keys: keys, into: &told)
        case .bytes(let side, let bytes):
            for part in ConnectionPiece.cut(bytes, every: cut) {
                part.withUnsafeBytes { stream.receive($0, from: side, keys: keys, into: &told) }
            }
        }
    }

    private struct Told: TLSStreamSink, Equatable {
        var time = Timestamp(nanoseconds: 0)
        var plaintext: [UInt8] = []
        var lost: [Int] = []
        var handshakes = 0
        var alerts: [String] = []
        var reasons: [String] = []

        mutating func receivedPlaintext(_ bytes: UnsafeRawBufferPointer, from side: Side) {
            plaintext.append(contentsOf: bytes)
        }
        mutating func lostPlaintext(atMost count: Int, isExact: Bool, from side: Side) { lost.append(count) }
        mutating func handshakeEnded(_ facts: TLSStreamFacts) { handshakes += 1 }
        mutating func alert(_ alert: TLSStreamAlert, from side: Side, _ facts: TLSStreamFacts) {
            alerts.append(alert.alert.name)
        }
        mutating func unreadable(_ reason: String, from side: Side?) { reasons.append(reason) }
    }
}
