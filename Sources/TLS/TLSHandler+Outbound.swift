internal import LibCrypto
package import NIOCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// What goes to the other end: what is written, encrypted, and what TLS itself has to say.
extension TLSHandler {
    package func triggerUserOutboundEvent(
        context: ChannelHandlerContext,
        event: Any,
        promise: EventLoopPromise<Void>?
    ) {
        guard case TLSEnd.unannounced? = event as? TLSEnd else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        isSilent = true
        promise?.succeed()
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = unwrapOutboundIn(data)
        switch state {
        case .handshaking: waiting.append((bytes, promise))
        case .established where !isOutputClosed: encrypt(bytes, promise, context)
        default: promise?.fail(TLSError.closed)
        }
    }

    package func flush(context: ChannelHandlerContext) {
        send(context)
        context.flush()
    }

    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .output || mode == .all, !isOutputClosed {
            isOutputClosed = true
            if state == .established, !isSilent {
                connection?.shutdown()
                send(context)
            }
        }
        context.close(mode: mode, promise: promise)
    }

    // MARK: -

    private func encrypt(
        _ bytes: ByteBuffer,
        _ promise: EventLoopPromise<Void>?,
        _ context: ChannelHandlerContext
    ) {
        guard let connection else { return }
        use(context)
        do throws(TLSError) {
            try connection.write(bytes)
        } catch {
            promise?.fail(error)
            guard connection.isDelayed else { return }
            // Part of what was written is lost.
            state = .finished
            return context.fireErrorCaught(error)
        }
        tellWriters(context)
        if let promise {
            // With a promise the record has to be its own write.
            context.write(wrapOutboundOut(connection.outgoing), promise: promise)
            connection.sentOutgoing()
        }
    }

    func send(_ context: ChannelHandlerContext) {
        guard let connection, connection.hasUrgentOutgoing else { return }
        sendAll(of: connection, context)
    }

    func sendAll(of connection: TLSConnection, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(connection.outgoing), promise: nil)
        // The write is usually done by now.
        connection.sentOutgoing()
    }

    func sendWaiting(_ context: ChannelHandlerContext) {
        guard !waiting.isEmpty else { return }
        let writes = waiting
        waiting = []
        for (bytes, promise) in writes { encrypt(bytes, promise, context) }
        flush(context: context)
    }

    func failWaiting(_ error: any Error) {
        let writes = waiting
        waiting = []
        for (_, promise) in writes { promise?.fail(error) }
    }

    /// Lets the system acknowledge at once what has come.
    ///
    /// As long as nothing of ours goes to the client the system waits for it, some 40 ms, and a client that has not turned
    /// off Nagle's algorithm (RFC 896) waits for the acknowledgement before it sends its request.
    func acknowledge(_ context: ChannelHandlerContext) {
        guard let connection, connection.hasOnlyPatientOutgoing else { return }
        #if os(Linux)
        // An even number: for this once (tcp(7), TCP_QUICKACK).
        let option = ChannelOptions.Types.SocketOption(level: .tcp, name: .init(rawValue: TCP_QUICKACK))
        try? context.channel.syncOptions?.setOption(option, value: 2)
        #else
        sendAll(of: connection, context)
        #endif
    }

    // MARK: Telling

    func tellOfLateCertificate(_ context: ChannelHandlerContext) {
        guard let late = connection?.takeLateCertificate() else { return }
        context.fireUserInboundEventTriggered(late)
    }

    func tellWriters(_ context: ChannelHandlerContext) {
        guard let connection, connection.isDelayed != isWritingDelayed else { return }
        isWritingDelayed.toggle()
        context.fireUserInboundEventTriggered(isWritingDelayed ? TLSWriting.waits : .goesOn)
    }
}
