import ArgumentParser
import Diagnosis
import Foundation
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
        case .text: print(TextReport.rules(RuleCatalog.infos, style: Style.forDescriptor(STDOUT_FILENO)))
        case .json: print(JSONReport.rules(RuleCatalog.infos))
        }
    }
}
