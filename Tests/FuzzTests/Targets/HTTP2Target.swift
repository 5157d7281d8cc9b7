@testable import Captures
@testable import Wire

/// HTTP/2, read by the recorder.
enum HTTP2Target {
    /// What the answers of ``responses(_:)`` answer: eight streams, the third without its end, the fourth a `HEAD`, the
    /// fifth an extended CONNECT.
    static let asked: [UInt8] =
        HTTP2Decoder.preface + frame(4, 0, 0, [])
        + (0..<8).flatMap { number -> [UInt8] in
            var block: [UInt8] = [0x87, 0x84, 0x41, 0x0b] + Array("idp.example".utf8)
            switch number {
            case 2: block += [0x83, 0x5c, 0x01] + Array("9".utf8)
            case 3: block += [0x42, 0x04] + Array("HEAD".utf8)
            case 4:
                block += [0x42, 0x07] + Array("CONNECT".utf8) + [0x40, 0x09] + Array(":protocol".utf8)
                block += [0x09] + Array("websocket".utf8)
            default: block += [0x82]
            }
            return frame(1, number == 2 || number == 4 ? 4 : 5, UInt8(2 * number + 1), block)
        }

    private static func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0, 0, UInt8(payload.count), type, flags, 0, 0, 0, stream] + payload
    }

    static func requests(_ input: [UInt8]) throws(FuzzFinding) {
        try decoderAgrees(input, from: .client, behind: [])
        try RoundTrip.check(HTTP1Target.exchanges([(.client, input)], alpn: "h2"))
    }

    static func responses(_ input: [UInt8]) throws(FuzzFinding) {
        try decoderAgrees(input, from: .server, behind: asked)
        try RoundTrip.check(HTTP1Target.exchanges([(.client, asked), (.server, input)], alpn: "h2"))
    }

    private static func decoderAgrees(_ input: [UInt8], from side: Side, behind asked: [UInt8])
        throws(FuzzFinding)
    {
        let limit = HTTP2Decoder.maximumHeadBytes + 2 * FrameReader.maximumHeaderBlock
        let whole = try decoded([input[...]], from: side, behind: asked)
        try whole.checkHeld(atMost: limit)
        try decoded([input[...]], from: side, behind: asked, room: 2000).checkHeld(atMost: 2000)
        for cut in Pieces.cuts(of: input) {
            let log = try decoded(cut, from: side, behind: asked)
            try require(log == whole, "in pieces: \(log.difference(to: whole))")
            try decoded(cut, from: side, behind: asked, room: 2000).checkHeld(atMost: 2000)
        }
    }

    private static func decoded(
        _ pieces: [ArraySlice<UInt8>],
        from side: Side,
        behind asked: [UInt8],
        room: Int = .max
    ) throws(FuzzFinding) -> EventLog {
        var decoder = HTTP2Decoder(scheme: "https")
        var log = EventLog()
        log.room = room
        let now = HTTP1Target.now
        asked.withUnsafeBufferPointer { decoder.receive($0, from: .client, at: now, into: &log) }
        for piece in pieces {
            piece.withUnsafeBufferPointer { decoder.receive($0, from: side, at: now, into: &log) }
        }
        if decoder.hasLostTheThread {
            try require(log.held == 0, "\(log.held) bytes are held of a connection that is not read any more")
        }
        decoder.failAll("the recording ended", now, &log)
        return log
    }
}
