extension CommandFailure {
    /// A flow is asked for that is not in the capture.
    ///
    /// `known`: the ids of those that are.
    static func noFlow(_ id: String, in name: String, known: [String]) -> CommandFailure {
        CommandFailure(
            .usage,
            id.isEmpty ? "the name of the flow is empty" : "there is no flow \(id) in \(name)",
            hint: known.isEmpty ? "the capture holds no login" : "it has \(listed(known))"
        )
    }

    /// Throws ``noFlow(_:in:known:)`` where a flow is asked for that is none of these.
    static func check(_ flow: String?, in name: String, known: [String]) throws {
        if let flow, !known.contains(flow) { throw noFlow(flow, in: name, known: known) }
    }

    /// The ids of flows, in full where they are few.
    static func listed(_ ids: [String]) -> String {
        guard ids.count > mostListed, let first = ids.first, let last = ids.last else {
            return ids.joined(separator: ", ")
        }
        return "\(ids.count), \(first) to \(last)"
    }

    private static let mostListed = 8
}
