import Captures
import Flows

/// Who sent an exchange of a flow that is no protocol message, and to whom: as far as the steps of the flow tell.
///
/// A sender is known by process and user agent, a receiver by its host and port.
struct ExchangeParties {
    private struct Client: Hashable {
        var process: String?
        var agent: String?

        /// Nil where the capture tells nothing of it.
        init?(_ exchange: Exchange) {
            process = exchange.client.process
            agent = exchange.request.headers.first("user-agent")
            if process == nil, agent == nil { return nil }
        }
    }

    private let capture: Capture
    private var senders: [Client: Set<String>] = [:]
    private var receivers: [String: Set<String>] = [:]
    /// The requests that a login begins with.
    private var logins: Set<String> = []
    /// Who answers at the redirect URI.
    private var callback: String?

    init(_ steps: [Step], _ capture: Capture) {
        self.capture = capture
        for step in steps where LaneTable.isAsked(step) {
            let exchange = capture[step.exchange]
            let url = exchange.request.url
            if let client = Client(exchange) { senders[client, default: []].insert(step.from.name) }
            if let authority = url.hostAndPort { receivers[authority, default: []].insert(step.to.name) }
            if step.kind == .authorizationRequest { logins.insert(url.text) }
            if step.kind == .authorizationResponse, callback == nil { callback = step.to.name }
        }
    }

    /// `browser → backend`; empty where one of the two is not known, or may be several.
    func words(of exchange: Int) -> String {
        let recorded = capture[exchange]
        guard let sender = Client(recorded).flatMap({ Self.only(senders[$0]) }),
            let receiver = receiver(of: recorded), sender != receiver
        else { return "" }
        return "\(sender) → \(receiver)".printable
    }

    private func receiver(of recorded: Exchange) -> String? {
        let url = recorded.request.url
        if let name = Self.only(url.hostAndPort.flatMap { receivers[$0] }) { return name }
        // The page that sends the browser to the provider is the client's, wherever that has its redirect URI.
        guard let location = recorded.response?.location, logins.contains(url.resolving(location).text)
        else { return nil }
        return callback
    }

    private static func only(_ names: Set<String>?) -> String? {
        names?.count == 1 ? names?.first : nil
    }
}
