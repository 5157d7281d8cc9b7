import ArgumentParser
import Diagnosis
import Reports

/// All rules, in the order of the catalogue.
struct ListRules: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "Lists the rules.",
        discussion: """
            Examples:
              authreel rules
              authreel rules --format json | jq -r '.rules[].id'
            """
    )

    @Option(help: ArgumentHelp("text or json.", valueName: "FORMAT"))
    var format: OutputFormat = .text

    func run() {
        switch format {
        case .text:
            let terminal = Terminal.standardOutput
            print(TextReport.rules(RuleCatalog.infos, style: terminal.style, columns: terminal.columns))
        case .json: print(JSONReport.rules(RuleCatalog.infos))
        }
    }
}
