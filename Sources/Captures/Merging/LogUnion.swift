import JSON

/// Makes the members of one `log` of those of several.
enum LogUnion {
    /// - Parameters:
    ///   - captures: what is merged.
    ///   - statement: what is said of the files; takes up what two files say differently.
    ///   - ids: how pages are called now.
    /// - Returns: what stands in `log`, `version`, `creator` and `entries` aside.
    static func members(of captures: [Capture], _ statement: ImportStatement, _ ids: IDRenaming) -> JSONObject
    {
        var statement = statement
        var log = JSONObject()
        var ours = JSONObject()
        var pages: [JSONValue] = []
        for (file, capture) in captures.enumerated() {
            for member in capture.logMembers.members {
                switch member.name {
                case "version", "creator", "entries": break
                case "pages" where member.value.array?.isEmpty == false:
                    pages += ids.renamed(pages: member.value.array ?? [], of: file)
                case "_authreel":
                    for own in member.value.object?.members ?? [] where own.name != "redacted" {
                        if own.name == "imported" {
                            // It was made of others before: what it says of them stays with it.
                            statement.files[file].members["imported"] = own.value
                        } else {
                            take(own, into: &ours, else: &statement.files[file].members)
                        }
                    }
                default: take(member, into: &log, else: &statement.files[file].members)
                }
            }
        }
        if !pages.isEmpty { log["pages"] = .array(pages) }
        if let redaction = redaction(of: captures) { ours["redacted"] = redaction.json }
        ours["imported"] = statement.json
        log["_authreel"] = .object(ours)
        return log
    }

    /// The first of a name stays; the others stand with their files.
    private static func take(
        _ member: JSONObject.Member,
        into log: inout JSONObject,
        else others: inout JSONObject
    ) {
        if let value = log[member.name] {
            if value != member.value { others[member.name] = member.value }
        } else {
            log.members.append(member)
        }
    }

    /// What was replaced in one of them may be anywhere in the union.
    private static func redaction(of captures: [Capture]) -> Redaction? {
        let marks = captures.compactMap(\.redaction)
        guard var mark = marks.first else { return nil }
        let names = marks.map(\.names)
        mark.names = names.contains(nil) ? nil : names.reduce(into: []) { $0.formUnion($1 ?? []) }
        mark.hasMovedTimes = marks.contains(where: \.hasMovedTimes)
        return mark
    }
}
