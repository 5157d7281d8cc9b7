internal import Captures
internal import NIOCore
internal import Wire

/// A request for somebody that is not carried out, since its head cannot be acted on.
struct RefusedRequest {
    /// Whom its URL names; nil where that cannot be made out.
    let origin: Origin?
    /// As much of the head as there is, without what is for proxies only.
    private let head: [UInt8]

    /// Nil where no URL is asked for, so that it is for nobody but the recorder itself.
    ///
    /// `bytes`: from the first of the request line on, with whatever follows the head.
    init?(_ bytes: some RandomAccessCollection<UInt8>) {
        guard let head = Self.head(of: bytes), !head.starts(with: "CONNECT ".utf8),
            let end = head.firstIndex(of: 0x0a),
            let first = head[..<end].firstIndex(of: 0x20), let last = head[..<end].lastIndex(of: 0x20),
            last > first, let url = ProxyRequest.AbsoluteForm(head[(first + 1)..<last])
        else { return nil }
        origin = Origin(authority: url.authority, defaultPort: url.isSecure ? 443 : 80)
        self.head = head[...end] + ProxyRequest.withoutProxyFields(head[(end + 1)...])
    }

    /// Up to its end, or as many whole lines as there are; nil where there is none.
    private static func head(of bytes: some RandomAccessCollection<UInt8>) -> [UInt8]? {
        var scanner = HeadScanner()
        if let end = scanner.length(in: bytes) { return Array(bytes.prefix(end)) }
        guard let feed = bytes.lastIndex(of: 0x0a) else { return nil }
        return bytes[...feed] + [0x0d, 0x0a]
    }

    /// What it comes to in the capture.
    ///
    /// - Parameters:
    ///   - configuration: of the decoder.
    ///   - reason: why it is not carried out.
    ///   - time: when it came.
    /// - Returns: the exchange, without an answer; nil where the head is none that can be read.
    func exchange(_ configuration: Conversation.Configuration, _ reason: String, at time: Timestamp)
        -> Exchange?
    {
        let conversation = Conversation(configuration)
        let read = conversation.received(ByteBuffer(bytes: head), from: .client, at: time)
        var exchange = (read + conversation.abandon(at: time, reason: reason)).first
        // Where it is not read to its end, that is said of it as well.
        exchange?.failure = reason
        return exchange
    }
}

extension ProxyContext {
    /// Takes down a request that is answered by the proxy itself, where it was for somebody, and tells of it once it is known
    /// whose it is.
    ///
    /// - Parameters:
    ///   - refusal: the answer.
    ///   - bytes: the request, from the first byte on.
    ///   - identity: whose it is.
    func refuse(
        _ refusal: ProxyRequest.Refusal,
        to bytes: some RandomAccessCollection<UInt8>,
        of identity: ClientIdentity
    ) {
        let exchange = exchange(of: bytes, identity, refusal.failure)
        if let exchange { gate.keep([exchange]) }
        identity.whenFound { [self] in
            notify(
                .requestRefused(
                    status: refusal.status,
                    reason: refusal.reason,
                    client: identity.facts,
                    isRecorded: exchange != nil
                )
            )
        }
    }

    /// Takes down a request whose head did not come to its end, where it was for somebody.
    func noteCut(_ bytes: some RandomAccessCollection<UInt8>, of identity: ClientIdentity) {
        if let exchange = exchange(of: bytes, identity, AnswerLoss.requestCut) { gate.keep([exchange]) }
    }

    /// Nil for what is not for the capture: requests to ourselves, of those who would have to say who they are, to hosts that are
    /// left alone.
    private func exchange(
        of bytes: some RandomAccessCollection<UInt8>,
        _ identity: ClientIdentity,
        _ reason: String
    ) -> Exchange? {
        guard configuration.proxyCredentials == nil || identity.isVouchedFor,
            let request = RefusedRequest(bytes), request.origin.map({ !own.isNamed(by: $0) }) ?? true,
            request.origin.map({ configuration.opens($0.host) }) ?? configuration.opensAll
        else { return nil }
        var reading = Conversation.Configuration(scheme: "http", authority: "")
        reading.maximumBodyBytes = 0
        reading.takeHeads(of: configuration.limits.headBytes)
        reading.connection.id = identity.connectionID
        reading.client = identity.facts
        return request.exchange(reading, reason, at: clock())
    }
}
