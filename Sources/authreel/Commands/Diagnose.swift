import ArgumentParser
import Foundation
import Reports

/// What broke each login, root cause first.
struct Diagnose: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Says what broke a login, root cause first, with the values that disagree.",
        discussion: """
            Exit status 1 when there is an error finding, 0 when there is none.

            Examples:
              authreel diagnose login.har
              authreel diagnose --verbose login.har          also which rules could not decide, and why
              authreel diagnose --format json login.har | jq '.flows[].findings[] | select(.primary)'
            """
    )

    @OptionGroup var capture: CaptureOptions
    @Option(help: "text or json.")
    var format: OutputFormat = .text
    @Flag(name: .shortAndLong, help: "Also list the rules that abstained, with the reason.")
    var verbose = false

    func run() throws {
        let report = ReportBuilder.report(on: try capture.read(), named: capture.capture)
        switch format {
        case .text:
            print(
                TextReport.diagnosis(
                    of: report,
                    showsAbstentions: verbose,
                    style: Style.forDescriptor(STDOUT_FILENO)
                )
            )
        case .json: print(JSONReport.diagnosis(of: report))
        }
        if report.hasErrors { throw ExitCode(ExitStatus.negative.rawValue) }
    }
}
