import Captures
import Flows

/// The provider's clock, as its answers tell it.
enum ServerTime {
    /// The time between two answers by the provider's clock, else by the recorder's.
    static func between(_ first: Int, _ second: Int, in flow: Flow) -> Duration {
        if let from = flow.capture[first].serverTime, let to = flow.capture[second].serverTime {
            return to - from
        }
        return flow.capture[second].startedAt - flow.capture[first].endedAt
    }
}
