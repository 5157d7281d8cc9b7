import Captures
import Flows
import OAuth

/// Logins inside of others: a broker, asked for a login, is itself the client of the next provider.
enum NestedFlows {
    /// By the inner flow's id the id of the one around it.
    ///
    /// The inner login's redirect URI is at the host where the outer one's provider was asked, and it began while that one
    /// went on.
    static func outer(of flows: [Flow]) -> [String: String] {
        // Few logins overlap: each looks at those that began shortly before it only.
        let spans = flows.map { flow in
            Span(
                flow: flow,
                end: flow.exchanges.map { flow.surroundings.capture[$0].endedAt }.max() ?? flow.started
            )
        }
        var outer: [String: String] = [:]
        for (index, inner) in spans.enumerated() {
            let hosts = inner.callbackHosts
            guard !hosts.isEmpty else { continue }
            let around = spans[..<index].suffix(50).last {
                $0.end >= inner.flow.started && !hosts.isDisjoint(with: $0.providerHosts)
            }
            if let around { outer[inner.flow.id] = around.flow.id }
        }
        return outer
    }

    private struct Span {
        var flow: Flow
        var end: Timestamp

        private var requests: [Step] { flow.steps.filter { $0.kind == .authorizationRequest } }

        var callbackHosts: Set<String> {
            Set(
                requests.compactMap { $0.parameters["redirect_uri"] }.compactMap { RecordedURL($0).authority }
            )
        }

        var providerHosts: Set<String> {
            Set(requests.compactMap { flow.surroundings.capture[$0.exchange].request.url.authority })
        }
    }
}
