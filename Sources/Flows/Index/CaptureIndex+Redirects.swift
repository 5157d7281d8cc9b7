import Captures

extension CaptureIndex {
    /// Whether the answer to an exchange sent the browser away and, by redirects alone, back to a later one at the same address: a
    /// waiting room, a filter, or a balancer in front of the server, which has not seen the first.
    package func isDetour(from exchange: Int, to later: Int) -> Bool {
        guard capture[exchange].request.url.text == capture[later].request.url.text else { return false }
        return redirects(leadingTo: later).contains(exchange)
    }

    /// The exchanges from which redirects alone led to one, nearest first.
    ///
    /// Ten at most: a circle of them has no end.
    package func redirects(leadingTo exchange: Int) -> some Sequence<Int> {
        sequence(first: exchange) { [redirectedFrom] in redirectedFrom[$0] }.dropFirst().prefix(10)
    }
}
