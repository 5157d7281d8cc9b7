package import Captures
package import Diagnosis
import Flows

/// The forms for people on a terminal.
///
/// Everything that comes from the capture is made printable first.
package enum TextReport {
    /// What `show` prints: per flow a head, its steps with their times, and the way of each linked value.
    ///
    /// `columns`: how wide the lines of its steps may be; nil leaves each on one line, for programs and files.
    package static func timeline(_ style: TextStyle, columns: Int? = nil) -> FlowwiseForm {
        form(style, besides: { TimelineText.exchanges(of: $0, style: style) }) {
            item,
            capture,
            _ in
            TimelineText(item: item, capture: capture, style: style, columns: columns).text
        }
    }

    /// See ``timeline(_:columns:)``.
    package static func timeline(of report: Report, style: TextStyle, columns: Int? = nil) -> String {
        timeline(style, columns: columns).text(of: report)
    }

    /// How wide running text is at most, also where there is more room: longer lines are hard to read.
    package static let widest = 100

    /// Where the same was found in more flows than this, the others are counted: they differ in their values alone.
    static let mostAlike = 5

    /// What `diagnose` prints: per flow the verdict, root cause first, each finding with the values it rests
    /// on; with `showsAbstentions` also each of very many flows in which the same was found.
    ///
    /// `columns`: how wide running text may be, ``widest`` at most; `isAlone`: whether no other capture is told beside it.
    package static func diagnosis(
        showsAbstentions: Bool,
        style: TextStyle,
        columns: Int = widest,
        isAlone: Bool = true
    ) -> FlowwiseForm {
        form(style, isAlone: isAlone, looksAhead: true, mostAlike: showsAbstentions ? nil : mostAlike) {
            item,
            _,
            name in
            DiagnosisText(
                item: item,
                name: name,
                showsAbstentions: showsAbstentions,
                style: style,
                columns: min(columns, widest)
            ).text
        }
    }

    /// See ``diagnosis(showsAbstentions:style:columns:isAlone:)``.
    package static func diagnosis(
        of report: Report,
        showsAbstentions: Bool,
        style: TextStyle,
        columns: Int = widest,
        isAlone: Bool = true
    ) -> String {
        diagnosis(showsAbstentions: showsAbstentions, style: style, columns: columns, isAlone: isAlone)
            .text(of: report)
    }

    /// `besides`: what is told of a capture without logins below its line; `looksAhead` as in ``FlowwiseForm``.
    private static func form(
        _ style: TextStyle,
        isAlone: Bool = true,
        looksAhead: Bool = false,
        mostAlike: Int? = nil,
        besides: @escaping @Sendable (Capture) -> [String] = { _ in [] },
        _ text: @escaping @Sendable (Report.DiagnosedFlow, Capture, String) -> String
    ) -> FlowwiseForm {
        FlowwiseForm(
            opening: "",
            separator: "\n\n",
            closing: "",
            text: text,
            nothing: { name, capture in
                ([lineWithoutLogins(capture, named: name)] + besides(capture)).joined(separator: "\n")
            },
            looksAhead: looksAhead,
            mostAlike: mostAlike,
            ending: { FlowSummary(lines: $0, style: style, isAlone: isAlone).text.map { "\n\n" + $0 } ?? "" }
        )
    }

    /// What is said of a capture without logins: how much is in it, and why there may be none.
    package static func lineWithoutLogins(_ capture: Capture, named name: String) -> String {
        let among = capture.count == 1 ? "in it" : "among them"
        return
            "\(name.printable): \(capture.count.counted("exchange")), no OAuth or OpenID Connect traffic \(among)"
            + unread(in: capture) + failures(in: capture)
    }

    /// How many requests had no answer, and why the first had none: where nothing else came, that is what is wrong.
    private static func failures(in capture: Capture) -> String {
        let failed = failed(in: capture)
        guard let first = failed.first, let reason = capture[first].failure else { return "" }
        let many =
            failed.count == 1 ? "1 of them had no answer" : "\(failed.count) of them had no answer, the first"
        let lead = capture.count == 1 ? "it had no answer" : many
        let words = [capture[first].request.url.hostAndPort, reason].compactMap { $0?.printable }
        return "; \(lead): [\(first)] \(words.joined(separator: ": "))"
    }

    private static func failed(in capture: Capture) -> [Int] {
        capture.indices.filter { !capture[$0].isAnswered && capture[$0].failure != nil }
    }

    /// What to do about a capture without logins; nil where something else is wrong with it, which its line tells.
    ///
    /// That are connections that could not be read, or as many requests without an answer as with one: a few of them are any page's.
    package static func advice(onCaptureWithoutLogins capture: Capture) -> String? {
        guard unread(in: capture).isEmpty, failed(in: capture).count * 2 < max(capture.count, 1) else {
            return nil
        }
        if let unbegun = UnbegunLogin.first(in: capture) { return advice(on: unbegun, in: capture) }
        return
            "a login begins with the browser's request to the provider: record from the first click on, in developer tools with "
            + "\"Preserve log\", or with authreel record --browser URL"
    }

    /// The app stopped by itself, and what it asked the provider for is not in a capture of the browser.
    private static func advice(on login: UnbegunLogin, in capture: Capture) -> String {
        let exchange = capture[login.exchange]
        let status = exchange.response.map { " with \($0.status)" } ?? ""
        return
            "[\(login.exchange)] \(exchange.request.url.withoutQuery.printable) was answered\(status): "
            + "\"\(login.words.printable)\". The app gave the login up before it sent the browser to the provider: "
            + "its log for this time says why, or record the app's server as well"
    }

    /// How many connections of packets could not be read, in which there may be a login.
    private static func unread(in capture: Capture) -> String {
        unread(.noKeys, "could not be read, as there were no keys (import --keylog FILE)", in: capture)
            + unread(
                .notWhole,
                "no key opens, as not all of their packets are in the capture (tcpdump -i any -s 0, begun before the login)",
                in: capture
            )
    }

    private static func unread(_ reason: TunnelFacts.Reason, _ words: String, in capture: Capture) -> String {
        let unread = capture.indices.count { capture[$0].tunnel.reason == reason }
        guard unread > 0 else { return "" }
        let many = unread == 1 ? "1 of them is a connection" : "\(unread) of them are connections"
        let lead = capture.count == 1 ? "it is a connection" : many
        return "; \(lead) that \(words)"
    }

    /// What `record` says of its logins at the end: a line each, and the root cause of those that broke.
    ///
    /// `first`: index of the first entry that counts; flows that were over before are left out.
    package static func summary(of report: Report, from first: Int, style: TextStyle) -> [String] {
        report.flows.filter { $0.flow.exchanges.contains { $0 >= first } }.flatMap { item in
            let cause = item.diagnosis.findings.first { $0.isPrimary }
            return ["  " + FlowHead.line(of: item, style: style)]
                + (cause.map { ["    \(style.severity($0.severity)) \(style.bold($0.rule)): \($0.title)"] }
                    ?? [])
        }
    }

    /// What `explain RULE` prints.
    ///
    /// `columns`: how wide running text may be, ``widest`` at most; nil leaves each paragraph on a line, for programs.
    package static func explanation(of info: RuleInfo, style: TextStyle, columns: Int? = nil) -> String {
        let paragraph = { (text: String) in
            columns.map { text.wrapped(to: min($0, widest)) } ?? [text]
        }
        var lines = [style.bold(info.id)]
        lines += paragraph("\(info.title) (\(info.severity.label)\(info.isSymptom ? ", a symptom" : ""))")
        if info.severity == .errorWhenRefused { lines.append("* " + star) }
        lines.append("")
        lines += paragraph(info.explanation)
        lines += ["", style.bold("How to mend it")] + paragraph(info.fix) + ["", style.bold("Breaks it")]
        lines += indented(info.badExample)
        lines += ["", style.bold("Does not")]
        lines += indented(info.goodExample)
        lines += ["", style.bold("Specification")]
        lines += info.specifications.map { "  " + $0.text + ($0.url.map { "  " + $0 } ?? "") }
        return lines.joined(separator: "\n")
    }

    /// What `rules` prints; `columns`: how wide lines may be, nil for a line a rule.
    package static func rules(_ infos: [RuleInfo], style: TextStyle, columns: Int? = nil) -> String {
        let width = infos.map(\.id.count).max() ?? 0
        return
            infos
            .map {
                let head = "\(style.bold($0.id.padded(to: width)))  \($0.severity.label.padded(to: 7))  "
                return $0.title.behind(head, of: width + 11, columns: columns)
            }
            .joined(separator: "\n")
            + (infos.contains { $0.severity == .errorWhenRefused }
                ? "\n\n\(star.behind("* ", of: 2, columns: columns))" : "")
    }

    private static let star = "an error where the login was refused for it, else a warning"

    private static func indented(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { "  " + $0 }
    }
}

extension RuleSeverity {
    /// As `rules` lists it; `error*` is an error when the flow was refused, else a warning.
    package var label: String {
        switch self {
        case .error: "error"
        case .errorWhenRefused: "error*"
        case .warning: "warning"
        case .note: "note"
        }
    }
}

extension TextStyle {
    func outcome(_ outcome: Outcome) -> String {
        switch outcome {
        case .success: green(outcome.rawValue)
        case .failure: red(outcome.rawValue)
        case .cancelled, .incomplete: yellow(outcome.rawValue)
        }
    }

    func severity(_ severity: Severity) -> String {
        switch severity {
        case .error: red(severity.rawValue)
        case .warning: yellow(severity.rawValue)
        case .note: cyan(severity.rawValue)
        }
    }
}
