import Wire

/// Whether the answer is still to come to something that was asked before the next request in the capture, be it missing there.
///
/// Who asks again by then does not wait for answers, and the next one is not that to the request.
struct OwedAnswer {
    private(set) var isOwed = false
    /// Whether there was, or may have been, an answer that no request in the capture is for: in TLS the request shows to be missing with
    /// the next one.
    private var mayHaveCome = false
    /// `GET / HTTP/1.1` and two line ends: fewer bytes are no request.
    private static let smallestRequest = 18

    /// A request is read whose answer will be known.
    mutating func asked() { self = OwedAnswer() }

    /// Bytes of the server are missing, or an answer has come that no request waits for.
    mutating func answered() {
        isOwed = false
        mayHaveCome = true
    }

    /// Looks at the server's bytes, where no request is known to wait for them.
    mutating func answered(_ bytes: UnsafeRawBufferPointer) {
        if FirstBytes.sender(of: bytes) == .server || FirstBytes.areTooFewOfServer(bytes) { answered() }
    }

    /// So many bytes of the client are missing between its requests.
    mutating func lostBetween(_ count: Int) {
        if !mayHaveCome, count >= Self.smallestRequest { isOwed = true }
    }

    /// Bytes of a request are missing that has not been answered.
    mutating func lostWithin() { isOwed = true }
}
