import JSON

/// How the messages of an exchange are written.
extension HAREntry {
    static func append(
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
        append(ours: request, &writer, &out)
        foreign(kept, besides: requestMembers, &writer, &out)
        writer.end(&out)
    }

    /// `_authreel` of a request, where there is something to say: what is to be read as it stands there, and is read another way
    /// from other producers.
    private static func append(
        ours request: RecordedRequest,
        _ writer: inout HARObjectWriter,
        _ out: inout [UInt8]
    ) {
        let marks: [(name: StaticString, isSet: Bool)] = [
            ("latin1", request.isURLLatin1),
            ("methodAsSent", Producers.method(request.method) != request.method),
            ("urlAsSent", !Producers.isWhole(request.url.text, request.method, request.headers)),
        ]
        guard marks.contains(where: \.isSet) else { return }
        writer.name("_authreel", &out)
        var ours = HARObjectWriter(&out)
        for mark in marks where mark.isSet { ours.raw(mark.name, "true", &out) }
        ours.end(&out)
    }

    static func append(
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
    static func append(noAnswer told: JSONObject, to out: inout [UInt8]) {
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

    private static func cookies(_ cookies: [SetCookie], _ out: inout [UInt8]) {
        out.append(0x5b)
        for (index, cookie) in cookies.enumerated() {
            if index > 0 { out.append(0x2c) }
            var writer = HARObjectWriter(&out)
            writer.string("name", cookie.name, &out)
            writer.string("value", cookie.value, &out)
            if let path = cookie.path { writer.string("path", path, &out) }
            if let domain = cookie.domain { writer.string("domain", domain, &out) }
            if let age = cookie.maxAge { writer.value("maxAge", JSONValue(age), &out) }
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
}
