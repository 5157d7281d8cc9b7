package import Captures
package import Flows
import JOSE
import JSON
package import LibCrypto

/// Writes captures that hold no secret and tell the same story.
///
/// One key for all of them, drawn for this once: what is equal in two captures that are shared together stays equal.
package final class Redactor {
    let found: FoundSecrets
    let standIns: StandIns
    private let options: SharingOptions
    private let replacesDecoded: Bool
    /// Entries with a body that was decoded, and with one that was replaced as a whole.
    private var decoded: Set<Int> = []
    private var unread: Set<Int> = []

    /// Whether a body was written without the content coding that it had.
    var hasDecoded: Bool { !decoded.isEmpty }

    /// How times are moved; nil where they stay.
    package var times: TimeShift? { standIns.times }

    /// A text of the original as it is told of what is shared: without what somebody asked for, names of clients included.
    func withoutAsked(_ text: String) -> String {
        guard !found.asked.isEmpty else { return text }
        return standIns.sweeper.replacingWords(in: Array(text.utf8)).map {
            String(decoding: $0, as: UTF8.self)
        }
            ?? text
    }

    /// Reads the captures whole.
    ///
    /// `captures`: with the flows of each.
    /// `replacesDecoded`: bodies with a content coding around them are replaced as a whole, also where it can be undone.
    /// `random`: so many random bytes.
    /// `makeKey`: a key that nobody has; nil for a kind that cannot be made.
    package init(
        _ captures: [(capture: Capture, flows: [Flow])],
        options: SharingOptions,
        replacesDecoded: Bool = false,
        random: (Int) -> [UInt8],
        makeKey: @escaping (PrivateKey.Kind) -> PrivateKey?
    ) {
        let memory = SlotMemory()
        let finder = SecretFinder(options: options, memory: memory)
        for (capture, flows) in captures {
            for member in capture.logMembers.members { finder.read(member.value, called: member.name) }
            let saying = Self.exchangesThatSayWho(flows)
            for index in capture.indices {
                finder.read(capture[index].request.url)
                guard let entry = Self.entry(index, of: capture) else { continue }
                var opener = BodyOpener()
                let isAboutSomebody = saying.contains(index) || EntrySubject.isAboutSomebody(entry)
                finder.read(opener.opening(entry), holdsClaims: isAboutSomebody)
            }
            finder.read(flows)
            finder.readPasswords(of: capture)
        }
        found = finder.finish()
        self.options = options
        self.replacesDecoded = replacesDecoded
        standIns = StandIns(
            found,
            options: options,
            memory: memory,
            times: options.shiftsTimes ? Self.shift(captures.map(\.capture), random) : nil,
            random: random,
            makeKey: makeKey
        )
    }

    /// One for all of them: what came before the other stays before it.
    private static func shift(_ captures: [Capture], _ random: (Int) -> [UInt8]) -> TimeShift? {
        let times = captures.flatMap { capture in capture.indices.map { capture[$0].startedAt } }
        guard let first = times.min(), let last = times.max() else { return nil }
        return TimeShift(first: first, last: last, draw: random(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// Writes a capture, piece by piece.
    ///
    /// `entries`: those that are kept, in order.
    /// `mark`: goes into `log._authreel.redacted`, with the names of what is replaced.
    /// `sink`: takes the text.
    package func write(
        _ capture: Capture,
        flows: [Flow],
        entries: [Int],
        mark: Redaction,
        to sink: (ArraySlice<UInt8>) throws -> Void
    ) rethrows {
        var head = Array("{\"log\":{".utf8)
        // What stood beside the log is of whatever wrapped it, which no receiver asks for.
        let others = capture.logMembers.members.filter {
            $0.name != "_authreel" && $0.name != Capture.besideLogName
        }
        for member in others {
            JSONWriter.append(string: member.name, to: &head)
            head.append(0x3a)
            JSONWriter.append(rewritten(member.value, called: member.name), to: &head)
            head.append(0x2c)
        }
        // What it says of the files it was made of holds members of other producers.
        var ours = rewritten(capture.logMembers["_authreel"] ?? [:]).object ?? JSONObject()
        var mark = mark
        mark.names = replacedNames()
        mark.hasMovedTimes = options.shiftsTimes
        ours["redacted"] = mark.json
        if capture.isCutShort { ours[Capture.cutShortName] = true }
        head += Array("\"_authreel\":".utf8)
        JSONWriter.append(.object(ours), to: &head)
        head += Array(",\"entries\":[".utf8)
        try sink(head[...])
        let saying = Self.exchangesThatSayWho(flows)
        var isFirst = true
        for index in entries {
            guard let entry = Self.entry(index, of: capture) else { continue }
            standIns.tally.entry = index
            var line = Array((isFirst ? "\n" : ",\n").utf8)
            var opener = BodyOpener(replacesDecoded: replacesDecoded)
            let opened = opener.opening(entry)
            if opener.hasDecoded { decoded.insert(index) }
            if opener.hasReplaced { unread.insert(index) }
            let isAboutSomebody = saying.contains(index) || EntrySubject.isAboutSomebody(entry)
            JSONWriter.append(rewritten(opened, holdsClaims: isAboutSomebody), to: &line)
            try sink(line[...])
            isFirst = false
        }
        standIns.tally.entry = nil
        try sink(Array("\n]}}\n".utf8)[...])
    }

    /// More names than a login has are those of an app's own documents.
    private static let mostNames = 500

    /// The names under which there was a secret; of names that could be one themselves none.
    private func replacedNames() -> Set<String> {
        var told = Set(found.named.keys.map(\.name))
        // What a person is called is judged under a name of its own, whatever stands in the document: `name` of UserInfo.
        if !told.isDisjoint(with: ["displayName", "display_name"]) { told.insert("name") }
        let names = told.filter { name in
            name.utf8.count <= 64 && !Drawn.looks(name.utf8)
                && name.utf8.allSatisfy {
                    $0.isASCIIAlphanumeric
                        || [0x2d, 0x2e, 0x5f].contains($0)
                }
                && found.kind(of: name) == nil && sweepLeaves(name)
        }
        return Set(names.sorted().prefix(Self.mostNames))
    }

    private func sweepLeaves(_ name: String) -> Bool { standIns.sweeper.sweeping(Array(name.utf8)) == nil }

    /// From now on counts for another report.
    func beginReport() {
        standIns.tally.forget()
        decoded = []
        unread = []
    }

    /// What was replaced so far.
    package func report(entries: [Int], of capture: Capture) -> SharingReport {
        SharingReport(
            rows: standIns.tally.uses.map { kind, use in
                SharingReport.Row(
                    kind: kind,
                    values: use.values.count,
                    places: use.places,
                    entries: entries.indices.filter { use.entries.contains(entries[$0]) }
                )
            }.sorted { ($1.places, $0.kind) < ($0.places, $1.kind) },
            kept: entries.count,
            all: capture.count,
            open: found.identifiers.sorted(),
            keptNames: found.keptNames.sorted(),
            unmatchedNames: options.keptNames.subtracting(found.keptNames).sorted(),
            asked: options.alsoSources.enumerated().map { ordinal, pattern in
                SharingReport.Asked(pattern: pattern, values: found.asked[ordinal]?.count ?? 0)
            },
            keepsPersonal: options.keepsPersonal,
            unread: entries.indices.filter { unread.contains(entries[$0]) }
        )
    }

    /// `name`: of the log's member; empty for an entry.
    private func rewritten(
        _ value: JSONValue,
        called name: String = "",
        holdsClaims: Bool = false
    ) -> JSONValue {
        EntryWalker(
            texts: standIns.walker,
            holdsClaims: holdsClaims,
            isOfClient: EntrySubject.authenticatesClient(value),
            isSignIn: EntrySubject.signsIn(value),
            sweep: { [standIns] in standIns.sweeper.sweeping($0) },
            number: { [standIns] in standIns.sweeper.shifting($0) },
            recall: { [standIns] in standIns.tally.recalling($0, $1) },
            recallBody: { [standIns] in standIns.tally.recalling($0, $1) }
        ).rewriting(value, name: name)
    }

    private static func entry(_ index: Int, of capture: Capture) -> JSONValue? {
        capture.text(ofEntry: index).flatMap { try? JSONParser.parse($0) }
    }

    /// Answers that are about a person.
    private static func exchangesThatSayWho(_ flows: [Flow]) -> Set<Int> {
        Set(
            flows.flatMap(\.steps).filter { $0.kind == .userInfoRequest || $0.kind == .introspectionRequest }
                .map(\.exchange)
        )
    }
}
