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
    @Nanoseconds package var duration: Duration?
    package var request: RecordedRequest
    /// The answer; nil when there was none (`status` 0, -1 or no response at all).
    package var response: RecordedResponse?
    /// Why there was no (whole) answer, in the words of the producer (`_error` and its relatives).
    package var failure: String?
    package var timings: Timings
    @Sparse package var connection: ConnectionFacts
    /// Who sent the request, where the recorder could tell.
    @Sparse package var client: ClientFacts
    /// Says of a tunnel that its bytes were passed on unread.
    @Sparse package var tunnel: TunnelFacts
    /// Where it comes from, in a capture that was made of others.
    @Sparse package var provenance: Provenance
    /// What was not as HTTP wants it, with its place; the bytes went on unaltered.
    package var malformations: [Malformation]
    /// Protocol switched to after the answer (`Upgrade`, RFC 9110, section 7.8), for example `websocket`.
    package var upgradedTo: String?
    /// The server promised the answer unasked (server push, RFC 9113, section 8.4); nobody sent the request.
    package var isPushed = false
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
        tunnel: TunnelFacts = TunnelFacts(),
        provenance: Provenance = Provenance(),
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
        self.tunnel = tunnel
        self.provenance = provenance
        self.malformations = malformations
        self.upgradedTo = upgradedTo
        self.foreign = foreign
    }

    /// The facts as exchanges of one connection share them, without a copy for each.
    package var sharedConnection: Sparse<ConnectionFacts> {
        get { _connection }
        set { _connection = newValue }
    }

    /// See ``sharedConnection``.
    package var sharedClient: Sparse<ClientFacts> {
        get { _client }
        set { _client = newValue }
    }

    /// Whether there is something to say of ``provenance``.
    var hasProvenance: Bool { _provenance.identity != nil }

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

/// Something in the bytes of an exchange that HTTP does not allow (`_authreel.malformed`).
package struct Malformation: Sendable, Hashable {
    package var side: MessageSide
    /// Offset in the bytes of that direction of the connection.
    package var offset: Int
    /// What was found, for example `two Content-Length values that differ: 5, 6`.
    package var reason: String

    package init(side: MessageSide, offset: Int, reason: String) {
        self.side = side
        self.offset = offset
        self.reason = reason
    }
}
