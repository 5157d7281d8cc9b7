import JSON

/// One entry of `log.entries` as JSON, into an exchange and back.
///
/// What another producer wrote besides is kept.
enum HAREntry {
    /// A body longer than this many bytes of text stays where it is until it is asked for.
    static let eagerBodyLimit = 16 << 10

    /// Makes a loader of the bytes of one entry out of what takes a body from its JSON.
    typealias Deferral = (@escaping @Sendable (JSONValue) -> [UInt8]?) -> @Sendable () -> [UInt8]?

    static let entryMembers: Set<String> = [
        "startedDateTime", "time", "request", "response", "timings", "connection", "serverIPAddress",
        "_error",
        "_authreel",
    ]

    /// The exchange that an entry describes; never fails, since every producer leaves out something.
    static func exchange(of entry: JSONObject, deferral: Deferral) -> Exchange {
        let request = entry["request"]?.object ?? JSONObject()
        let response = entry["response"]?.object ?? JSONObject()
        let status = response["status"]?.int ?? 0
        let ours = entry["_authreel"]?.object ?? JSONObject()
        var exchange = Exchange(
            startedAt: entry["startedDateTime"]?.string.flatMap(Timestamp.init(rfc3339:))
                ?? Timestamp(nanoseconds: 0),
            duration: duration(entry["time"]),
            request: recordedRequest(request, deferral: deferral),
            response: (100...999).contains(status)
                ? recordedResponse(response, Int(status), deferral: deferral) : nil,
            failure: Producers.failure(of: entry, response: response),
            timings: timings(entry["timings"]?.object ?? JSONObject()),
            connection: connection(entry, ours),
            client: client(ours["client"]?.object ?? JSONObject()),
            tunnel: tunnel(ours["tunnel"]?.object ?? JSONObject()),
            malformations: malformations(ours),
            upgradedTo: ours["upgradedTo"]?.string,
            foreign: remaining(entry, without: entryMembers)
        )
        if case .bool(true)? = ours["pushed"] { exchange.isPushed = true }
        exchange.isZoneKnown = entry["startedDateTime"]?.string.map(Timestamp.statesZone(rfc3339:)) ?? false
        if let trailers = ours["trailers"]?.object {
            exchange.request.trailers = headers(trailers["request"])
            exchange.response?.trailers = headers(trailers["response"])
        }
        // A response object without an answer may still carry what its producer wants kept.
        if exchange.response == nil, !response.isEmpty {
            let kept = remaining(response, without: responseMembers)
            if !kept.isEmpty { exchange.foreign["_response"] = .object(kept) }
        }
        return exchange
    }

    // MARK: - Request and response

    static let requestMembers: Set<String> = [
        "method", "url", "httpVersion", "headers", "cookies", "queryString", "postData", "headersSize",
        "bodySize",
    ]
    static let responseMembers: Set<String> = [
        "status", "statusText", "httpVersion", "headers", "cookies", "content", "redirectURL", "headersSize",
        "bodySize",
        "_error",
    ]

    private static func recordedRequest(_ object: JSONObject, deferral: Deferral) -> RecordedRequest {
        let listed = (object["cookies"]?.array ?? []).compactMap { cookie in
            cookie["name"]?.string.map { HeaderFields.Field(name: $0, value: cookie["value"]?.string ?? "") }
        }
        return RecordedRequest(
            method: object["method"]?.string ?? "",
            url: requestURL(object),
            httpVersion: object["httpVersion"]?.string ?? "",
            headers: headers(object["headers"]),
            listedCookies: listed,
            body: requestBody(object, deferral: deferral),
            foreign: remaining(object, without: requestMembers)
        )
    }

    /// Some producers write the target of a `CONNECT` as it stands on the wire, `HOST:PORT` (RFC 9112,
    /// section 3.2.3): no scheme is meant by it.
    private static func requestURL(_ object: JSONObject) -> RecordedURL {
        let text = object["url"]?.string ?? ""
        let isBare = object["method"]?.string == "CONNECT" && text.utf8.firstRange(of: [0x2f, 0x2f]) == nil
        return RecordedURL(isBare ? "https://" + text : text)
    }

