/// Wrong circumstances, worded for the person at the terminal.
struct CommandFailure: Error {
    var status: ExitStatus
    /// In lower case, without a full stop.
    var message: String
    /// The very command to run next, where there is one.
    var hint: String?

    init(_ status: ExitStatus, _ message: String, hint: String? = nil) {
        self.status = status
        self.message = message
        self.hint = hint
    }

    /// An option was given something else than it takes.
    ///
    /// - Parameters:
    ///   - text: what it was given.
    ///   - option: as the user wrote it: `--listen`.
    ///   - form: what it takes: `HOST:PORT`, `a number of bytes`.
    ///   - hint: one that would do.
    /// - Returns: the failure, of usage.
    static func unfit(_ text: String, for option: String, taking form: String, hint: String)
        -> CommandFailure
    {
        CommandFailure(.usage, "\(option) takes \(form), not \(shown(text))", hint: hint)
    }

    /// A value or name as a message has it: an empty one, as a variable that is not set is, would leave a gap.
    static func shown(_ text: String) -> String { text.isEmpty ? "''" : text }
}
