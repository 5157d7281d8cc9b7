import JSON

/// An entry as HAR spells it, where its producer spells the names of its members otherwise, or puts something elsewhere.
///
/// Programs whose language writes names in another way than HAR (`StartedDateTime`, `post_data`) give them to what they
/// serialize. Read as they stand they would be members that nobody knows, and a login would be judged without them.
enum EntrySpelling {
    /// - Returns: nil where the entry has HAR's spelling already: nearly always.
    static func plain(_ entry: JSONObject) -> JSONObject? {
        var draft = EntryDraft(entry, entryNames)
        if let hop = SafariExport.lastHop(of: entry) { draft.set("request", .object(hop)) }
        draft.change("request", request)
        draft.change("response", response)
        draft.change("timings") { timings in EntryDraft(timings, timingNames).changed }
        return draft.changed
    }

    /// The same of an entry that may be none.
    static func plain(_ entry: JSONValue) -> JSONValue? {
        guard case .object(let object) = entry, let plain = plain(object) else { return nil }
        return .object(plain)
    }

    /// A header field, cookie or parameter.
    static func pair(_ pair: JSONObject) -> JSONObject { EntryDraft(pair, pairNames).object }

    private static func request(_ request: JSONObject) -> JSONObject? {
        var draft = EntryDraft(request, requestNames)
        draft.change("postData") { data in EntryDraft(data, bodyNames).changed }
        placeBody("postData", in: &draft)
        placeForm(ofAxios: &draft)
        let headers = draft.object["headers"]
        draft.change("postData") { bytesPlaced($0, headers: headers) }
        draft.change("postData") { unquoted($0, headers: headers) }
        draft.change("postData") { unprinted($0, headers: headers) }
        draft.change("postData") { formPlaced($0, headers: headers) }
        switch draft.object["queryString"] {
        case .object(let query)? where Producers.areFields(query):
            draft.set("queryString", pairs(.object(query)))
        case .string(let query)?:
            let items = QueryItems(query.hasPrefix("?") ? query.dropFirst() : query[...]).items
            draft.set(
                "queryString",
                .array(items.map { ["name": .string($0.name), "value": .string($0.value)] })
            )
        default: break
        }
        return draft.changed
    }

    private static func response(_ response: JSONObject) -> JSONObject? {
        var draft = EntryDraft(response, responseNames)
        draft.change("content") { content in EntryDraft(content, bodyNames).changed }
        placeStatus(in: &draft)
        placeBody("content", in: &draft)
        let headers = draft.object["headers"]
        draft.change("content") { bytesPlaced($0, headers: headers) }
        draft.change("content") { unquoted($0, headers: headers) }
        draft.change("content") { unprinted($0, headers: headers) }
        draft.changeEach("cookies") { cookie in EntryDraft(cookie, cookieNames).changed }
        if let divided = cookiesDivided(draft.object) { draft.set("headers", divided) }
        return draft.changed
    }

    /// The code and the words of a status that is an object of both (`{"code":400,"message":"Bad Request"}`), as programs have it
    /// that record messages for themselves.
    ///
    /// As it stands it would be no status, and the answer none.
    private static func placeStatus(in response: inout EntryDraft) {
        guard case .object(let status)? = response.object["status"],
            let code = ["code", "statusCode", "status"].lazy.compactMap({ status[$0] }).first,
            Producers.integer(code) != nil
        else { return }
        response.set("status", code)
        let words = ["message", "phrase", "reason", "text"].lazy.compactMap { status[$0]?.string }.first
        if let words, Producers.text(response.object["statusText"]) ?? "" == "" {
            response.set("statusText", .string(words))
        }
    }

    // MARK: - Names

    private static let entryNames = names(
        Array(HAREntry.entryMembers) + ["pageref", "cache", "comment"]
    )
    private static let requestNames = names(Array(HAREntry.requestMembers) + ["comment"])
    private static let responseNames = names(Array(HAREntry.responseMembers) + ["comment"])
    private static let timingNames = names(Array(HAREntry.timingMembers) + ["comment"])
    private static let bodyNames = names(["mimeType", "text", "params", "encoding", "size", "compression"])
    private static let cookieNames = names(Array(HAREntry.cookieMembers))
    private static let logNames = names(["log", "entries", "creator", "browser", "pages", "version"])

    private static let pairNames = names(["name", "value"])

    private static func names(_ names: [String]) -> HARNames { HARNames(names) }

    /// HAR's name for a member of a log, or around it; the name itself where it is none of HAR's.
    static func logName(_ name: String) -> String { logNames.own(name) ?? name }

    /// HAR's name for a member of an entry; the name itself where it is none of HAR's.
    static func entryName(_ name: String) -> String { entryNames.own(name) ?? name }
}
