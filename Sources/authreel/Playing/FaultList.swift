import JSON
import Provider
import Reports

/// The ways in which a provider can be broken on purpose, as they are listed.
enum FaultList {
    /// A line for each fault, or an object with all of them; `columns`: how wide lines may be, nil for as wide as they are.
    static func text(of faults: [Fault], _ format: Mock.Format, columns: Int? = nil) -> String {
        guard format == .text else {
            let list = faults.map { fault -> JSONValue in
                [
                    "id": .string(fault.id), "rule": fault.rule.map { .string($0) } ?? .null,
                    "summary": .string(fault.summary),
                    "must_be_rejected": .bool(fault.mustBeRejected),
                ]
            }
            return JSONWriter.text(of: ["version": JSONValue(Report.version), "faults": .array(list)])
        }
        let width = faults.map(\.id.utf8.count).max() ?? 0
        return faults.map { fault in
            let gap = String(repeating: " ", count: width - fault.id.utf8.count)
            let head = "\(fault.id)\(gap)  \(fault.mustBeRejected ? "reject" : "      ")  "
            return fault.summary.behind(head, of: width + 10, columns: columns)
        }.joined(separator: "\n")
    }
}
