import ArgumentParser
import Captures
import Diagnosis
import Flows
import Foundation
import JSON
import LibCrypto
import Reports
import Sharing

/// Writes a capture without secrets.
struct Share: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes a capture that holds no secret and gives the same diagnosis.",
        discussion: """
            Codes, tokens, verifiers, cookies, passwords, names and addresses of people become stand-ins of the same shape: equal stays \
            equal, signatures stay right or wrong, a challenge fits its verifier or fails in the same way. Which ones there are is \
            found by the protocol's roles, by the links between places, and by look; the key that they are made with is forgotten.

            Before anything is written it is proven: no twelve characters of a secret are left, in whatever encoding, and \
            diagnose and show say the same of both captures. Exit status 1 when that fails; then nothing is written.

            Examples:
              authreel share login.har --out shared.har
              # the report for the ticket
              authreel share login.har --out shared.har --report shared.md
              authreel share login.har --dry-run  # what would be replaced
              # into a folder; equal values stay equal in both
              authreel share monday.har tuesday.har --out shared
              authreel share login.har --out shared.har --also 'ACME-[0-9]+' --keep state
              authreel share login.har --out shared.har.age --encrypt-to age1…
              authreel share login.har --unredacted --out login.har.age --encrypt-to age1…
            """
    )

    @Argument(
        help: ArgumentHelp("HAR files of any producer; several are shared together.", valueName: "CAPTURE"),
        completion: .file()
    )
    var captures: [String]
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Where the shared capture goes; for several captures a folder. - is standard output.",
            valueName: "FILE"
        ),
        completion: .file()
    )
    var out: String?
    @Flag(name: .customLong("all"), help: "Keep exchanges that belong to no flow, redacted like the others.")
    var keepsAll = false
    @Flag(help: "Keep names, e-mail addresses, phone numbers and IP addresses.")
    var keepPersonal = false
    @Flag(help: "Move all times by one random offset of up to four years.")
    var shiftTimes = false
    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Keep the values of this parameter, cookie or member. Repeatable.",
            valueName: "NAME"
        )
    )
    var keep: [String] = []
    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("What matches is a secret, too. Repeatable.", valueName: "REGEX")
    )
    var also: [String] = []
    @Option(
        help: ArgumentHelp("Write the report as Markdown into this file.", valueName: "FILE"),
        completion: .file()
    )
    var report: String?
    @Flag(help: "Try it and print the report; write nothing.")
    var dryRun = false
    @Flag(help: "Encrypt the captures as they are; with --encrypt-to only.")
    var unredacted = false
    @OptionGroup var encryption: EncryptionOptions
    @OptionGroup var identities: IdentityOptions

    func validate() throws {
        guard out != nil || dryRun else {
            let place = captures.count > 1 ? "captures go: --out FOLDER" : "capture goes: --out FILE"
            throw ValidationError("say where the shared \(place), or --dry-run for the report alone")
        }
        guard !unredacted || encryption.isWanted else {
            throw ValidationError("--unredacted hands over every secret: it takes --encrypt-to RECIPIENT")
        }
        guard captures.count == 1 || out != "-" else {
            throw ValidationError("several captures go into a folder: --out FOLDER")
        }
        // A folder that is called so was made by mistake.
        if captures.count > 1, let out, [".har", ".age"].contains(where: out.hasSuffix),
            !FileManager.default.fileExists(atPath: out)
        {
            throw ValidationError(
                "several captures go into a folder: --out FOLDER, not \(out); import makes one of several"
            )
        }
        guard !keep.contains("") else { throw ValidationError("--keep takes a name, not ''") }
        for pattern in also {
            guard !pattern.isEmpty else { throw ValidationError("--also takes a regular expression, not ''") }
            do {
                _ = try Regex(pattern)
            } catch {
                throw ValidationError("--also \(pattern) is no regular expression: \(error)")
            }
        }
    }

    func run() throws {
        let targets = try SharedFiles.targets(of: captures, out: dryRun ? nil : out)
        if !dryRun { try checkReport(against: targets) }
        let recipients = dryRun ? [] : try encryption.recipients()
        let read = try captures.map { try identities.read($0) }
        if unredacted {
            for (index, target) in targets.enumerated() {
                try write(SharedFiles.original(captures[index]), to: target, for: recipients)
            }
            return
        }
        let run = try redact(read, targets)
        try refuse(run.outcomes)
        tell(run.outcomes)
        if let report = run.outcomes.first?.report { warnOfUnmatched(report) }
        for (text, target) in zip(run.texts, targets) {
            try write(text, to: target, for: recipients)
        }
        if let report, !dryRun {
            // The path of the original may say whose it is.
            let parts = zip(targets, run.outcomes).map {
                SharingMarkdown.text(of: $1.report, named: Self.name(of: $0))
            }
            try OutputFile.write(Array(parts.joined(separator: "\n").utf8), to: report)
        }
    }

    /// What the report calls a shared capture, without the folder that it went into.
    private static func name(of target: String) -> String {
        target == "-" ? "shared.har" : URL(fileURLWithPath: target).lastPathComponent
    }

    /// Where it went is said: of several captures the names are made.
    private func write(_ text: CaptureSource, to target: String, for recipients: [AgeRecipient]) throws {
        try SharedFiles.copy(text, to: target, for: recipients)
        if target != "-" { StandardError.note("written: \(target)") }
    }

    /// What refuses the report must not leave a capture without one.
    private func checkReport(against targets: [String]) throws {
        guard let report else { return }
        try OutputFile.check(report, option: "--report shared.md")
        guard !targets.contains(where: { OutputFile.isOne($0, report) }) else {
            throw CommandFailure(
                .usage,
                "--report \(report) is where the shared capture goes",
                hint: "the report wants a file of its own: --report shared.md"
            )
        }
    }

    private func redact(_ read: [Capture], _ targets: [String]) throws -> SharingRun {
        var options = SharingOptions()
        options.keepsAll = keepsAll
        options.keepsPersonal = keepPersonal
        options.shiftsTimes = shiftTimes
        options.keptNames = Set(keep)
        options.alsoSources = also
        let progress = ProgressBar("sharing", total: read.count + 2)
        progress.show(0, "reading flows")
        let run = try SharingRun.run(
            zip(captures, read).map { ($0, $1) },
            options: options,
            scratch: { try SharedFiles.scratch(for: dryRun ? nil : targets[$0]) },
            progress: { progress.show($0 + 1, captures[$0]) }
        )
        progress.clear()
        return run
    }

    private func warnOfUnmatched(_ report: SharingReport) {
        for asked in report.asked where asked.values == 0 {
            StandardError.warn("--also \(asked.pattern) matches nothing")
        }
        for name in report.unmatchedNames { StandardError.warn("--keep \(name) matches nothing") }
    }

    /// Says where the proof fails; nothing is written then.
    private func refuse(_ outcomes: [CaptureSharing.Outcome]) throws {
        guard !outcomes.allSatisfy(\.isProven) else { return }
        for (name, outcome) in zip(captures, outcomes) {
            for reason in SharingRun.reasons(against: outcome) {
                StandardError.report("\(name): \(reason)", hint: nil)
            }
        }
        throw Self.refusal(of: outcomes, hasPatterns: !also.isEmpty)
    }

    /// What is said below the reasons, by what kind they are of.
    ///
    /// `hasPatterns`: whether `--also` was given; words of the protocol may be among what it matches.
    private static func refusal(of outcomes: [CaptureSharing.Outcome], hasPatterns: Bool) -> CommandFailure {
        let isLeft = outcomes.contains { !$0.leaks.isEmpty || !$0.unprotected.isEmpty }
        // A body that nobody can read is none that holds a secret for sure, and none that holds none.
        let isUnread = outcomes.contains { !$0.unread.isEmpty }
        let narrower =
            hasPatterns && outcomes.allSatisfy(\.leaks.isEmpty)
            ? "--also may match more than it is meant to: try a narrower REGEX, or none" : nil
        let next =
            if isLeft {
                "--also REGEX takes more texts for secrets, --keep-personal leaves people's names and addresses"
            } else if isUnread {
                "a copy of the capture without that entry can be shared"
            } else {
                "run it again, for other stand-ins"
            }
        let fault =
            isLeft
            ? "a secret would be left"
            : isUnread ? "a body that cannot be read may hold a secret" : "the diagnosis would be another one"
        return CommandFailure(
            .negative,
            "nothing was written: \(fault)",
            hint: narrower
                ?? "\(next); \(Invocation.name) share --unredacted --encrypt-to RECIPIENT hands the capture over to one reader"
        )
    }

    private func tell(_ outcomes: [CaptureSharing.Outcome]) {
        let terminal = out == "-" ? Terminal.standardError : .standardOutput
        for (name, outcome) in zip(captures, outcomes) {
            let text = SharingText.text(
                of: outcome.report,
                named: name,
                style: terminal.style,
                columns: terminal.columns
            )
            out == "-" ? StandardError.line(text) : print(text)
        }
    }
}
