import JSON

/// What WebDriver BiDi told of one request, and the exchange that it makes.
struct BiDiExchange {
    /// The parameters of its events; nil for one that is not told, or was not subscribed to.
    var sent: JSONObject?
    var answered: JSONObject?
    var failed: JSONObject?
    /// Where the results stand that have its bodies.
    var requestBody: JSONEvents.Place?
    var responseBody: JSONEvents.Place?

    /// Nil for what is no HTTP.
    func exchange(in source: CaptureSource) -> Exchange? {
        guard let request = (sent ?? answered ?? failed)?["request"]?.object,
            let url = request["url"]?.string,
            url.hasPrefix("http://") || url.hasPrefix("https://") || url.hasPrefix("ws")
        else { return nil }
        let start = startedAt(request)
        let headers = headers
        let version = ForeignTime.httpVersion(answered?["response"]?["protocol"]?.string)
        var exchange = Exchange(
            startedAt: start.flatMap(ForeignTime.seconds) ?? Timestamp(nanoseconds: 0),
            duration: start.flatMap { start in
                time(answered ?? failed).flatMap { ForeignTime.span(from: start, to: $0) }
            },
            request: RecordedRequest(
                method: Producers.method(request["method"]),
                url: RecordedURL(url),
                httpVersion: version,
                headers: headers,
                listedCookies: headers.first("cookie") == nil ? Self.headers(request["cookies"]).fields : [],
                body: body(of: request, headers, in: source)
            ),
            response: response(version, in: source),
            failure: failed.map { $0["errorText"]?.string ?? "failed" }
        )
        exchange.isZoneKnown = exchange.startedAt.nanoseconds != 0
        if let type = request["destination"]?.string, !type.isEmpty {
            exchange.foreign["_resourceType"] = .string(type)
        }
        if let initiator = sent?["initiator"] { exchange.foreign["_initiator"] = initiator }
        if answered?["response"]?["fromCache"] == true { exchange.foreign["_fromCache"] = "memory" }
        return exchange
    }

    // MARK: - Times

    /// In seconds since 1970, as of the event before the request; of one that was not told by the request's own times, where
    /// those are since 1970 as well.
    private func startedAt(_ request: JSONObject) -> Double? {
        if let time = time(sent) { return time }
        guard let timings = request["timings"], let time = timings["requestTime"]?.double else { return nil }
        let start = ((timings["timeOrigin"]?.double ?? 0) + time) / 1000
        return start > 1e9 && start < 9e9 ? start : nil
    }

    private func time(_ event: JSONObject?) -> Double? {
        event?["timestamp"]?.double.flatMap { $0.isFinite && $0 > 0 ? $0 / 1000 : nil }
    }

    // MARK: - Messages

    /// Those of the request: of the event that has most, as some are added when it is sent.
    private var headers: HeaderFields {
        [sent, answered, failed].map { Self.headers($0?["request"]?["headers"]) }
            .reduce(HeaderFields()) { $1.fields.count > $0.fields.count ? $1 : $0 }
    }

    /// `{"name":"accept","value":{"type":"string","value":"*/*"}}`; what is no UTF-8 is in Base64.
    private static func headers(_ list: JSONValue?) -> HeaderFields {
        HeaderFields(
            (list?.array ?? []).compactMap { field in
                guard let name = field["name"]?.string else { return nil }
                let value = field["value"]
                let text = bytes(value).map { String(decoding: $0, as: UTF8.self) } ?? value?.string ?? ""
                return HeaderFields.Field(name: name, value: text)
            }
        )
    }

    /// `{"type":"string","value":"…"}` or `{"type":"base64","value":"…"}`; nil for others.
    private static func bytes(_ value: JSONValue?) -> [UInt8]? {
        guard let text = value?["value"]?.string else { return nil }
        return value?["type"]?.string == "base64" ? Base64.decode(text) : Array(text.utf8)
    }

    /// What was asked for later; that there was a body at all is told by its size.
    private func body(of request: JSONObject, _ headers: HeaderFields, in source: CaptureSource) -> Body? {
        let type = headers.first("content-type")
        if let requestBody {
            return Body(content: Self.content(at: requestBody, in: source), mediaType: type)
        }
        guard let size = HAREntry.size(request["bodySize"]), size > 0 else { return nil }
        return Body(content: .missing, mediaType: type, wireSize: size)
    }

    private static func content(at place: JSONEvents.Place, in source: CaptureSource) -> Body.Content {
        .deferred { bytes(JSONEvents.event(at: place, in: source)?["result"]?["bytes"]) }
    }

    private func response(_ version: String, in source: CaptureSource) -> RecordedResponse? {
        guard let response = answered?["response"]?.object,
            let status = Producers.integer(response["status"]),
            (100...999).contains(status)
        else { return nil }
        let headers = Self.headers(response["headers"])
        return RecordedResponse(
            status: Int(status),
            statusText: response["statusText"]?.string ?? "",
            httpVersion: version,
            headers: headers,
            body: Body(
                content: responseBody.map { Self.content(at: $0, in: source) } ?? .missing,
                mediaType: headers.first("content-type") ?? response["mimeType"]?.string,
                wireSize: HAREntry.size(response["bodySize"])
            )
        )
    }
}
