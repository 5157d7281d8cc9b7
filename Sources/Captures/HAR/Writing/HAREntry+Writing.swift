import JSON

extension HAREntry {
    /// Appends the exchange as one entry on one line.
    ///
    /// Straight to bytes: this is the recorder's hot path.
    static func append(
        _ exchange: Exchange,
        _ facts: inout FactsText,
        to out: inout [UInt8],
        _ spooled: inout [SpooledText]
    ) {
        var writer = HARObjectWriter(&out)
        writer.name("startedDateTime", &out)
        out.append(0x22)
        exchange.startedAt.append(to: &out)
        // A time of which nobody knows the zone is written without one.
        if !exchange.isZoneKnown { out.removeLast() }
        out.append(0x22)
        writer.milliseconds("time", exchange.duration, missing: "0", &out)
        writer.name("request", &out)
        append(exchange.request, to: &out, &spooled)
        writer.name("response", &out)
        let hasForeign = !exchange.foreign.isEmpty
        if hasForeign, exchange.response == nil, let told = exchange.foreign["_response"]?.object {
            append(noAnswer: told, to: &out)
        } else {
            append(exchange.response, to: &out, &spooled)
        }
        if !hasForeign || exchange.foreign["cache"] == nil { writer.raw("cache", "{}", &out) }
        writer.name("timings", &out)
        append(exchange.timings, to: &out)
        let pieces = facts.pieces(of: exchange)
        out.append(contentsOf: pieces.entry)
        if let failure = exchange.failure { writer.string("_error", failure, &out) }
        appendOurs(of: exchange, pieces, &writer, &out)
        if hasForeign {
            let known = exchange.response == nil ? entryMembers.union(["_response"]) : entryMembers
            foreign(exchange.foreign, besides: known, &writer, &out)
        }
        writer.end(&out)
    }

    // MARK: - As text

    /// An entry that is not as HAR wants it, as we would have written it; the time as it was spelled, where that is HAR's.
    static func text(ofUnusual entry: JSONValue) -> [UInt8] {
        let exchange = exchange(of: entry.object ?? JSONObject()) { body in { body.bytes(in: entry) } }
        let text = text(of: exchange)
        guard let started = entry["startedDateTime"]?.string, Timestamp.statesZone(rfc3339: started),
            Timestamp(rfc3339: started) == exchange.startedAt, let end = text.firstIndex(of: 0x2c)
        else { return text }
        var out = Array("{\"startedDateTime\":".utf8)
        JSONWriter.append(string: started, to: &out)
        return out + text[end...]
    }

    /// An exchange as an entry.
    static func text(of exchange: Exchange) -> [UInt8] {
        var facts = FactsText()
        var out: [UInt8] = []
        var spooled: [SpooledText] = []
        append(exchange, &facts, to: &out, &spooled)
        return out
    }

    // MARK: - Parts

    private static func append(_ timings: Timings, to out: inout [UInt8]) {
        var writer = HARObjectWriter(&out)
        writer.milliseconds("blocked", timings.blocked, missing: "-1", &out)
        writer.milliseconds("dns", timings.dns, missing: "-1", &out)
        writer.milliseconds("connect", timings.connect, missing: "-1", &out)
        writer.milliseconds("send", timings.send, missing: "0", &out)
        writer.milliseconds("wait", timings.wait, missing: "0", &out)
        writer.milliseconds("receive", timings.receive, missing: "0", &out)
        writer.milliseconds("ssl", timings.tls, missing: "-1", &out)
        foreign(timings.foreign, besides: timingMembers, &writer, &out)
        writer.end(&out)
    }

    /// Header fields, cookies or parameters.
    static func pairs(_ pairs: [HeaderFields.Field], _ out: inout [UInt8]) {
        out.append(0x5b)
        for index in pairs.indices {
            if index > 0 { out.append(0x2c) }
            var writer = HARObjectWriter(&out)
            writer.string("name", pairs[index].name, &out)
            writer.string("value", pairs[index].value, &out)
            if pairs[index].isLatin1 { writer.raw("_authreel", latin1, &out) }
            writer.end(&out)
        }
        out.append(0x5d)
    }

    /// Beside a text whose bytes are no UTF-8.
    static let latin1: StaticString = "{\"latin1\":true}"

    /// What its producer has written besides.
    static func foreign(
        _ object: JSONObject,
        besides known: Set<String>,
        _ writer: inout HARObjectWriter,
        _ out: inout [UInt8]
    ) {
        for member in object.members where !known.contains(member.name) {
            writer.value(member.name, member.value, &out)
        }
    }
}
