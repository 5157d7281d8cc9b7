import Captures

extension CaptureIndex {
    /// Whether the answer to an exchange sent the browser away and, by redirects alone, back to a later one at the same address: a
    /// waiting room, a filter, or a balancer in front of the server, which has not seen the first.
    package func isDetour(from exchange: Int, to later: Int) -> Bool {
        guard capture[exchange].request.url.text == capture[later].request.url.text else { return false }
        var current = later
        for _ in 0..<10 {
            guard let source = redirectedFrom[current] else { return false }
            if source == exchange { return true }
            current = source
        }
        return false
    }
}
