package import Flows
package import OAuth

/// One thing that the client could do otherwise, to be tried on a login that fails.
package struct Hypothesis: Sendable {
    /// What is changed in a replay.
    package enum Change: Sendable, Hashable {
        /// A parameter of one kind of step; an empty value leaves it out.
        case parameter(StepKind, String, String)
        /// Client authentication at every endpoint that takes it.
        case authentication(ClientAuthentication.Method)
        /// Whether Basic credentials are form-encoded (RFC 6749, section 2.3.1).
        case encodesCredentials(Bool)
        /// A request that repeats an earlier one is not sent.
        case leavingOut(exchange: Int)
        /// No pause of the recording is kept.
        case withoutPauses
        /// A refused DPoP proof is sent again with the nonce that the server asks for.
        case usingProofNonce
        /// Token requests go as forms.
        case asForm
    }

    /// Unique among those of a flow, for programs: `redirect-uri-without-slash`.
    package var id: String
    /// What to change, as one tells a developer.
    package var advice: String
    package var changes: [Change]

    /// That the login works of itself by now.
    static let unchanged = Hypothesis(id: "unchanged", advice: "Nothing changed", changes: [])

    /// Together with another one.
    package func combined(with other: Hypothesis) -> Hypothesis {
        Hypothesis(
            id: "\(id)+\(other.id)",
            advice: "\(advice); and \(other.advice.prefix(1).lowercased() + other.advice.dropFirst())",
            changes: changes + other.changes
        )
    }

    /// The plan and the options of a replay with the changes made.
    package func applied(to plan: ReplayPlan, _ options: FlowDriver.Options) -> (
        ReplayPlan, FlowDriver.Options
    ) {
        var plan = plan
        var options = options
        for change in changes {
            switch change {
            case .parameter(let kind, let name, let value):
                options.plan.overrides["\(kind.rawValue).\(name)"] = value
            case .authentication(let method): options.adjustments.authentication = method
            case .encodesCredentials(let encodes): options.adjustments.encodesCredentials = encodes
            case .leavingOut(let exchange): plan.steps.removeAll { $0.exchange == exchange }
            case .withoutPauses: for index in plan.steps.indices { plan.steps[index].wait = nil }
            case .usingProofNonce: options.adjustments.usesProofNonce = true
            case .asForm: options.adjustments.sendsForms = true
            }
        }
        return (plan, options)
    }
}
