package import JSON

/// An entry as its producer wrote it, written again: every member as it stood, unless HAR forbids it.
///
/// What an ``Exchange`` does not hold (nulls, empty lists, how a time was spelled) goes from file to file this way. Where HAR
/// wants something else (a type, a member that has to be there), it is as we write it.
package enum OriginalEntry: Sendable {
    /// Of the exchange alone.
    case only(JSONObject)
    /// Of one that was put together of several: members that it has and nothing else, are added.
    case oneOfSeveral(JSONObject)

    /// Appends the exchange, which was read from this entry, as one entry on one line.
    func append(
        _ exchange: Exchange,
        _ facts: inout FactsText,
        to out: inout [UInt8],
        _ spooled: inout [SpooledText]
    ) {
        guard !exchange.hasSpooledBody else {
            return HAREntry.append(exchange, &facts, to: &out, &spooled)
        }
        switch self {
        case .only(let entry):
            JSONWriter.append(.object(Self.written(entry, exchange, &facts)), to: &out)
        case .oneOfSeveral(let entry):
            let written = HARShape.entry.completed(Self.ours(exchange, &facts), entry)
            JSONWriter.append(.object(written), to: &out)
        }
    }

    private static func written(_ entry: JSONObject, _ exchange: Exchange, _ facts: inout FactsText)
        -> JSONObject
    {
        var written = entry
        guard HARShape.entry.isMet(by: entry), holdsBodies(entry, of: exchange) else {
            let ours = ours(exchange, &facts)
            written = HARShape.entry.mended(entry, ours)
            mark(&written, as: exchange, ours: ours)
            return written
        }
        if exchange.hasProvenance || !isAsItWas(exchange, entry) {
            var bare = exchange
            bare.request.body = nil
            bare.response?.body = nil
            mark(&written, as: bare, ours: ours(bare, &facts))
        }
        return written
    }

    private static func ours(_ exchange: Exchange, _ facts: inout FactsText) -> JSONObject {
        var out: [UInt8] = []
        var spooled: [SpooledText] = []
        HAREntry.append(exchange, &facts, to: &out, &spooled)
        return (try? JSONParser.parse(out))?.object ?? JSONObject()
    }

    // MARK: - What became of the exchange since

    private static func isAsItWas(_ exchange: Exchange, _ entry: JSONObject) -> Bool {
        Producers.start(of: entry)?.time == exchange.startedAt
            && Producers.text(entry["connection"]) == exchange.connection.id
            && entry["pageref"] == exchange.foreign["pageref"]
    }

    /// Puts in what an import may change: where the exchange was seen, its time, the names of its connection and page.
    private static func mark(_ entry: inout JSONObject, as exchange: Exchange, ours: JSONObject) {
        if let words = ours["_authreel"] { entry["_authreel"] = words }
        if Producers.start(of: entry)?.time != exchange.startedAt {
            entry["startedDateTime"] = ours["startedDateTime"]
        }
        if Producers.text(entry["connection"]) != exchange.connection.id {
            entry["connection"] = ours["connection"]
        }
        if entry["pageref"] != exchange.foreign["pageref"] { entry["pageref"] = exchange.foreign["pageref"] }
    }

    // MARK: - Bodies

    /// Whether other readers find the bodies where HAR has them.
    private static func holdsBodies(_ entry: JSONObject, of exchange: Exchange) -> Bool {
        let data = entry["request"]?["postData"]?.object
        let content = entry["response"]?["content"]?.object
        return (exchange.request.body == nil || data != nil) && data?["_encoding"] == nil
            && content?["_encoding"] == nil
            && (exchange.request.body?.hasBytes != true || hasText(data))
            && (exchange.response?.body?.hasBytes != true || hasText(content))
    }

    /// An empty text stands where a file beside the capture has the body (Playwright).
    private static func hasText(_ body: JSONObject?) -> Bool { body?["text"]?.string?.isEmpty == false }
}
