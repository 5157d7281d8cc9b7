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

    /// The latest flow that is open at a host; nil without one.
    mutating func last(at host: String) -> FlowBuilder? {
        while let flow = byHost[host]?.last {
            if flow.isOpen { return flow }
            byHost[host]?.removeLast()
        }
        return nil
    }
}
