package import Captures

/// What happens while a flow is replayed.
package enum ReplayEvent: Sendable {
    /// A step of the plan is about to be sent.
    case sending(step: Int, of: Int)
    /// A pause that the recording had, too.
    case waiting(Duration, before: Int)
    /// The device grant waits for somebody to enter a code (RFC 8628, section 3.3).
    case enterCode(String, at: String)
    /// A page waits for somebody to agree elsewhere; its script asks here whether that is done.
    case awaitsApproval(at: String)
    /// An exchange is done.
    case exchanged(Exchange)
    /// Something that a real browser's visit comes upon.
    case browser(BrowserVisit.Notice)
}
