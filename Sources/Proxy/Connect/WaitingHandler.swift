internal import NIOCore

/// A handler that waits for one thing at a time, and for no longer than it is worth.
protocol WaitingHandler: AnyObject {
    /// Nil outside of a pipeline.
    var context: ChannelHandlerContext? { get }
    /// What is done where nothing comes; cancelled where something does.
    var deadline: Scheduled<Void>? { get set }
}

extension WaitingHandler {
    /// Does something on the channel's loop, unless another thing is waited for by then; nothing outside of a pipeline.
    func setDeadline(_ time: Duration, _ body: @escaping () -> Void) {
        deadline?.cancel()
        deadline = context?.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(time), body)
    }

    /// A head that has begun has to end in time; does something where it has not, and waits for nothing where none has begun.
    func watchHead(isInside: Bool, within time: Duration, _ late: @escaping () -> Void) {
        guard isInside else {
            deadline?.cancel()
            deadline = nil
            return
        }
        guard deadline == nil else { return }
        setDeadline(time) { [self] in
            deadline = nil
            late()
        }
    }
}
