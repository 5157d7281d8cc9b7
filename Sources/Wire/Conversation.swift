package import Captures
package import NIOCore

/// One connection, read passively: the bytes of both directions in, whole exchanges out.
///
/// Does no IO and reads no clock. The caller forwards every chunk itself, after it has written the exchanges
/// that the chunk completed: that is the recorder's promise.
package struct Conversation {
    /// What is known before the first byte.
    package struct Configuration: Sendable {
        /// `http` or `https`: makes absolute URLs of the targets.
        package var scheme: String
        /// `host[:port]` that the connection goes to; a sound `Host` field of a request takes precedence.
        package var authority: String
        /// Whatever `Host` says: the client was led here by another name than the server's.
        package var isAuthorityFixed = false
        /// Bytes of a body that are kept.
        package var maximumBodyBytes: Int
        package var connection: ConnectionFacts
        package var client: ClientFacts
        /// What it took to open the connection; goes to its first exchange.
        package var timings: Timings

        package init(scheme: String, authority: String) {
            self.scheme = scheme
            self.authority = authority
            maximumBodyBytes = 4 << 20
            connection = ConnectionFacts()
            client = ClientFacts()
            timings = Timings()
        }
    }

    private var decoder: HTTP1Decoder
    private var assembler: ExchangeAssembler

    package init(_ configuration: Configuration) {
        decoder = HTTP1Decoder(maximumBodyBytes: configuration.maximumBodyBytes)
        assembler = ExchangeAssembler(
            scheme: configuration.scheme,
            authority: configuration.authority,
            isAuthorityFixed: configuration.isAuthorityFixed,
            maximumBodyBytes: configuration.maximumBodyBytes,
            connection: configuration.connection,
            client: configuration.client,
            timings: configuration.timings
        )
    }

    /// The exchanges that became complete within this chunk.
    package mutating func received(_ bytes: ByteBuffer, from side: Side, at time: Timestamp) -> [Exchange] {
        bytes.withUnsafeReadableBytes { raw in
            decoder.receive(raw.assumingMemoryBound(to: UInt8.self), from: side, at: time, into: &assembler)
        }
        return assembler.takeFinished()
    }

    /// The exchanges that end with this direction.
    ///
    /// Of the server's end: a body that ends with the connection is complete, everything else under way has
    /// failed. Of the client's: only with a reason, for it may still be waiting for its answers.
    package mutating func ended(_ side: Side, reason: String?, at time: Timestamp) -> [Exchange] {
        decoder.end(side, reason: reason, at: time, into: &assembler)
        return assembler.takeFinished()
    }

    /// The recording ends: everything under way, as it stands.
    package mutating func abandon(at time: Timestamp, reason: String) -> [Exchange] {
        decoder.failAll(reason, time, &assembler)
        return assembler.takeFinished()
    }

    /// The bytes cannot be read any further: from here on they are only forwarded.
    package var hasLostTheThread: Bool { decoder.hasLostTheThread }

    /// The connection speaks another protocol now.
    package var isUpgraded: Bool { decoder.isUpgraded }

    /// Exchanges whose answer is not complete.
    package var pendingExchanges: Int { assembler.pendingCount }
}
