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
        print(try ManualPage.text(of: Authreel._dumpHelp(), version: Authreel.version), terminator: "")
    }
}
