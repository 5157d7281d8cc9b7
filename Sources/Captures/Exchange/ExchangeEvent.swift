/// What a decoder of bytes reports of one exchange, in the order in which it happened.
///
/// Events of the exchanges of one connection interleave (pipelining, HTTP/2); the number that goes with each
/// says which exchange it belongs to. ``ExchangeAssembler`` makes exchanges of them.
package enum ExchangeEvent: Sendable, Equatable {
    case requestHead(RequestHead, at: Timestamp)
    case requestTrailers(HeaderFields)
    case requestEnd(at: Timestamp)
    /// A 1xx answer; the final one follows.
    case interimResponse(ResponseHead, at: Timestamp)
    case responseHead(ResponseHead, at: Timestamp)
    case responseTrailers(HeaderFields)
    case responseEnd(at: Timestamp)
    /// The connection, or the stream of this exchange, speaks another protocol from here on (101, or a 2xx answer
    /// to CONNECT).
    case upgraded(to: String)
    /// The server has promised the answer unasked; the request is what it says it would have been.
    case pushed
    case malformed(Malformation)
    /// The exchange will not be completed: why, in the words of stage 13 of the rules.
    case failed(reason: String, at: Timestamp)
}

/// What takes the events of a decoder; the number tells the exchanges of one connection apart.
package protocol ExchangeEventSink {
    mutating func receive(_ event: ExchangeEvent, of exchange: Int)
    /// Bytes of a body as they came, framing (chunks, frames) undone, coding not; there during the call only.
    mutating func receiveBody(_ bytes: UnsafeBufferPointer<UInt8>, of message: MessageSide, in exchange: Int)
    /// So many bytes of a body were sent and are not known; what comes next stands behind them.
    mutating func lostBody(_ count: Int, of message: MessageSide, in exchange: Int)
    /// The decoder holds so many more bytes of heads, or fewer; false where there is no room for them.
    mutating func mayHold(_ change: Int) -> Bool
}

/// Which message of an exchange.
package enum MessageSide: String, Sendable, Hashable {
    case request
    case response
}

extension ExchangeEventSink {
    package mutating func lostBody(_ count: Int, of message: MessageSide, in exchange: Int) {}
}

/// A request line and its fields.
package struct RequestHead: Sendable, Equatable {
    package var method: String
    /// The request target as it was sent (RFC 9112, section 3.2).
    package var target: String
    /// Its bytes are no UTF-8: each character is one of them (see ``Latin1``).
    package var isTargetLatin1 = false
    /// What the request itself calls its scheme, where that counts and is another than the connection's.
    package var scheme: String?
    package var httpVersion: String
    package var headers: HeaderFields
    /// Fields beside those that are not known.
    package var unknownFields = 0
    /// Whether the target is among them, or the method, which says what is asked of it.
    package var isTargetUnknown = false

    package init(method: String, target: String, httpVersion: String, headers: HeaderFields) {
        self.method = method
        self.target = target
        self.httpVersion = httpVersion
        self.headers = headers
    }
}

/// A status line and its fields.
package struct ResponseHead: Sendable, Equatable {
    package var status: Int
    package var statusText: String
    package var httpVersion: String
    package var headers: HeaderFields
    /// See ``RequestHead/unknownFields``.
    package var unknownFields = 0

    package init(status: Int, statusText: String, httpVersion: String, headers: HeaderFields) {
        self.status = status
        self.statusText = statusText
        self.httpVersion = httpVersion
        self.headers = headers
    }
}
