package import JSON

/// One request with its answer: what one entry of a HAR file says.
///
/// An exchange is a value. What its entry held besides (fields of other producers) travels in ``foreign``, so
/// that a round trip loses nothing. Bodies are decoded when they are asked for (``Body``).
///
/// Copies share their members until one of them is changed: exchanges are handed on far more often than that.
package struct Exchange: Sendable {
    @Shared private var members: Members

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
        members = Members(
            startedAt: startedAt,
            duration: duration,
            request: request,
            response: response,
            failure: failure,
            timings: timings,
            connection: connection,
            client: client,
            tunnel: tunnel,
            provenance: provenance,
            malformations: malformations,
            upgradedTo: upgradedTo,
            foreign: foreign
        )
    }

    /// When the answer was complete, by the recorder's clock; the start where the duration is not known.
    package var endedAt: Timestamp { duration.map { startedAt + $0 } ?? startedAt }
}

// MARK: - Members

extension Exchange {
    fileprivate struct Members: Sendable {
        var startedAt: Timestamp
        var isZoneKnown = true
        @Nanoseconds var duration: Duration?
        var request: RecordedRequest
        var response: RecordedResponse?
        var failure: String?
        var timings: Timings
        @Sparse var connection: ConnectionFacts
        @Sparse var client: ClientFacts
        @Sparse var tunnel: TunnelFacts
        @Sparse var unknownFields = UnknownFields()
        @Sparse var provenance: Provenance
        var malformations: [Malformation]
        var upgradedTo: String?
        var isPushed = false
        var foreign: JSONObject

        var sharedConnection: Sparse<ConnectionFacts> {
            get { _connection }
            set { _connection = newValue }
        }

        var sharedClient: Sparse<ClientFacts> {
            get { _client }
            set { _client = newValue }
        }

        var hasProvenance: Bool { _provenance.identity != nil }
    }

    /// When the first byte of the request was seen (`startedDateTime`).
    package var startedAt: Timestamp {
        _read { yield members.startedAt }
        _modify { yield &members.startedAt }
    }

    /// Whether the producer wrote the offset from UTC beside ``startedAt``; without it the hour may be any.
    package var isZoneKnown: Bool {
        _read { yield members.isZoneKnown }
        _modify { yield &members.isZoneKnown }
    }

    /// From the first byte of the request to the last of the answer (`time`); nil where the producer wrote
    /// none or -1.
    package var duration: Duration? {
        _read { yield members.duration }
        _modify { yield &members.duration }
    }

    package var request: RecordedRequest {
        _read { yield members.request }
        _modify { yield &members.request }
    }

    /// The answer; nil when there was none (`status` 0, -1 or no response at all).
    package var response: RecordedResponse? {
        _read { yield members.response }
        _modify { yield &members.response }
    }

    /// Why there was no (whole) answer, in the words of the producer (`_error` and its relatives).
    package var failure: String? {
        _read { yield members.failure }
        _modify { yield &members.failure }
    }

    package var timings: Timings {
        _read { yield members.timings }
        _modify { yield &members.timings }
    }

    package var connection: ConnectionFacts {
        _read { yield members.connection }
        _modify { yield &members.connection }
    }

    /// Who sent the request, where the recorder could tell.
    package var client: ClientFacts {
        _read { yield members.client }
        _modify { yield &members.client }
    }

    /// Says of a tunnel that its bytes were passed on unread.
    package var tunnel: TunnelFacts {
        _read { yield members.tunnel }
        _modify { yield &members.tunnel }
    }

    /// How many of its header fields are not known.
    package var unknownFields: UnknownFields {
        _read { yield members.unknownFields }
        _modify { yield &members.unknownFields }
    }

    /// Where it comes from, in a capture that was made of others.
    package var provenance: Provenance {
        _read { yield members.provenance }
        _modify { yield &members.provenance }
    }

    /// What was not as HTTP wants it, with its place; the bytes went on unaltered.
    package var malformations: [Malformation] {
        _read { yield members.malformations }
        _modify { yield &members.malformations }
    }

    /// Protocol switched to after the answer (`Upgrade`, RFC 9110, section 7.8), for example `websocket`.
    package var upgradedTo: String? {
        _read { yield members.upgradedTo }
        _modify { yield &members.upgradedTo }
    }

    /// The server promised the answer unasked (server push, RFC 9113, section 8.4); nobody sent the request.
    package var isPushed: Bool {
        _read { yield members.isPushed }
        _modify { yield &members.isPushed }
    }

    /// The members of the entry that nothing above holds, as they stood.
    package var foreign: JSONObject {
        _read { yield members.foreign }
        _modify { yield &members.foreign }
    }

    /// The facts as exchanges of one connection share them, without a copy for each.
    package var sharedConnection: Sparse<ConnectionFacts> {
        _read { yield members.sharedConnection }
        _modify { yield &members.sharedConnection }
    }

    /// See ``sharedConnection``.
    package var sharedClient: Sparse<ClientFacts> {
        _read { yield members.sharedClient }
        _modify { yield &members.sharedClient }
    }

    /// Whether there is a ``response``, which is not copied for the answer.
    package var isAnswered: Bool { members.response != nil }

    /// Bytes of the larger one of its bodies, decoded; 0 where they are not known.
    package var largestBodySize: Int {
        max(members.request.body?.size ?? 0, members.response?.body?.size ?? 0)
    }

    /// Whether there is something to say of ``provenance``.
    var hasProvenance: Bool { members.hasProvenance }

    /// Whether the head of its answer broke off: a header field that is not there may be among what is missing.
    package var isAnswerHeadCut: Bool {
        malformations.contains { $0.side == .response && $0.reason == Malformation.halfHead }
    }

    /// Whether one of its bodies is in a file of the recorder's.
    var hasSpooledBody: Bool {
        [request.body, response?.body].contains { if case .spooled? = $0?.content { true } else { false } }
    }
}

/// Something in the bytes of an exchange that HTTP does not allow (`_authreel.malformed`).
package struct Malformation: Sendable, Hashable {
    package var side: MessageSide
    /// Offset in the bytes of that direction of the connection.
    package var offset: Int
    /// What was found, for example `two Content-Length values that differ: 5, 6`.
    package var reason: String

    /// The reason where the end of a message's head is missing.
    package static let halfHead = "a head that is not whole"

    package init(side: MessageSide, offset: Int, reason: String) {
        self.side = side
        self.offset = offset
        self.reason = reason
    }
}
