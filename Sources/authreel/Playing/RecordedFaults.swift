import Captures
import Diagnosis
import Flows
import Provider

/// What the provider of a recording said that is not so, as the faults that say it again.
///
/// Its refusals are played from its answers. What it signed is signed afresh, and would be right: an ID token with the nonce of
/// another login has to be made wrong once more.
struct RecordedFaults {
    /// Root causes, in the order of the logins.
    private(set) var faults: [Fault] = []
    /// Why others are not played, in sentences.
    private(set) var remarks: [String] = []

    init() {}

    /// - Parameter captures: what is played; each of them is diagnosed.
    init(in captures: [Capture]) {
        var isAnyRight = false
        var omissions: [Fault] = []
        for capture in captures {
            let flows = FlowFinder.found(in: capture)
            for index in flows.indices {
                let diagnosis = Diagnostician.diagnose(flows[index])
                // Whose tokens were taken is no matter of flows without a login.
                if diagnosis.outcome == .success, !flows[index].authorizationRequests.isEmpty {
                    isAnyRight = true
                }
                for fault in Self.omissions(diagnosis.findings)
                where !omissions.contains(where: { $0.id == fault.id }) { omissions.append(fault) }
                guard diagnosis.outcome == .failure, let cause = diagnosis.findings.first(where: \.isPrimary),
                    let fault = Self.fault(of: cause), !faults.contains(where: { $0.id == fault.id })
                else { continue }
                faults.append(fault)
            }
        }
        if isAnyRight {
            remarks = faults.map {
                "a login went well, and another met \($0.id): --fault \($0.id) lets every login meet it"
            }
            faults = []
        }
        // Whoever does everything right meets none of these.
        faults += omissions
    }

    /// What the provider did not look at, though a login goes well with it.
    private static func omissions(_ findings: [Finding]) -> [Fault] {
        FaultCatalog.all.filter { fault in
            fault.isOmission && findings.contains { $0.rule == fault.rule }
        }
    }

    /// The fault that a finding is about; of several variants the one that its evidence names, as in `jarm-invalid:aud`.
    private static func fault(of finding: Finding) -> Fault? {
        let known = FaultCatalog.all.filter { $0.rule == finding.rule && $0.isFalseStatement }
        return known.first { fault in
            finding.evidence.contains { fault.id == "\(finding.rule):\($0.place.name)" }
        } ?? known.first { $0.id == finding.rule }
    }
}
