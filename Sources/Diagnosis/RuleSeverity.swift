/// The severity of a rule before the flow is looked at.
package enum RuleSeverity: Sendable {
    case error
    /// The catalogue's `error*`: an error when the flow was refused or stopped at the point of the rule, a
    /// warning when it went on.
    case errorWhenRefused
    case warning
    case note
}
