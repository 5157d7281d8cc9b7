import Captures
import Diagnosis
import Flows

extension Report.DiagnosedFlow {
    /// Readings of metadata and keys around the login that say nothing new; empty where they are few.
    ///
    /// Where a client reads them anew for each login, each has those of the others. What was read within the login is none of
    /// them, nor is what a finding points at, what was refused, and, where it was not read within, the last before and the
    /// first behind.
    var passingReadings: Set<Int> {
        let cited = Set(diagnosis.findings.flatMap(\.evidence).compactMap(\.place.exchange))
        let steps = flow.steps.filter { $0.kind == .discovery || $0.kind == .jwks }
        guard steps.count > Self.mostReadings else { return [] }
        let (began, ended) = (flow.began, flow.ended)
        var passing: Set<Int> = []
        for readings in Dictionary(grouping: steps, by: { flow.capture[$0.exchange].request.url.text }).values
        {
            let before = readings.filter { $0.at < began }
            let behind = readings.filter { $0.at > ended }
            let isReadWithin = before.count + behind.count < readings.count
            let nearest = isReadWithin ? [] : [before.max { $0.at < $1.at }, behind.min { $0.at < $1.at }]
            passing.formUnion((before + behind).map(\.exchange))
            passing.subtract(nearest.compactMap { $0?.exchange })
        }
        passing = passing.filter { !cited.contains($0) && flow.capture[$0].response?.status == 200 }
        return passing.count > Self.mostReadings ? passing : []
    }

    /// As many are told one by one.
    private static let mostReadings = 3
}
