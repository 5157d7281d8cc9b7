internal import NIOCore

/// A connection that nobody uses gives its memory back.
extension TLSHandler {
    /// Bytes of the buffers that are given back, as far as they are ours: OpenSSL does not tell of its own.
    package var heldBytes: Int { plaintext.capacity + (connection?.heldBytes ?? 0) }

    /// One look at a time is under way, however much comes and goes meanwhile.
    func use(_ context: ChannelHandlerContext) {
        isUsed = true
        guard !isWatched else { return }
        isWatched = true
        watch(context)
    }

    private func watch(_ context: ChannelHandlerContext) {
        isUsed = false
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.idleTime) { [weak self] in
            guard let self, let connection else { return }
            guard !isUsed else { return watch(context) }
            isWatched = false
            if connection.outgoing.readableBytes > 0 { sendAll(of: connection, context) }
            plaintext = ByteBuffer()
            connection.releaseBuffers()
        }
    }
}
