import Captures
import Flows
import OAuth

/// Where redirects lead among the exchanges of a flow.
struct RedirectsOnward {
    private let flow: Flow
    private var targets: [Int: Int] = [:]
    private let callbacks: Set<Int>

    init(_ flow: Flow) {
        self.flow = flow
        callbacks = Set(flow.authorizationResponses.compactMap(\.callback))
        for exchange in flow.exchanges {
            if let source = flow.surroundings.redirectedFrom[exchange], targets[source] == nil {
                targets[source] = exchange
            }
        }
    }

    /// The exchanges that one leads to without anybody's doing, itself first, as long as they are no callback.
    func pages(from exchange: Int) -> [Int] {
        var pages = [exchange]
        while let last = pages.last, let next = targets[last], !pages.contains(next), pages.count < 20,
            !callbacks.contains(next)
        {
            pages.append(next)
        }
        return pages
    }

    /// The exchange of the provider's own that led to this one; nil where it came from elsewhere.
    func continues(_ exchange: Int) -> Int? {
        guard let source = flow.surroundings.redirectedFrom[exchange],
            flow.capture[source].request.url.origin == flow.capture[exchange].request.url.origin
        else { return nil }
        return source
    }
}
