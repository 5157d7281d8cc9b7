internal import NIOCore

extension ChannelHandlerContext {
    /// Sends an answer behind which nothing comes, and closes when the client has had the time to read it.
    ///
    /// - Returns: what closes; to be cancelled where the client has done so before.
    func writeLast(_ answer: [UInt8], lingering time: Duration) -> Scheduled<Void> {
        writeAndFlush(NIOAny(ByteBuffer(bytes: answer)), promise: nil)
        close(mode: .output, promise: nil)
        return eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(time)) { [self] in
            close(promise: nil)
        }
    }
}
