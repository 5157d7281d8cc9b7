import Captures
import Flows
import OAuth

/// What shows that a login is one of an app on a device.
enum AppOnDevice {
    /// An answer to an app that holds the code challenge of a request: its back end made it.
    static func fetchOfChallenge(_ request: AuthorizationRequest, in flow: Flow) -> Int? {
        guard let challenge = request.codeChallenge, challenge.utf8.count >= 20 else { return nil }
        let wanted = Array(challenge.utf8)
        return flow.exchanges(before: request.exchange, within: .seconds(300)).first { index in
            let exchange = flow.capture[index]
            guard PublicAgent(of: exchange.request, at: index)?.kind == .native,
                let body = exchange.response?.body, (body.size ?? 0) < 1 << 16, let bytes = body.bytes
            else { return false }
            return bytes.firstRange(of: wanted) != nil
        }
    }

    /// Whether an agent is that of an iPhone or iPad; those that name themselves a Mac are not told.
    static func isIOS(_ agent: String) -> Bool {
        ["iPhone", "iPad", "iPod"].contains(where: agent.containsBytes)
    }
}
