package import Captures

/// Puts the exchanges of a capture together into flows.
///
/// Requests interleaved in time are told apart by the values they carry (`state`, `nonce`, code, tokens,
/// `client_id`, redirect URI), never by their order. One pass over the messages in order of time, then one
/// over what is left.
package enum FlowFinder {
    /// A flow by what belongs to it alone.
    package struct Outline: Sendable, Equatable {
        /// As ``Flow/id``.
        package var id: String
        /// Indices into `log.entries`, in order of time.
        package var exchanges: [Int]
    }

    /// The flows of ``flows(in:areOne:)`` without their steps and links, for who only counts.
    package static func outlines(in capture: Capture) -> [Outline] {
        let index = CaptureIndex(capture)
        return builders(index, areOne: false).enumerated().map { number, builder in
            Outline(id: id(number), exchanges: index.inOrder(builder.exchanges))
        }
    }

    /// `areOne`: the exchanges are known to be one flow, and what would join two of them was not recorded.
    package static func flows(in capture: Capture, areOne: Bool = false) -> [Flow] {
        Array(found(in: capture, areOne: areOne))
    }

    /// The same, each made anew whenever it is asked for.
    package static func found(in capture: Capture, areOne: Bool = false) -> FoundFlows {
        let index = CaptureIndex(capture)
        return FoundFlows(index: index, builders: builders(index, areOne: areOne))
    }

    fileprivate static func id(_ number: Int) -> String { "flow-\(number + 1)" }

    /// In the order in which they began.
    private static func builders(_ index: CaptureIndex, areOne: Bool) -> [FlowBuilder] {
        var grouping = FlowGrouping(index, areOne: areOne)
        grouping.run()
        return grouping.builders.sorted { left, right in
            let (a, b) = (first(of: left, index), first(of: right, index))
            return (a.nanoseconds, left.startedAt.nanoseconds, left.number) < (
                b.nanoseconds, right.startedAt.nanoseconds, right.number
            )
        }
    }

    private static func first(of builder: FlowBuilder, _ index: CaptureIndex) -> Timestamp {
        builder.exchanges.map { index.capture[$0].startedAt }.min() ?? builder.startedAt
    }
}

/// Which exchanges are which flow; what a flow is otherwise is found out when it is asked for.
package struct FoundFlows: RandomAccessCollection {
    private let index: CaptureIndex
    private let builders: [FlowBuilder]
    private let outer: [Int: Int]
    private let inner: [Int: [Int]]

    fileprivate init(index: CaptureIndex, builders: [FlowBuilder]) {
        self.index = index
        self.builders = builders
        outer = NestedFlows.outer(of: builders, in: index)
        inner = Dictionary(grouping: outer.keys.sorted()) { [outer] in outer[$0] ?? $0 }
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { builders.count }

    package subscript(position: Int) -> Flow {
        var flow = single(position)
        flow.inner = (inner[position] ?? []).map(single)
        return flow
    }

    /// Without the logins inside of it.
    private func single(_ position: Int) -> Flow {
        var flow = FlowAssembly(index: index, builder: builders[position], id: id(position)).flow()
        flow.outer = outer[position].map(id)
        return flow
    }

    /// As ``Flow/id``.
    package func id(_ position: Int) -> String { FlowFinder.id(position) }
}