    private static func recordedResponse(_ object: JSONObject, _ status: Int, deferral: Deferral)
        -> RecordedResponse
    {
        RecordedResponse(
            status: status,
            statusText: object["statusText"]?.string ?? "",
            httpVersion: object["httpVersion"]?.string ?? "",
            headers: headers(object["headers"]),
            listedCookies: (object["cookies"]?.array ?? []).compactMap(listedCookie),
            body: responseBody(object, deferral: deferral),
            redirectURL: object["redirectURL"]?.string ?? "",
            foreign: remaining(object, without: responseMembers)
        )
    }

    static func headers(_ value: JSONValue?) -> HeaderFields {
        HeaderFields(
            (value?.array ?? []).compactMap { field in
                field["name"]?.string.map {
                    HeaderFields.Field(name: $0, value: field["value"]?.string ?? "")
                }
            }
        )
    }

    private static func listedCookie(_ value: JSONValue) -> SetCookie? {
        guard let name = value["name"]?.string else { return nil }
        return SetCookie(
            name: name,
            value: value["value"]?.string ?? "",
            domain: value["domain"]?.string,
            path: value["path"]?.string,
            maxAge: value["maxAge"]?.int,
            expires: value["expires"]?.string,
            isSecure: value["secure"]?.bool ?? false,
            isHTTPOnly: value["httpOnly"]?.bool ?? false,
            sameSite: value["sameSite"]?.string
        )
    }

    // MARK: - Bodies

    static let bodyMembers: Set<String> = ["mimeType", "text", "encoding", "size", "params", "_authreel"]

    private static func requestBody(_ request: JSONObject, deferral: Deferral) -> Body? {
        guard let data = request["postData"]?.object else { return nil }
        let wireSize = size(request["bodySize"])
        guard data["text"]?.string == nil, let parameters = data["params"]?.array, !parameters.isEmpty else {
            return body(data, wireSize: wireSize, deferral: deferral, path: ["request", "postData"])
        }
        let fields = parameters.compactMap { parameter in
            parameter["name"]?.string.map {
                HeaderFields.Field(name: $0, value: parameter["value"]?.string ?? "")
            }
        }
        return Body(
            content: .parameters(fields),
            mediaType: data["mimeType"]?.string,
            wireSize: wireSize,
            foreign: remaining(data, without: bodyMembers)
        )
    }

    private static func responseBody(_ response: JSONObject, deferral: Deferral) -> Body? {
        guard let content = response["content"]?.object else { return nil }
        var body = body(
            content,
            wireSize: size(response["bodySize"]),
            deferral: deferral,
            path: ["response", "content"]
        )
        if content["text"]?.string == nil, body.size == 0 { body.content = .bytes([]) }
        return body
    }

    private static func body(_ data: JSONObject, wireSize: Int?, deferral: Deferral, path: [String]) -> Body {
        let ours = data["_authreel"]?.object ?? JSONObject()
        let text = data["text"]?.string
        let content: Body.Content
        if let text {
            let isBase64 = data["encoding"]?.string?.lowercased() == "base64"
            if text.utf8.count > eagerBodyLimit {
                content = .deferred(
                    deferral { entry in
                        let data = path.reduce(entry) { $0[$1] ?? .null }
                        return data["text"]?.string.map { isBase64 ? Base64.decode($0) : Array($0.utf8) }
                    }
                )
            } else {
                content = .bytes(isBase64 ? Base64.decode(text) : Array(text.utf8))
            }
        } else {
            content = .missing
        }
        return Body(
            content: content,
            mediaType: data["mimeType"]?.string,
            size: size(data["size"]),
            wireSize: wireSize,
            isTruncated: ours["truncated"]?.bool ?? false,
            remainingCoding: ours["contentCoding"]?.string,
            foreign: remaining(data, without: bodyMembers)
        )
    }

    // MARK: - Scalars

    private static func size(_ value: JSONValue?) -> Int? {
        // Chrome and Charles write -1 for "not known".
        guard let size = value?.int, size >= 0 else { return nil }
        return Int(size)
    }

    static func duration(_ milliseconds: JSONValue?) -> Duration? {
        guard let value = milliseconds?.double, value >= 0, value < 1e12 else { return nil }
        return .nanoseconds(Int64(value * 1_000_000))
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
            id: entry["connection"]?.string,
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

    private static func remaining(_ object: JSONObject, without known: Set<String>) -> JSONObject {
        JSONObject(object.members.filter { !known.contains($0.name) })
    }
}
