import Captures
import Diagnosis
import Flows
import JSON
import LibCrypto
import Reports
import Sharing

/// Captures shared together, as far as the texts that may be handed on once they are proven.
struct SharingRun {
    /// In the order of the captures.
    var texts: [CaptureSource]
    var outcomes: [CaptureSharing.Outcome]

    /// A freak of chance (a short stand-in that equals another secret) is over with other stand-ins.
    private static let tries = 3

    /// Whether other stand-ins may pass where these did not: of what cannot be looked for or read they would not, nor where it
    /// fails in the same places once more.
    ///
    /// `before`: why it failed with the stand-ins before; empty at first.
    private static func mayBeChance(_ outcomes: [CaptureSharing.Outcome], before: [String]) -> Bool {
        outcomes.allSatisfy { $0.unprotected.isEmpty && $0.unread.isEmpty }
            && outcomes.flatMap(places) != before
    }

    /// Where the proof fails.
    private static func places(of outcome: CaptureSharing.Outcome) -> [String] {
        outcome.leaks.map { "\($0)" } + outcome.differences.map(\.place)
    }

    /// Shares, and tries to prove it.
    ///
    /// - Parameters:
    ///   - captures: with their names.
    ///   - options: what is kept, and what is secret besides.
    ///   - scratch: where the text of a capture goes before anybody may see it.
    ///   - progress: is told which capture is begun.
    /// - Returns: the texts, and what the proof says of each.
    /// - Throws: ``CommandFailure`` when there is no room for the texts.
    static func run(
        _ captures: [(name: String, capture: Capture)],
        options: SharingOptions,
        scratch: (Int) throws -> ScratchFile,
        progress: (Int) -> Void = { _ in }
    ) throws -> SharingRun {
        let sharing = CaptureSharing(
            captures.map {
                CaptureSharing.Source(capture: $0.capture, flows: FlowFinder.flows(in: $0.capture))
            },
            options: options,
            mark: Redaction(version: Authreel.version, date: SystemClock.now.rfc3339),
            tell: story
        )
        var run = SharingRun(texts: [], outcomes: [])
        var before: [String] = []
        for _ in 0..<tries {
            run.texts = []
            run.outcomes = try withoutActuallyEscaping(scratch) { scratch in
                try sharing.share(random: { SecureRandom.bytes($0) }) { index in
                    progress(index)
                    return { write in
                        let file = try scratch(index)
                        try write(file.append)
                        let text = try file.source()
                        // It may be written anew.
                        run.texts.removeSubrange(min(index, run.texts.count)...)
                        run.texts.append(text)
                        return try CaptureReader.read(text, name: captures[index].name)
                    }
                }
            }
            if run.outcomes.allSatisfy(\.isProven) || !mayBeChance(run.outcomes, before: before) { break }
            before = run.outcomes.flatMap(places)
        }
        return run
    }

    /// Where the proof fails, the first of each sort; empty where it does not.
    static func reasons(against outcome: CaptureSharing.Outcome) -> [String] {
        // The timeline says of some what the diagnosis says.
        var told: Set<String> = []
        let differences = outcome.differences.map(\.description).filter { told.insert($0).inserted }
        return outcome.leaks.prefix(20).map { "\($0)" }
            + outcome.unprotected.prefix(20).map {
                "one \($0.kind.rawValue), \(Masking.masked($0.text)), cannot be told from open text"
            }
            + outcome.unread.prefix(20).map { "entry \($0) has a body that cannot be read" }
            + differences.prefix(20).map { "the diagnosis differs at \($0)" }
    }

    /// What `diagnose` and `show` print of a capture.
    private static func story(of capture: Capture) -> [JSONValue] {
        let report = ReportBuilder.report(on: capture, named: "", rules: RuleCatalog.rules)
        return [JSONReport.diagnosis(of: report), JSONReport.timeline(of: report)].map {
            (try? JSONParser.parse($0.utf8)) ?? .null
        }
    }
}
