/// Flows that may await an answer of the provider, by the hosts of its pages.
///
/// Those that do not any more are dropped when they are met.
struct OpenFlows {
    /// By number, without repetition.
    private var byHost: [String: [FlowBuilder]] = [:]

    /// Notes that a flow may be open at a host of its provider.
    mutating func insert(_ flow: FlowBuilder, at host: String) {
        let list = byHost[host, default: []]
        var place = list.count
        while place > 0, list[place - 1].number > flow.number { place -= 1 }
        guard place == 0 || list[place - 1] !== flow else { return }
        byHost[host, default: []].insert(flow, at: place)
    }

    /// Of more at one host nobody looks at the first.
    private static let mostAtATime = 50

    /// The latest flow that is open at a host, of those that are likely where any is; nil without one.
    mutating func last(at host: String, preferring isLikely: (FlowBuilder) -> Bool) -> FlowBuilder? {
        while let flow = byHost[host]?.last, !flow.isOpen { byHost[host]?.removeLast() }
        guard let flows = byHost[host], flows.count > 1 else { return byHost[host]?.last }
        return flows.suffix(Self.mostAtATime).last { $0.isOpen && isLikely($0) } ?? flows.last
    }
}
