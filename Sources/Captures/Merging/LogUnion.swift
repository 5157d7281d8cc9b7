import JSON

/// Makes the members of one `log` of those of several.
enum LogUnion {
    /// - Parameters:
    ///   - captures: what is merged.
    ///   - files: what each stands for.
    ///   - ids: how pages are called now.
    ///   - statement: what is said of the files; is handed, of each capture, what another has, too, with another value.
    /// - Returns: what stands in `log`, `version`, `creator` and `entries` aside.
    static func members(
        of captures: [Capture],
        _ files: [SourceFiles],
        _ ids: IDRenaming,
        statement: ([JSONObject]) -> ImportStatement
    ) -> JSONObject {
        var differing = captures.map { _ in IndexedJSONObject([:]) }
        var log = IndexedJSONObject([:])
        var ours = IndexedJSONObject([:])
        var pages: [JSONValue] = []
        for (file, capture) in captures.enumerated() {
            for member in capture.logMembers.members {
                switch member.name {
                case "version", "creator", "entries": break
                case "pages" where member.value.array?.isEmpty == false:
                    pages += ids.renamed(pages: member.value.array ?? [], of: file)
                case "_authreel":
                    for own in member.value.object?.members ?? [] where own.name != "redacted" {
                        if own.name != "imported" {
                            take(own, into: &ours, else: &differing[file])
                        } else if !files[file].isMerged {
                            // What it says of a file that no entry names stays with it.
                            differing[file].set("imported", own.value)
                        }
                    }
                default: take(member, into: &log, else: &differing[file])
                }
            }
        }
        if !pages.isEmpty { log.set("pages", .array(pages)) }
        if let redaction = redaction(of: captures) { ours.set("redacted", redaction.json) }
        if captures.contains(where: \.isCutShort) { ours.set(Capture.cutShortName, true) }
        ours.set("imported", statement(differing.map(\.object)).json)
        log.set("_authreel", .object(ours.object))
        return log.object
    }

    /// The first of a name stays; the others stand with their files.
    private static func take(
        _ member: JSONObject.Member,
        into log: inout IndexedJSONObject,
        else others: inout IndexedJSONObject
    ) {
        if let value = log[member.name] {
            if value != member.value { others.set(member.name, member.value) }
        } else {
            log.append(member)
        }
    }

    /// What was replaced in one of them may be anywhere in the union.
    private static func redaction(of captures: [Capture]) -> Redaction? {
        let marks = captures.compactMap(\.redaction)
        guard var mark = marks.first else { return nil }
        let names = marks.map(\.names)
        mark.names = names.contains(nil) ? nil : names.reduce(into: []) { $0.formUnion($1 ?? []) }
        mark.hasMovedTimes = marks.contains(where: \.hasMovedTimes)
        mark.isPartial = marks.count < captures.count || marks.contains(where: \.isPartial)
        return mark
    }
}
