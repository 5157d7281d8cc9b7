import JSON

/// One entry of `log.entries` as JSON, into an exchange and back.
///
/// What another producer wrote besides is kept.
enum HAREntry {
    /// A body longer than this many bytes of text stays where it is until it is asked for.
    static let eagerBodyLimit = 16 << 10

    /// Makes a loader of the bytes of one body out of where it is in its entry.
    typealias Deferral = (BodyText) -> @Sendable () -> [UInt8]?

    static let entryMembers: Set<String> = [
        "startedDateTime", "time", "request", "response", "timings", "connection", "serverIPAddress",
        "_error",
        "_authreel",
    ]

    /// Of `_authreel` of an entry; see ``Provenance`` for all others.
    static let ourMembers: Set<String> = [
        "client", "connection", "tunnel", "upgradedTo", "pushed", "malformed", "unknownFields",
        "trailers",
    ]

    /// The exchange that an entry describes; never fails, since every producer leaves out something.
    static func exchange(of entry: JSONObject, deferral: Deferral) -> Exchange {
        let request = entry["request"]?.object ?? JSONObject()
        let response = entry["response"]?.object ?? JSONObject()
        let status = Producers.status(response["status"]) ?? 0
        let ours = entry["_authreel"]?.object ?? JSONObject()
        let start = Producers.start(of: entry)
        var exchange = Exchange(
            startedAt: start?.time ?? Timestamp(nanoseconds: 0),
            duration: duration(entry["time"]),
            request: recordedRequest(request, deferral: deferral),
            response: (100...999).contains(status)
                ? recordedResponse(response, Int(status), deferral: deferral) : nil,
            failure: Producers.failure(of: entry, response: response),
            timings: timings(entry["timings"]?.object ?? JSONObject()),
            connection: connection(entry, ours),
            client: client(ours["client"]?.object ?? JSONObject()),
            tunnel: tunnel(ours["tunnel"]?.object ?? JSONObject()),
            provenance: Provenance(ours, besides: ourMembers),
            malformations: malformations(ours),
            upgradedTo: ours["upgradedTo"]?.string,
            foreign: remaining(entry, without: entryMembers)
        )
        if case .bool(true)? = ours["pushed"] { exchange.isPushed = true }
        if let unknown = ours["unknownFields"]?.object { exchange.unknownFields = unknownFields(unknown) }
        exchange.isZoneKnown = start?.isZoneKnown ?? false
        if start == nil, let words = entry["startedDateTime"], words != .null {
            exchange.foreign["_startedDateTime"] = words
        }
        if let trailers = ours["trailers"]?.object {
            exchange.request.trailers = headers(trailers["request"])
            exchange.response?.trailers = headers(trailers["response"])
        }
        // A response object without an answer may still carry what its producer wants kept.
        if exchange.response == nil, !response.isEmpty {
            let kept = Producers.told(inNoAnswer: response)
            if !kept.isEmpty { exchange.foreign["_response"] = .object(kept) }
        }
        return exchange
    }

    // MARK: - Request and response

    static let requestMembers: Set<String> = [
        "method", "url", "httpVersion", "headers", "cookies", "queryString", "postData", "headersSize",
        "bodySize", "_authreel",
    ]
    static let responseMembers: Set<String> = [
        "status", "statusText", "httpVersion", "headers", "cookies", "content", "redirectURL", "headersSize",
        "bodySize", "_error",
    ]

    private static func recordedRequest(_ object: JSONObject, deferral: Deferral) -> RecordedRequest {
        var foreign = remaining(object, without: requestMembers)
        let url = requestURL(object)
        let fields = headers(object["headers"])
        let body = Producers.requestBody(object, fields, deferral: deferral)
        keepSize("headersSize", of: object, in: &foreign)
        if body == nil, Producers.integer(object["bodySize"]) != 0 {
            keepSize("bodySize", of: object, in: &foreign)
        }
        keepDetails("cookies", of: object, besides: pairMembers, in: &foreign)
        keepDetails("headers", of: object, besides: pairMembers, in: &foreign)
        if url.query == nil, let query = object["queryString"], query.array?.isEmpty == false {
            foreign["queryString"] = query
        } else {
            keepDetails("queryString", of: object, besides: pairMembers, in: &foreign)
        }
        if object["_content"]?.object != nil, object["postData"]?.object == nil { foreign["_content"] = nil }
        var request = RecordedRequest(
            method: Producers.method(of: object),
            url: url,
            httpVersion: Producers.text(object["httpVersion"]) ?? "",
            headers: fields,
            listedCookies: headers(object["cookies"]).fields,
            body: body,
            foreign: foreign
        )
        request.isURLLatin1 = Producers.isLatin1(object)
        return request
    }

