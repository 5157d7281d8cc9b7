import Wire

/// Whether the answer is still to come to something that was asked before the next request in the capture, be it missing there.
///
/// Who asks again by then does not wait for answers, and the next one is not that to the request. Of such a client nothing is paired any
/// more once something of its connection was missing: how many answers are still to come is not known.
struct OwedAnswer {
    private var isDue = false
    /// Whether that is the answer to a request a part of which is in the capture.
    private(set) var isOfKnownRequest = false
    /// Whether the client was seen to ask again before it had its answer.
    private var isPipelined = false
    /// Whether something that was said is missing, or the beginning: what is counted from is not known.
    private(set) var isUncounted: Bool
    /// Whether there was, or may have been, an answer that no request in the capture is for: in TLS the request shows to be missing with
    /// the next one.
    private var mayHaveCome = false
    /// `GET / HTTP/1.1` and two line ends: fewer bytes are no request.
    private static let smallestRequest = 18

    /// `isWhole`: whether the connection's first bytes are there.
    init(isWhole: Bool) { isUncounted = !isWhole }

    var isOwed: Bool { isDue || isPipelined && isUncounted }

    /// A request is read whose answer will be known.
    mutating func asked() {
        isDue = false
        isOfKnownRequest = false
        mayHaveCome = false
    }

    /// The client has asked again, and the answer to what it asked before has not come.
    mutating func askedAgain() { isPipelined = true }

    /// So many bytes of the client are missing behind a whole request, whose answer has not come.
    mutating func lostBehindRequest(_ count: Int) {
        if count >= Self.smallestRequest { askedAgain() }
    }

    /// What comes next is not known by what came before.
    mutating func lostCount() { isUncounted = true }

    /// Bytes of the server are missing, or an answer has come that no request waits for.
    mutating func answered() {
        isDue = false
        mayHaveCome = true
    }

    /// Looks at the server's bytes, where no request is known to wait for them.
    mutating func answered(_ bytes: UnsafeRawBufferPointer) {
        if FirstBytes.sender(of: bytes) == .server || FirstBytes.areTooFewOfServer(bytes) { answered() }
    }

    /// So many bytes of the client are missing between its requests.
    mutating func lostBetween(_ count: Int) {
        if !mayHaveCome, count >= Self.smallestRequest { isDue = true }
    }

    /// Bytes of a request are missing that has not been answered.
    mutating func lostWithin() {
        isDue = true
        isOfKnownRequest = true
    }
}
