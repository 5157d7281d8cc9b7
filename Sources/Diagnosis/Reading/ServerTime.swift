import Captures
import Flows

/// The provider's clock, as its answers tell it.
enum ServerTime {
    /// The `Date` of an answer; nil where it has none.
    static func of(_ exchange: Int, in flow: Flow) -> Timestamp? {
        flow.capture[exchange].response?.headers.first("date").flatMap { Timestamp(httpDate: $0) }
    }

    /// The time between two answers by the provider's clock, else by the recorder's.
    static func between(_ first: Int, _ second: Int, in flow: Flow) -> Duration {
        if let from = of(first, in: flow), let to = of(second, in: flow) { return to - from }
        return flow.capture[second].startedAt - flow.capture[first].endedAt
    }
}
