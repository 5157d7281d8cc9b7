import ArgumentParser
import Captures
import Flows
import Replay
import Reports

/// Two logins side by side.
struct Diff: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compares two logins step by step, volatile values aside: worked yesterday, fails today.",
        discussion: """
            A and B are captures; #flow-2 behind a name chooses a flow, --flow one for both. Without it the first flow with an \
            authorization request is taken, else the first. One capture alone: two logins of the same client in it.

            Values that every login has anew (state, code, tokens, times, session cookies) are not compared, but what they are to \
            each other is: whether state came back as sent, whether the verifier fits the challenge.

            Exit status 0 when the two are the same, 1 when they differ.

            --bisect goes on where a comparison ends: which of all that B's requests do otherwise makes it fail? A is driven again \
            at its provider with parts of it, fewer each time, as replay would drive it. Exit status 1 when a smallest set was \
            found, 0 when nothing that B sends makes it fail, 65 when A does not work now, or B's failure cannot be brought about.

            Examples:
              authreel diff yesterday.har today.har
              authreel diff today.har#flow-1 today.har#flow-2
              authreel diff --map https://sso.example=http://127.0.0.1:8080 a.har b.har
              # both side by side as one page
              authreel diff --html difference.html yesterday.har today.har
              authreel diff --format json a.har b.har | jq '.steps[].differences[]'
              authreel diff --bisect --plan yesterday.har today.har  # what it would try
              authreel diff --bisect --out proof.har yesterday.har today.har
            """
    )

    /// How the comparison is printed.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text
        case json
        case junit
        case markdown
    }

    @Argument(
        help: ArgumentHelp(
            "How it ought to be: a HAR file of any producer, FILE or FILE#FLOW; - is standard input.",
            valueName: "A"
        ),
        completion: .file()
    )
    var expected: String
    @Argument(
        help: ArgumentHelp("What is compared with it; another flow of A by default.", valueName: "B"),
        completion: .file()
    )
    var seen: String?
    @Option(help: ArgumentHelp("The flow of a capture whose name does not say it.", valueName: "ID"))
    var flow: String?
    @OptionGroup var comparison: ComparisonArguments
    @Option(
        help: ArgumentHelp("text, json, junit (test runners) or markdown (tickets).", valueName: "FORMAT")
    )
    var format: Format = .text
    @Option(
        help: ArgumentHelp(
            "Also write both logins side by side as one page, secrets included.",
            valueName: "FILE"
        ),
        completion: .file()
    )
    var html: String?
    @Flag(help: "Also what is only worth knowing, and in Markdown the steps that are the same.")
    var all = false
    @OptionGroup var identities: IdentityOptions
    @OptionGroup var bisection: BisectOptions

    func validate() throws {
        guard bisection.bisect else { return }
        guard format != .junit else { throw ValidationError("--bisect prints text, json or markdown") }
        guard html == nil else { throw ValidationError("--html shows a comparison; --bisect drives logins") }
    }

    func run() async throws {
        if bisection.bisect {
            let sides = try sides()
            return try await BisectCommand(
                options: bisection,
                comparison: comparison.options(),
                format: format
            ).run(sides.expected, sides.seen)
        }
        if let html { try OutputFile.check(html, option: "--html difference.html") }
        let report = try report()
        print(text(of: report))
        if let html { try write(report, to: html) }
        if !report.difference.isSame { throw ExitCode(ExitStatus.negative.rawValue) }
    }

    /// A flow with all flows of its capture.
    typealias ChosenFlow = (side: DifferenceReport.Side, flows: [Flow])

    private func sides() throws -> (expected: ChosenFlow, seen: ChosenFlow) {
        let first = FlowChoice(expected, flow: flow)
        let flows = try first.flows(identities)
        guard let seen else {
            let pair = try first.pair(of: flows)
            return (
                (.init(capture: first.path, flow: pair.0), flows),
                (.init(capture: first.path, flow: pair.1), flows)
            )
        }
        let second = FlowChoice(seen, flow: flow)
        // Standard input is there once.
        let others = second.path == first.path ? flows : try second.flows(identities)
        let (one, other) = (try first.flow(of: flows), try second.flow(of: others))
        if first.path == second.path, one.id == other.id { try first.tellOfItself(one, among: flows) }
        return (
            (.init(capture: first.path, flow: one), flows),
            (.init(capture: second.path, flow: other), others)
        )
    }

    private func report() throws -> DifferenceReport {
        let options = try comparison.options()
        let (first, second) = try sides()
        return DifferenceReport(expected: first.side, seen: second.side, options: options)
    }

    private func write(_ report: DifferenceReport, to path: String) throws {
        let sides = [report.expected, report.seen]
        let isOne = sides[0].capture == sides[1].capture
        let shown = (isOne ? [sides[0]] : sides).map {
            ReportBuilder.report(on: $0.flow.surroundings.capture, named: $0.capture)
        }
        let comparison = ViewerComparison.Choice(
            expected: .init(capture: 0, flow: sides[0].flow.id),
            seen: .init(capture: isOne ? 0 : 1, flow: sides[1].flow.id),
            options: try comparison.options()
        )
        try OutputFile.write(to: path, isPrivate: true) {
            try ViewerFile.write(shown, comparing: comparison, to: $0)
        }
        if path != "-" { StandardError.note("next: open \(path) in a browser") }
    }

    private func text(of report: DifferenceReport) -> String {
        let terminal = Terminal.standardOutput
        return switch format {
        case .text:
            DifferenceText(
                report,
                showsAll: all,
                style: terminal.style,
                columns: terminal.columns ?? 100
            ).text
        case .json: DifferenceJSON.text(of: report)
        case .junit: DifferenceJUnit.text(of: [report])
        case .markdown: DifferenceMarkdown.text(of: report, showsAll: all)
        }
    }
}
