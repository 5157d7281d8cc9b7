import JSON

/// Reads what the browser extension SAML-tracer exports: requests and answers with their fields, without times and bodies of
/// answers.
enum SAMLTracerExport {
    /// Nil where there is no request in it.
    static func read(_ source: CaptureSource) -> Capture? {
        var events = JSONEvents(source)
        var exchanges: [Exchange] = []
        events.run(list: "requests", behind: "", member: { _ in true }) { event, _ in
            if let told = event.object, told["url"]?.string != nil, told["requestHeaders"] != nil {
                exchanges.append(exchange(of: told))
            }
            return !exchanges.isEmpty
        }
        guard !exchanges.isEmpty else { return nil }
        var capture = Capture(foreign: exchanges, creator: "SAML-tracer", version: "")
        if let loss = events.loss { capture.losses.append(loss) }
        return capture
    }

    private static func exchange(of told: JSONObject) -> Exchange {
        let headers = HAREntry.headers(told["requestHeaders"])
        var exchange = Exchange(
            startedAt: Timestamp(nanoseconds: 0),
            request: RecordedRequest(
                method: Producers.method(told["method"]),
                url: RecordedURL(told["url"]?.string ?? ""),
                httpVersion: "",
                headers: headers,
                body: body(of: told, type: headers.first("content-type"))
            ),
            response: response(of: told)
        )
        exchange.isZoneKnown = false
        return exchange
    }

    /// The form's parameters, taken apart.
    private static func body(of told: JSONObject, type: String?) -> Body? {
        guard let fields = told["post"]?.array.map({ Producers.fields(.array($0)) }), !fields.isEmpty else {
            return nil
        }
        return Body(content: .parameters(fields), mediaType: type)
    }

    private static func response(of told: JSONObject) -> RecordedResponse? {
        guard let status = Producers.integer(told["responseStatus"]), (100...999).contains(status) else {
            return nil
        }
        let words = (told["responseStatusText"]?.string ?? "").split(separator: " ", maxSplits: 2).map(
            String.init
        )
        let headers = HAREntry.headers(told["responseHeaders"])
        return RecordedResponse(
            status: Int(status),
            statusText: words.count > 2 ? words[2] : "",
            httpVersion: ForeignTime.httpVersion(words.first),
            headers: headers,
            body: Body(content: .missing, mediaType: headers.first("content-type"))
        )
    }
}
