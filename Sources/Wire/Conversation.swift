package import Captures
package import NIOCore

/// One connection, read passively: the bytes of both directions in, whole exchanges out.
///
/// Does no IO and reads no clock. The caller forwards every chunk itself, after it has written the exchanges
/// that the chunk completed: that is the recorder's promise.
package final class Conversation {
    /// What is known before the first byte.
    package struct Configuration: Sendable {
        /// `http` or `https`: makes absolute URLs of the targets.
        var scheme: String
        /// The same of requests whose `Host` names no port, where that tells more than the connection does; nil elsewhere.
        package var schemeWithoutPort: String?
        /// `host[:port]` that the connection goes to; a sound `Host` field of a request takes precedence.
        var authority: String
        /// Whatever `Host` says: the client was led here by another name than the server's.
        package var isAuthorityFixed = false
        /// Bytes of a body that are kept.
        package var maximumBodyBytes: Int
        /// Where large bodies are kept until their entries are written; nil keeps them in memory.
        package var spoolFolder: String?
        /// What all connections share of memory; nil where each has what it needs.
        package var budget: RecordingBudget?
        /// Bytes of a head of HTTP/1 that are read.
        package var maximumHeadBytes = usualHeadBytes
        /// Whether an answer of HTTP/2 that is whole before its request is waits for that, see ``hasEarlyAnswer``.
        package var waitsForRequests = false
        /// Whether what goes through tunnels within HTTP/2 is wanted, see ``takeTunnelled()``.
        package var followsTunnels = false
        /// The option that says so; nil where there is none.
        package var headOption: String?
        /// What the entries say of the connection itself.
        package var connection: ConnectionFacts
        /// What they say of the program at its other end.
        package var client: ClientFacts
        /// What it took to open the connection; goes to its first exchange.
        package var timings: Timings

        /// More than any server or browser takes.
        package static let usualHeadBytes = 256 << 10

        package init(scheme: String, authority: String) {
            self.scheme = scheme
            self.authority = authority
            maximumBodyBytes = 4 << 20
            connection = ConnectionFacts()
            client = ClientFacts()
            timings = Timings()
        }

        /// For the exchanges of one connection.
        var assembler: ExchangeAssembler {
            ExchangeAssembler(
                scheme: scheme,
                schemeWithoutPort: schemeWithoutPort,
                authority: authority,
                isAuthorityFixed: isAuthorityFixed,
                maximumBodyBytes: maximumBodyBytes,
                spoolFolder: spoolFolder,
                budget: budget,
                connection: connection,
                client: client,
                timings: timings
            )
        }
    }

    /// What requests of HTTP/2 are to say of it.
    private let scheme: String
    private let waitsForRequests: Bool
    private let followsTunnels: Bool
    private var sniffer: ProtocolSniffer
    private var http1: HTTP1Decoder
    /// There once it is known that HTTP/2 is spoken.
    private var http2: HTTP2Decoder?
    private var assembler: ExchangeAssembler
    /// What stood behind the answer with which another protocol began, in the bytes that held its end.
    private var unread: [UInt8] = []

    package init(_ configuration: Configuration) {
        scheme = configuration.schemeWithoutPort ?? configuration.scheme
        waitsForRequests = configuration.waitsForRequests
        followsTunnels = configuration.followsTunnels
        http1 = HTTP1Decoder(
            headLimit: .init(bytes: configuration.maximumHeadBytes, option: configuration.headOption)
        )
        sniffer = ProtocolSniffer(alpn: configuration.connection.alpn)
        assembler = configuration.assembler
        if sniffer.isHTTP2 == true { begin(HTTP2Decoder(scheme: scheme)) }
    }

    private func begin(_ decoder: HTTP2Decoder) {
        http2 = decoder
        http2?.waitsForRequests = waitsForRequests
        http2?.tunnels.areFollowed = followsTunnels
    }

    /// Begins in the middle of HTTP/2, with the client's frames that were found; nothing has been received before.
    package func begin(with beginning: HTTP2Middle.Beginning) {
        sniffer.isInTheMiddle()
        begin(HTTP2Decoder(scheme: scheme, inTheMiddleAt: beginning.stream))
    }

    /// The exchanges that became complete within this chunk.
    package func received(_ bytes: ByteBuffer, from side: Side, at time: Timestamp) -> [Exchange] {
        bytes.withUnsafeReadableBytes { raw in
            _ = receive(raw.assumingMemoryBound(to: UInt8.self), from: side, at: time)
        }
        return assembler.takeFinished()
    }

    /// The exchanges that became complete within these bytes, which are there during the call only.
    package func received(
        _ bytes: UnsafeRawBufferPointer,
        from side: Side,
        at time: Timestamp
    ) -> [Exchange] {
        receive(bytes.assumingMemoryBound(to: UInt8.self), from: side, at: time)
        return assembler.takeFinished()
    }

    /// Takes bytes of one side up to the end of the message that they are of (HTTP/1): what comes behind it may have to wait, as an
    /// answer whose request is on its way (``isRequestOnItsWay``).
    ///
    /// - Returns: the exchanges that became complete, and how many bytes were taken; all where nothing more is read of them.
    package func receivedMessage(_ bytes: UnsafeRawBufferPointer, from side: Side, at time: Timestamp) -> (
        exchanges: [Exchange], count: Int
    ) {
        let bytes = bytes.assumingMemoryBound(to: UInt8.self)
        let count = receive(bytes, from: side, at: time, isUpToEnd: true)
        return (assembler.takeFinished(), count)
    }

    /// The server has asked for a certificate meanwhile, and was shown this one (see ``ConnectionFacts/clientCertificate``).
    ///
    /// What is under way has it as well: it is why the server asks.
    package func showed(clientCertificate: String) { assembler.showed(clientCertificate: clientCertificate) }

    /// `isUpToEnd`: of the message that these bytes are of.
    ///
    /// - Returns: how many were taken, less than all behind that end only.
    @discardableResult
    private func receive(
        _ bytes: UnsafeBufferPointer<UInt8>,
        from side: Side,
        at time: Timestamp,
        isUpToEnd: Bool = false
    ) -> Int {
        if side == .client, sniffer.isHTTP2 == nil {
            return receiveFirst(bytes, at: time, isUpToEnd: isUpToEnd)
        }
        guard side == .server else { return decode(bytes, from: side, at: time, isUpToEnd: isUpToEnd) }
        switch sniffer.serverSpoke(bytes) {
        case .known:
            decodeHeldOfServer(at: time)
            return decode(bytes, from: side, at: time, isUpToEnd: isUpToEnd)
        case .held: break
        case .whole(let bytes):
            if sniffer.isHTTP2 == true || sniffer.hasServerSettings {
                begin(HTTP2Decoder(scheme: scheme))
                sniffer.takeHeld().withUnsafeBufferPointer { _ = decode($0, from: .client, at: time) }
            }
            bytes.withUnsafeBufferPointer { _ = decode($0, from: side, at: time) }
        }
        return bytes.count
    }

    /// Takes bytes of the client before it is known what it speaks.
    private func receiveFirst(_ bytes: UnsafeBufferPointer<UInt8>, at time: Timestamp, isUpToEnd: Bool) -> Int
    {
        guard let held = sniffer.received(bytes) else { return bytes.count }
        if sniffer.isHTTP2 != true {
            http2 = nil
        } else if http2 == nil {
            begin(HTTP2Decoder(scheme: scheme))
        }
        // Settings are no answer: what they come to shows with what follows them.
        defer { if !sniffer.hasServerSettings { decodeHeldOfServer(at: time) } }
        guard !held.isEmpty else { return decode(bytes, from: .client, at: time, isUpToEnd: isUpToEnd) }
        // What came in pieces is seen as one.
        held.withUnsafeBufferPointer { _ = decode($0, from: .client, at: time) }
        return bytes.count
    }

    private func decodeHeldOfServer(at time: Timestamp) {
        let bytes = sniffer.takeHeldOfServer()
        if !bytes.isEmpty { bytes.withUnsafeBufferPointer { _ = decode($0, from: .server, at: time) } }
    }

    /// See ``receive(_:from:at:isUpToEnd:)``.
    @discardableResult
    private func decode(
        _ bytes: UnsafeBufferPointer<UInt8>,
        from side: Side,
        at time: Timestamp,
        isUpToEnd: Bool = false
    ) -> Int {
        guard http2 == nil else {
            http2?.receive(bytes, from: side, at: time, into: &assembler)
            return bytes.count
        }
        let wasUpgraded = http1.isUpgraded
        let taken = http1.receive(bytes, from: side, at: time, isUpToEnd: isUpToEnd, into: &assembler)
        if http1.isUpgraded, !wasUpgraded { unread = Array(bytes[taken...]) }
        guard let request = http1.goesOnAsHTTP2 else { return http1.reads(side) ? taken : bytes.count }
        begin(HTTP2Decoder(scheme: scheme, upgraded: request))
        let rest = UnsafeBufferPointer(rebasing: bytes[taken...])
        http2?.receive(rest, from: side, at: time, into: &assembler)
        return bytes.count
    }

    /// So many bytes of one direction are not there, as happens in captures of packets.
    ///
    /// With HTTP/2 it goes on behind them; ``losses`` says what that comes to.
    ///
    /// - Parameters:
    ///   - count: how many.
    ///   - isExact: false where they may be fewer.
    ///   - side: whose they are.
    ///   - time: when.
    /// - Returns: the exchanges that end with them; nil where what comes next cannot be made out, so that the conversation is
    ///   over: all of HTTP/1 but bodies whose end is known.
    package func lost(
        _ count: Int,
        isExact: Bool = true,
        from side: Side,
        at time: Timestamp
    ) -> [Exchange]? {
        if http2 != nil {
            if side == .client { sniffer.lostClient() }
            guard
                http2?.lost(count, isExact: isExact, from: side, at: time, into: &assembler) == true
            else { return nil }
        } else {
            guard isExact, http1.lost(count, from: side, at: time, into: &assembler) else { return nil }
        }
        return assembler.takeFinished()
    }

    /// What cannot be known of the messages behind bytes that are missing (HTTP/2); nil where there is nothing.
    package var losses: String? { http2?.losses.words }

    /// The exchanges that end with this direction.
    ///
    /// Of the server's end: a body that ends with the connection is complete, everything else under way has
    /// failed. Of the client's: only with a reason, for it may still be waiting for its answers.
    package func ended(_ side: Side, reason: String?, at time: Timestamp) -> [Exchange] {
        if side == .server { decodeHeldOfServer(at: time) }
        http1.end(side, reason: reason, at: time, into: &assembler)
        http2?.end(side, reason: reason, at: time, into: &assembler)
        return assembler.takeFinished()
    }

    /// The recording ends: everything under way, as it stands.
    package func abandon(at time: Timestamp, reason: String) -> [Exchange] {
        decodeHeldOfServer(at: time)
        http1.failAll(reason, time, &assembler)
        http2?.failAll(reason, time, &assembler)
        return assembler.takeFinished()
    }

    /// The connection is over: the request whose head is on its way (HTTP/1), which has failed; none where there is no such head.
    package func endedWithinHead(at time: Timestamp) -> [Exchange] {
        if http2 == nil { http1.endWithinHead(time, &assembler) }
        return assembler.takeFinished()
    }

    /// The bytes cannot be read any further: from here on they are only forwarded.
    package var hasLostTheThread: Bool { http2?.hasLostTheThread ?? http1.hasLostTheThread }

    /// HTTP/2 is spoken, from the first byte on or since an upgrade.
    package var speaksHTTP2: Bool { http2 != nil }

    /// The client is still sending the request that is to be answered (HTTP/1): an answer that comes now leaves the rest of its
    /// body out of the exchange, and is one to nothing where its head is not whole.
    package var isRequestOnItsWay: Bool { http2 == nil && http1.isRequestOnItsWay }

    /// The head of a request that is on its way (HTTP/1), as far as it has come; nil where there is none.
    package var halfRequestHead: [UInt8]? { http2 == nil ? http1.client.halfHead?.bytes : nil }

    /// An answer of HTTP/2 is whole, and waits for the rest of its request: the exchange ends with that, or with
    /// ``letEarlyAnswersGo()``, and the client is not to see the answer before.
    package var hasEarlyAnswer: Bool { (http2?.earlyAnswers ?? 0) > 0 }

    /// The exchanges of all such answers, as they stand.
    package func letEarlyAnswersGo() -> [Exchange] {
        http2?.letEarlyAnswersGo(&assembler)
        return assembler.takeFinished()
    }

    /// The client holds back the body of the request at hand, which has its final answer: what comes next may be another request
    /// (RFC 9110, section 10.1.1).
    package var mayLackBody: Bool { http2 == nil && http1.mayLackBody }

    /// The connection speaks another protocol than HTTP now.
    package var isUpgraded: Bool { http2 == nil && http1.isUpgraded }

    /// The connection began with HTTP/1 and goes on with another protocol, be it HTTP/2 (`Upgrade: h2c`): nothing of it is told
    /// apart by request lines any more.
    package var hasLeftHTTP1: Bool { http1.isUpgraded || http1.goesOnAsHTTP2 != nil }

    /// The bytes of the server that belong to the other protocol already (``isUpgraded``); once.
    package func takeUnread() -> [UInt8] {
        defer { unread = [] }
        return unread
    }

    /// What was said since the last call in tunnels within HTTP/2, which each connected exchange of CONNECT has begun.
    package func takeTunnelled() -> [HTTP2TunnelPiece] { http2?.tunnels.take() ?? [] }

    /// Exchanges whose answer is not complete.
    package var pendingExchanges: Int { assembler.pendingCount }
}
