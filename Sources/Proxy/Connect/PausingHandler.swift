internal import NIOCore

/// A handler that reads only while what it reads can go on.
protocol PausingHandler: AnyObject {
    /// Nil outside of a pipeline.
    var context: ChannelHandlerContext? { get }
    /// Whether there was something to be read when nothing could go on.
    var isReadPending: Bool { get set }
}

extension PausingHandler {
    /// Reads what was not read before, if anything was to be.
    func resumeReading() {
        guard isReadPending, let context else { return }
        isReadPending = false
        context.read()
    }
}
