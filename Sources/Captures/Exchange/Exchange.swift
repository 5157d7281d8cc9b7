package import JSON

/// One request with its answer: what one entry of a HAR file says.
///
/// An exchange is a value. What its entry held besides (fields of other producers) travels in ``foreign``, so
/// that a round trip loses nothing. Bodies are decoded when they are asked for (``Body``).
package struct Exchange: Sendable {
    /// When the first byte of the request was seen (`startedDateTime`).
    package var startedAt: Timestamp
    /// Whether the producer wrote the offset from UTC beside ``startedAt``; without it the hour may be any.
    package var isZoneKnown = true
    /// From the first byte of the request to the last of the answer (`time`); nil where the producer wrote
    /// none or -1.
    package var duration: Duration?
    package var request: RecordedRequest
    /// The answer; nil when there was none (`status` 0, -1 or no response at all).
    package var response: RecordedResponse?
    /// Why there was no (whole) answer, in the words of the producer (`_error` and its relatives).
    package var failure: String?
    package var timings: Timings
    package var connection: ConnectionFacts
    /// Who sent the request, where the recorder could tell.
    package var client: ClientFacts
    /// What was not as HTTP wants it, with its place; the bytes went on unaltered.
    package var malformations: [Malformation]
    /// Protocol switched to after the answer (`Upgrade`, RFC 9110, section 7.8), for example `websocket`.
    package var upgradedTo: String?
    /// The members of the entry that nothing above holds, as they stood.
    package var foreign: JSONObject

    package init(
        startedAt: Timestamp,
        duration: Duration? = nil,
        request: RecordedRequest,
        response: RecordedResponse? = nil,
        failure: String? = nil,
        timings: Timings = Timings(),
        connection: ConnectionFacts = ConnectionFacts(),
        client: ClientFacts = ClientFacts(),
        malformations: [Malformation] = [],
        upgradedTo: String? = nil,
        foreign: JSONObject = JSONObject()
    ) {
        self.startedAt = startedAt
        self.duration = duration
        self.request = request
        self.response = response
        self.failure = failure
        self.timings = timings
        self.connection = connection
        self.client = client
        self.malformations = malformations
        self.upgradedTo = upgradedTo
        self.foreign = foreign
    }

    /// When the answer was complete, by the recorder's clock; the start where the duration is not known.
    package var endedAt: Timestamp { duration.map { startedAt + $0 } ?? startedAt }
}

/// The request of an exchange.
package struct RecordedRequest: Sendable {
    package var method: String
    /// The absolute URL, as it was sent (nothing normalised).
    package var url: RecordedURL
    /// `HTTP/1.1`, `HTTP/2`, … as the producer writes it; empty where unknown.
    package var httpVersion: String
    package var headers: HeaderFields
    /// Cookies of the HAR's `cookies` array, used only where there is no `Cookie` header (see
    /// ``CookieHeader``).
    package var listedCookies: [HeaderFields.Field]
    package var body: Body?
    /// Fields after a chunked body (RFC 9112, section 7.1.2).
    package var trailers: HeaderFields
    /// The members of `request` that nothing above holds.
    package var foreign: JSONObject

    package init(
        method: String,
        url: RecordedURL,
        httpVersion: String = "HTTP/1.1",
        headers: HeaderFields = HeaderFields(),
        listedCookies: [HeaderFields.Field] = [],
        body: Body? = nil,
        trailers: HeaderFields = HeaderFields(),
        foreign: JSONObject = JSONObject()
    ) {
        self.method = method
        self.url = url
        self.httpVersion = httpVersion
        self.headers = headers
        self.listedCookies = listedCookies
        self.body = body
        self.trailers = trailers
        self.foreign = foreign
    }
}

