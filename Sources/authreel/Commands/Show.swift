import ArgumentParser
import Flows
import Foundation
import Reports

/// The timeline: flows, steps, and the way of each value.
struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the logins in a capture: who said what to whom, and which value went where.",
        discussion: """
            Examples:
              authreel show login.har
              authreel show --flow flow-2 login.har
              authreel show --format json login.har | jq '.flows[].links'
              authreel show --format mermaid login.har       a sequence diagram for a ticket or a wiki
            """
    )

    @OptionGroup var capture: CaptureOptions
    @Option(help: ArgumentHelp("Only this flow.", valueName: "ID"))
    var flow: String?
    @Option(help: "text, json or mermaid.")
    var format: Format = .text

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text
        case json
        case mermaid
    }

    func run() throws {
        var report = ReportBuilder.report(on: try capture.read(), named: capture.capture)
        if let flow {
            let known = report.flows.map(\.flow.id)
            report.flows.removeAll { $0.flow.id != flow }
            guard !report.flows.isEmpty else {
                throw CommandFailure(
                    .usage,
                    "there is no flow \(flow) in \(capture.capture)",
                    hint: known.isEmpty
                        ? "the capture holds no login" : "it has \(known.joined(separator: ", "))"
                )
            }
        }
        switch format {
        case .text: print(TextReport.timeline(of: report, style: Style.forDescriptor(STDOUT_FILENO)))
        case .json: print(JSONReport.timeline(of: report))
        case .mermaid: print(MermaidDiagram.text(of: report))
        }
    }
}
