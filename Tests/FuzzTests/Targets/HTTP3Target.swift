@testable import Captures
@testable import Wire

/// The streams of an HTTP/3 connection; ``StreamPiece`` tells the form of the input, its numbers are those of the streams.
///
/// Kinds: 0 bytes, 1 the last ones, 2 the side gives the answer up, 3 the client breaks its request off.
enum HTTP3Target {
    static func check(_ input: [UInt8]) throws(FuzzFinding) {
        let pieces = StreamPiece.parse(input)
        // What a field stands for may be said again by a byte: a section is at most so large.
        let limit = HTTP3Decoder.maximumHeadBytes + 4 * FrameReader.maximumHeaderBlock + input.count
        let whole = try decoded(pieces, cut: .max)
        try whole.checkHeld(atMost: limit)
        try decoded(pieces, cut: .max, room: 2000).checkHeld(atMost: 2000)
        for cut in [1, 7] {
            let log = try decoded(pieces, cut: cut)
            try require(log == whole, "in pieces of \(cut): \(log.difference(to: whole))")
            try decoded(pieces, cut: cut, room: 2000).checkHeld(atMost: 2000)
        }
        try RoundTrip.check(exchanges(of: pieces))
    }

    private static func decoded(_ pieces: [StreamPiece], cut: Int, room: Int = .max) throws(FuzzFinding)
        -> EventLog
    {
        var decoder = HTTP3Decoder(scheme: "https")
        var log = EventLog()
        log.room = room
        let now = HTTP1Target.now
        for piece in pieces {
            guard piece.kind < 2 else {
                if piece.kind == 2 {
                    decoder.reset(piece.number, by: piece.side, code: 0x10c, at: now, into: &log)
                } else {
                    decoder.resetRequest(piece.number, code: 0x10c, into: &log)
                }
                continue
            }
            var rest = piece.bytes
            repeat {
                let part = rest.prefix(cut)
                rest = rest.dropFirst(part.count)
                let isLast = piece.kind == 1 && rest.isEmpty
                decoder.receive(part, of: piece.number, from: piece.side, isLast: isLast, at: now, into: &log)
            } while !rest.isEmpty
        }
        if decoder.hasLostTheThread {
            try require(log.held == 0, "\(log.held) bytes are held of a connection that is not read any more")
        }
        decoder.failAll("the recording ended", now, &log)
        try require(log.held == 0, "\(log.held) bytes were not given back")
        return log
    }

    private static func exchanges(of pieces: [StreamPiece]) -> [Exchange] {
        let conversation = HTTP3Conversation(
            Conversation.Configuration(scheme: "https", authority: "idp.example")
        )
        let now = HTTP1Target.now
        var found: [Exchange] = []
        for piece in pieces {
            let ended =
                switch piece.kind {
                case 2: conversation.reset(piece.number, by: piece.side, code: 0x10c, at: now)
                case 3: conversation.requestReset(piece.number, code: 0x10c, at: now)
                default:
                    conversation.received(
                        piece.bytes,
                        of: piece.number,
                        from: piece.side,
                        isLast: piece.kind == 1,
                        at: now
                    )
                }
            found += ended
        }
        return found + conversation.abandon(at: now, reason: "the recording ended")
    }
}
