import LibCrypto
import Packets
import Wire

/// A TLS connection from outside: records, hellos, the search behind missing bytes, and what keys open.
///
/// The input is a key log up to the first byte 0, then pieces of the connection: a byte that says whose it is (bit 0: the
/// server's; bit 1: as many bytes are missing; bit 2: that side ends), two bytes of length, the bytes. A last piece may be short.
enum TLSRecordTarget {
    private enum Piece {
        case bytes(Side, ArraySlice<UInt8>)
        case lost(Side, Int)
        case ended(Side)
    }

    static func check(_ input: [UInt8]) throws(FuzzFinding) {
        let end = input.firstIndex(of: 0) ?? input.count
        var keys = TLSKeyLog()
        keys.add(Array(input[..<end]))
        keys.finish()
        let pieces = pieces(of: input[min(end + 1, input.count)...])
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
    private static func late(_ pieces: [Piece], _ keys: TLSKeyLog, _ most: Int) throws(FuzzFinding) {
        var stream = TLSStream(holdingForKeys: 1 << 20)
        var told = Told()
        for piece in pieces { apply(piece, to: &stream, TLSKeyLog(), cut: 0, &told) }
        try require(told.plaintext.isEmpty, "\(told.plaintext.count) bytes are read without keys")
        stream.keysAdded(keys, into: &told)
        for side in [Side.client, .server] { stream.ended(side, keys: keys, into: &told) }
        stream.abandon(into: &told)
        try require(told.plaintext.count <= most, "\(told.plaintext.count) bytes are read of \(most)")
    }

    private static func read(_ pieces: [Piece], _ keys: TLSKeyLog, cut: Int) -> Told {
        var stream = TLSStream()
        var told = Told()
        for piece in pieces { apply(piece, to: &stream, keys, cut: cut, &told) }
        for side in [Side.client, .server] { stream.ended(side, keys: keys, into: &told) }
        return told
    }

    private static func apply(
        _ piece: Piece,
        to stream: inout TLSStream,
        _ keys: TLSKeyLog,
        cut: Int,
        _ told: inout Told
    ) {
        switch piece {
        case .lost(let side, let count): stream.lost(count, from: side, into: &told)
        case .ended(let side): stream.ended(side, keys: keys, into: &told)
        case .bytes(let side, let bytes):
            let size = cut == 0 ? max(1, bytes.count) : cut
            for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: size) {
                bytes[start..<min(bytes.endIndex, start + size)].withUnsafeBytes {
                    stream.receive($0, from: side, keys: keys, into: &told)
                }
            }
        }
    }

    private static func pieces(of input: ArraySlice<UInt8>) -> [Piece] {
        var rest = input
        var pieces: [Piece] = []
        while rest.count > 3, pieces.count < 500 {
            let start = rest.startIndex
            let side = rest[start] & 1 == 0 ? Side.client : .server
            let length = Int(rest[start + 1]) << 8 | Int(rest[start + 2])
            if rest[start] & 4 != 0 {
                pieces.append(.ended(side))
                rest = rest.dropFirst(3)
            } else if rest[start] & 2 != 0 {
                pieces.append(.lost(side, length))
                rest = rest.dropFirst(3)
            } else {
                pieces.append(.bytes(side, rest.dropFirst(3).prefix(length)))
                rest = rest.dropFirst(3 + length)
            }
        }
        return pieces
    }

    private struct Told: TLSStreamSink, Equatable {
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
        mutating func alert(_ alert: TLSStreamAlert, from side: Side) { alerts.append(alert.alert.name) }
        mutating func unreadable(_ reason: String, from side: Side?) { reasons.append(reason) }
    }
}
