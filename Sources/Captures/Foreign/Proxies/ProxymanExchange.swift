import JSON

/// Makes an exchange of one of Proxyman's, which is a file in a log that it exports.
struct ProxymanExchange {
    private let told: JSONObject
    /// Gives the file again, for a body of some size.
    private let reload: @Sendable () -> [UInt8]?

    init(_ told: JSONObject, reload: @escaping @Sendable () -> [UInt8]?) {
        self.told = told
        self.reload = reload
    }

    /// Nil for what is none.
    func exchange() -> Exchange? {
        guard let request = told["request"]?.object, let method = request["method"]?["name"]?.string,
            let url = Self.url(of: request, method)
        else { return nil }
        let start = time("requestStartedAt")
        let headers = Self.headers(of: request)
        let hasBody = request["bodyData"]?.string?.isEmpty == false
        var exchange = Exchange(
            startedAt: start.flatMap(ForeignTime.seconds) ?? Timestamp(nanoseconds: 0),
            duration: span("requestStartedAt", "responseEndedAt"),
            request: RecordedRequest(
                method: method,
                url: url,
                httpVersion: Self.version(of: request),
                headers: headers,
                body: hasBody ? body("request", request, headers) : nil
            ),
            response: response(),
            failure: Producers.words(ofError: told["response"]?["error"]),
            timings: Timings(
                send: span("requestStartedAt", "requestEndedAt"),
                wait: span("requestEndedAt", "responseStartedAt"),
                receive: span("responseStartedAt", "responseEndedAt")
            ),
            connection: connection,
            client: client
        )
        exchange.isZoneKnown = exchange.startedAt.nanoseconds != 0
        if exchange.response?.status == 101 {
            exchange.upgradedTo = exchange.response?.headers.first("upgrade")?.lowercased()
        }
        exchange.keep(note: told["style"]?["comment"]?.string)
        return exchange
    }

    // MARK: - Messages

    private static func url(of request: JSONObject, _ method: String) -> RecordedURL? {
        guard method == "CONNECT" else {
            return request["fullPath"]?.string.flatMap { $0.isEmpty ? nil : RecordedURL($0) }
        }
        return request["host"]?.string.map {
            RecordedURL("https://" + ForeignTime.address($0, port: Producers.integer(request["port"])))
        }
    }

    private static func headers(of message: JSONObject) -> HeaderFields {
        HeaderFields(
            (message["header"]?["entries"]?.array ?? []).compactMap { entry in
                // Somebody has taken it out before it was sent.
                guard let name = entry["key"]?["name"]?.string, entry["isEnabled"] != false else {
                    return nil
                }
                return HeaderFields.Field(name: name, value: entry["value"]?.string ?? "")
            }
        )
    }

    /// `{"major":1,"minor":1}`.
    private static func version(of message: JSONObject) -> String {
        guard let major = message["version"]?["major"]?.int else { return "" }
        return ForeignTime.httpVersion("HTTP/\(major).\(message["version"]?["minor"]?.int ?? 0)")
    }

    private func response() -> RecordedResponse? {
        guard let response = told["response"]?.object, let status = response["status"]?["code"]?.int,
            (100...999).contains(status)
        else { return nil }
        let headers = Self.headers(of: response)
        return RecordedResponse(
            status: Int(status),
            statusText: response["status"]?["phrase"]?.string ?? "",
            httpVersion: Self.version(of: response),
            headers: headers,
            body: body("response", response, headers)
        )
    }

    /// In Base64, its coding undone.
    private func body(_ name: String, _ message: JSONObject, _ headers: HeaderFields) -> Body {
        let type = headers.first("content-type")
        let wireSize = HAREntry.size(message["compressedBodyDataCount"])
        guard let text = message["bodyData"]?.string else {
            return Body(content: .missing, mediaType: type, wireSize: wireSize)
        }
        let decode: @Sendable (String) -> [UInt8] = { text in
            ContentCoding.decodeUnlessDone(Base64.decode(text), headers: headers).bytes
        }
        let bytes = decode(text)
        let load: @Sendable () -> [UInt8]? = { [reload] in
            reload().flatMap { try? JSONParser.parse($0) }?[name]?["bodyData"]?.string.map(decode)
        }
        return Body(
            content: bytes.count > HAREntry.eagerBodyLimit ? .deferred(load) : .bytes(bytes),
            mediaType: type,
            size: bytes.count,
            wireSize: wireSize
        )
    }

    // MARK: - Times and connections

    /// In seconds since 1970.
    private func time(_ name: String) -> Double? { Producers.number(told["timing"]?[name]) }

    private func span(_ start: String, _ end: String) -> Duration? {
        guard let start = time(start), let end = time(end) else { return nil }
        return ForeignTime.span(from: start, to: end)
    }

    /// What it knows of TLS is of the client's side: the certificate is that of Proxyman.
    private var connection: ConnectionFacts {
        ConnectionFacts(
            serverAddress: address("server"),
            clientTLSVersion: told["extraInfo"]?["tlsVersion"]?.string
        )
    }

    private var client: ClientFacts {
        let client = told["client"]
        return ClientFacts(
            process: client?["name"]?.string,
            processID: client?["pid"]?.int.flatMap { Int32(exactly: $0) },
            address: address("client")
        )
    }

    private func address(_ side: String) -> String? {
        let summary = told["summary"]
        return summary?["\(side)IpAddress"]?.string.map {
            ForeignTime.address($0, port: Producers.integer(summary?["\(side)Port"]))
        }
    }
}
