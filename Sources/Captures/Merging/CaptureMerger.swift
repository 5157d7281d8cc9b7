package import JSON

/// Makes one capture of several: each exchange once, in the order in which they began by one clock.
///
/// Reads captures, and writes into no file but the one that ``write(to:progress:)`` is given. Bodies stay where they are until an
/// exchange is asked for; what is held besides the captures themselves is a few words for each of their entries.
///
/// Two entries are one exchange where both have what is made for one request or login (a code, a state, a request's id, a
/// second of the server's clock), or lie at one place and time once the clocks are known to each other; and where nothing
/// contradicts. What could be one of several is left alone.
package struct CaptureMerger: Sendable {
    /// A file, by the name that entries refer to it by.
    package struct Source: Sendable {
        package var name: String
        package var capture: Capture

        package init(name: String, capture: Capture) {
            self.name = name
            self.capture = capture
        }
    }

    private let sources: [Source]
    /// What each of them stands for.
    private let files: [SourceFiles]
    private let clocks: [ImportStatement.Clock]
    /// How far each file's clock is ahead of the common one; zero where that is not known.
    private let ahead: [Duration]
    private let isAligned: Bool
    /// The exchanges are those of the one file, as they are.
    private let isConverted: Bool
    /// The sightings of each exchange: the base first, the others in the order of the files.
    private let merged: [[SightingGroups.Place]]
    private let ids: IDRenaming
    private let undecided: Int
    /// The files without any time, each with whether something tells where its exchanges belong.
    private let untimed: [Int: Bool]

    /// - Parameters:
    ///   - sources: one at least; the first one's clock is what the others' are compared with. Names are made different.
    ///   - alignsClocks: move times to that clock, instead of only saying how the others lie to it.
    ///   - joinsSides: a file alone is looked through, too, for exchanges that it has from both sides of a proxy.
    package init(_ sources: [Source], alignsClocks: Bool = false, joinsSides: Bool = false) {
        let (sources, files) = Self.named(sources)
        self.sources = sources
        self.files = files
        ids = IDRenaming(sources.map(\.capture))
        let mayHaveSides = joinsSides && sources.first.map { ProxySides.mayBe(in: $0.capture) } ?? false
        isConverted = sources.count < 2 && !mayHaveSides
        guard !isConverted else {
            clocks = sources.isEmpty ? [] : [.reference]
            ahead = sources.map { _ in .zero }
            let wasAligned = sources.first?.capture.imported?.isAligned ?? false
            isAligned = files.first?.isMerged == true && (alignsClocks || wasAligned)
            // A file alone is converted: it stays in its own order.
            merged = sources.first?.capture.indices.map { [SightingGroups.Place(file: 0, entry: $0)] } ?? []
            undecided = 0
            untimed = [:]
            return
        }
        isAligned = alignsClocks
        let captures = sources.map(\.capture)
        let marks = zip(captures, files).map { CaptureMarks($0, isComparable: $1.isComparable) }
        let pairs = SightingPairs(captures, marks)
        undecided = pairs.undecided
        clocks = ClockGraph.clocks(of: sources.map(\.name), pairs.clocks)
        ahead = clocks.map { if case .known(let offset, _) = $0 { offset.ahead } else { .zero } }
        let order = SightingOrder(captures, marks)
        merged = order.sorted(pairs.groups, ahead: ahead)
        untimed = order.untimed(ahead: ahead)
    }

    private static func named(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    /// Names without folders, the later of two that are the same with a number; those of the files that a source was made
    /// of also.
    private static func named(_ sources: [Source]) -> ([Source], [SourceFiles]) {
        var taken: Set<String> = []
        let pairs = sources.map { source in
            let source = Source(
                name: SourceFiles.free(named(source.name), &taken),
                capture: source.capture
            )
            return (source, SourceFiles(source, &taken))
        }
        return (pairs.map(\.0), pairs.map(\.1))
    }

    // MARK: - The merged capture

    /// Number of exchanges.
    package var count: Int { merged.count }

    /// Whether the exchanges are those of a single file, none of them seen twice in it.
    package var isOneFileAsItIs: Bool {
        sources.count == 1 && merged.allSatisfy { $0.count == 1 }
    }

    /// What stands in `log` of a capture that was made of one file, by its name.
    package static func logMembers(of name: String) -> JSONObject {
        let file = ImportStatement.File(name: named(name), clock: .reference)
        return ["_authreel": ["imported": ImportStatement(files: [file], isAligned: false).json]]
    }

    /// An exchange of the merged capture, 0 to ``count`` - 1, read and put together when it is asked for.
    package func exchange(at index: Int) -> Exchange {
        let places = merged[index]
        guard !isConverted else {
            var exchange = sources[0].capture[places[0].entry]
            if !isAligned { files[0].moveToOwnClock(&exchange) }
            return exchange
        }
        var exchange = sighting(places[0])
        for place in places.dropFirst() {
            let other = sighting(place)
            let union = ExchangeUnion(exchange, other)
            exchange = union.exchange
            if !union.differences.isEmpty, let seen = other.provenance.seen.first {
                // Of both sides of a proxy the second has a number.
                let isTaken = exchange.provenance.differs[seen.file] != nil
                exchange.provenance.differs[isTaken ? "\(seen.file) #\(seen.entry)" : seen.file] = .object(
                    union.differences
                )
            }
        }
        let (base, entry) = (places[0].file, places[0].entry)
        let shift = isAligned ? .zero - ahead[base] : .zero
        if shift != .zero, files[base].isComparable(sources[base].capture[entry]) {
            exchange.startedAt = exchange.startedAt + shift
            exchange.provenance.shift = (exchange.provenance.shift ?? .zero) + shift
        }
        return exchange
    }

    /// What ``exchange(at:)`` was read from; nil where that was no entry of a HAR file.
    package func original(at index: Int) -> OriginalEntry? {
        let places = merged[index]
        guard let entry = sources[places[0].file].capture.loadOriginal?(places[0].entry) else { return nil }
        return places.count == 1 ? .only(entry) : .oneOfSeveral(entry)
    }

    /// An entry as it stands in its file, and where that is.
    private func sighting(_ place: SightingGroups.Place) -> Exchange {
        var exchange = sources[place.file].capture[place.entry]
        ids.rename(&exchange, of: place.file)
        // Else the new capture would have it read by a clock that it is moved to already.
        if !isAligned { files[place.file].moveToOwnClock(&exchange) }
        files[place.file].mark(&exchange, entry: place.entry)
        return exchange
    }

    /// The files that tell of an exchange, by name; the one whose time it has first.
    package func files(ofExchange index: Int) -> [String] {
        merged[index].map { sources[$0.file].name }
    }

    /// What stands in `log` of the merged capture, `version`, `creator` and `entries` aside.
    package var logMembers: JSONObject {
        LogUnion.members(of: sources.map(\.capture), files, ids) { differing in
            ImportStatement(
                files: files.indices.flatMap {
                    files[$0].stated(statedClock(of: $0), members: differing[$0])
                },
                isAligned: isAligned
            )
        }
    }

    /// A source's clock, compared with a file that the new capture names.
    private func statedClock(of source: Int) -> ImportStatement.Clock {
        guard case .known(let offset, let name) = clocks[source],
            let root = sources.firstIndex(where: { $0.name == name })
        else { return clocks[source] }
        return .known(offset, to: files[root].referenceName)
    }

    /// What became of the files.
    ///
    /// `differing`: exchanges that were told differently, as the caller has seen them pass.
    package func report(differing: Int) -> MergeReport {
        var report = MergeReport()
        report.exchanges = count
        report.differing = differing
        report.undecided = undecided
        report.isAligned = isAligned
        var elsewhere = sources.map { _ in 0 }
        for places in merged where places.count > 1 {
            report.seenTwice += 1
            for place in places where places.contains(where: { $0.file != place.file }) {
                elsewhere[place.file] += 1
            }
        }
        report.files = sources.enumerated().map { index, source in
            MergeReport.File(
                name: source.name,
                entries: source.capture.count,
                seenElsewhere: elsewhere[index],
                clock: clocks[index],
                isPlaced: untimed[index],
                losses: source.capture.losses
            )
        }
        return report
    }
}
