import Captures

/// The flows of each provider's and app's host, to join what failed there to the one that was open then.
///
/// Connections are none of them. Found once: a capture may have thousands of both, flows and failed connections.
struct FlowsOfHosts {
    private struct Entry {
        var flow: FlowBuilder
        /// The earliest beginning among this flow and those behind it, which need not stand in the order of time.
        var earliest: Timestamp
    }

    private var byHost: [String: [Entry]] = [:]

    init(_ builders: [FlowBuilder]) {
        for flow in builders.reversed() where flow.grant != "connection" {
            for host in flow.providerHosts.union(flow.clientHosts) {
                let behind = byHost[host]?.last?.earliest ?? flow.startedAt
                byHost[host, default: []].append(Entry(flow: flow, earliest: min(flow.startedAt, behind)))
            }
        }
        for host in byHost.keys { byHost[host]?.reverse() }
    }

    /// The last one that began before a time, else the first behind it; nil where the host has none.
    func nearest(to host: String, at time: Timestamp) -> FlowBuilder? {
        guard let entries = byHost[host] else { return nil }
        let later = entries.partitionPoint { $0.earliest > time }
        return entries[max(0, later - 1)].flow
    }

    /// Takes up a flow for a host that had none.
    mutating func add(_ flow: FlowBuilder, of host: String) {
        guard flow.grant != "connection", byHost[host] == nil else { return }
        byHost[host] = [Entry(flow: flow, earliest: flow.startedAt)]
    }
}
