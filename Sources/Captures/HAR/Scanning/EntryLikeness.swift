import JSON

/// Whether an object that stands by itself, or in a list that nobody calls entries, is one.
enum EntryLikeness {
    /// What the name of its first member gives away.
    enum FirstName {
        /// It is one of an entry, spelled as HAR has it.
        case ofEntry
        /// It is one of an entry in another spelling, or of objects of other kinds as well.
        case perhapsOfEntry(isSpelled: Bool)
        case other
    }

    static func firstName(_ name: String) -> FirstName {
        guard names.contains(name) else {
            return names.contains(EntrySpelling.entryName(name)) ? .perhapsOfEntry(isSpelled: false) : .other
        }
        return commonNames.contains(name) ? .perhapsOfEntry(isSpelled: true) : .ofEntry
    }

    private static let names: Set<String> = [
        "startedDateTime", "request", "response", "pageref", "time", "_initiator", "_connectionId", "_id",
        "serverIPAddress", "_frameref", "_monotonicTime", "_fromCache", "_priority", "_resourceType", "cache",
        "timings",
    ]

    /// Of these, what objects of other lists begin with as well: lines of a log, documents of a database.
    private static let commonNames: Set<String> = ["request", "response", "time", "_id", "cache", "timings"]

    /// By all that it says; `isSure`: whether it has to be one beyond doubt.
    static func isEntry(_ written: JSONValue, isSure: Bool) -> Bool {
        let entry = EntrySpelling.plain(written) ?? written
        // What a server is set up to answer to a path (WireMock's mappings): nobody has asked for it.
        if entry["startedDateTime"] == nil, Producers.isWithoutServer(entry["request"]) { return false }
        let hasURL = entry["request"]?["url"]?.string != nil
        // Files of Proxyman's log have an object there, too: by that alone nothing is an entry.
        let status = written["response"]?["status"] ?? entry["response"]?["status"]
        let hasStatus = status.map { $0.object == nil || Producers.status($0) != nil }
        let isTold = entry["startedDateTime"] != nil || hasStatus ?? false
        return isSure ? hasURL && isTold : hasURL || isTold
    }

    /// Whether an object only looks like an entry: its `request` is a whole capture, as ReadMe's metrics have it.
    static func holdsLog(_ json: [UInt8]) -> Bool {
        guard ByteSearch.index(of: Array("\"entries\"".utf8), in: json) != nil,
            let request = (try? JSONParser.parse(json))?["request"]
        else { return false }
        return request["url"] == nil && request["log"]?["entries"]?.array != nil
    }
}
