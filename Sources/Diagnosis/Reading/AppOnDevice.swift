import Captures
import Flows
import JOSE
import OAuth

/// What shows that a login is one of an app on a device.
enum AppOnDevice {
    /// An answer to an app that holds the code challenge of a request, or the `request_uri` of what was pushed (RFC 9126): its
    /// back end made it.
    static func fetch(of request: AuthorizationRequest, in flow: Flow) -> Int? {
        let marks = [request.codeChallenge, request.parameters["request_uri"]].compactMap(\.self)
            .filter { $0.utf8.count >= 20 && !Placeholder.isOne($0) }
        guard !marks.isEmpty else { return nil }
        let wanted = Set(marks + marks.map { PercentEncoding.encode($0) }).map { Array($0.utf8) }
        return flow.exchanges(before: request.exchange, within: .seconds(300)).first { index in
            let exchange = flow.capture[index]
            guard PublicAgent(of: exchange.request, at: index)?.kind == .native,
                let body = exchange.response?.body, (body.size ?? 0) < 1 << 16, let bytes = body.bytes
            else { return false }
            return wanted.contains { bytes.firstRange(of: $0) != nil }
        }
    }

    /// Whether an agent is that of an iPhone or iPad; those that name themselves a Mac are not told.
    static func isIOS(_ agent: String) -> Bool {
        ["iPhone", "iPad", "iPod"].contains(where: agent.containsBytes)
    }
}
