internal import NIOCore

/// What one end of an HTTP/2 connection has said: its frames, and the state that its header blocks share.
struct HTTP2Direction {
    /// A header block whose end may not have come.
    struct Block {
        var stream: UInt32
        var endsStream: Bool
        /// The stream that is promised with this block.
        var promised: UInt32?
        var bytes: ByteBuffer
        var offset: Int
    }

    /// What may have been said in bytes that are missing.
    struct Doubt {
        /// Header blocks, whatever comes.
        var mayHoldHeads: Bool
        /// Streams that may have ended with trailers there; none that goes on.
        var mayHaveEnded: Set<UInt32>
    }

    /// Of the table that the header blocks share; browsers ask for 64 KiB at most.
    static let maximumTableBytes = 256 << 10

    var reader = FrameReader()
    var fields = HeaderBlockDecoder()
    /// Bytes of this direction before the current input.
    var offset = 0
    /// A header block whose end has not come.
    var block: Block?
    /// Set where bytes are missing: until the next frame is found.
    var search: FrameSearch?
    /// Set from there on until it is known whether header blocks were among them.
    var doubt: Doubt?
    /// Whether the other end may push (`SETTINGS_ENABLE_PUSH`).
    var allowsPush = true
    /// Why this end is closing the connection.
    var goAway: String?

    /// The header block whose end has not come; there is none from now on.
    mutating func takeBlock() -> Block? {
        defer { block = nil }
        return block
    }

    /// The other end allows a table of this size (`SETTINGS_HEADER_TABLE_SIZE`).
    ///
    /// That this end uses less from now on it says itself, at the beginning of a header block.
    mutating func allowTable(of bytes: Int) {
        fields.allowTable(of: min(bytes, Self.maximumTableBytes))
    }
}
