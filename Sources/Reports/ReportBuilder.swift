package import Captures
package import Diagnosis
import Flows

/// Makes the report of a capture: finds its flows and asks the rules.
package enum ReportBuilder {
    /// A pure function of the capture; `name` is only printed.
    ///
    /// `rules`: those that are asked.
    package static func report(
        on capture: Capture,
        named name: String,
        rules: [any Rule] = RuleCatalog.rules
    ) -> Report {
        let flows = FlowFinder.flows(in: capture)
        return Report(
            name: name,
            exchangeCount: capture.count,
            flows: flows.map {
                Report.DiagnosedFlow(flow: $0, diagnosis: Diagnostician.diagnose($0, rules: rules))
            },
            capture: capture
        )
    }
}
