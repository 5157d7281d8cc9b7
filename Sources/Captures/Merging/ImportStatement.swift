package import JSON

/// What a capture that was made of others says of them (`log._authreel.imported`).
package struct ImportStatement: Sendable, Equatable {
    /// How a file's clock lies to another's.
    package enum Clock: Sendable, Equatable {
        /// The one that the others are compared with.
        case reference
        /// Nothing tells how it lies to the clock of any file before it.
        case unknown
        case known(ClockOffset, to: String)
    }

    /// A file that went in.
    package struct File: Sendable, Equatable {
        /// Its own, without folders; made different from those of the others.
        package var name: String
        /// `log.creator` as it stood; nil where there was none.
        package var creator: JSONValue?
        /// Nil where they were not counted when this was written.
        package var entries: Int?
        package var clock: Clock
        /// Members of `log` that another file has, too, with another value.
        package var members: JSONObject

        package init(
            name: String,
            creator: JSONValue? = nil,
            entries: Int? = nil,
            clock: Clock,
            members: JSONObject = JSONObject()
        ) {
            self.name = name
            self.creator = creator
            self.entries = entries
            self.clock = clock
            self.members = members
        }
    }

    package var files: [File]
    /// Whether the entries' times are by one clock as they stand; they are by the clock of the first sighting otherwise.
    package var isAligned: Bool

    package init(files: [File], isAligned: Bool) {
        self.files = files
        self.isAligned = isAligned
    }

    /// How far the clock of each file is ahead of the one that it is compared with in the end.
    ///
    /// Only of files whose entries are to be moved when they are read.
    package var corrections: [String: Duration] {
        isAligned ? [:] : ahead.filter { $0.value != .zero }
    }

    /// How far the clock of each file is ahead of the one that it is compared with in the end.
    var ahead: [String: Duration] {
        var ahead: [String: Duration] = [:]
        // A file is compared with one before it.
        for file in files {
            guard case .known(let offset, let other) = file.clock else { continue }
            ahead[file.name] = offset.ahead + (ahead[other] ?? .zero)
        }
        return ahead
    }

    /// The files whose clock nothing compares with the one that the others are compared with.
    var apart: Set<String> {
        var apart: Set<String> = []
        for file in files {
            switch file.clock {
            case .reference: break
            case .unknown: apart.insert(file.name)
            case .known(_, let other): if apart.contains(other) { apart.insert(file.name) }
            }
        }
        return apart
    }
}

extension ImportStatement {
    /// Reads the statement of a capture; nil where it makes none.
    package init?(_ logMembers: JSONObject) {
        guard let imported = logMembers["_authreel"]?["imported"]?.object,
            let files = imported["files"]?.array
        else { return nil }
        self.init(
            files: files.compactMap { file in
                guard let name = file["name"]?.string else { return nil }
                return File(
                    name: name,
                    creator: file["creator"],
                    entries: (file["entries"]?.int).map { Int(clamping: $0) },
                    clock: Self.clock(file["clock"]),
                    members: file["members"]?.object ?? JSONObject()
                )
            },
            isAligned: imported["aligned"] == true
        )
    }

    private static func clock(_ value: JSONValue?) -> Clock {
        if value == "reference" { return .reference }
        guard let value, let ahead = (value["ahead"]?.double).flatMap(Duration.init(statedSeconds:)),
            let other = value["of"]?.string
        else { return .unknown }
        return .known(
            ClockOffset(
                ahead: ahead,
                within: (value["within"]?.double).flatMap(Duration.init(statedSeconds:)) ?? .zero,
                basis: value["by"]?.string.flatMap(ClockOffset.Basis.init(rawValue:)) ?? .exchanges,
                count: Int(clamping: value["count"]?.int ?? 0)
            ),
            to: other
        )
    }

    package var json: JSONValue {
        [
            "files": .array(
                files.map { file in
                    var object: JSONObject = ["name": .string(file.name)]
                    if let creator = file.creator { object["creator"] = creator }
                    if let entries = file.entries { object["entries"] = JSONValue(entries) }
                    object["clock"] = file.clock.json
                    if !file.members.isEmpty { object["members"] = .object(file.members) }
                    return .object(object)
                }
            ),
            "aligned": .bool(isAligned),
        ]
    }
}

extension ImportStatement.Clock {
    package var json: JSONValue {
        switch self {
        case .reference: "reference"
        case .unknown: "unknown"
        case .known(let offset, let other):
            [
                "ahead": .number(offset.ahead.statedSeconds), "within": .number(offset.within.statedSeconds),
                "of": .string(other), "by": .string(offset.basis.rawValue),
                "count": JSONValue(offset.count),
            ]
        }
    }
}
