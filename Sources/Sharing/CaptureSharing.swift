package import Captures
package import Flows
package import JSON
package import LibCrypto

/// Shares captures: writes each without its secrets, reads it back, and proves that nothing is left of them and that the
/// story is the same.
package struct CaptureSharing {
    /// A capture that is to be shared.
    package struct Source {
        package var capture: Capture
        package var flows: [Flow]

        package init(capture: Capture, flows: [Flow]) {
            self.capture = capture
            self.flows = flows
        }
    }

    /// What came of one of them.
    package struct Outcome {
        package var report: SharingReport
        /// Secrets that are still there.
        package var leaks: [Leak]
        /// Secrets that the scan cannot look for.
        package var unprotected: [Secret]
        /// Entries of the shared capture with a body that cannot be read, and so not be proven.
        package var unread: [Int]
        /// What the shared capture tells otherwise.
        package var differences: [VerdictCheck.Difference]

        /// It may be handed on.
        package var isProven: Bool {
            leaks.isEmpty && unprotected.isEmpty && unread.isEmpty && differences.isEmpty
        }
    }

    /// Keeps what is written, and reads it.
    package typealias Store = (_ write: ((ArraySlice<UInt8>) throws -> Void) throws -> Void) throws -> Capture

    private let sources: [Source]
    private let options: SharingOptions
    private let check: VerdictCheck
    private let mark: Redaction
    private let originals: [VerdictCheck.Original]

    /// Finds out which entries the story needs.
    ///
    /// `sources`: shared together: what is equal in two of them stays equal.
    /// `mark`: for `log._authreel.redacted`.
    /// `tell`: the documents that `diagnose` and `show` print of a capture.
    package init(
        _ sources: [Source],
        options: SharingOptions,
        mark: Redaction,
        tell: @escaping (Capture) -> [JSONValue]
    ) {
        self.sources = sources
        self.options = options
        self.mark = mark
        let check = VerdictCheck(tell)
        self.check = check
        originals = sources.map { source in
            options.keepsAll
                ? check.original(all: source.capture)
                : check.original(source.capture, flows: Set(source.flows.flatMap(\.exchanges)))
        }
    }

    /// Tries it once, with stand-ins drawn anew.
    ///
    /// `random`: so many random bytes.
    /// `makeKey`: a key that nobody has; nil for a kind that cannot be made.
    /// `store`: for each of the captures.
    ///
    /// Called once more for all of them where a body tells more without its content coding than it did with it.
    package func share(
        random: (Int) -> [UInt8],
        makeKey: @escaping (PrivateKey.Kind) -> PrivateKey? = { try? .generate($0) },
        store: (Int) -> Store
    ) throws -> [Outcome] {
        let (outcomes, hasDecoded) = try share(
            replacesDecoded: false,
            random: random,
            makeKey: makeKey,
            store: store
        )
        guard hasDecoded, outcomes.contains(where: { !$0.differences.isEmpty }) else { return outcomes }
        return try share(replacesDecoded: true, random: random, makeKey: makeKey, store: store).outcomes
    }

    private func share(
        replacesDecoded: Bool,
        random: (Int) -> [UInt8],
        makeKey: @escaping (PrivateKey.Kind) -> PrivateKey?,
        store: (Int) -> Store
    ) throws -> (outcomes: [Outcome], hasDecoded: Bool) {
        let redactor = Redactor(
            sources.map { ($0.capture, $0.flows) },
            options: options,
            replacesDecoded: replacesDecoded,
            random: random,
            makeKey: makeKey
        )
        // Of all of them: what is secret in one of them is in none.
        let scan = redactor.leakScan()
        var hasDecoded = false
        let outcomes = try sources.indices.map { index in
            let outcome = try share(index, by: redactor, scan, store(index))
            hasDecoded = hasDecoded || redactor.hasDecoded
            return outcome
        }
        return (outcomes, hasDecoded)
    }

    /// Writes one of them, reads it back and looks through it.
    private func share(_ index: Int, by redactor: Redactor, _ scan: LeakScan, _ store: Store) throws
        -> Outcome
    {
        let (source, original) = (sources[index], originals[index])
        redactor.beginReport()
        let shared = try store { sink in
            try redactor.write(
                source.capture,
                flows: source.flows,
                entries: original.entries,
                mark: mark,
                to: sink
            )
        }
        let proof = Self.proof(of: shared, scan)
        return Outcome(
            report: redactor.report(entries: original.entries, of: source.capture),
            leaks: proof.leaks,
            unprotected: scan.unprotected,
            unread: proof.unread,
            differences: check.differences(
                original,
                shared,
                times: redactor.times,
                asked: redactor.withoutAsked
            )
        )
    }

    /// Everything in a shared capture that must not be there, and the entries that cannot be read.
    package static func proof(of shared: Capture, _ scan: LeakScan) -> (leaks: [Leak], unread: [Int]) {
        var leaks = shared.logMembers.members.flatMap { scan.leaks(in: $0.value) }
        var unread: [Int] = []
        var clean = CleanTexts()
        for index in shared.indices {
            let text = shared.text(ofEntry: index) ?? []
            let entry = try? JSONParser.parse(text)
            leaks +=
                entry.map { scan.leaks(in: $0, entry: index, clean: &clean) }
                ?? scan.leaks(inText: text, entry: index)
            // What no scan can look into is not clean.
            if entry.map({ BodyOpener.unread($0) > 0 }) ?? true { unread.append(index) }
        }
        return (leaks, unread)
    }
}
