import Foundation

/// Asks for secrets on the terminal, without echo.
enum SecretPrompt {
    /// What somebody typed.
    ///
    /// The terminal is that of the session: standard input may be a capture meanwhile.
    /// - Parameter question: what stands before the cursor.
    /// - Returns: the line; nil where there is no terminal.
    /// - Throws: ``CommandFailure`` when nothing can be read, or it is not UTF-8: nobody could type it elsewhere.
    static func ask(_ question: String) throws(CommandFailure) -> String? {
        let terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0 else { return nil }
        close(terminal)
        guard let answer = getpass(question) else { throw CommandFailure(.usage, "nothing was typed") }
        guard let text = String(validatingCString: answer) else {
            throw CommandFailure(
                .usage,
                "what was typed is not UTF-8",
                hint: "set the terminal to UTF-8, and LANG to a locale of it"
            )
        }
        return text
    }
}
