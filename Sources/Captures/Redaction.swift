package import JSON

/// What a shared capture says of itself, in `log._authreel.redacted`: that its secrets are stand-ins, and under which
/// names.
package struct Redaction: Sendable, Equatable {
    /// Of the program that wrote the stand-ins.
    package var version: String
    /// When, as RFC 3339 has it.
    package var date: String
    /// Names of parameters, fields, members and cookies whose values were replaced; nil where the mark does not say.
    package var names: Set<String>?

    /// All times were moved by one offset.
    package var hasMovedTimes = false
    /// It was merged with a capture of which nothing was replaced.
    package var isPartial = false

    package init(version: String, date: String, names: Set<String>? = nil) {
        self.version = version
        self.date = date
        self.names = names
    }

    /// Reads a mark.
    init(_ mark: JSONValue) {
        version = mark["version"]?.string ?? "?"
        date = mark["date"]?.string ?? "?"
        hasMovedTimes = mark["timesMoved"] == true
        isPartial = mark["partial"] == true
        names = (mark["names"]?.array).map { Set($0.compactMap(\.string)) }
    }

    /// The mark, with the names in order.
    package var json: JSONValue {
        var mark = JSONObject()
        mark["version"] = .string(version)
        mark["date"] = .string(date)
        if hasMovedTimes { mark["timesMoved"] = true }
        if isPartial { mark["partial"] = true }
        if let names { mark["names"] = .array(names.sorted().map(JSONValue.string)) }
        return .object(mark)
    }

    /// What is said to whoever reads such a capture.
    package var words: String {
        let times = hasMovedTimes ? ", and its times are moved" : ""
        return isPartial
            ? "redacted in part (authreel \(version), \(date)): it was merged with a capture that has its own secrets\(times)"
            : "redacted (authreel \(version), \(date)): its secrets are stand-ins\(times)"
    }

    /// Whether a value under this name may be a stand-in.
    package func concerns(_ name: String) -> Bool { names?.contains(name) ?? true }
}
