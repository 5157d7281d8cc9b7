/// How bad a finding is, worst first.
package enum Severity: String, Sendable, CaseIterable {
    case error
    case warning
    case note
}
