/// A recording: the exchanges of one HAR file, decoded one by one when they are asked for.
package struct Capture: Sendable {
    /// What was read, but could not be used, in file order.
    package struct Loss: Sendable, Equatable, CustomStringConvertible {
        /// Offset in the file at which the whole part ends.
        package var offset: Int
        /// From 1.
        package var line: Int
        /// What is lost, e.g. `entry 17 is cut off after 212 bytes`.
        package var what: String

        package var description: String { "line \(line): \(what)" }

        package init(offset: Int, line: Int, what: String) {
            self.offset = offset
            self.line = line
            self.what = what
        }
    }

    /// `log.creator.name` and `version`; empty where there is none.
    package var creator: (name: String, version: String) { creatorName }
    private var creatorName: (name: String, version: String) = ("", "")
    package var losses: [Loss] = []
    private var inMemory: [Exchange]

    /// A capture made of exchanges in memory.
    package init(_ exchanges: [Exchange]) { inMemory = exchanges }

    /// Number of entries.
    package var count: Int { inMemory.count }

    /// The exchange of the entry with this index in `log.entries`.
    package subscript(index: Int) -> Exchange { inMemory[index] }
}
