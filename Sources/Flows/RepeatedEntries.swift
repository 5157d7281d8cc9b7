import Captures

/// Entries that stand in a capture twice, as they do where overlapping exports were put together.
///
/// Told by everything: two requests never begin in the very same moment, take as long and are answered alike to the byte. Where
/// moments are whole seconds, or not known, nothing is said.
struct RepeatedEntries {
    /// The repetitions by their index, each with the entry that is kept.
    private(set) var kept: [Int: Int] = [:]

    /// `order`: the entries by time.
    init(_ capture: Capture, order: [Int]) {
        var moment: Timestamp?
        var firsts: [String: Int] = [:]
        for index in order {
            let exchange = capture[index]
            if exchange.startedAt != moment {
                moment = exchange.startedAt
                firsts.removeAll(keepingCapacity: true)
            }
            guard Self.isFine(exchange) else { continue }
            let name = "\(exchange.request.method) \(exchange.request.url.text)"
            if let first = firsts[name] {
                if Self.isSame(capture[first], exchange) { kept[index] = first }
            } else {
                firsts[name] = index
            }
        }
    }

    private static func isFine(_ exchange: Exchange) -> Bool {
        exchange.startedAt.nanoseconds % 1_000_000_000 != 0 && exchange.duration ?? .zero > .zero
    }

    private static func isSame(_ first: Exchange, _ second: Exchange) -> Bool {
        first.duration == second.duration && first.failure == second.failure
            && first.request.headers == second.request.headers
            && first.request.body?.bytes == second.request.body?.bytes
            && first.response?.status == second.response?.status
            && first.response?.headers == second.response?.headers
            && first.response?.body?.bytes == second.response?.body?.bytes
    }
}
