internal import Wire

/// Takes what could be read of one QUIC connection.
protocol QUICSink {
    /// Once: both Finished were seen.
    mutating func handshakeEnded(_ facts: TLSStreamFacts)
    /// The next bytes of one direction of a stream, by its number; the last of them may be none.
    mutating func received(_ bytes: ArraySlice<UInt8>, of stream: Int, from side: Side, isLast: Bool)
    /// A side broke its direction off, or wants no more of the other's.
    mutating func reset(_ stream: Int, by side: Side, code: Int)
    /// Once: the connection is over.
    mutating func closed(by side: Side, _ close: QUICClose, _ facts: TLSStreamFacts)
    /// Why nothing more can be read; once.
    mutating func unreadable(_ reason: String)
}
