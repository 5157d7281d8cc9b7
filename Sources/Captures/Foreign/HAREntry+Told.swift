import JSON

/// Exchanges that other programs tell in JSON of their own, read by way of an entry of HAR.
extension HAREntry {
    /// The exchange of an entry that was made of a program's record; `reload` makes it again, for a body of some size.
    static func exchange(told entry: JSONObject, reload: @escaping @Sendable () -> JSONObject?) -> Exchange {
        exchange(of: EntrySpelling.plain(entry) ?? entry) { body in
            { reload().flatMap { body.bytes(in: .object(EntrySpelling.plain($0) ?? $0)) } }
        }
    }

    /// What `makeEntry` makes of each object in a list, or of those that stand one behind the other.
    ///
    /// `list`: the member of the outermost object that is the list; nil where there is none around it. `container`: the member of
    /// that object in which it stands; nil where it stands in that itself. `mostOthers`: objects without an exchange that may stand
    /// before the first one with it.
    /// - Returns: nil where there is no exchange in it.
    static func capture(
        of source: CaptureSource,
        list: String?,
        in container: String? = nil,
        creator: String,
        mostOthers: Int = 50,
        makeEntry: @escaping @Sendable (JSONValue) -> JSONObject?
    ) -> Capture? {
        var events = JSONEvents(source)
        var exchanges: [Exchange] = []
        var others = 0
        let visit = { (event: JSONValue, place: JSONEvents.Place) in
            guard let entry = makeEntry(event) else {
                // A file of other objects is not read to its end.
                others += 1
                return !exchanges.isEmpty || others < mostOthers
            }
            exchanges.append(
                exchange(told: entry) { JSONEvents.event(at: place, in: source).flatMap(makeEntry) }
            )
            return true
        }
        if let list {
            events.run(list: list, in: container, behind: "", member: { _ in true }, visit)
        } else {
            events.run(visit)
        }
        guard !exchanges.isEmpty else { return nil }
        var capture = Capture(foreign: exchanges, creator: creator, version: "")
        if let loss = events.loss { capture.losses.append(loss) }
        return capture
    }

    /// `postData` or `content` of a body; nil where there is none.
    static func told(body text: String?, isBase64: Bool = false, _ headers: JSONValue?) -> JSONObject? {
        guard let text else { return nil }
        var body: JSONObject = [
            "mimeType": .string(self.headers(headers).first("content-type") ?? ""), "text": .string(text),
        ]
        if isBase64 { body["encoding"] = "base64" }
        return body
    }
}
