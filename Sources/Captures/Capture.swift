package import JSON

/// A recording: the exchanges of one HAR file, bodies decoded when they are asked for.
package struct Capture: Sendable {
    /// What was read, but could not be used.
    package struct Loss: Sendable, Equatable, CustomStringConvertible {
        /// Offset in the file at which the whole part ends.
        package var offset: Int
        /// From 1.
        package var line: Int
        /// What is lost, for example `entry 17 is cut off after 212 bytes`.
        package var what: String
        /// Whether the file ends here before its time: what came behind it is not known.
        package var isEnd: Bool

        package var description: String { "line \(line): \(what)" }

        package init(offset: Int, line: Int, what: String, isEnd: Bool = false) {
            self.offset = offset
            self.line = line
            self.what = what
            self.isEnd = isEnd
        }

        /// What is said of the piece that a file ends in.
        ///
        /// - Parameters:
        ///   - piece: what the file consists of: `entry`.
        ///   - number: how many whole ones stand before it.
        ///   - length: of what is there of it, in bytes; nil where that is not known.
        /// - Returns: `entry 17 is cut off after 212 bytes; the 17 before it are whole`.
        static func cutOff(_ piece: String, _ number: Int, after length: Int? = nil) -> String {
            let before =
                switch number {
                case 0: "no whole one is before it"
                case 1: "the one before it is whole"
                default: "the \(number) before it are whole"
                }
            let after = length.map { " after \($0.counted("byte"))" } ?? ""
            return "\(piece) \(number) is cut off\(after); \(before)"
        }
    }

    /// `log.creator.name` and `version`; empty where there is none.
    package var creator: (name: String, version: String) = ("", "")
    /// The members of `log` besides `entries`, in file order.
    package var logMembers = JSONObject()
    package var losses: [Loss] = []

    /// Whether it, or a file that it was made of, ends before its time: what a login lacks may have stood behind that.
    package var isCutShort: Bool {
        losses.contains(where: \.isEnd) || logMembers["_authreel"]?[Self.cutShortName] == true
    }

    /// In `log._authreel`, where a capture was made of one that is cut short.
    package static let cutShortName = "cut_short"

    /// The member of `log` under which stands what a file has beside its `log`.
    package static let besideLogName = "_besideLog"

    /// That its secrets are stand-ins; nil for a capture as it was recorded.
    package var redaction: Redaction? { logMembers["_authreel"]?["redacted"].map(Redaction.init) }

    /// What it was made of; nil for a capture as it was recorded.
    package var imported: ImportStatement? { ImportStatement(logMembers) }

    /// What recorded the exchanges: `log.creator` of each file that an import made this of, else its own; a name or version that
    /// nobody told is empty.
    package var recorders: [(name: String, version: String)] {
        guard let files = imported?.files, !files.isEmpty else { return [creator] }
        let recorders = files.map { $0.creator.map(Self.creator) ?? creator }
        // Others may have been recorded into it since.
        let isWhole =
            files.reduce(0) { $0.addingReportingOverflow($1.entries ?? count).partialValue } >= count
        return isWhole ? recorders : recorders + [creator]
    }

    /// The same by the names of the files that an import made this of.
    package var recordersByFile: [String: (name: String, version: String)] {
        Dictionary(
            (imported?.files ?? []).map { ($0.name, $0.creator.map(Self.creator) ?? creator) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// The name and the version in a `log.creator`.
    static func creator(_ value: JSONValue) -> (name: String, version: String) {
        (value["name"]?.string ?? "", value["version"]?.string ?? "")
    }

    private var exchanges: [Exchange]
    /// Reads an entry as it stands in the file; only where it was read from one.
    var loadEntry: (@Sendable (Int) -> [UInt8])?
    /// Reads an entry as its producer wrote it; only where there is one.
    var loadOriginal: (@Sendable (Int) -> JSONObject?)?
    /// Counts lines in the file; only where it was read from one.
    var findLine: (@Sendable (Int) -> Int)?

    package init(_ exchanges: [Exchange]) { self.exchanges = exchanges }

    /// The captures one behind the other, by when the first exchange of each began; what `log` held besides entries is the
    /// first one's, and that of the others under `_otherLogs`.
    init(joining parts: [Capture]) {
        let start = { (part: Capture) in part.exchanges.first { $0.isZoneKnown }?.startedAt }
        let order = parts.indices.sorted { left, right in
            guard let first = start(parts[left]), let second = start(parts[right]) else {
                return left < right
            }
            return (first, left) < (second, right)
        }
        let parts = order.map { parts[$0] }
        exchanges = parts.flatMap(\.exchanges)
        losses = parts.flatMap(\.losses)
        guard let first = parts.first else { return }
        creator = first.creator
        logMembers = first.logMembers
        let others = parts.dropFirst().map { JSONValue.object($0.logMembers) }
        if !others.isEmpty, logMembers["_otherLogs"] == nil { logMembers["_otherLogs"] = .array(others) }
        var places: [(part: Int, entry: Int)] = []
        for (index, part) in parts.enumerated() { places += part.indices.map { (index, $0) } }
        loadEntry = { [places] in parts[places[$0].part].text(ofEntry: places[$0].entry) ?? [] }
        loadOriginal = { [places] in parts[places[$0].part].loadOriginal?(places[$0].entry) }
        findLine = { [places] in parts[places[$0].part].line(ofEntry: places[$0].entry) ?? 1 }
    }

    /// Of exchanges that were read from a file in another format; their entries are as we would write them.
    init(foreign read: [Exchange], creator: String, version: String) {
        var exchanges = read
        GuessedSchemes.complete(&exchanges)
        var starts = KnownStarts()
        for index in exchanges.indices { starts.complete(&exchanges[index]) }
        self.exchanges = exchanges
        self.creator = (creator, version)
        logMembers["version"] = "1.2"
        logMembers["creator"] = ["name": .string(creator), "version": .string(version)]
        loadEntry = { [exchanges] in HAREntry.text(of: exchanges[$0]) }
    }

    /// Gives bodies that the entries only name to those that have none.
    ///
    /// `find`: sees what `content` or `postData` has besides; nil where it names nothing that is there.
    mutating func attachBodies(_ find: (JSONObject) -> (@Sendable () -> [UInt8]?)?) {
        var attached: Set<Int> = []
        for index in exchanges.indices {
            // The parameters are what the producer made of it; Playwright writes an empty text besides.
            if let body = exchanges[index].request.body, body.bytesAreElsewhere || !body.hasBytes,
                let load = find(body.foreign)
            {
                exchanges[index].request.body?.content = .deferred(load)
                attached.insert(index)
            }
            if let body = exchanges[index].response?.body, body.bytesAreElsewhere,
                let load = find(body.foreign)
            {
                exchanges[index].response?.body?.content = .deferred(load)
                attached.insert(index)
            }
        }
        guard !attached.isEmpty, let load = loadEntry else { return }
        let whole = exchanges
        loadEntry = { [attached] in attached.contains($0) ? HAREntry.text(of: whole[$0]) : load($0) }
    }

    /// Number of entries.
    package var count: Int { exchanges.count }

    package var indices: Range<Int> { exchanges.indices }

    /// The line (1-based) on which an entry begins; nil for captures that were not read from a text.
    ///
    /// The text is read for it up to the entry, each part of it once.
    package func line(ofEntry index: Int) -> Int? { indices.contains(index) ? findLine?(index) : nil }

    /// The JSON text of an entry as it stands in the file, with everything that other producers wrote into it; nil for
    /// captures that were not read from a text.
    package func text(ofEntry index: Int) -> [UInt8]? { indices.contains(index) ? loadEntry?(index) : nil }

    /// The exchange of the entry with this index in `log.entries`.
    ///
    /// Yielded, not copied: an exchange has some thirty references to count.
    package subscript(index: Int) -> Exchange {
        _read { yield exchanges[index] }
    }

    /// Puts the times of entries by one clock, where the capture says how its files' clocks lie to each other.
    mutating func alignClocks() {
        guard let corrections = imported?.corrections, !corrections.isEmpty else { return }
        for index in exchanges.indices where exchanges[index].hasProvenance {
            var provenance = exchanges[index].provenance
            guard let ahead = (provenance.seen.first?.file).flatMap({ corrections[$0] }) else { continue }
            provenance.shift = (provenance.shift ?? .zero) - ahead
            exchanges[index].startedAt = exchanges[index].startedAt - ahead
            exchanges[index].provenance = provenance
        }
    }
}
