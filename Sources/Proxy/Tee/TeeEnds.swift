internal import Captures
internal import Wire

/// How far the two sides of a tee have come, and what that says of an answer that does not.
///
/// Reads no clock, and closes nothing.
struct TeeEnds {
    /// When the client was done with sending, which mostly means that it has gone.
    private(set) var clientEnd: Timestamp?
    /// Whether the provider's side has come to its end, and the client's with it: no request can be answered any more.
    private(set) var hasServerEnded = false
    /// When bytes of the provider came last.
    private(set) var lastReceived = Timestamp(nanoseconds: 0)
    /// Whether bytes of an answer have come that is not whole yet.
    private(set) var isAnswering = false

    /// Why a request has no answer that crossed with the provider's end.
    static let unanswered = AnswerLoss.serverEnded + " without an answer"

    // MARK: - What happens

    mutating func serverSent(at time: Timestamp) { lastReceived = time }

    mutating func answerWentOn() { isAnswering = true }

    mutating func answerIsWhole() { isAnswering = false }

    mutating func serverEnded() { hasServerEnded = true }

    mutating func clientEnded(at time: Timestamp) { clientEnd = time }

    // MARK: - What it says

    /// Whether a client that has ended its half has been sent a part of an answer since.
    ///
    /// If it had gone it would have reset the connection then, see ``LastByte``. With HTTP/2 servers say other things, too, at their
    /// end.
    func isClientStillHeard(speakingHTTP2 isHTTP2: Bool) -> Bool {
        guard let clientEnd else { return true }
        return isAnswering && lastReceived > clientEnd && !isHTTP2
    }

    /// When a client that has gone had its last chance to get what it asked for; nil while it is there.
    var abandonedAt: Timestamp? { clientEnd.map { max($0, lastReceived) } }

    /// Why what is awaited does not come, where a side has broken for this reason.
    func loss(by side: Side, _ reason: String) -> String {
        // A request that crossed with the provider's end: what breaks then is no reason.
        if hasServerEnded { return Self.unanswered }
        guard side == .client else { return reason }
        // What breaks when it is sent an answer was gone when it ended its half.
        return clientEnd == nil ? reason : AnswerLoss.clientLeft
    }

    /// The same where a side is gone without a reason; nil where that is an end like another.
    func loss(byGoing side: Side) -> String? {
        guard side == .server else { return loss(by: side, AnswerLoss.clientLeft) }
        // Where the client's end was sent on, the provider's ends the connection.
        return clientEnd == nil ? AnswerLoss.serverEnded : nil
    }
}