    private static let pairMembers: Set<String> = ["name", "value", "_authreel"]
    static let cookieMembers: Set<String> = [
        "name", "value", "path", "domain", "maxAge", "expires", "httpOnly", "secure", "sameSite",
    ]

    /// A size that we do not count ourselves.
    private static func keepSize(_ name: String, of object: JSONObject, in foreign: inout JSONObject) {
        guard let value = object[name], let size = Producers.integer(value), size >= 0 else { return }
        let kept = value.object == nil ? value : JSONValue(size)
        foreign.members.append(JSONObject.Member(name: name, value: kept))
    }

    /// A list whose elements say more than we take from them stays as it is.
    private static func keepDetails(
        _ name: String,
        of object: JSONObject,
        besides known: Set<String>,
        in foreign: inout JSONObject
    ) {
        guard let value = object[name], let list = value.array,
            list.contains(where: { element in
                guard let members = element.object?.members else { return false }
                return members.count > 2 && members.contains { !known.contains($0.name) }
            })
        else { return }
        foreign.members.append(JSONObject.Member(name: name, value: value))
    }

    private static func requestURL(_ object: JSONObject) -> RecordedURL {
        let text = Producers.url(of: object)
        if Producers.isURLAsSent(object) { return RecordedURL(text) }
        let whole = absolute(text, method: object["method"]?.string)
        return RecordedURL(whole == text ? text + Producers.query(missingIn: text, of: object) : whole)
    }

    /// Some producers write the target of a `CONNECT` as it stands on the wire, `HOST:PORT` (RFC 9112,
    /// section 3.2.3): no scheme is meant by it.
    static func absolute(_ url: String, method: String?) -> String {
        let isBare = method == "CONNECT" && url.utf8.firstRange(of: [0x2f, 0x2f]) == nil
        return isBare ? "https://" + url : url
    }

    private static func recordedResponse(_ object: JSONObject, _ status: Int, deferral: Deferral)
        -> RecordedResponse
    {
        var foreign = remaining(object, without: responseMembers)
        let fields = headers(object["headers"])
        let body = Producers.responseBody(object, fields, deferral: deferral)
        keepSize("headersSize", of: object, in: &foreign)
        if body == nil, Producers.integer(object["bodySize"]) != 0 {
            keepSize("bodySize", of: object, in: &foreign)
        }
        keepDetails("cookies", of: object, besides: cookieMembers, in: &foreign)
        keepDetails("headers", of: object, besides: pairMembers, in: &foreign)
        return RecordedResponse(
            status: status,
            statusText: Producers.text(object["statusText"]) ?? "",
            httpVersion: Producers.text(object["httpVersion"]) ?? "",
            headers: fields,
            listedCookies: (object["cookies"]?.array ?? []).compactMap(listedCookie),
            body: body,
            redirectURL: Producers.text(object["redirectURL"]) ?? "",
            foreign: foreign
        )
    }

    /// Blanks around a value are none of it (RFC 9110, section 5.5).
    static func headers(_ value: JSONValue?) -> HeaderFields {
        var fields = Producers.fields(value)
        for index in fields.indices where Producers.hasBlanksAround(fields[index].value) {
            fields[index].value = Producers.withoutBlanksAround(fields[index].value)
        }
        return HeaderFields(fields)
    }

    private static func listedCookie(_ value: JSONValue) -> SetCookie? {
        guard let name = value["name"]?.string else { return nil }
        var cookie = SetCookie(
            name: name,
            value: Producers.text(value["value"]) ?? "",
            domain: value["domain"]?.string,
            path: value["path"]?.string,
            maxAge: Producers.integer(value["maxAge"]),
            expires: Producers.text(value["expires"]),
            isSecure: value["secure"]?.bool ?? false,
            isHTTPOnly: value["httpOnly"]?.bool ?? false,
            sameSite: value["sameSite"]?.string
        )
        cookie.isListed = true
        return cookie
    }

