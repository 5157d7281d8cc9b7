import Captures
import OAuth

/// What two recorders with different clocks have put out of order: token requests that stand before the answer with their code.
extension FlowGrouping {
    /// Keeps a token request until its code has been delivered, and what has a token of its answer until then.
    mutating func waits(_ message: OAuthMessage) -> Bool {
        if let code = early.owner(of: message) {
            early.insert(message, of: code)
            return true
        }
        guard case .token(let request) = message, let code = request.code, byCode[code] == nil,
            let place = ahead.deliveries[code],
            place > index.position[request.exchange]
                || earlyAnswers.have(code)
        else { return false }
        early.insert(message, of: code)
        return true
    }

    /// The token requests that came before the answer with their code.
    mutating func joinEarly(to response: AuthorizationResponse) {
        guard let code = response.code else { return }
        for message in early.take(code) { join(message, at: message.exchange) }
    }

    /// What waited in vain.
    mutating func joinWhatWaits() {
        for message in index.inOrder(early.takeAll(), by: \.exchange) { join(message, at: message.exchange) }
    }
}
