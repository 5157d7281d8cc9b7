import JSON

/// Collects what is found in the text of a capture.
final class EntryCollector {
    private let source: CaptureSource
    /// Whether the entries stand in the file as JSON.
    private let isStrict: Bool
    private(set) var exchanges: [Exchange] = []
    /// Of each exchange's entry.
    private var places: [(offset: Int, length: Int)] = []
    private var pool = StringPool()
    private let recentBodies = RecentBodies()
    private var guessedSchemes = GuessedSchemes()
    private var knownStarts = KnownStarts()
    private var creator = (name: "", version: "")
    private var members: [JSONObject.Member] = []
    /// Of further logs in the same file.
    private var otherLogs: [Int: JSONObject] = [:]
    private var besideLog = JSONObject()
    /// Bytes of it in the file.
    private var besideBytes = 0
    private var losses = LossList()
    private var remarks = EntryRemarks()

    /// Entries by whose length the number of all is guessed.
    private static let sampleSize = 1000

    init(_ source: CaptureSource, isStrict: Bool) {
        self.source = source
        self.isStrict = isStrict
    }

    func add(entry written: JSONObject, offset: Int, length: Int) {
        let plain = EntrySpelling.plain(written)
        let entry = plain ?? written
        if exchanges.count == Self.sampleSize { reserve(sampled: offset) }
        var exchange = HAREntry.exchange(
            of: entry,
            deferral: deferral(
                in: StoredEntry(source: source, isStrict: isStrict, place: (offset, length)),
                isPlain: plain == nil
            )
        )
        if Producers.isSuspicious(exchange) { tellRemarks(on: entry, at: offset) }
        knownStarts.complete(&exchange)
        guessedSchemes.note(
            exchange,
            at: exchanges.count,
            isGuessed: entry["request"]?.object.map { Producers.isSchemeGuessed(of: $0) } ?? false
        )
        pool.share(&exchange)
        exchanges.append(exchange)
        places.append((offset, length))
    }

    /// Makes room for all entries, by the bytes that the first of them have: grown by doubling the list would hold twice what
    /// it needs.
    private func reserve(sampled bytes: Int) {
        let expected = source.size / max(1, bytes / Self.sampleSize)
        exchanges.reserveCapacity(expected + expected / 16)
    }

    /// Of bodies that stay in the file: the entry is read again when somebody wants one.
    private func deferral(in stored: StoredEntry, isPlain: Bool) -> HAREntry.Deferral {
        var number = 0
        return { [recentBodies] body in
            let key = RecentBodies.Key(offset: stored.place.offset, number: number)
            number += 1
            return { recentBodies.bytes(key) { stored.bytes(of: body, isPlain: isPlain) } }
        }
    }

    private func tellRemarks(on entry: JSONObject, at offset: Int) {
        for remark in Producers.remarks(on: entry) where remarks.note(remark.member, at: offset) {
            lose(at: offset, "entry \(exchanges.count): \(remark.what)")
        }
    }

    /// Whether our recorder wrote it, which names itself before its entries.
    var isOurs: Bool { creator.name == "authreel" }

    /// Whether entries stand in the pages.
    var hasPagesWithEntries: Bool {
        let pages = members.last { $0.name == "pages" }?.value.array ?? []
        return pages.contains { $0["entries"]?.array?.isEmpty == false }
    }

    func add(member name: String, json: [UInt8], log: Int = 0) {
        guard let value = try? JSONParser.parse(json) else { return }
        guard log == 0 else {
            otherLogs[log, default: JSONObject()].members.append(JSONObject.Member(name: name, value: value))
            return
        }
        if name == "creator" {
            creator = Capture.creator(value)
        }
        members.append(JSONObject.Member(name: name, value: value))
    }

    /// Takes a member that stands beside `log`; `json` is empty where it is too large.
    ///
    /// Once there is too much of them it is said, and nothing more is taken.
    func add(beside name: String, json: [UInt8], offset: Int) {
        guard besideBytes <= EntryScanner.mostBeside else { return }
        besideBytes += json.isEmpty ? EntryScanner.mostBeside + 1 : json.count
        guard besideBytes <= EntryScanner.mostBeside else {
            let most = EntryScanner.mostBeside >> 20
            let what = "what stands beside \"log\" is not kept from \"\(name)\" on"
            return lose(at: offset, "\(what): it has more than \(most) MB")
        }
        guard let value = try? JSONParser.parse(json) else { return }
        besideLog.members.append(JSONObject.Member(name: name, value: value))
    }

    /// Whether all could be used.
    var isWhole: Bool { losses.told.isEmpty }

    func lose(_ loss: Capture.Loss) { losses.append(loss) }

    private func lose(at offset: Int, _ what: String) { losses.append(loss(at: offset, what)) }

    private func loss(at offset: Int, _ what: String) -> Capture.Loss {
        Capture.Loss(offset: offset, line: source.line(of: offset), what: what)
    }

    func capture() -> Capture {
        let settled = guessedSchemes.settle(&exchanges)
        var capture = Capture(exchanges)
        capture.creator = creator
        capture.logMembers = logMembers
        capture.alignClocks()
        capture.losses = losses.told + remarks.others.map { loss(at: $0.offset, $0.what) }
        if let others = losses.others { capture.losses.append(others) }
        if let loss = SafariExport.loss(in: capture) { capture.losses.append(loss) }
        let stored = { @Sendable [source, isStrict, places] (index: Int) in
            StoredEntry(source: source, isStrict: isStrict, place: places[index])
        }
        capture.loadEntry = { stored($0).text }
        if !settled.isEmpty {
            capture.loadEntry = { [exchanges] in
                settled.contains($0) ? HAREntry.text(of: exchanges[$0]) : stored($0).text
            }
        }
        capture.loadOriginal = { stored($0).entry?.object }
        capture.findLine = { [places, lines = LineIndex(source)] in lines.line(of: places[$0].offset) }
        return capture
    }

    /// What stands in `log` besides entries, and what of the file has no place there.
    private var logMembers: JSONObject {
        var log = JSONObject(members)
        if !otherLogs.isEmpty, log[Self.otherLogsName] == nil {
            let logs = otherLogs.sorted { $0.key < $1.key }.map { JSONValue.object($0.value) }
            log.members.append(JSONObject.Member(name: Self.otherLogsName, value: .array(logs)))
        }
        if !besideLog.isEmpty {
            // Somebody may have put more beside the log of a capture that was written by us.
            let written = log[Capture.besideLogName] ?? [:]
            if let before = written.object {
                log[Capture.besideLogName] = .object(JSONObject(before.members + besideLog.members))
            }
        }
        return log
    }

    /// The member of `log` under which stands what other logs of the same file had besides entries.
    private static let otherLogsName = "_otherLogs"
}
