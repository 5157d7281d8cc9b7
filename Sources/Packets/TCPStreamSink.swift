package import Captures
package import Wire

/// A TCP connection, as far as its packets tell.
package struct TCPStreamFacts: Sendable, Hashable {
    /// Who opened it; where the beginning is not in the capture, who says hello or asks first, else who is no server by other
    /// connections (``TCPStreamSink/isServer(_:)``), else who has the higher port.
    package var client: Endpoint
    package var server: Endpoint
    /// Of its first packet.
    package var startedAt: Timestamp
    /// Whether its first packets are not in the capture.
    package var beganMidStream: Bool
    /// Whether its client begins with the number of the one before between the same ends; see ``TCPStreamSink/answeredAnew(_:)``.
    package var hasEarlierNumbers: Bool

    package init(
        client: Endpoint,
        server: Endpoint,
        startedAt: Timestamp,
        beganMidStream: Bool,
        hasEarlierNumbers: Bool = false
    ) {
        self.client = client
        self.server = server
        self.startedAt = startedAt
        self.beganMidStream = beganMidStream
        self.hasEarlierNumbers = hasEarlierNumbers
    }
}

/// Takes the bytes of TCP connections in the order in which they were sent.
///
/// Each connection has a number of its own, from 0. Time is that of the packet with which bytes became readable.
package protocol TCPStreamSink {
    mutating func opened(_ stream: Int, _ facts: TCPStreamFacts)
    /// Whether a connection to an end was seen to be opened; asked where a connection's own beginning is not in the capture.
    func isServer(_ end: Endpoint) -> Bool
    /// The server began with another number than in the connection before, of which the client has the number: it is not the same one.
    mutating func answeredAnew(_ stream: Int)
    /// When the client knew that the connection was there: the end of the three-way handshake.
    mutating func established(_ stream: Int, at time: Timestamp)
    /// The next bytes of one direction; there during the call only.
    mutating func received(
        _ bytes: UnsafeRawBufferPointer,
        of stream: Int,
        from side: Side,
        at time: Timestamp
    )
    /// So many bytes of one direction are not in the capture; what comes next stands behind them.
    mutating func lost(_ count: Int, of stream: Int, from side: Side, at time: Timestamp)
    /// A side will send no more.
    mutating func ended(_ side: Side, of stream: Int, _ end: TCPStreamEnd, at time: Timestamp)
    /// Nothing more will be told of the connection.
    mutating func closed(_ stream: Int, at time: Timestamp)
    /// No packet came up to now, by the clock of the packets: what waits for more bytes of a connection may have waited long enough.
    mutating func timePassed(until time: Timestamp)
    /// A datagram of UDP, which QUIC runs over; its bytes are there during the call only.
    ///
    /// - Returns: whether it is one of a connection that is followed.
    mutating func receivedDatagram(
        _ bytes: UnsafeRawBufferPointer,
        from source: Endpoint,
        to destination: Endpoint,
        at time: Timestamp
    ) -> Bool
    /// No more datagrams will come.
    mutating func datagramsEnded(at time: Timestamp)
}

extension TCPStreamSink {
    package func isServer(_ end: Endpoint) -> Bool { false }

    package mutating func answeredAnew(_ stream: Int) {}

    package mutating func timePassed(until time: Timestamp) {}

    package mutating func receivedDatagram(
        _ bytes: UnsafeRawBufferPointer,
        from source: Endpoint,
        to destination: Endpoint,
        at time: Timestamp
    ) -> Bool { false }

    package mutating func datagramsEnded(at time: Timestamp) {}
}

/// How a direction of a connection ended.
package enum TCPStreamEnd: Sendable, Hashable {
    /// FIN.
    case finished
    /// RST, which ends both directions.
    case reset(by: Side)
    /// Nobody answered the SYN, which was sent so many times: at least twice, for the answer to one may come yet, or once where
    /// somebody said that it was not delivered (`rejection`, as `10.0.0.1: ICMP port unreachable`).
    case unanswered(attempts: Int, rejection: String?)
    /// The capture ends before the connection does.
    case captureEnded

    /// The same where each side is the other one.
    var turned: TCPStreamEnd { if case .reset(let side) = self { .reset(by: side.other) } else { self } }
}
