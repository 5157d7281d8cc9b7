import Captures

extension CaptureIndex {
    /// Whether the answer to an exchange sent the browser away and, by redirects alone, back to a later one at the same address: a
    /// waiting room, a filter, or a balancer in front of the server, which has not seen the first.
    package func isDetour(from exchange: Int, to later: Int) -> Bool {
        guard capture[exchange].request.url.text == capture[later].request.url.text else { return false }
        return redirects(leadingTo: later).contains(exchange)
    }

    /// Whether redirects alone, or nothing at all, lie between two exchanges.
    package func redirects(from start: Int, leadTo end: Int) -> Bool {
        start == end || redirects(leadingTo: end, atMost: 20).contains(start)
    }

    /// The exchanges from which redirects alone led to one, nearest first.
    ///
    /// So many at most: a circle of them has no end.
    package func redirects(leadingTo exchange: Int, atMost count: Int = 10) -> some Sequence<Int> {
        sequence(first: exchange) { [redirectedFrom] in redirectedFrom[$0] }.dropFirst().prefix(count)
    }

    /// The exchanges that redirects led to from one, the next first; of several that followed one redirect the first.
    ///
    /// So many at most, too.
    package func redirects(behind exchange: Int, atMost count: Int = 10) -> some Sequence<Int> {
        sequence(first: exchange) { self.landings(of: $0).first }.dropFirst().prefix(count)
    }
}
