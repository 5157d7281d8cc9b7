internal import LibCrypto
package import NIOCore

/// TLS for one end of a channel: ciphertext towards the socket, plaintext towards the tail.
///
/// Fires one ``HandshakeOutcome`` as a user inbound event, before any plaintext. The end of what the other
/// end sends (close_notify, or just the end of its bytes) is `ChannelEvent.inputClosed`. `close(mode:
/// .output)` says close_notify and ends our half only. What is written before the end of the handshake waits
/// for it; a writer that heeds
/// `isWritable` keeps that small, since nothing is encrypted, and so counted, before.
///
/// Where the other end's bytes just end, ``TLSEnd/unannounced`` is fired before; triggered, it has our own end come like that.
///
/// A server that asks for a certificate later is answered like at the beginning; ``LateClientCertificate`` tells of it. While it
/// begins another handshake nothing can be sent: ``TLSWriting`` says so.
///
/// A connection that nobody uses for ``idleTime`` gives its buffers back, OpenSSL's too, until it is used again.
package final class TLSHandler: ChannelDuplexHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    enum State {
        case handshaking
        case established
        /// After a failure or the end: bytes are dropped, writes fail.
        case finished
    }

    private let configuration: TLSConfiguration
    private let tlsContext: TLSContext
    private var firstBytes: ByteBuffer?
    var connection: TLSConnection?
    var state = State.handshaking
    var plaintext = ByteBuffer()
    var waiting: [(ByteBuffer, EventLoopPromise<Void>?)] = []
    private var isInputClosed = false
    /// Whether each record is handed on by itself.
    ///
    /// A client of HTTP/2 that is sent a stream's end and its reset in one record may see the reset first (curl 7.88), so they stay
    /// apart where the server kept them apart.
    private var keepsRecords = false
    var isOutputClosed = false
    /// Whether our end is not to be announced.
    var isSilent = false
    /// Whether those who write were told to wait.
    var isWritingDelayed = false
    /// Whether anything came or went since somebody looked.
    var isUsed = false
    var isWatched = false

    /// How long the memory of a connection without traffic is kept: most requests come in bursts.
    package static let idleTime = TimeAmount.seconds(1)

    /// - Parameters:
    ///   - context: shared by many.
    ///   - configuration: of this connection.
    ///   - firstBytes: what was already read of the other end's bytes, for whoever looked at them.
    package init(context: TLSContext, configuration: TLSConfiguration, firstBytes: ByteBuffer? = nil) {
        self.tlsContext = context
        self.configuration = configuration
        self.firstBytes = firstBytes
    }

    // MARK: Life

    package func handlerAdded(context: ChannelHandlerContext) {
        plaintext = context.channel.allocator.buffer(capacity: 0)
        if context.channel.isActive { begin(context) }
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        failWaiting(ChannelError.ioOnClosedChannel)
        connection = nil
    }

    package func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        begin(context)
    }

    package func channelInactive(context: ChannelHandlerContext) {
        if state == .handshaking { fail(brokenOff(.closed), context) }
        state = .finished
        failWaiting(ChannelError.ioOnClosedChannel)
        context.fireChannelInactive()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard state == .handshaking else { return context.fireErrorCaught(error) }
        let words = (error as? IOError).map { SystemError.words($0.errnoCode) } ?? "\(error)"
        fail(brokenOff(.connectionError(words)), context)
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard connection == nil, state == .handshaking else { return }
        let role: TLSConnection.Role =
            switch configuration {
            case .client(let name, let alpn, let certificate, let endpoint):
                .client(name: name, alpn: alpn, certificate: certificate, endpoint: endpoint)
            case .server(let alpn): .server(alpn: alpn)
            }
        do throws(TLSError) {
            connection = try TLSConnection(
                context: tlsContext,
                role: role,
                allocator: context.channel.allocator
            )
        } catch {
            return fail(.failed(.protocolError(error.description)), context)
        }
        if let bytes = firstBytes {
            firstBytes = nil
            connection?.incoming = bytes
        }
        advance(context)
    }

    // MARK: Inbound

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Behind the end there is nothing that counts, and OpenSSL would not take it out of the buffer.
        guard let connection, state != .finished, !isInputClosed else { return }
        var bytes = unwrapInboundIn(data)
        if connection.incoming.readableBytes == 0 {
            connection.incoming = bytes
        } else {
            connection.incoming.writeBuffer(&bytes)
        }
        // Nobody else may hold what was read when the socket is read again: its memory is used anew then.
        bytes = ByteBuffer()
        advance(context)
        if connection.incoming.readableBytes == 0 { connection.incoming = ByteBuffer() }
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case ChannelEvent.inputClosed? = event as? ChannelEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        if state == .handshaking { return fail(brokenOff(.closed), context) }
        if !isInputClosed { context.fireUserInboundEventTriggered(TLSEnd.unannounced) }
        inputClosed(context)
    }

    /// Goes on with what has come: with the handshake until it is done, then with what is inside the records.
    private func advance(_ context: ChannelHandlerContext) {
        guard let connection else { return }
        use(context)
        if state == .handshaking { advanceHandshake(of: connection, context) }
        guard state == .established else { return }
        let isNew = connection.hasOnlyPatientOutgoing
        guard let end = passOnPlaintext(of: connection, context) else { return }
        // Answers of TLS itself: a KeyUpdate, an alert, a handshake that a server began once more.
        send(context)
        tellOfLateCertificate(context)
        tellWriters(context)
        if plaintext.readableBytes > 0 {
            context.fireChannelRead(wrapInboundOut(plaintext))
        } else if isNew {
            acknowledge(context)
        }
        switch end {
        case .needsInput, .more: break
        case .closed: inputClosed(context)
        case .failed(let error):
            guard state == .established else { return }
            state = .finished
            context.fireErrorCaught(error)
        }
    }

    private func advanceHandshake(of connection: TLSConnection, _ context: ChannelHandlerContext) {
        let progress = connection.handshake()
        send(context)
        switch progress {
        case .needsInput: break
        case .failed(let failure):
            if case .server = configuration, case .alertReceived(let alert) = failure,
                alert.rejectsCertificate
            {
                fail(.clientRejectedCertificate(alert), context)
            } else {
                fail(.failed(failure), context)
            }
        case .done:
            state = .established
            let facts = connection.facts
            keepsRecords = facts.alpn == "h2"
            context.fireUserInboundEventTriggered(HandshakeOutcome.completed(facts))
            sendWaiting(context)
        }
    }

    /// Reads what there is, and passes on all but the last piece, which stays in ``plaintext``.
    ///
    /// - Returns: why nothing more is read; nil where what was passed on ended the connection.
    private func passOnPlaintext(of connection: TLSConnection, _ context: ChannelHandlerContext)
        -> TLSConnection.ReadResult?
    {
        // Unique again by now unless somebody kept the last chunk: then this allocates, else it is the same
        // memory.
        plaintext.clear()
        var result = connection.read(into: &plaintext, byRecord: keepsRecords)
        tellOfLateCertificate(context)
        while case .more = result {
            context.fireChannelRead(wrapInboundOut(plaintext))
            // What was fired may have ended all.
            guard state == .established, self.connection != nil, !isInputClosed else { return nil }
            plaintext.clear()
            result = connection.read(into: &plaintext, byRecord: true)
            tellOfLateCertificate(context)
        }
        if case .needsInput = result {
            do throws(TLSError) { try connection.writeDelayed() } catch { result = .failed(error) }
        }
        return result
    }

    private func inputClosed(_ context: ChannelHandlerContext) {
        guard !isInputClosed else { return }
        isInputClosed = true
        context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    }

    /// A handshake that was broken off by the other end: after our certificate that is a client's way to say
    /// no.
    private func brokenOff(_ failure: HandshakeFailure) -> HandshakeOutcome {
        guard case .server = configuration, connection?.hasSentCertificate == true else {
            return .failed(failure)
        }
        return .clientRejectedCertificate(nil)
    }

    private func fail(_ outcome: HandshakeOutcome, _ context: ChannelHandlerContext) {
        guard state == .handshaking else { return }
        state = .finished
        failWaiting(TLSError.closed)
        context.fireUserInboundEventTriggered(outcome)
    }
}

/// How one direction of a connection comes to its end.
package enum TLSEnd: Sendable {
    /// Without close_notify: what was sent may have been cut off (RFC 8446, section 6.1).
    case unannounced
}

/// Whether what is written goes out, or waits until a server is done with another handshake (TLS 1.2).
package enum TLSWriting: Sendable {
    case waits
    case goesOn
}

// A handler belongs to its channel's event loop.
@available(*, unavailable)
extension TLSHandler: Sendable {}
