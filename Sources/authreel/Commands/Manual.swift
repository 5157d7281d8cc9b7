import ArgumentParser

/// Prints the manual page; what `make install` puts where `man` finds it.
struct Manual: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the manual page.",
        discussion: """
            Examples:
              authreel manual > authreel.1
              authreel manual | man -l -
            """,
        shouldDisplay: false
    )

    func run() throws {
        // Longer than what is held back for a file, so that a full disk shows here and at no later time.
        try StandardOutput.write(
            Array(ManualPage.text(of: Authreel._dumpHelp(), version: Authreel.version).utf8)[...]
        )
    }
}
