import Captures

/// Entries of a browser's log beside which the same request stands as it was sent: a redirect that the browser made up to ask
/// over https, or a navigation that was given up for the same one, by a second click or a reload.
enum UnsentEntries {
    /// How many entries may begin in between.
    private static let reach = 20
    private static let patience = Duration.seconds(30)

    /// Those entries by their index, each with the one of the request itself.
    ///
    /// `order`: the entries by time.
    static func sent(in capture: Capture, order: [Int]) -> [Int: Int] {
        var sent: [Int: Int] = [:]
        for (place, index) in order.enumerated() {
            let exchange = capture[index]
            guard let url = requested(by: exchange) else { continue }
            let other = order[(place + 1)...].prefix(reach).first { next in
                let other = capture[next]
                return other.request.method == exchange.request.method && other.request.url.text == url.text
                    && other.response != nil && !other.isInternalRedirect
                    && other.startedAt - exchange.startedAt <= patience
            }
            if let other { sent[index] = other }
        }
        return sent
    }

    /// The URL of the request that was sent in an entry's place; nil where the entry tells of one that was.
    private static func requested(by exchange: Exchange) -> RecordedURL? {
        if exchange.isInternalRedirect, let location = exchange.response?.location {
            return exchange.request.url.resolving(location)
        }
        // What a form sent may have been taken, and so may a code.
        guard exchange.request.method == "GET", exchange.response == nil,
            exchange.request.url.queryItems.first("code") == nil,
            let failure = exchange.failure?.asciiLowercased(),
            ["err_aborted", "binding_aborted", "cancelled", "canceled"].contains(where: failure.containsBytes)
        else { return nil }
        return exchange.request.url
    }
}
