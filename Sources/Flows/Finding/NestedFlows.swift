import Captures
import OAuth

/// Logins inside of others: a broker, asked for a login, is itself the client of the next provider.
enum NestedFlows {
    /// By the place of an inner flow that of the one around it; `builders` in the order in which they began.
    ///
    /// The inner login's redirect URI is at the host where the outer one's provider was asked, and it began while that one
    /// went on, or by a redirect out of it, which may be its last. A broker may have read the next provider's metadata before
    /// anybody asked it for a login, which counts as the inner one's beginning: then the redirect tells which is inside. None is
    /// inside of one that it is around, as it could be where app, broker and provider share a host.
    static func outer(of builders: [FlowBuilder], in index: CaptureIndex) -> [Int: Int] {
        // Few logins overlap: each looks at those that began shortly before it only.
        let spans = builders.map { Span($0, in: index.capture) }
        let sources = builders.map { $0.requests.first.flatMap { index.redirectedFrom[$0.exchange] } }
        var outer: [Int: Int] = [:]
        var outermost = Outermost(count: spans.count)
        for (place, inner) in spans.enumerated() where !inner.callbackHosts.isEmpty {
            func isAsked(_ other: Int) -> Bool {
                !inner.callbackHosts.isDisjoint(with: spans[other].askedHosts)
            }
            func leadsOn(_ other: Int) -> Bool {
                sources[place].map(builders[other].exchanges.contains) ?? false
            }
            let found =
                spans.indices[..<place].suffix(50).last {
                    (spans[$0].end >= inner.started || leadsOn($0)) && isAsked($0)
                        && outermost.around($0) != place
                } ?? spans.indices[(place + 1)...].prefix(50).last { leadsOn($0) && isAsked($0) }
            guard let found else { continue }
            outer[place] = found
            outermost.put(place, inside: found)
        }
        return outer
    }

    /// Of each login the last one around it, as far as it is found.
    private struct Outermost {
        /// One around each, itself where there is none.
        private var next: [Int]

        init(count: Int) { next = Array(0..<count) }

        mutating func put(_ inner: Int, inside outer: Int) { next[inner] = outer }

        /// Shortens the way for who asks next: logins may be many.
        mutating func around(_ inner: Int) -> Int {
            var place = inner
            while next[place] != place {
                next[place] = next[next[place]]
                place = next[place]
            }
            return place
        }
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
                builder.requests.compactMap { $0.redirectURI.flatMap { RecordedURL($0).hostAndPort } }
            )
            askedHosts = Set(builder.requests.compactMap { capture[$0.exchange].request.url.hostAndPort })
        }
    }
}
