internal import Captures
internal import Wire

/// What ended first of a connection.
struct ConnectionEnd {
    /// Whose direction it was; of a reset, which ends both, it says nothing.
    var side: Side
    var ending: TCPStreamEnd
    var time: Timestamp

    static let captureEnded = "the capture ends"

    /// Who did what.
    var words: String {
        by.map { "the \($0.rawValue) \(isReset ? "reset" : "closed") the connection" } ?? Self.captureEnded
    }

    var isReset: Bool { if case .reset = ending { true } else { false } }

    /// Who ended it; nil where the capture did.
    var by: Side? {
        switch ending {
        case .finished: side
        case .reset(let side): side
        case .unanswered, .captureEnded: nil
        }
    }
}
