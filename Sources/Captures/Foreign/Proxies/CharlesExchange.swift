import JSON

/// Makes an exchange of one of Charles' in JSON: an element of a session exported as *JSON Session File* (`.chlsj`), or a
/// `…-meta.json` of a saved session (`.chlz`).
struct CharlesExchange {
    private let told: JSONObject
    /// Gives ``told`` again, for a body of some size.
    private let reload: @Sendable () -> JSONObject?
    /// Of files beside; nil where there are none.
    private let requestFile: (@Sendable () -> [UInt8]?)?
    private let responseFile: (@Sendable () -> [UInt8]?)?

    init(
        _ told: JSONObject,
        reload: @escaping @Sendable () -> JSONObject?,
        requestFile: (@Sendable () -> [UInt8]?)? = nil,
        responseFile: (@Sendable () -> [UInt8]?)? = nil
    ) {
        self.told = told
        self.reload = reload
        self.requestFile = requestFile
        self.responseFile = responseFile
    }

    /// Nil for what is none.
    func exchange() -> Exchange? {
        guard let method = told["method"]?.string, let host = told["host"]?.string else { return nil }
        let start = time("start") ?? time("requestBegin")
        let request = told["request"]?.object ?? JSONObject()
        let headers = Self.headers(of: request)
        var exchange = Exchange(
            startedAt: start?.time ?? Timestamp(nanoseconds: 0),
            duration: milliseconds("total"),
            request: RecordedRequest(
                method: method,
                url: url(method, host),
                httpVersion: ForeignTime.httpVersion(told["protocolVersion"]?.string),
                headers: headers,
                body: body("request", request, headers, file: requestFile)
            ),
            response: response(),
            failure: failure,
            timings: timings,
            connection: connection,
            client: ClientFacts(address: clientAddress)
        )
        exchange.isZoneKnown = start?.isZoneKnown ?? false
        exchange.keep(note: told["notes"]?.string)
        return exchange
    }

    /// The port is null where it is the scheme's.
    private func url(_ method: String, _ host: String) -> RecordedURL {
        let isTunnel = method == "CONNECT" || told["tunnel"] == true
        let port =
            told["port"].flatMap(Producers.integer)
            ?? (isTunnel ? told["actualPort"].flatMap(Producers.integer) : nil)
        let authority = ForeignTime.address(host, port: port)
        if isTunnel { return RecordedURL("https://\(authority)") }
        let query = told["query"]?.string.map { "?\($0)" } ?? ""
        return RecordedURL(
            "\(told["scheme"]?.string ?? "http")://\(authority)\(told["path"]?.string ?? "/")\(query)"
        )
    }

    private static func headers(of message: JSONObject) -> HeaderFields {
        HAREntry.headers(message["header"]?["headers"])
    }

    private func response() -> RecordedResponse? {
        guard let response = told["response"]?.object, let status = Producers.integer(response["status"]),
            (100...999).contains(status)
        else { return nil }
        let line = (response["header"]?["firstLine"]?.string ?? "").split(separator: " ", maxSplits: 2)
        let headers = Self.headers(of: response)
        return RecordedResponse(
            status: Int(status),
            statusText: line.count > 2 ? String(line[2]) : "",
            httpVersion: ForeignTime.httpVersion(
                line.first.map(String.init) ?? told["protocolVersion"]?.string
            ),
            headers: headers,
            body: body("response", response, headers, file: responseFile)
        )
    }

    /// Why there was no whole answer.
    private var failure: String? {
        guard let status = told["status"]?.string, ["EXCEPTION", "FAILED", "ABORTED"].contains(status) else {
            return nil
        }
        let words = ["errorMessage", "exceptionMessage", "error"].lazy.compactMap { told[$0]?.string }
        return words.first { !$0.isEmpty } ?? "Charles: \(status.lowercased())"
    }

    // MARK: - Bodies

    private func body(
        _ name: String,
        _ message: JSONObject,
        _ headers: HeaderFields,
        file: (@Sendable () -> [UInt8]?)?
    ) -> Body? {
        let type = headers.first("content-type") ?? message["mimeType"]?.string
        let wireSize = Producers.integer(message["sizes"]?["body"]).flatMap { $0 >= 0 ? Int($0) : nil }
        let decode: @Sendable ([UInt8]) -> [UInt8] = { bytes in
            ContentCoding.decodeUnlessDone(bytes, headers: headers).bytes
        }
        let load: @Sendable () -> [UInt8]? = { [reload] in
            (file?() ?? Self.bytes(of: reload()?[name]?.object)).map(decode)
        }
        guard let bytes = (file?() ?? Self.bytes(of: message)).map(decode) else {
            guard name == "response" || wireSize ?? 0 > 0 else { return nil }
            return Body(content: wireSize == 0 ? .bytes([]) : .missing, mediaType: type, wireSize: wireSize)
        }
        return Body(
            content: bytes.count > HAREntry.eagerBodyLimit ? .deferred(load) : .bytes(bytes),
            mediaType: type,
            size: bytes.count,
            wireSize: wireSize
        )
    }

    /// As a text, or in Base64 where it is none.
    private static func bytes(of message: JSONObject?) -> [UInt8]? {
        let body = message?["body"]
        if let encoded = body?["encoded"]?.string {
            return bytes(of: Array(encoded.utf8), in: body?["encoding"]?.string ?? "base64")
        }
        return body?["text"]?.string.map { Array($0.utf8) }
    }

    /// A body that is told in an encoding, which is none where none is named; nil where that is not known, as its letters are no body.
    static func bytes(of text: [UInt8], in encoding: String?) -> [UInt8]? {
        switch encoding?.lowercased() ?? "" {
        case "base64": Base64.decode(String(decoding: text, as: UTF8.self))
        case "", "plain", "none": text
        default: nil
        }
    }

    // MARK: - Times and connections

    private func time(_ name: String) -> (time: Timestamp, isZoneKnown: Bool)? {
        told["times"]?[name].flatMap { Producers.start(of: ["startedDateTime": $0]) }
    }

    private func milliseconds(_ name: String) -> Duration? { HAREntry.duration(told["durations"]?[name]) }

    private var timings: Timings {
        var timings = Timings(
            dns: milliseconds("dns"),
            connect: milliseconds("connect"),
            send: milliseconds("request"),
            wait: milliseconds("latency"),
            receive: milliseconds("response")
        )
        timings.secured(in: milliseconds("ssl"))
        return timings
    }

    private var connection: ConnectionFacts {
        ConnectionFacts(
            serverAddress: address("remoteAddress", port: Producers.integer(told["actualPort"])),
            serverTLSVersion: told["ssl"]?["protocol"]?.string.map(ForeignTime.tlsVersion),
            cipher: told["ssl"]?["cipherSuite"]?.string,
            alpn: told["alpn"]?["protocol"]?.string
        )
    }

    private var clientAddress: String? {
        address("clientAddress", port: Producers.integer(told["clientPort"]))
    }

    private func address(_ name: String, port: Int64?) -> String? {
        told[name]?.string.flatMap { Self.address($0, port: port) }
    }

    /// `idp.example/192.0.2.1`, as Java writes it, with or without its name and port.
    static func address(_ text: String, port: Int64?) -> String? {
        guard let last = text.split(separator: "/").last else { return nil }
        let isWhole = last.utf8.count(where: { $0 == 0x3a }) == 1 || last.utf8.contains(0x5d)
        return isWhole ? String(last) : ForeignTime.address(String(last), port: port)
    }
}
