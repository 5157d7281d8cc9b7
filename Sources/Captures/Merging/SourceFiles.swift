import JSON

/// The files that a capture stands for in a merge: itself, or those that it was made of before.
///
/// What an earlier merge has said of its files stays: where each exchange was seen, and how the clocks lie to each other.
struct SourceFiles: Sendable {
    /// Under their names in the new capture; what is said of their clocks is what the capture says itself.
    private let files: [ImportStatement.File]
    /// In ``files``: the one by whose clock the capture is read.
    private let reference: Int
    /// The capture's own name.
    private let name: String
    /// What the files are called now, by their names in the capture; empty where it was made of none.
    private let names: [String: String]
    /// How far each file's clock is ahead of the reference's, by their names in the capture.
    private let ahead: [String: Duration]
    /// Files whose clock nothing compares with the reference's, by their names in the capture.
    private let apart: Set<String>

    /// - Parameters:
    ///   - source: under a name that no other file has.
    ///   - taken: names that others have.
    init(_ source: CaptureMerger.Source, _ taken: inout Set<String>) {
        name = source.name
        let own = ImportStatement.File(
            name: source.name,
            creator: Self.creator(of: source.capture),
            entries: source.capture.count,
            clock: .unknown
        )
        guard let statement = Self.statement(of: source.capture) else {
            files = [own]
            reference = 0
            names = [:]
            ahead = [:]
            apart = []
            return
        }
        var names: [String: String] = [:]
        for file in statement.files where names[file.name] == nil {
            names[file.name] = Self.free(file.name, &taken)
        }
        var files = statement.files.map { file in
            var file = file
            file.name = names[file.name] ?? file.name
            if case .known(let offset, let other) = file.clock {
                file.clock = names[other].map { .known(offset, to: $0) } ?? .unknown
            }
            return file
        }
        // Recorded into the capture after it was made.
        let hasOwn = source.capture.indices.contains {
            Self.sightings(of: source.capture[$0], names).isEmpty
        }
        if hasOwn { files.append(own) }
        reference = files.firstIndex { $0.clock == .reference } ?? 0
        self.files = files
        self.names = names
        ahead = statement.ahead
        apart = statement.apart
    }

    /// What a capture says of files that its entries were seen in; nil where it does not.
    private static func statement(of capture: Capture) -> ImportStatement? {
        guard let statement = capture.imported else { return nil }
        let files = Set(statement.files.map(\.name))
        let isMerged = capture.indices.contains { index in
            capture[index].hasProvenance
                && capture[index].provenance.seen.contains { files.contains($0.file) }
        }
        return isMerged ? statement : nil
    }

    /// `log.creator`: of a file that was converted before, that of the file it was made of.
    private static func creator(of capture: Capture) -> JSONValue? {
        guard let files = capture.imported?.files, files.count == 1, files[0].entries == capture.count else {
            return capture.logMembers["creator"]
        }
        return files[0].creator
    }

    /// A name that is free, with a number where it was not.
    static func free(_ name: String, _ taken: inout Set<String>) -> String {
        var free = name
        var number = 1
        while !taken.insert(free).inserted {
            number += 1
            free = "\(name) (\(number))"
        }
        return free
    }

    // MARK: - Files

    /// Whether the capture was made of others.
    var isMerged: Bool { !names.isEmpty }

    /// The name of the file by whose clock the capture is read.
    var referenceName: String { files[reference].name }

    /// What the new capture says of the files.
    ///
    /// - Parameters:
    ///   - clock: that of the reference.
    ///   - members: of `log`, which stand with the reference.
    /// - Returns: one for each file that the capture stands for.
    func stated(_ clock: ImportStatement.Clock, members: JSONObject) -> [ImportStatement.File] {
        files.enumerated().map { index, file in
            var file = file
            if index == reference {
                file.clock = clock
                file.members.members += members.members
            } else if isMerged, file.name == name {
                if case .known = clock { file.clock = clock }
            } else if case .known(let root, let other) = clock,
                case .known(let offset, referenceName) = file.clock
            {
                file.clock = .known(root + offset, to: other)
            }
            return file
        }
    }

    // MARK: - Exchanges

    /// Whether the time of an exchange can be compared with those of others.
    func isComparable(_ exchange: Exchange) -> Bool {
        guard !apart.isEmpty, let file = exchange.provenance.seen.first?.file else { return true }
        return !apart.contains(file)
    }

    /// Puts in where an entry was seen, and calls files by the names that they have now.
    func mark(_ exchange: inout Exchange, entry: Int) {
        let sightings = Self.sightings(of: exchange, names)
        exchange.provenance.seen =
            sightings.isEmpty ? [Provenance.Sighting(file: name, entry: entry)] : sightings
        guard isMerged, !exchange.provenance.differs.isEmpty else { return }
        exchange.provenance.differs.members = exchange.provenance.differs.members.map { member in
            JSONObject.Member(name: renamed(member.name), value: member.value)
        }
    }

    /// `browser.har`, or `browser.har #7` for the second side of a proxy.
    private func renamed(_ file: String) -> String {
        if let name = names[file] { return name }
        guard let sign = file.lastIndex(of: "#"), let name = names[String(file[..<sign].dropLast())] else {
            return file
        }
        return "\(name) \(file[sign...])"
    }

    private static func sightings(of exchange: Exchange, _ names: [String: String]) -> [Provenance.Sighting] {
        guard !names.isEmpty, exchange.hasProvenance else { return [] }
        return exchange.provenance.seen.compactMap { sighting in
            names[sighting.file].map { Provenance.Sighting(file: $0, entry: sighting.entry) }
        }
    }

    /// Gives an exchange, as it was read, the time by the clock of the file that it was first seen in.
    func moveToOwnClock(_ exchange: inout Exchange) {
        guard let file = exchange.provenance.seen.first?.file, let ahead = ahead[file], ahead != .zero else {
            return
        }
        exchange.startedAt = exchange.startedAt + ahead
        let shift = (exchange.provenance.shift ?? .zero) + ahead
        exchange.provenance.shift = shift == .zero ? nil : shift
    }
}
