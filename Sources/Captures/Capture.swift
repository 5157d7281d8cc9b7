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

        package var description: String { "line \(line): \(what)" }

        package init(offset: Int, line: Int, what: String) {
            self.offset = offset
            self.line = line
            self.what = what
        }
    }

    /// `log.creator.name` and `version`; empty where there is none.
    package var creator: (name: String, version: String) = ("", "")
    /// The members of `log` besides `entries`, in file order.
    package var logMembers = JSONObject()
    package var losses: [Loss] = []

    /// That its secrets are stand-ins; nil for a capture as it was recorded.
    package var redaction: Redaction? { logMembers["_authreel"]?["redacted"].map(Redaction.init) }

    private var exchanges: [Exchange]
    /// Reads an entry as it stands in the file; only where it was read from one.
    var loadEntry: (@Sendable (Int) -> [UInt8])?
    /// Counts lines in the file; only where it was read from one.
    var findLine: (@Sendable (Int) -> Int)?

    package init(_ exchanges: [Exchange]) { self.exchanges = exchanges }

    /// Number of entries.
    package var count: Int { exchanges.count }

    package var indices: Range<Int> { exchanges.indices }

    /// The line (1-based) on which an entry begins; nil for captures that were not read from a text.
    ///
    /// Counted anew each time: for the few entries that a report points at.
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
}
