/// Wrong circumstances, worded for the person at the terminal.
struct CommandFailure: Error {
    var status: ExitStatus
    /// In lower case, without a full stop.
    var message: String
    /// The very command to run next, where there is one.
    var hint: String?

    init(_ status: ExitStatus, _ message: String, hint: String? = nil) {
        self.status = status
        // What an option was given may be empty, as a variable that is not set is, and would leave a gap.
        self.message =
            (message.hasPrefix(": ") ? "''" : "") + message + (message.hasSuffix(", not ") ? "''" : "")
        self.hint = hint
    }
}
