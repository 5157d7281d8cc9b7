package import Captures
package import Diagnosis
package import Flows

/// Makes the report of a capture: finds its flows and asks the rules.
package enum ReportBuilder {
    /// A pure function of the capture; `name` is only printed.
    ///
    /// `rules`: those that are asked; `looksAhead`: whether it is told of failed logins which later one went well.
    package static func report(
        on capture: Capture,
        named name: String,
        rules: [any Rule] = RuleCatalog.rules,
        looksAhead: Bool = false
    ) -> Report {
        let found = FlowFinder.found(in: capture)
        var flows = DiagnosedFlows(found, rules: rules, looksAhead: looksAhead)
        return Report(
            name: name,
            flows: found.indices.map { flows.item(at: $0) },
            capture: capture
        )
    }

    /// A flow with what the rules say of it.
    package static func diagnosed(_ flow: Flow, rules: [any Rule] = RuleCatalog.rules) -> Report.DiagnosedFlow
    {
        Report.DiagnosedFlow(flow: flow, diagnosis: Diagnostician.diagnose(flow, rules: rules))
    }
}