/// The answer of an exchange.
package struct RecordedResponse: Sendable {
    /// 100...599, as sent.
    package var status: Int
    package var statusText: String
    package var httpVersion: String
    package var headers: HeaderFields
    /// Cookies of the HAR's `cookies` array, used only where there is no `Set-Cookie` header.
    package var listedCookies: [SetCookie]
    package var body: Body?
    /// `redirectURL` of the HAR, used where there is no `Location` header; empty otherwise.
    package var redirectURL: String
    /// Fields after a chunked body (RFC 9112, section 7.1.2).
    package var trailers: HeaderFields
    /// The members of `response` that nothing above holds.
    package var foreign: JSONObject

    package init(
        status: Int,
        statusText: String = "",
        httpVersion: String = "HTTP/1.1",
        headers: HeaderFields = HeaderFields(),
        listedCookies: [SetCookie] = [],
        body: Body? = nil,
        redirectURL: String = "",
        trailers: HeaderFields = HeaderFields(),
        foreign: JSONObject = JSONObject()
    ) {
        self.status = status
        self.statusText = statusText
        self.httpVersion = httpVersion
        self.headers = headers
        self.listedCookies = listedCookies
        self.body = body
        self.redirectURL = redirectURL
        self.trailers = trailers
        self.foreign = foreign
    }

    /// The target of a redirect as it was written: the `Location` header, else `redirectURL`; nil where
    /// neither has text.
    package var location: String? {
        if let location = headers.first("location"), !location.isEmpty { return location }
        return redirectURL.isEmpty ? nil : redirectURL
    }
}

/// The phases of an exchange; nil where they were not measured (HAR writes -1).
package struct Timings: Sendable, Hashable {
    package var blocked: Duration?
    package var dns: Duration?
    package var connect: Duration?
    package var tls: Duration?
    package var send: Duration?
    package var wait: Duration?
    package var receive: Duration?
    /// The members of `timings` that nothing above holds.
    package var foreign: JSONObject

    package init(
        blocked: Duration? = nil,
        dns: Duration? = nil,
        connect: Duration? = nil,
        tls: Duration? = nil,
        send: Duration? = nil,
        wait: Duration? = nil,
        receive: Duration? = nil,
        foreign: JSONObject = JSONObject()
    ) {
        self.blocked = blocked
        self.dns = dns
        self.connect = connect
        self.tls = tls
        self.send = send
        self.wait = wait
        self.receive = receive
        self.foreign = foreign
    }
}

/// What is known of the connections that carried an exchange.
package struct ConnectionFacts: Sendable, Hashable {
    /// Number of the client's connection in this recording; exchanges of one connection share it.
    package var id: String?
    /// `ADDRESS:PORT` of the provider's end.
    package var serverAddress: String?
    /// `TLSv1.3`, … between client and recorder; nil in clear.
    package var clientTLSVersion: String?
    /// `TLSv1.3`, … between recorder and server; nil in clear.
    package var serverTLSVersion: String?
    package var cipher: String?
    package var serverName: String?
    package var alpn: String?

    package init(
        id: String? = nil,
        serverAddress: String? = nil,
        clientTLSVersion: String? = nil,
        serverTLSVersion: String? = nil,
        cipher: String? = nil,
        serverName: String? = nil,
        alpn: String? = nil
    ) {
        self.id = id
        self.serverAddress = serverAddress
        self.clientTLSVersion = clientTLSVersion
        self.serverTLSVersion = serverTLSVersion
        self.cipher = cipher
        self.serverName = serverName
        self.alpn = alpn
    }
}

/// Who sent a request (`_authreel.client`).
package struct ClientFacts: Sendable, Hashable {
    /// Name of the process that owned the socket, for example `chromium`, `apache2`.
    package var process: String?
    package var processID: Int32?
    /// `ADDRESS:PORT` of the client's end.
    package var address: String?

    package init(process: String? = nil, processID: Int32? = nil, address: String? = nil) {
        self.process = process
        self.processID = processID
        self.address = address
    }
}

/// Something in the bytes of an exchange that HTTP does not allow (`_authreel.malformed`).
package struct Malformation: Sendable, Hashable {
    package enum Side: String, Sendable, Hashable {
        case request
        case response
    }

    package var side: Side
    /// Offset in the bytes of that direction of the connection.
    package var offset: Int
    /// What was found, for example `two Content-Length values that differ: 5, 6`.
    package var reason: String

    package init(side: Side, offset: Int, reason: String) {
        self.side = side
        self.offset = offset
        self.reason = reason
    }
}
