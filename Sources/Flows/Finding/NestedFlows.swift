import Captures
import OAuth

/// Logins inside of others: a broker, asked for a login, is itself the client of the next provider.
enum NestedFlows {
    /// By the place of an inner flow that of the one around it; `builders` in the order in which they began.
    ///
    /// The inner login's redirect URI is at the host where the outer one's provider was asked, and it began while that one
    /// went on, or by a redirect out of it, which may be its last. A broker may have read the next provider's metadata before
    /// anybody asked it for a login, which counts as the inner one's beginning: then the requests tell which is inside.
    static func outer(of builders: [FlowBuilder], in index: CaptureIndex) -> [Int: Int] {
        // Few logins overlap: each looks at those that began shortly before it only.
        let spans = builders.map { Span($0, in: index.capture) }
        let sources = builders.map { $0.requests.first.flatMap { index.redirectedFrom[$0.exchange] } }
        var outer: [Int: Int] = [:]
        for (place, inner) in spans.enumerated() where !inner.callbackHosts.isEmpty {
            func isAround(_ other: Int, since: Timestamp) -> Bool {
                (spans[other].end >= since
                    || sources[place].map(builders[other].exchanges.contains) ?? false)
                    && !inner.callbackHosts.isDisjoint(with: spans[other].askedHosts)
            }
            outer[place] =
                spans.indices[..<place].suffix(50).last { isAround($0, since: inner.started) }
                ?? spans.indices[(place + 1)...].prefix(50).last {
                    spans[$0].asked < inner.asked && isAround($0, since: inner.asked)
                }
        }
        return outer
    }

    private struct Span {
        let started: Timestamp
        let end: Timestamp
        /// When its first authorization request was made.
        let asked: Timestamp
        /// Of its redirect URIs.
        let callbackHosts: Set<String>
        /// Where its authorization requests went.
        let askedHosts: Set<String>

        init(_ builder: FlowBuilder, in capture: Capture) {
            started = builder.exchanges.lazy.map { capture[$0].startedAt }.min() ?? builder.startedAt
            end = builder.exchanges.lazy.map { capture[$0].endedAt }.max() ?? builder.startedAt
            asked = builder.requests.lazy.map { capture[$0.exchange].startedAt }.min() ?? started
            callbackHosts = Set(
                builder.requests.compactMap { $0.redirectURI.flatMap { RecordedURL($0).authority } }
            )
            askedHosts = Set(builder.requests.compactMap { capture[$0.exchange].request.url.authority })
        }
    }
}
