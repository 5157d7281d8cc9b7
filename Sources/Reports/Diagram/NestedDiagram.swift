import Captures
import Flows

/// The diagram of a broker's login with the login inside of it: the broker is the provider of the one and the client of the
/// other.
enum NestedDiagram {
    /// Puts the inner diagram into the outer one, by time.
    static func merge(_ outer: SequenceDiagram, _ inner: SequenceDiagram, in capture: Capture)
        -> SequenceDiagram
    {
        var merged = outer
        let broker =
            outer.lanes.firstIndex { $0.role == .provider && isCalledBack($0, inner, capture) }
            ?? outer.lanes.firstIndex { $0.role == .provider }
        if let broker { merged.lanes[broker].isBroker = true }
        let places = inner.lanes.map { lane -> Int in
            switch lane.role {
            case .browser:
                if let index = outer.lanes.firstIndex(where: { $0.role == .browser }) { return index }
            case .app, .backend: if let broker { return broker }
            case .provider, .resource: break
            }
            var lane = lane
            lane.isUpstream = true
            merged.lanes.append(lane)
            return merged.lanes.count - 1
        }
        let rows = timed(outer.rows) + timed(inner.rows.map { moved($0, places) })
        // Numbered, because sorting alone may swap what happened in the same instant.
        merged.rows = rows.enumerated()
            .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element.row)
        return continued(merged, capture)
    }

    /// Whether the inner login comes back to this lane's address.
    private static func isCalledBack(
        _ lane: SequenceDiagram.Lane,
        _ inner: SequenceDiagram,
        _ capture: Capture
    )
        -> Bool
    {
        guard let host = lane.host else { return false }
        return inner.rows.contains { row in
            guard case .message(let message) = row, message.form == .redirect,
                let location = capture[message.exchange].response?.location
            else { return false }
            return capture[message.exchange].request.url.resolving(location).hostAndPort == host
        }
    }

    /// Rows that are no message stay behind the message before them.
    private static func timed(_ rows: [SequenceDiagram.Row]) -> [(at: Timestamp, row: SequenceDiagram.Row)] {
        var at = Timestamp(nanoseconds: 0)
        return rows.map { row in
            if case .message(let message) = row { at = max(at, message.at) }
            return (at, row)
        }
    }

    private static func moved(_ row: SequenceDiagram.Row, _ places: [Int]) -> SequenceDiagram.Row {
        switch row {
        case .message(var message):
            message.from = places[message.from]
            message.to = places[message.to]
            return .message(message)
        case .finding(let rule, let title, let isPrimary, let lanes):
            let moved = lanes.map { places[$0] }
            return .finding(
                rule: rule,
                title: title,
                isPrimary: isPrimary,
                lanes: (moved.min() ?? 0)...(moved.max() ?? 0)
            )
        case .folded: return row
        }
    }

    /// Redirects from one login into the other lead somewhere now.
    private static func continued(_ diagram: SequenceDiagram, _ capture: Capture) -> SequenceDiagram {
        var diagram = diagram
        for (index, row) in diagram.rows.enumerated() {
            guard case .message(var message) = row, message.form == .redirect, message.next == nil,
                let location = capture[message.exchange].response?.location
            else { continue }
            let target = capture[message.exchange].request.url.resolving(location).text
            message.next =
                diagram.rows[(index + 1)...].lazy.compactMap { row -> Int? in
                    guard case .message(let request) = row, request.form == .request else { return nil }
                    return capture[request.exchange].request.url.text == target ? request.exchange : nil
                }.first
            diagram.rows[index] = .message(message)
        }
        return diagram
    }
}
