package import JSON

/// Where an entry of a merged capture comes from, and what `_authreel` says of it that nothing else holds.
package struct Provenance: Blank {
    /// An entry of a file that was merged.
    package struct Sighting: Sendable, Hashable {
        /// Its name in ``ImportStatement/files``.
        package var file: String
        /// Its index in that file's `log.entries`.
        package var entry: Int

        package init(file: String, entry: Int) {
            self.file = file
            self.entry = entry
        }
    }

    /// The entries that tell of this exchange; the one whose time it has stands first (`_authreel.seen`).
    package var seen: [Sighting]
    /// By how much the time of the entry was moved from what its recorder's clock said (`_authreel.shifted`, in
    /// seconds); nil where it was not.
    package var shift: Duration?
    /// What the other files say otherwise, under the names of the files (`_authreel.differs`).
    package var differs: JSONObject
    /// Members of `_authreel` that are not known.
    package var others: JSONObject

    package init(
        seen: [Sighting] = [],
        shift: Duration? = nil,
        differs: JSONObject = JSONObject(),
        others: JSONObject = JSONObject()
    ) {
        self.seen = seen
        self.shift = shift
        self.differs = differs
        self.others = others
    }
}

extension Provenance { package init() { self.init(seen: []) } }

extension Provenance {
    /// Reads what `_authreel` of an entry says.
    ///
    /// `known`: members that something else holds.
    init(_ ours: JSONObject, besides known: Set<String>) {
        self.init(
            seen: (ours["seen"]?.array ?? []).compactMap { item in
                guard let file = item["file"]?.string, let entry = item["entry"]?.int else { return nil }
                return Sighting(file: file, entry: Int(clamping: entry))
            },
            shift: ours["shifted"]?.double.flatMap(Duration.init(statedSeconds:)),
            differs: ours["differs"]?.object ?? JSONObject(),
            others: JSONObject(
                ours.members.filter { !known.contains($0.name) && !Self.members.contains($0.name) }
            )
        )
    }

    private static let members: Set<String> = ["seen", "shifted", "differs"]

    /// Appends it to what is written as `_authreel`.
    func append(to ours: inout JSONObject) {
        if !seen.isEmpty {
            ours["seen"] = .array(
                seen.map { ["file": .string($0.file), "entry": JSONValue($0.entry)] }
            )
        }
        if let shift, shift != .zero { ours["shifted"] = .number(shift.statedSeconds) }
        if !differs.isEmpty { ours["differs"] = .object(differs) }
        for member in others.members { ours.members.append(member) }
    }
}

extension Duration {
    /// Seconds as a file states them; nil for what is no time between two clocks.
    init?(statedSeconds seconds: Double) {
        guard abs(seconds) < 4e9 else { return nil }
        self = .nanoseconds(Int64((seconds * 1e9).rounded()))
    }

    /// Seconds with as many digits as it takes, up to nanoseconds.
    package var statedSeconds: JSONNumber {
        let (seconds, attoseconds) = components
        let sign = seconds < 0 || attoseconds < 0 ? "-" : ""
        let rest = String((attoseconds / 1_000_000_000).magnitude)
        var digits = String(repeating: "0", count: 9 - rest.count) + rest
        while digits.last == "0" { digits.removeLast() }
        return JSONNumber(text: "\(sign)\(seconds.magnitude)\(digits.isEmpty ? "" : ".\(digits)")")
    }
}
