import JSON

/// Reads the journal of WireMock (`/__admin/requests`), which plays a provider or a service in tests: what it was asked, and what
/// it answered.
enum WireMockJournal {
    /// Nil where there is no exchange in it.
    ///
    /// The newest stands first there.
    static func read(_ source: CaptureSource) -> Capture? {
        var events = JSONEvents(source)
        var exchanges: [Exchange] = []
        events.run(list: "requests", behind: "", member: { _ in true }) { event, place in
            let reload: @Sendable () -> JSONValue? = { JSONEvents.event(at: place, in: source) }
            if let exchange = exchange(of: event, reload: reload) { exchanges.append(exchange) }
            // A file of other requests is not read to its end.
            return !exchanges.isEmpty
        }
        guard let first = exchanges.first, let last = exchanges.last else { return nil }
        if first.startedAt > last.startedAt { exchanges.reverse() }
        var capture = Capture(foreign: exchanges, creator: "WireMock", version: "")
        if let loss = events.loss { capture.losses.append(loss) }
        return capture
    }

    /// `reload`: gives the event again, for a body of some size.
    private static func exchange(of event: JSONValue, reload: @escaping @Sendable () -> JSONValue?)
        -> Exchange?
    {
        guard let request = event["request"]?.object, let url = request["absoluteUrl"]?.string else {
            return nil
        }
        let start = Producers.number(request["loggedDate"]).flatMap { ForeignTime.seconds($0 / 1000) }
        let headers = HAREntry.headers(request["headers"])
        let version = ForeignTime.httpVersion(request["protocol"]?.string)
        let body = body("request", request, headers, reload: reload)
        var exchange = Exchange(
            startedAt: start ?? Timestamp(nanoseconds: 0),
            duration: HAREntry.duration(event["timing"]?["totalTime"]),
            request: RecordedRequest(
                method: Producers.method(request["method"]),
                url: RecordedURL(url),
                httpVersion: version,
                headers: headers,
                body: body.size == 0 ? nil : body
            ),
            response: response(of: event, version: version, reload: reload),
            failure: event["responseDefinition"]?["fault"]?.string,
            client: ClientFacts(
                address: request["clientIp"]?.string.map { ForeignTime.address($0, port: nil) }
            )
        )
        exchange.isZoneKnown = start != nil
        return exchange
    }

    private static func response(
        of event: JSONValue,
        version: String,
        reload: @escaping @Sendable () -> JSONValue?
    ) -> RecordedResponse? {
        guard let response = event["response"]?.object, let status = Producers.integer(response["status"]),
            (100...999).contains(status)
        else { return nil }
        let headers = HAREntry.headers(response["headers"])
        return RecordedResponse(
            status: Int(status),
            statusText: "",
            httpVersion: version,
            headers: headers,
            body: body("response", response, headers, reload: reload)
        )
    }

    private static func body(
        _ name: String,
        _ message: JSONObject,
        _ headers: HeaderFields,
        reload: @escaping @Sendable () -> JSONValue?
    ) -> Body {
        let bytes = bytes(of: message, headers)
        let load: @Sendable () -> [UInt8]? = {
            reload()?[name]?.object.map { self.bytes(of: $0, headers) }
        }
        return Body(
            content: bytes.count > HAREntry.eagerBodyLimit ? .deferred(load) : .bytes(bytes),
            mediaType: headers.first("content-type"),
            size: bytes.count
        )
    }

    /// As text it is not what was sent where that was no UTF-8; none is not told.
    private static func bytes(of message: JSONObject, _ headers: HeaderFields) -> [UInt8] {
        let bytes =
            message["bodyAsBase64"]?.string.map(Base64.decode)
            ?? Array((message["body"]?.string ?? "").utf8)
        return ContentCoding.decodeUnlessDone(bytes, headers: headers).bytes
    }
}
