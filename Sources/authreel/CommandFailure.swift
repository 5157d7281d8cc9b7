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
}
