import ArgumentParser
import Replay
import Reports

/// What is told of plans and replays.
extension ReplayCommand {
    func printPlans(_ jobs: [ReplayJob], _ session: ReplaySession, _ given: Set<String>) throws {
        let plans = jobs.map { (plan: $0.plan, map: session.target.map(for: $0.plan.flow)) }
        let changes = jobs.map { findFix ? FixFinding.changes(for: $0, rules: session.rules) : nil }
        if findFix, !changes.contains(where: { $0 != nil }) { throw nothingFails }
        guard format != .json else {
            return print(PlanJSON.text(of: plans, given: given, changes: changes))
        }
        let terminal = Terminal.standardOutput
        print(
            zip(plans, changes).flatMap { item, changes in
                [
                    PlanText.text(
                        of: item.plan,
                        map: item.map,
                        given: given,
                        style: terminal.style,
                        columns: terminal.columns
                    ),
                    changes.map {
                        FixText.text(ofChanges: $0, style: terminal.style, columns: terminal.columns)
                    },
                ].compactMap(\.self)
            }
            .joined(separator: "\n\n")
        )
    }

    func text(of reports: [ReplayReport]) -> String {
        switch format {
        case .text: plainText(of: reports)
        case .json: ReplayJSON.text(of: reports)
        case .junit: ReplayJUnit.text(of: reports)
        case .markdown: ReplayMarkdown.text(of: reports, showsAll: all)
        }
    }

    /// Prints what came of it all.
    ///
    /// - Throws: an exit status where one differs, or nobody answered.
    func tell(_ reports: [ReplayReport]) throws {
        print(text(of: reports))
        // Behind the verdict, which is there even if the disk is full.
        if let junit {
            let text = ReplayJUnit.text(of: reports) + "\n"
            try OutputFile.write(Array(text.utf8), to: junit, isPrivate: true)
        }
        try Self.tellUnreachable(reports.map(\.run), captures)
        if !browsing.isWanted, reports.contains(where: \.run.lacksAPerson) {
            StandardError.hint(Self.byHand(captures))
        } else if !browsing.isWanted,
            reports.contains(where: {
                $0.run.isHeldUpByAPage || !$0.isSame && !$0.run.staleValues.isEmpty
            })
        {
            StandardError.hint(Self.byBrowser(captures))
        }
        if !reports.allSatisfy(\.isSame) { throw ExitCode(ExitStatus.negative.rawValue) }
    }

    /// Ends where no run was answered at all.
    ///
    /// - Throws: ``CommandFailure`` with who is not there, and what to do about it.
    static func tellUnreachable(_ runs: [FlowRun], _ captures: [String]) throws {
        guard let first = runs.first, let failure = first.unreachable,
            runs.allSatisfy({ $0.unreachable != nil })
        else { return }
        guard first.beginsAtTheApp else {
            throw CommandFailure(
                .unavailable,
                "the provider was not reached: \(failure)",
                hint: elsewhere(than: failure, in: captures)
            )
        }
        throw CommandFailure(
            .unavailable,
            "the app was not reached: \(failure)",
            hint: "start the app; without --allow-host for its host the provider alone is driven"
        )
    }

    /// What to do about a login that only a person can do.
    static func byHand(_ captures: [String]) -> String {
        let command = Invocation.command(
            "replay",
            "--interactive",
            captures.count == 1 ? captures[0] : "CAPTURE"
        )
        return "the answer of a passkey or a captcha is good once: \(command) lets you sign in by hand"
    }

    /// What to do about a page that could not be filled in.
    static func byBrowser(_ captures: [String]) -> String {
        let command = Invocation.command("replay", "--browser", captures.count == 1 ? captures[0] : "CAPTURE")
        return "\(command) lets a browser run the page's scripts, --interactive lets you sign in by hand"
    }

    /// What to do about a provider that was not reached; `failure` says why, as entries do.
    static func elsewhere(than failure: String, in captures: [String]) -> String {
        if failure.contains("ERR_CERT_") {
            return "--upstream-ca FILE trusts its authority, --against ISSUER replays at another provider"
        }
        let name = captures.first.flatMap { captures.count == 1 ? $0 : nil } ?? "CAPTURE"
        let mock = "\(Invocation.command("mock", name)) plays it on this machine"
        return "\(mock), --against ISSUER replays there or at another one"
    }

    private func plainText(of reports: [ReplayReport]) -> String {
        let terminal = Terminal.standardOutput
        let texts = reports.map {
            ReplayText($0, showsAll: all, style: terminal.style, columns: terminal.columns)
        }
        guard reports.count > 3 else { return texts.map(\.text).joined(separator: "\n\n") }
        // A suite: those that differ in full, the others in a line each.
        let failing = reports.count { !$0.isSame }
        let verdict =
            failing == 0
            ? terminal.style.green("\(reports.count) replayed, all the same")
            : terminal.style.red("\(reports.count) replayed, \(failing) differ")
        let details = zip(reports, texts).filter { all || !$0.0.isSame }.map(\.1.text)
        return ([texts.map(\.line).joined(separator: "\n")] + details + [verdict]).joined(separator: "\n\n")
    }
}
