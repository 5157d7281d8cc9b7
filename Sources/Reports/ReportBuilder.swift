package import Captures
import Diagnosis
import Flows

/// Makes the report of a capture: finds its flows and asks the rules.
package enum ReportBuilder {
    /// A pure function of the capture; `name` is only printed.
    package static func report(on capture: Capture, named name: String) -> Report {
        let flows = FlowFinder.flows(in: capture)
        return Report(
            name: name,
            exchangeCount: capture.count,
            flows: flows.map { Report.DiagnosedFlow(flow: $0, diagnosis: Diagnostician.diagnose($0)) },
            capture: capture
        )
    }
}
