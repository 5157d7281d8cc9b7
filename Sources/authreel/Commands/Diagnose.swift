import ArgumentParser
import Captures
import Diagnosis
import JOSE
import Reports

/// What broke each login, root cause first.
struct Diagnose: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Says what broke a login, root cause first, with the values that disagree.",
        discussion: """
            Exit status 1 when there is a finding that fails (--fail-on, an error by default), 0 when there is none.
            Several captures are diagnosed one after the other; a summary ends the text.

            Examples:
              authreel diagnose login.har
              authreel diagnose --verbose login.har    # also who could not decide, and why
              authreel diagnose --flow flow-2 login.har
              authreel diagnose --format json login.har | jq '.flows[].findings[].rule'
              authreel diagnose --format junit --fail-on warning *.har > logins.xml
              authreel diagnose --ignore implicit-flow --ignore 'cookie-*' login.har
            """
    )

    /// How the findings are printed.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text
        case json
        case junit
        case sarif
        case markdown
    }

    /// The severity at which a finding makes the exit status 1.
    enum Threshold: String, ExpressibleByArgument, CaseIterable {
        case error
        case warning
        case note

        var severity: Severity {
            switch self {
            case .error: .error
            case .warning: .warning
            case .note: .note
            }
        }
    }

    @Argument(
        help: ArgumentHelp("HAR files of any producer; - reads standard input.", valueName: "CAPTURE"),
        completion: .file()
    )
    var captures: [String]
    @Option(help: ArgumentHelp("Only this flow of the one capture.", valueName: "ID"))
    var flow: String?
    @Option(
        help: ArgumentHelp(
            "text, json, junit (test runners), sarif (code hosts) or markdown (tickets).",
            valueName: "FORMAT"
        )
    )
    var format: Format = .text
    @Option(
        name: .customLong("fail-on"),
        help: ArgumentHelp("The exit status is 1 from this severity on.", valueName: "SEVERITY")
    )
    var failOn: Threshold = .error
    @OptionGroup var selection: RuleSelection
    @Flag(name: .shortAndLong, help: "Also list rules that abstained, with the reason; tell every flow.")
    var verbose = false
    @OptionGroup var identities: IdentityOptions

    func validate() throws {
        guard flow == nil || captures.count == 1 else {
            throw ValidationError("--flow names a flow of one capture, and there are \(captures.count)")
        }
    }

    func run() throws {
        let rules = try selection.rules()
        if captures.count == 1, let form { return try write(form, rules) }
        var reports: [Report] = []
        var unreadable: CommandFailure?
        let progress = ProgressBar("diagnosing", total: captures.count)
        for (index, name) in captures.enumerated() {
            progress.show(index, name)
            do {
                let capture = try identities.read(name, beforeAsking: progress.clear)
                reports.append(ReportBuilder.report(on: capture, named: name, rules: rules, looksAhead: true))
            } catch let failure {
                // One bad file among many is told at once; the others are diagnosed all the same. What a program reads of
                // a single one, a test runner for one, says so itself.
                progress.clear()
                StandardError.report(failure.message, hint: failure.hint)
                unreadable = unreadable ?? failure
                reports.append(Self.report(unreadable: name, because: failure.message))
            }
        }
        progress.clear()
        reports = try reports.map { try $0.failure == nil ? $0.narrowed(to: flow) : $0 }
        print(text(of: reports, rules))
        for report in reports where report.hasNoLogin {
            warnOfNoLogin(in: report.capture, named: report.name)
        }
        if let unreadable { throw ExitCode(unreadable.status.rawValue) }
        if reports.contains(where: { $0.hasFindings(of: failOn.severity) }) {
            throw ExitCode(ExitStatus.negative.rawValue)
        }
    }

    /// What is told of a capture that cannot be read: reports are kept and passed on, and a token that was given in place of a file is
    /// not to be in them.
    static func report(unreadable name: String, because failure: String) -> Report {
        guard JSONWebToken.parse(name) != nil else { return Report(unreadable: name, because: failure) }
        return Report(unreadable: "a token", because: failure.replacingBytes(name, with: "a token"))
    }

    /// What tells one flow after the other.
    private var form: FlowwiseForm? {
        let terminal = Terminal.standardOutput
        return switch format {
        case .text:
            TextReport.diagnosis(
                showsAbstentions: verbose,
                style: terminal.style,
                columns: terminal.columns ?? TextReport.widest
            )
        case .json: JSONReport.diagnosis
        case .junit, .sarif, .markdown: nil
        }
    }

    /// Diagnoses the one capture, and writes each flow as soon as it is judged.
    private func write(_ form: FlowwiseForm, _ rules: [any Rule]) throws {
        let capture = try identities.read(captures[0])
        var buffer = OutputBuffer()
        var isNegative = false
        var isUnexplained = false
        let flows = try form.write(
            capture,
            named: captures[0],
            flow: flow,
            rules: rules,
            to: { try buffer.append($0) }
        ) { item in
            isNegative = isNegative || item.hasFindings(of: failOn.severity)
            isUnexplained = isUnexplained || item.isUnexplained
        }
        try CommandFailure.check(flow, in: captures[0], known: flows)
        try buffer.line("")
        try buffer.flush()
        if flows.isEmpty { warnOfNoLogin(in: capture, named: captures[0]) }
        if isUnexplained, format == .text { tellWhereToLook() }
        if isNegative { throw ExitCode(ExitStatus.negative.rawValue) }
    }

    /// Nothing is wrong with a capture without logins: a test run that recorded none would be green unsaid.
    private func warnOfNoLogin(in capture: Capture, named name: String) {
        // The text itself has the line.
        if format != .text { StandardError.warn(LoginlessCapture(capture).line(named: name)) }
        guard captures.count == 1 else { return }
        LoginlessCapture(capture).advice.map(StandardError.hint)
    }

    /// What is next where the rules have no answer.
    private func tellWhereToLook() {
        let name = captures[0]
        // What came by a pipe is gone.
        guard name != "-" else { return }
        let show = "\(Invocation.command("show", name)) tells what was recorded"
        let decide =
            "\(Invocation.command("diagnose", "--verbose", name)) what could not be decided for want of it"
        StandardError.hint(verbose ? show : "\(show), \(decide)")
    }

    private func text(of reports: [Report], _ rules: [any Rule]) -> String {
        switch format {
        case .text: plainText(of: reports)
        case .json: JSONReport.diagnosis(of: reports)
        case .junit: JUnitReport.text(of: reports, failingOn: failOn.severity)
        case .sarif:
            SARIFReport.text(of: reports, rules: rules.map { type(of: $0).info }, version: Authreel.version)
        case .markdown: MarkdownReport.text(of: reports)
        }
    }

    private func plainText(of reports: [Report]) -> String {
        let terminal = Terminal.standardOutput
        let texts = reports.filter { $0.failure == nil }.map { report in
            terminal.style.bold(report.name.printable) + "\n"
                + TextReport.diagnosis(
                    of: report,
                    showsAbstentions: verbose,
                    style: terminal.style,
                    columns: terminal.columns ?? TextReport.widest,
                    isAlone: reports.count == 1
                )
        }
        return (texts + [SummaryText.text(of: reports, style: terminal.style)]).joined(separator: "\n\n")
    }
}
