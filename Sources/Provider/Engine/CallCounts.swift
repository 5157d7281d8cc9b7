import OAuth

/// How often was asked before for what a recording shows in order.
///
/// Nothing else is counted, so that there is no more of it than the recording has.
struct CallCounts: Sendable {
    enum Subject: Hashable, Sendable {
        case endpoint(Endpoints.Role)
        /// The pages of a client, of the recording; `isSilent`: by a login at which nobody is to be asked.
        case pages(clientID: String, isSilent: Bool)
        case login
        case idToken
    }

    private var counts: [Subject: Int] = [:]

    subscript(subject: Subject) -> Int { counts[subject, default: 0] }

    /// Counts one more.
    ///
    /// - Returns: how many there were before.
    mutating func count(_ subject: Subject) -> Int {
        defer { counts[subject, default: 0] += 1 }
        return self[subject]
    }

    /// Counts a login; behind the last recorded one the next is the first again, and meets what that one met.
    mutating func countLogin(of recorded: Int) {
        guard count(.login) == recorded else { return }
        // Which ID token is the first of all is no matter of the recording.
        counts = counts.filter { $0.key == .idToken }
        counts[.login] = 1
    }
}
