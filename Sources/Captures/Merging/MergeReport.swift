package import JSON

/// What became of several captures when they were made one.
package struct MergeReport: Sendable, Equatable {
    /// A file that went in.
    package struct File: Sendable, Equatable {
        package var name: String
        package var entries: Int
        /// Its entries that other files have, too.
        package var seenElsewhere: Int
        package var clock: ImportStatement.Clock
        /// Of a file without any time, whether something tells where its exchanges belong; nil of all others.
        package var isPlaced: Bool?
        package var losses: [Capture.Loss]
    }

    package var files: [File] = []
    /// Of the merged capture.
    package var exchanges = 0
    /// Exchanges that several files have, or one from both sides of a proxy.
    package var seenTwice = 0
    /// Of these, how many are told differently in some field.
    package var differing = 0
    /// Entries that may be in another file, too, among requests that nothing tells apart: they were left as they are.
    package var undecided = 0
    /// Whether times were moved in the file.
    package var isAligned = false

    package init() {}

    package var json: JSONObject {
        [
            "files": .array(
                files.map { file in
                    [
                        "name": .string(file.name), "entries": JSONValue(file.entries),
                        "seen_elsewhere": JSONValue(file.seenElsewhere), "clock": file.clock.json,
                        "losses": .array(
                            file.losses.map { ["line": JSONValue($0.line), "what": .string($0.what)] }
                        ),
                    ]
                }
            ),
            "exchanges": JSONValue(exchanges), "seen_twice": JSONValue(seenTwice),
            "told_differently": JSONValue(differing), "undecided": JSONValue(undecided),
            "aligned": .bool(isAligned),
        ]
    }
}
