import ArgumentParser
import Captures
import Flows
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
              # a sequence diagram for a ticket or a wiki
              authreel show --format mermaid login.har
              # the same to click through, as one file
              authreel show --format html --out login.html login.har
            """
    )

    @OptionGroup var capture: CaptureOptions
    @Option(help: ArgumentHelp("Only this flow.", valueName: "ID"))
    var flow: String?
    @Option(
        help: ArgumentHelp(
            "text, json, mermaid or html; html is a page that needs no network.",
            valueName: "FORMAT"
        )
    )
    var format: Format = .text
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Write to this file, which must not exist.", valueName: "FILE"),
        completion: .file()
    )
    var out: String?

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text
        case json
        case mermaid
        case html

        /// A name for a file in this form.
        var example: String {
            switch self {
            case .text: "login.txt"
            case .json: "login.json"
            case .mermaid: "login.mmd"
            case .html: "login.html"
            }
        }
    }

    func validate() throws {
        if format == .html, out == nil {
            throw ValidationError("say where the page goes: --out FILE.html, or --out - for standard output")
        }
    }

    func run() throws {
        let read = try capture.read()
        switch format {
        case .text:
            let terminal = out == nil ? Terminal.standardOutput : nil
            try write(read, TextReport.timeline(terminal?.style ?? .plain, columns: terminal?.columns))
        case .json: try write(read, JSONReport.timeline)
        case .mermaid:
            let report = try report(on: read)
            let text = MermaidDiagram.text(of: report)
            if report.flows.isEmpty {
                LoginlessCapture(read).advice.map(StandardError.hint)
            }
            guard let out else { return print(text) }
            // Hosts and clients are in it.
            try OutputFile.write(to: out, isPrivate: true, example: format.example) {
                try $0(Array((text + "\n").utf8)[...])
            }
        case .html:
            let report = try report(on: read)
            // What is not shared yet may hold secrets.
            try OutputFile.write(to: out ?? "-", isPrivate: true, example: format.example) {
                try ViewerFile.write([report], to: $0)
            }
            if let out, out != "-" { StandardError.note("next: open \(out) in a browser") }
        }
    }

    /// Writes flow by flow, to the file or to standard output.
    private func write(_ read: Capture, _ form: FlowwiseForm) throws {
        guard let out else {
            var buffer = OutputBuffer()
            let known = try form.write(read, named: capture.capture, flow: flow) { try buffer.append($0) }
            try check(known)
            try buffer.line("")
            try buffer.flush()
            return tell(known, read)
        }
        // The values of a capture that is not shared yet are in it.
        try OutputFile.write(to: out, isPrivate: true, example: format.example) { sink in
            try check(
                form.write(read, named: capture.capture, flow: flow) { try sink(Array($0.utf8)[...]) }
            )
            try sink([0x0a])
        }
    }

    /// What to do where there is no login to show.
    private func tell(_ known: [String], _ read: Capture) {
        guard known.isEmpty, format == .text else { return }
        LoginlessCapture(read).advice.map(StandardError.hint)
    }

    private func report(on read: Capture) throws -> Report {
        try ReportBuilder.report(on: read, named: capture.capture).narrowed(to: flow)
    }

    /// That the flow that is asked for is among those that there are.
    private func check(_ known: [String]) throws {
        try CommandFailure.check(flow, in: capture.capture, known: known)
    }
}
