import Flows
import Reports

extension Report {
    /// The report of one flow alone, where one is asked for.
    ///
    /// - Throws: ``CommandFailure`` where the capture does not have it.
    func narrowed(to flow: String?) throws -> Report {
        guard let flow else { return self }
        try CommandFailure.check(flow, in: name, known: flows.map(\.flow.id))
        var report = self
        report.flows.removeAll { $0.flow.id != flow }
        return report
    }
}
