import Captures
import OAuth

/// Flows by where their requests have the provider send its answer.
struct RedirectTargets {
    private var open = OpenFlows()
    /// The flow that began last.
    private var latest: [String: FlowBuilder] = [:]

    /// Notes where the answer to a request of a flow is to go.
    mutating func insert(_ request: AuthorizationRequest, of flow: FlowBuilder) {
        // A request object that nobody can read may name any redirect URI.
        let target = request.redirectURI.map { RecordedURL($0).normalizedWithoutQuery } ?? Self.anywhere
        open.insert(flow, at: target)
        latest[target] = Self.later(latest[target], flow)
    }

    /// The latest flow that awaits an answer there, of those that are likely where any is, else the latest that ever did; nil where
    /// none has asked for one.
    mutating func flow(answeredAt target: RecordedURL, preferring isLikely: (FlowBuilder) -> Bool)
        -> FlowBuilder?
    {
        let target = target.normalizedWithoutQuery
        let flows = [target, Self.anywhere].map { open.last(at: $0, preferring: isLikely) }
        return Self.later(flows[0], flows[1])
            ?? Self.later(latest[target], latest[Self.anywhere])
    }

    private static let anywhere = ""

    private static func later(_ one: FlowBuilder?, _ other: FlowBuilder?) -> FlowBuilder? {
        guard let one, let other else { return one ?? other }
        return one.number > other.number ? one : other
    }
}
