import ArgumentParser
import Captures
import Foundation
import Replay
import Reports

/// How the flows are driven: each compared with its recording, or with one change after the other.
extension ReplayCommand {
    /// Drives all as often as is wanted, and compares each with its recording.
    func compare(
        _ jobs: [ReplayJob],
        _ session: ReplaySession,
        _ progress: ReplayProgress,
        _ writer: CaptureWriter?
    ) async throws {
        let (reports, signal) = try await EndableReplay.run { [self] in
            var reports: [ReplayReport] = []
            for _ in 0..<`repeat` where !Task.isCancelled {
                let round = try await session.run(jobs, width: browsing.width(width)) { _, report in
                    progress.done(report)
                }
                for report in round { try writer?.append(report.run.exchanges) }
                reports += round
            }
            return reports
        }
        progress.clear()
        guard let signal else { return try tell(reports) }
        if !reports.isEmpty { print(text(of: reports)) }
        let count = reports.reduce(0) { $0 + $1.run.exchanges.count }
        let driven = count.counted("request")
        StandardError.note(
            "interrupted after \(driven)\(count == 0 ? "" : out.map { "; \($0) holds them" } ?? "")"
        )
        throw ExitCode(128 + signal)
    }

    /// Looks for the change with which failing logins work, and tells it.
    func searchFix(
        _ jobs: [ReplayJob],
        _ session: ReplaySession,
        _ progress: ReplayProgress,
        _ writer: CaptureWriter?
    ) async throws {
        let (reports, signal) = try await EndableReplay.run {
            await FixFinding(session: session, progress: progress).search(jobs)
        }
        progress.clear()
        guard signal != nil || !reports.isEmpty else {
            throw nothingFails
        }
        // The proof is the login that works.
        let fixes = reports.compactMap(\.search.fix)
        for fix in fixes { try writer?.append(fix.run.exchanges) }
        if format == .json {
            print(FixJSON.text(of: reports))
        } else if !reports.isEmpty {
            // On a terminal those of a single login were told while they were tried.
            let areTold = jobs.count == 1 && [STDOUT_FILENO, STDERR_FILENO].allSatisfy { isatty($0) == 1 }
            let terminal = Terminal.standardOutput
            let texts = reports.map {
                FixText.text(
                    of: $0,
                    style: terminal.style,
                    columns: terminal.columns,
                    listsAttempts: !areTold
                )
            }
            print(texts.joined(separator: "\n\n"))
        }
        if let signal {
            let tried = reports.reduce(0) { $0 + $1.search.attempts.count }
            let changes = tried.counted("change")
            let kept = fixes.isEmpty ? "" : out.map { "; \($0) holds what works" } ?? ""
            StandardError.note("interrupted after \(changes)\(kept)")
            throw ExitCode(128 + signal)
        }
        try Self.tellUnreachable(reports.flatMap(\.search.runs), captures)
        if fixes.count < reports.count { throw ExitCode(ExitStatus.negative.rawValue) }
    }

    /// That a fix is looked for, and no login is broken.
    var nothingFails: CommandFailure {
        CommandFailure(
            .dataError,
            "no flow of \(captures.joined(separator: ", ")) fails: there is nothing to mend",
            hint: "\(Invocation.command("replay", captures[0])) drives it again"
        )
    }
}
