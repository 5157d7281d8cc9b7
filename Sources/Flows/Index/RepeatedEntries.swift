import Captures

/// Entries that stand in a capture twice, as they do where overlapping exports were put together.
///
/// Told by everything: two requests never begin in the very same moment, take as long and are answered alike to the byte. Where
/// all moments are whole seconds, what they took has to be finer than a hundredth of a millisecond and the same, as of the doubled
/// entries of Pulse's export: coarser times meet. Where one is not known, nothing is said.
enum RepeatedEntries {
    /// The repetitions by their index, each with the entry that is kept.
    ///
    /// `order`: the entries by time.
    static func kept(in capture: Capture, order: [Int]) -> [Int: Int] {
        var kept: [Int: Int] = [:]
        // Finer clocks meet a whole second, too.
        let isFine = order.contains { capture[$0].startedAt.nanoseconds % 1_000_000_000 != 0 }
        var rest = order[...]
        while let first = rest.first {
            let moment = capture[first].startedAt
            let simultaneous = rest.prefix { capture[$0].startedAt == moment }
            rest = rest.dropFirst(simultaneous.count)
            guard simultaneous.count > 1, moment.isKnown else { continue }
            var firsts: [String: Int] = [:]
            for index in simultaneous {
                let exchange = capture[index]
                guard let duration = exchange.duration, duration > .zero,
                    isFine || duration.components.attoseconds % attosecondsOfCoarseTimes != 0
                else { continue }
                let name = "\(exchange.request.method) \(exchange.request.url.text)"
                if let first = firsts[name] {
                    if isSame(capture[first], exchange) { kept[index] = first }
                } else {
                    firsts[name] = index
                }
            }
        }
        return kept
    }

    /// A hundredth of a millisecond.
    private static let attosecondsOfCoarseTimes: Int64 = 10_000_000_000_000

    private static func isSame(_ first: Exchange, _ second: Exchange) -> Bool {
        first.duration == second.duration && first.failure == second.failure
            && first.request.headers == second.request.headers
            && first.request.body?.bytes == second.request.body?.bytes
            && first.response?.status == second.response?.status
            && first.response?.headers == second.response?.headers
            && first.response?.body?.bytes == second.response?.body?.bytes
    }
}
