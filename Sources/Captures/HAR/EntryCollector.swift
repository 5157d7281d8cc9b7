import JSON

/// Collects what is found in the text of a capture.
final class EntryCollector {
    private let source: CaptureSource
    /// Whether the entries stand in the file as JSON.
    private let isStrict: Bool
    private(set) var exchanges: [Exchange] = []
    private var offsets: [Int] = []
    private var lengths: [Int] = []
    private var pool = StringPool()
    private let recentBodies = RecentBodies()
    private var guessedSchemes = GuessedSchemes()
    private var creator = (name: "", version: "")
    private var members: [JSONObject.Member] = []
    /// Of further logs in the same file.
    private var otherLogs: [Int: JSONObject] = [:]
    private var besideLog = JSONObject()
    private var losses = LossList()
    /// How many entries there were something to say of, by the member it lies in, and where the last one begins.
    private var remarks: [String: (count: Int, lastOffset: Int)] = [:]

    /// Entries by whose length the number of all is guessed.
    private static let sampleSize = 1000
    /// Of what may be the same in every entry.
    private static let toldRemarks = 3

    /// Of the last entry whose time is known: others have one that is not, and began about when it did.
    private var lastStart: (time: Timestamp, isZoneKnown: Bool)?

    init(_ source: CaptureSource, isStrict: Bool) {
        self.source = source
        self.isStrict = isStrict
    }

    func add(entry written: JSONObject, offset: Int, length: Int) {
        let index = exchanges.count
        let plain = EntrySpelling.plain(written)
        let entry = plain ?? written
        // What is not spelled as in HAR is not found by its names alone.
        let isAsWritten = isStrict && plain == nil
        if index == Self.sampleSize {
            // Grown by doubling the list would hold twice what it needs.
            let expected = source.size / max(1, offset / Self.sampleSize)
            exchanges.reserveCapacity(expected + expected / 16)
        }
        var number = 0
        var exchange = HAREntry.exchange(of: entry) { [source, isStrict, recentBodies] body in
            // A body that stays in the file: the entry is read again when somebody wants it.
            let key = RecentBodies.Key(offset: offset, number: number)
            number += 1
            return {
                recentBodies.bytes(key) {
                    isAsWritten
                        ? body.bytes(inEntry: source.bytes(at: offset, count: length))
                        : EntryCollector.entry(in: source, at: offset, length, isStrict: isStrict)
                            .flatMap(body.bytes(in:))
                }
            }
        }
        if Producers.isSuspicious(exchange) {
            for remark in Producers.remarks(on: entry) {
                let count = (remarks[remark.member]?.count ?? 0) + 1
                remarks[remark.member] = (count, offset)
                // Lines are counted from the beginning of the file.
                guard count <= Self.toldRemarks else { continue }
                lose(
                    Capture.Loss(
                        offset: offset,
                        line: source.line(of: offset),
                        what: "entry \(index): \(remark.what)"
                    )
                )
            }
        }
        if exchange.startedAt.nanoseconds != 0 {
            lastStart = (exchange.startedAt, exchange.isZoneKnown)
        } else if let lastStart {
            (exchange.startedAt, exchange.isZoneKnown) = lastStart
        }
        guessedSchemes.note(exchange, at: index, request: entry["request"])
        pool.share(&exchange)
        exchanges.append(exchange)
        offsets.append(offset)
        lengths.append(length)
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
            creator = (value["name"]?.string ?? "", value["version"]?.string ?? "")
        }
        members.append(JSONObject.Member(name: name, value: value))
    }

    /// Takes a member that stands beside `log`; `json` is empty where it is too large.
    func add(beside name: String, json: [UInt8], offset: Int) {
        if json.isEmpty {
            let most = EntryScanner.mostBeside >> 20
            let what = "\"\(name)\" beside \"log\" is not kept: it has more than \(most) MB"
            lose(Capture.Loss(offset: offset, line: source.line(of: offset), what: what))
        } else if let value = try? JSONParser.parse(json) {
            besideLog.members.append(JSONObject.Member(name: name, value: value))
        }
    }

    /// Whether all could be used.
    var isWhole: Bool { losses.told.isEmpty }

    func lose(_ loss: Capture.Loss) { losses.append(loss) }

    func capture() -> Capture {
        let settled = guessedSchemes.settle(&exchanges)
        var capture = Capture(exchanges)
        capture.creator = creator
        if !otherLogs.isEmpty, !members.contains(where: { $0.name == Self.otherLogsName }) {
            let logs = otherLogs.sorted { $0.key < $1.key }.map { JSONValue.object($0.value) }
            members.append(JSONObject.Member(name: Self.otherLogsName, value: .array(logs)))
        }
        if !besideLog.isEmpty, !members.contains(where: { $0.name == Capture.besideLogName }) {
            members.append(JSONObject.Member(name: Capture.besideLogName, value: .object(besideLog)))
        }
        capture.logMembers = JSONObject(members)
        capture.alignClocks()
        capture.losses = losses.told
        for (member, (count, last)) in remarks.sorted(by: { $0.key < $1.key }) where count > Self.toldRemarks
        {
            let what = "\(count - Self.toldRemarks) more entries have such a \(member), this is the last"
            capture.losses.append(Capture.Loss(offset: last, line: source.line(of: last), what: what))
        }
        if let others = losses.others { capture.losses.append(others) }
        capture.loadEntry = { [source, offsets, lengths, isStrict] index in
            if isStrict {
                let bytes = source.bytes(at: offsets[index], count: lengths[index])
                guard let entry = try? JSONParser.parse(bytes) else { return bytes }
                let plain = EntrySpelling.plain(entry)
                guard plain != nil || Producers.isUnusual(entry) else { return bytes }
                return HAREntry.text(ofUnusual: plain ?? entry)
            }
            let entry = EntryCollector.entry(in: source, at: offsets[index], lengths[index], isStrict: false)
            return entry.map {
                Producers.isUnusual($0) ? HAREntry.text(ofUnusual: $0) : JSONWriter.bytes(of: $0)
            }
                ?? []
        }
        if !settled.isEmpty, let load = capture.loadEntry {
            capture.loadEntry = { [exchanges] in
                settled.contains($0) ? HAREntry.text(of: exchanges[$0]) : load($0)
            }
        }
        capture.loadOriginal = { [source, offsets, lengths, isStrict] index in
            EntryCollector.entry(in: source, at: offsets[index], lengths[index], isStrict: isStrict)?.object
        }
        capture.findLine = { [source, offsets] index in source.line(of: offsets[index]) }
        return capture
    }

    /// The member of `log` under which stands what other logs of the same file had besides entries.
    private static let otherLogsName = "_otherLogs"

    /// An entry that is in the file, as HAR spells it.
    private static func entry(in source: CaptureSource, at offset: Int, _ length: Int, isStrict: Bool)
        -> JSONValue?
    {
        var json: [UInt8] = []
        if isStrict {
            json = source.bytes(at: offset, count: length)
        } else {
            var reader = LenientReader(source, at: offset)
            guard (try? reader.value(into: &json)) != nil else { return nil }
        }
        guard let entry = try? JSONParser.parse(json) else { return nil }
        return EntrySpelling.plain(entry) ?? entry
    }
}
