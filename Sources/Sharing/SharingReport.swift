/// What was replaced in a shared capture, and what was kept on purpose.
package struct SharingReport: Sendable, Equatable {
    /// Secrets of one kind.
    package struct Row: Sendable, Equatable {
        package var kind: Secret.Kind
        /// Different ones.
        package var values: Int
        /// Where they stood, copies and pieces included.
        package var places: Int
        /// Entries of the shared capture.
        package var entries: [Int]
    }

    /// What a pattern of `--also` found.
    package struct Asked: Sendable, Equatable {
        package var pattern: String
        /// Different texts in the captures that were shared together.
        package var values: Int
    }

    package var rows: [Row]
    /// Entries that are shared.
    package var kept: Int
    /// Entries of the original.
    package var all: Int
    /// Clients, issuers and redirect addresses: they say what is wrong, and open nothing.
    package var open: [String]
    /// Names whose values stayed because somebody asked for it.
    package var keptNames: [String]
    /// Names that were to be kept, and stand nowhere in the captures that were shared together.
    package var unmatchedNames: [String]
    /// In the order in which they were given.
    package var asked: [Asked]
    package var keepsPersonal: Bool
    /// Entries of the shared capture with a body that could not be read, and was replaced as a whole.
    package var unread: [Int]
}
