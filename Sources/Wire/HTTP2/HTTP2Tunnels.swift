/// What is said on a stream of HTTP/2 that has become a tunnel (CONNECT, RFC 9113, section 8.5).
package struct HTTP2TunnelPiece {
    /// What happened on the stream.
    package enum Content {
        /// The proxy has connected its client with `HOST:PORT`.
        case opened(authority: String)
        case bytes([UInt8])
        /// So many bytes are not there.
        case lost(Int)
        /// The side sends no more.
        case ended
        /// The side has reset the stream.
        case reset
        /// Nothing more is known of it: both sides have ended, or bytes are missing that may have been of any stream.
        case closed
    }

    package let stream: UInt32
    package let side: Side
    package let content: Content
}

/// Streams that have become tunnels, and what was said in them since it was taken last.
struct HTTP2Tunnels {
    /// Followed at a time; servers allow a hundred streams or two.
    private static let most = 256

    /// Whether it is wanted what is said in them.
    var areFollowed = false
    /// With the sides that have ended.
    private var open: [UInt32: Set<Side>] = [:]
    private var pieces: [HTTP2TunnelPiece] = []

    mutating func begin(_ stream: UInt32, to authority: String) {
        guard areFollowed, open.count < Self.most, open[stream] == nil else { return }
        open[stream] = []
        add(.opened(authority: authority), of: stream, from: .server)
    }

    mutating func add(
        _ input: UnsafeBufferPointer<UInt8>,
        _ range: Range<Int>,
        of stream: UInt32,
        from side: Side
    ) {
        guard open[stream] != nil, !range.isEmpty else { return }
        add(.bytes(Array(input[range])), of: stream, from: side)
    }

    mutating func lost(_ count: Int, of stream: UInt32, from side: Side) {
        if open[stream] != nil { add(.lost(count), of: stream, from: side) }
    }

    mutating func end(_ stream: UInt32, from side: Side) {
        guard open[stream]?.insert(side).inserted == true else { return }
        add(.ended, of: stream, from: side)
        if open[stream]?.count == 2 { close(stream, from: side) }
    }

    mutating func reset(_ stream: UInt32, by side: Side) {
        guard open.removeValue(forKey: stream) != nil else { return }
        add(.reset, of: stream, from: side)
    }

    mutating func closeAll(from side: Side) {
        for stream in open.keys.sorted() { close(stream, from: side) }
    }

    private mutating func close(_ stream: UInt32, from side: Side) {
        open[stream] = nil
        add(.closed, of: stream, from: side)
    }

    private mutating func add(_ content: HTTP2TunnelPiece.Content, of stream: UInt32, from side: Side) {
        pieces.append(HTTP2TunnelPiece(stream: stream, side: side, content: content))
    }

    /// What was said since the last call, in its order.
    mutating func take() -> [HTTP2TunnelPiece] {
        guard !pieces.isEmpty else { return [] }
        defer { pieces = [] }
        return pieces
    }
}
