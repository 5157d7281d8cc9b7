package import Captures

/// Puts the exchanges of a capture together into flows.
///
/// Requests interleaved in time are told apart by the values they carry (`state`, `nonce`, code, tokens,
/// `client_id`, redirect URI), never by their order. One pass over the messages in order of time, then one
/// over what is left.
package enum FlowFinder {
    /// `areOne`: the exchanges are known to be one flow, and what would join two of them was not recorded.
    package static func flows(in capture: Capture, areOne: Bool = false) -> [Flow] {
        let index = CaptureIndex(capture)
        var grouping = FlowGrouping(index, areOne: areOne)
        grouping.run()
        let builders = grouping.builders.sorted { left, right in
            let (a, b) = (first(of: left, index), first(of: right, index))
            return (a.nanoseconds, left.startedAt.nanoseconds, left.number) < (
                b.nanoseconds, right.startedAt.nanoseconds, right.number
            )
        }
        return builders.enumerated().map { FlowAssembly(index: index, builder: $1, number: $0 + 1).flow() }
    }

    private static func first(of builder: FlowBuilder, _ index: CaptureIndex) -> Timestamp {
        builder.exchanges.map { index.capture[$0].startedAt }.min() ?? builder.startedAt
    }
}
