import Captures
package import OAuth

/// When the user of a flow was signed out, and signed in again, read once for all refused calls.
///
/// Tokens of a session that is over have to be refused, and other windows learn of its end so.
package struct SessionEnds: Sendable {
    /// In the order of time.
    private var changes: [(position: Int, isOver: Bool)] = []
    private let position: [Int]

    /// Reads the logouts and the logins among the messages of a flow.
    package init(among messages: [OAuthMessage], in index: CaptureIndex) {
        position = index.position
        for message in messages {
            let place = position[message.exchange]
            switch message {
            case .endSession(let call):
                switch LogoutCourse(of: call, in: index).end {
                case .sentBack, .done: changes.append((place, true))
                // Without a hint it may ask first, and was left there.
                case .page where call.parameters.contains("id_token_hint"): changes.append((place, true))
                case .declined: changes.append((place, false))
                case .page, .refused, .unanswered: break
                }
            case .authorizationRequest: changes.append((place, false))
            default: break
            }
        }
        changes.sort { $0.position < $1.position }
    }

    /// Whether the user was signed out before an exchange, and did not sign in again.
    package func isOver(before exchange: Int) -> Bool {
        let count = changes.partitionPoint { $0.position >= position[exchange] }
        return changes[..<count].last?.isOver ?? false
    }
}