    // MARK: - Bodies

    static let bodyMembers: Set<String> = ["mimeType", "text", "encoding", "size", "params", "_authreel"]

    /// A body that is read when it is asked for where it is long.
    ///
    /// `data` is `content` or `postData`, `text` what stands there, `place` where; `foreign` is what is not used of it.
    static func body(
        _ data: JSONObject,
        text: String?,
        wireSize: Int?,
        foreign: JSONObject,
        deferral: Deferral,
        place: BodyText
    ) -> Body {
        let ours = data["_authreel"]?.object ?? JSONObject()
        let content: Body.Content
        if let text {
            if text.utf8.count > eagerBodyLimit {
                content = .deferred(deferral(place))
            } else {
                content = .bytes(place.bytes(of: text))
            }
        } else {
            content = .missing
        }
        return Body(
            content: content,
            mediaType: Producers.text(data["mimeType"]),
            size: size(data["size"]),
            wireSize: wireSize,
            isTruncated: ours["truncated"]?.bool ?? false,
            remainingCoding: ours["contentCoding"]?.string,
            foreign: foreign
        )
    }

    // MARK: - Scalars

    static func size(_ value: JSONValue?) -> Int? {
        // Chrome and Charles write -1 for "not known".
        guard let size = Producers.integer(value), size >= 0 else { return nil }
        return Int(size)
    }

    static func duration(_ milliseconds: JSONValue?) -> Duration? {
        guard let value = Producers.number(milliseconds), value >= 0, value < 1e12 else { return nil }
        return .nanoseconds(Int64((value * 1_000_000).rounded()))
    }

    static let timingMembers: Set<String> = ["blocked", "dns", "connect", "ssl", "send", "wait", "receive"]

    private static func timings(_ object: JSONObject) -> Timings {
        Timings(
            blocked: duration(object["blocked"]),
            dns: duration(object["dns"]),
            connect: duration(object["connect"]),
            tls: duration(object["ssl"]),
            send: duration(object["send"]),
            wait: duration(object["wait"]),
            receive: duration(object["receive"]),
            foreign: remaining(object, without: timingMembers)
        )
    }

    private static func connection(_ entry: JSONObject, _ ours: JSONObject) -> ConnectionFacts {
        let facts = ours["connection"]?.object ?? JSONObject()
        return ConnectionFacts(
            id: Producers.text(entry["connection"]),
            serverAddress: facts["serverAddress"]?.string ?? entry["serverIPAddress"]?.string,
            clientTLSVersion: facts["clientTLS"]?.string,
            serverTLSVersion: facts["serverTLS"]?.string,
            cipher: facts["cipher"]?.string,
            serverName: facts["serverName"]?.string,
            alpn: facts["alpn"]?.string,
            clientCertificate: facts["clientCertificate"]?.string
        )
    }

    private static func client(_ object: JSONObject) -> ClientFacts {
        ClientFacts(
            process: object["process"]?.string,
            processID: object["pid"]?.int.flatMap { Int32(exactly: $0) },
            address: object["address"]?.string
        )
    }

    private static func tunnel(_ object: JSONObject) -> TunnelFacts {
        TunnelFacts(
            reason: object["reason"]?.string.flatMap(TunnelFacts.Reason.init(rawValue:)),
            sentBytes: object["sent"]?.int.flatMap { Int(exactly: $0) },
            receivedBytes: object["received"]?.int.flatMap { Int(exactly: $0) }
        )
    }

    private static func unknownFields(_ object: JSONObject) -> UnknownFields {
        func count(_ name: String) -> Int { object[name]?.int.map { max(0, Int(clamping: $0)) } ?? 0 }
        return UnknownFields(request: count("request"), response: count("response"))
    }

    private static func malformations(_ ours: JSONObject) -> [Malformation] {
        (ours["malformed"]?.array ?? []).compactMap { item in
            guard let side = item["side"]?.string.flatMap(MessageSide.init(rawValue:)) else {
                return nil
            }
            return Malformation(
                side: side,
                offset: Int(clamping: item["offset"]?.int ?? 0),
                reason: item["reason"]?.string ?? ""
            )
        }
    }

    static func remaining(_ object: JSONObject, without known: Set<String>) -> JSONObject {
        JSONObject(object.members.filter { !known.contains($0.name) })
    }
}
