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
        let ours = ours(exchange)
        if !ours.isEmpty || !pieces.ours.isEmpty {
            writer.name("_authreel", &out)
            out.append(0x7b)
            out.append(contentsOf: pieces.ours)
            for (index, member) in ours.members.enumerated() {
                if index > 0 || !pieces.ours.isEmpty { out.append(0x2c) }
                JSONWriter.append(string: member.name, to: &out)
                out.append(0x3a)
                JSONWriter.append(member.value, to: &out)
            }
            out.append(0x7d)
        }
        if hasForeign {
            let known = exchange.response == nil ? entryMembers.union(["_response"]) : entryMembers
            foreign(exchange.foreign, besides: known, &writer, &out)
        }
        writer.end(&out)
    }

    // MARK: - Parts

    private static func append(
        _ request: RecordedRequest,
        to out: inout [UInt8],
        _ spooled: inout [SpooledText]
    ) {
        var writer = HARObjectWriter(&out)
        writer.string("method", request.method, &out)
        writer.string("url", request.url.text, &out)
        writer.string("httpVersion", request.httpVersion, &out)
        let kept = request.foreign
        writer.list("cookies", kept, &out) { pairs(request.cookies, &$0) }
        writer.list("headers", kept, &out) { pairs(request.headers.fields, &$0) }
        writer.list("queryString", kept, &out) {
            if request.url.query == nil {
                $0.append(contentsOf: [0x5b, 0x5d])
            } else {
                pairs(request.url.queryItems.items.map { .init(name: $0.name, value: $0.value) }, &$0)
            }
        }
        if let body = request.body {
            writer.name("postData", &out)
            append(body, isRequest: true, to: &out, &spooled)
        }
        writer.size("headersSize", kept, -1, &out)
        writer.size("bodySize", kept, request.body.map { $0.wireSize ?? $0.size ?? -1 } ?? 0, &out)
        if request.isURLLatin1 { writer.raw("_authreel", latin1, &out) }
        foreign(kept, besides: requestMembers, &writer, &out)
        writer.end(&out)
    }

    private static func append(
        _ response: RecordedResponse?,
        to out: inout [UInt8],
        _ spooled: inout [SpooledText]
    ) {
        var writer = HARObjectWriter(&out)
        writer.integer("status", response?.status ?? 0, &out)
        writer.string("statusText", response?.statusText ?? "", &out)
        writer.string("httpVersion", response?.httpVersion ?? "", &out)
        let kept = response?.foreign ?? JSONObject()
        writer.list("cookies", kept, &out) { cookies(response?.setCookies ?? [], &$0) }
        writer.list("headers", kept, &out) { pairs(response?.headers.fields ?? [], &$0) }
        writer.name("content", &out)
        append(
            response?.body ?? Body(content: .bytes([]), size: 0, wireSize: 0),
            isRequest: false,
            to: &out,
            &spooled
        )
        let target = response.map { $0.redirectURL.isEmpty ? $0.location ?? "" : $0.redirectURL } ?? ""
        writer.string("redirectURL", target, &out)
        writer.size("headersSize", kept, -1, &out)
        writer.size("bodySize", kept, response.map { $0.body.map { $0.wireSize ?? -1 } ?? 0 } ?? -1, &out)
        foreign(kept, besides: responseMembers, &writer, &out)
        writer.end(&out)
    }

    /// What a producer has told of an answer that there was not: its own words where it has some, ours else.
    private static func append(noAnswer told: JSONObject, to out: inout [UInt8]) {
        var writer = HARObjectWriter(&out)
        for (name, missing) in noAnswer { writer.value(name, told[name] ?? missing, &out) }
        foreign(told, besides: responseMembers, &writer, &out)
        writer.end(&out)
    }

    /// What is written where there was no answer.
    static let noAnswer: [(name: String, value: JSONValue)] = [
        ("status", 0), ("statusText", ""), ("httpVersion", ""), ("cookies", []), ("headers", []),
        ("content", ["size": 0, "mimeType": ""]), ("redirectURL", ""), ("headersSize", -1), ("bodySize", -1),
    ]

    /// An entry that is not as HAR wants it, as we would have written it.
    static func text(ofUnusual entry: JSONValue) -> [UInt8] {
        let exchange = exchange(of: entry.object ?? JSONObject()) { body in { body.bytes(in: entry) } }
        return text(of: exchange)
    }

    /// An exchange as an entry.
    static func text(of exchange: Exchange) -> [UInt8] {
        var facts = FactsText()
        var out: [UInt8] = []
        var spooled: [SpooledText] = []
        append(exchange, &facts, to: &out, &spooled)
        return out
    }

    private static func append(
        _ body: Body,
        isRequest: Bool,
        to out: inout [UInt8],
        _ spooled: inout [SpooledText]
    ) {
        var writer = HARObjectWriter(&out)
        var bytes: [UInt8]?
        if case .spooled(let file) = body.content {
            if !isRequest { writer.integer("size", body.size ?? file.count, &out) }
        } else {
            bytes = body.bytes
            if !isRequest { writer.integer("size", body.size ?? bytes?.count ?? -1, &out) }
        }
        writer.string("mimeType", body.writtenMediaType ?? body.mediaType ?? "", &out)
        if let kept = body.foreign.isEmpty ? nil : body.foreign["params"] {
            writer.value("params", kept, &out)
        } else if case .parameters(let fields) = body.content {
            writer.name("params", &out)
            pairs(fields, &out)
        }
        if isRequest, !body.foreign.isEmpty, let kept = body.foreign["size"] {
            writer.value("size", kept, &out)
        }
        if let bytes, !(bytes.isEmpty && !isRequest) {
            // What the coding left alone is told as text only where it is text.
            if body.remainingCoding == nil, bytes.withUnsafeBufferPointer(TextCheck.isText) {
                writer.name("text", &out)
                out.append(0x22)
                bytes.withUnsafeBufferPointer { JSONWriter.append(escaping: $0, to: &out) }
                out.append(0x22)
            } else {
                writer.name("text", &out)
                out.append(0x22)
                Base64.append(bytes, to: &out)
                out.append(0x22)
                writer.string("encoding", "base64", &out)
            }
        }
        if case .spooled(let file) = body.content {
            let isText = body.remainingCoding == nil && SpooledText.isText(file)
            writer.name("text", &out)
            out.append(0x22)
            spooled.append(SpooledText(bytes: file, isText: isText, place: out.count))
            out.append(0x22)
            if !isText { writer.string("encoding", "base64", &out) }
        }
        if body.isTruncated || body.remainingCoding != nil {
            var ours = JSONObject()
            if body.isTruncated { ours["truncated"] = true }
            if let coding = body.remainingCoding { ours["contentCoding"] = .string(coding) }
            writer.value("_authreel", .object(ours), &out)
        }
        foreign(body.foreign, besides: bodyMembers, &writer, &out)
        writer.end(&out)
    }

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

    /// What only this exchange has.
    private static func ours(_ exchange: Exchange) -> JSONObject {
        var ours = JSONObject()
        let tunnel = exchange.tunnel
        if let reason = tunnel.reason {
            var object: JSONObject = ["reason": .string(reason.rawValue)]
            if let sent = tunnel.sentBytes { object["sent"] = .number(JSONNumber(Int64(sent))) }
            if let received = tunnel.receivedBytes {
                object["received"] = .number(JSONNumber(Int64(received)))
            }
            ours["tunnel"] = .object(object)
        }
        if let other = exchange.upgradedTo { ours["upgradedTo"] = .string(other) }
        if exchange.isPushed { ours["pushed"] = .bool(true) }
        if !exchange.malformations.isEmpty {
            ours["malformed"] = .array(
                exchange.malformations.map {
                    [
                        "side": .string($0.side.rawValue), "offset": .number(JSONNumber(Int64($0.offset))),
                        "reason": .string($0.reason),
                    ]
                }
            )
        }
        var trailers = JSONObject()
        for (name, fields) in [
            ("request", exchange.request.trailers),
            ("response", exchange.response?.trailers ?? HeaderFields()),
        ]
        where !fields.fields.isEmpty {
            trailers[name] = .array(
                fields.fields.map {
                    var field: JSONObject = ["name": .string($0.name), "value": .string($0.value)]
                    if $0.isLatin1 { field["_authreel"] = ["latin1": true] }
                    return .object(field)
                }
            )
        }
        if !trailers.isEmpty { ours["trailers"] = .object(trailers) }
        if exchange.hasProvenance { exchange.provenance.append(to: &ours) }
        return ours
    }

    private static func pairs(_ pairs: [HeaderFields.Field], _ out: inout [UInt8]) {
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
    private static let latin1: StaticString = "{\"latin1\":true}"

    private static func cookies(_ cookies: [SetCookie], _ out: inout [UInt8]) {
        out.append(0x5b)
        for (index, cookie) in cookies.enumerated() {
            if index > 0 { out.append(0x2c) }
            var writer = HARObjectWriter(&out)
            writer.string("name", cookie.name, &out)
            writer.string("value", cookie.value, &out)
            if let path = cookie.path { writer.string("path", path, &out) }
            if let domain = cookie.domain { writer.string("domain", domain, &out) }
            if let age = cookie.maxAge { writer.value("maxAge", .number(JSONNumber(age)), &out) }
            if let expiry = cookie.expiryParts {
                writer.string("expires", Timestamp.rfc3339(of: expiry), &out)
            }
            writer.raw("httpOnly", cookie.isHTTPOnly ? "true" : "false", &out)
            writer.raw("secure", cookie.isSecure ? "true" : "false", &out)
            if let site = cookie.sameSite { writer.string("sameSite", site, &out) }
            writer.end(&out)
        }
        out.append(0x5d)
    }

    private static func foreign(
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
