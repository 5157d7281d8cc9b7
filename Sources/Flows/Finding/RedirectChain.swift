import Captures

/// Which exchange led to which by a redirect.
enum RedirectChain {
    /// For each exchange that a redirect points at, the latest earlier exchange that does.
    static func sources(in capture: Capture, order: [Int]) -> [Int: Int] {
        var targets: [String: Int] = [:]
        var sources: [Int: Int] = [:]
        for index in order {
            let exchange = capture[index]
            if let source = targets[key(exchange.request.url)] { sources[index] = source }
            if let location = exchange.response?.location {
                targets[key(exchange.request.url.resolving(location))] = index
            }
            // A page seen in between: what comes to the same address later was not sent there by the old
            // redirect.
            if exchange.request.method == "GET", sources[index] != nil {
                targets[key(exchange.request.url)] = nil
            }
        }
        return sources
    }

    /// Fragments never reach the wire, and a browser writes the rest in its own way.
    private static func key(_ url: RecordedURL) -> String {
        url.normalizedWithoutQuery + (url.query.map { "?\($0)" } ?? "")
    }
}
