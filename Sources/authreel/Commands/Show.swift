import ArgumentParser
import Captures
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
              authreel show --format html --out login.html login.har    the same to click through, as one file
            """
    )

    @OptionGroup var capture: CaptureOptions
    @Option(help: ArgumentHelp("Only this flow.", valueName: "ID"))
    var flow: String?
    @Option(help: "text, json, mermaid or html; html is a page that needs no network.")
    var format: Format = .text
    @Option(help: ArgumentHelp("Write to this file, which must not exist.", valueName: "FILE"))
    var out: String?

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text
        case json
        case mermaid
        case html
    }

    func validate() throws {
        if format == .html, out == nil {
            throw ValidationError("say where the page goes: --out FILE.html, or --out - for standard output")
        }
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
        guard let out else { return print(text(of: report, style: Style.forDescriptor(STDOUT_FILENO))) }
        // What is not shared yet may hold secrets.
        try OutputFile.write(to: out, isPrivate: format == .html) { sink in
            if format == .html { return try ViewerFile.write([report], to: sink) }
            try sink(Array((text(of: report, style: .plain) + "\n").utf8)[...])
        }
        if out != "-" { StandardError.note("next: open \(out) in a browser") }
    }

    private func text(of report: Report, style: TextStyle) -> String {
        switch format {
        case .text, .html: TextReport.timeline(of: report, style: style)
        case .json: JSONReport.timeline(of: report)
        case .mermaid: MermaidDiagram.text(of: report)
        }
    }
}
