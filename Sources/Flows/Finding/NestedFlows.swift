import Captures
import OAuth

/// Logins inside of others: a broker, asked for a login, is itself the client of the next provider.
enum NestedFlows {
    /// By the place of an inner flow that of the one around it; `builders` in the order in which they began.
    ///
    /// The inner login's redirect URI is at the host where the outer one's provider was asked, and it began while that one
    /// went on.
    static func outer(of builders: [FlowBuilder], in capture: Capture) -> [Int: Int] {
        // Few logins overlap: each looks at those that began shortly before it only.
        let spans = builders.map { Span($0, in: capture) }
        var outer: [Int: Int] = [:]
        for (index, inner) in spans.enumerated() where !inner.callbackHosts.isEmpty {
            outer[index] = spans.indices[..<index].suffix(50).last {
                spans[$0].end >= inner.started && !inner.callbackHosts.isDisjoint(with: spans[$0].askedHosts)
            }
        }
        return outer
    }

    private struct Span {
        let started: Timestamp
        let end: Timestamp
        /// Of its redirect URIs.
        let callbackHosts: Set<String>
        /// Where its authorization requests went.
        let askedHosts: Set<String>

        init(_ builder: FlowBuilder, in capture: Capture) {
            started = builder.exchanges.lazy.map { capture[$0].startedAt }.min() ?? builder.startedAt
            end = builder.exchanges.lazy.map { capture[$0].endedAt }.max() ?? builder.startedAt
            callbackHosts = Set(
                builder.requests.compactMap { $0.redirectURI.flatMap { RecordedURL($0).authority } }
            )
            askedHosts = Set(builder.requests.compactMap { capture[$0.exchange].request.url.authority })
        }
    }
}
