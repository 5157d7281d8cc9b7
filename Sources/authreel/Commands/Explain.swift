import ArgumentParser
import Diagnosis
import Reports

/// What one rule means.
struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Explains a rule: what is wrong when it fires, how to mend it, a bad and a good example.",
        discussion: """
            Example:
              authreel explain pkce-verifier-mismatch
            """
    )

    @Argument(
        help: ArgumentHelp("The rule's id, as diagnose prints it.", valueName: "RULE"),
        completion: .list(RuleCatalog.infos.map(\.id))
    )
    var rule: String

    func run() throws {
        guard let info = RuleCatalog.info(of: rule) else {
            throw CommandFailure.noRule(rule)
        }
        let terminal = Terminal.standardOutput
        print(
            TextReport.explanation(
                of: info,
                style: terminal.style,
                columns: terminal.columns
            )
        )
    }
}
