package import Captures
package import Flows
import JOSE
import JSON
package import LibCrypto

/// Writes captures that hold no secret and tell the same story.
///
/// One key for all of them, drawn for this once: what is equal in two captures that are shared together stays equal.
package final class Redactor {
    private let found: FoundSecrets
    private let standIns: StandIns
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
        return standIns.replacingWords(in: Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
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
        let finder = SecretFinder(options: options)
        for (capture, flows) in captures {
            for member in capture.logMembers.members { finder.read(member.value) }
            let saying = Self.exchangesThatSayWho(flows)
            for index in capture.indices {
                finder.read(capture[index].request.url)
                guard let entry = Self.entry(index, of: capture) else { continue }
                var opener = BodyOpener()
                let isAboutSomebody = saying.contains(index) || EntryWalker.isAboutSomebody(entry)
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
        let others = capture.logMembers.members.filter { $0.name != "_authreel" }
        for member in others {
            JSONWriter.append(string: member.name, to: &head)
            head.append(0x3a)
            JSONWriter.append(rewritten(member.value), to: &head)
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
            standIns.entry = index
            var line = Array((isFirst ? "\n" : ",\n").utf8)
            var opener = BodyOpener(replacesDecoded: replacesDecoded)
            let opened = opener.opening(entry)
            if opener.hasDecoded { decoded.insert(index) }
            if opener.hasReplaced { unread.insert(index) }
            let isAboutSomebody = saying.contains(index) || EntryWalker.isAboutSomebody(entry)
            JSONWriter.append(rewritten(opened, holdsClaims: isAboutSomebody), to: &line)
            try sink(line[...])
            isFirst = false
        }
        standIns.entry = nil
        try sink(Array("\n]}}\n".utf8)[...])
    }

    /// More names than a login has are those of an app's own documents.
    private static let mostNames = 500

    /// The names under which there was a secret; of names that could be one themselves none.
    private func replacedNames() -> Set<String> {
        let names = Set(found.named.keys.map(\.name)).filter { name in
            name.utf8.count <= 64 && !Drawn.looks(name.utf8)
                && name.utf8.allSatisfy {
                    $0.isASCIIAlphanumeric
                        || [0x2d, 0x2e, 0x5f].contains($0)
                }
                && found.kind(of: name) == nil && sweepLeaves(name)
        }
        return Set(names.sorted().prefix(Self.mostNames))
    }

    private func sweepLeaves(_ name: String) -> Bool { standIns.sweeping(Array(name.utf8)) == nil }

    /// From now on counts for another report.
    func beginReport() {
        standIns.forgetUses()
        decoded = []
        unread = []
    }

    // MARK: - Proof

    /// Looks for what was found to be secret, by other means than those that replaced it.
    package func leakScan() -> LeakScan {
        var secrets: [Secret] = []
        var short: [NamedValue: Secret.Kind] = [:]
        func isLong(_ text: String) -> Bool { text.unicodeScalars.count >= FragmentIndex.shortestPiece }
        func take(_ text: String, _ kind: Secret.Kind) {
            // What cannot be written otherwise (no letter, no digit) is none.
            guard isLong(text), standIns.standIn(for: text) != text, !standIns.isPiece(text) else { return }
            secrets.append(Secret(kind, text))
        }
        for (text, kind) in found.values {
            if kind == .asked {
                take(text, kind)
                continue
            }
            // Of a token its parts are looked for: its stand-in may be of another length, and most of its text open.
            guard found.tokens[text] == nil else { continue }
            guard let parts = standIns.parts(of: text) else {
                for piece in standIns.ownPieces(of: text) ?? [text] { take(piece, kind) }
                continue
            }
            // Words in a document that was drawn as a whole may stand anywhere.
            for part in parts where Drawn.looks(part.utf8) || found.kind(of: part) != nil { take(part, kind) }
            for run in standIns.drawnRuns(of: text) { take(run, kind) }
        }
        for text in found.torn {
            for part in TornToken(text)?.rest.split(separator: ".") ?? [] { take(String(part), .token) }
        }
        for (token, kind) in found.tokens {
            let parts = token.split(separator: ".", omittingEmptySubsequences: false)
            for part in parts.count == 3 ? parts.suffix(1) : parts.dropFirst() where part.utf8.count >= 12 {
                secrets.append(Secret(kind, String(part)))
            }
        }
        // An address with a secret in it is no excuse for the secret.
        let joints = secrets.flatMap { secret in
            DocumentJoints.all(in: secret.text, isOpen: isOpen)
                + NumberedFields.joints(in: secret.text) {
                    found.kind(of: $0) == nil && !Drawn.looks($0.utf8)
                }
        }
        let lawful =
            found.open.union(found.hosts).union(found.words).union(joints).filter {
                standIns.sweeping(Array($0.utf8)) == nil
            }
            + StandIns.keptPrefixes + found.domains.map { "@" + $0 }
        // What is open text but for a few characters is looked for where it is named.
        let blurred = Set(LeakScan(secrets: secrets, lawful: lawful, short: [:]).unprotected.map(\.text))
        secrets.removeAll { secret in
            // What was found by its look alone has no name to be looked for under: an address at a host of the captures, an
            // identifier that is like one which everybody may know.
            blurred.contains(secret.text)
                && (secret.kind.isPersonal || secret.kind == .unexplained
                    || found.named.contains { $0.key.value == secret.text })
        }
        for (pair, kind) in found.named {
            let isShort =
                !isLong(pair.value) || found.open.contains(pair.value) || blurred.contains(pair.value)
            // What is also the name of something stands in every list of names.
            let isName = kind.isPersonal && found.names.contains(pair.value.lowercased())
            // A single character stands anywhere: in the query of an address that a state holds.
            let isCharacter = !kind.isPersonal && pair.value.unicodeScalars.count < 2
            guard isShort, !isName, !isCharacter, standIns.standIn(for: pair.value) != pair.value else {
                continue
            }
            short[pair] = kind
        }
        let sure = found.sureWords
        let accounts = standIns.names.accounts.filter { standIns.standIn(forName: $0) != $0 }
        let words =
            zip(sure.texts, sure.boundaries).filter { text, _ in !standIns.isPiece(text) }
            + accounts.map { ($0, .name) }
        return LeakScan(
            secrets: secrets,
            lawful: lawful,
            short: short,
            words: words.map { text, boundary in
                let kind = found.values[text] ?? standIns.namedKinds[text]
                return (Secret(kind ?? (boundary == .name ? .personal : .asked), text), boundary)
            }
        )
    }

    /// Whether a value inside of a secret is one that everybody may know.
    private func isOpen(_ text: String) -> Bool {
        found.kind(of: text) == nil && !Drawn.looks(text.utf8)
            && (found.open.contains(text) || found.identifiers.contains(text) || found.words.contains(text))
    }

    /// What was replaced so far.
    package func report(entries: [Int], of capture: Capture) -> SharingReport {
        SharingReport(
            rows: standIns.uses.map { kind, use in
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

    private func rewritten(_ value: JSONValue, holdsClaims: Bool = false) -> JSONValue {
        EntryWalker(
            texts: standIns.walker,
            holdsClaims: holdsClaims,
            isOfClient: EntryWalker.authenticatesClient(value),
            sweep: { [standIns] in standIns.sweeping($0) },
            number: { [standIns] in standIns.shifting($0) }
        ).rewriting(value)
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
