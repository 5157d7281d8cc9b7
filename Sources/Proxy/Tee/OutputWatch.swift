internal import NIOCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Looks, time and again, at what was written to a connection, until the other end takes nothing of it any more.
struct OutputWatch {
    /// What the other end of a connection has not got.
    struct Left: Equatable {
        /// In bytes, that the system has not taken.
        var queued: Int
        var unacknowledged: UInt32 = 0
        var unsent: UInt32 = 0

        var isNothing: Bool { queued == 0 && unacknowledged == 0 && unsent == 0 }
    }

    static let interval = TimeAmount.milliseconds(100)

    /// Who takes nothing for so long will take nothing any more.
    let patience: TimeAmount
    /// What was left when it was looked at last, and since when it was that.
    private var last: (left: Left, since: NIODeadline)?

    init(patience: TimeAmount) { self.patience = patience }

    /// Takes note of what is left.
    ///
    /// - Returns: whether it has been the same for too long.
    mutating func isStalled(_ left: Left, at now: NIODeadline) -> Bool {
        guard let last, last.left == left else {
            last = (left, now)
            return false
        }
        return now - last.since >= patience
    }

    /// Call on the channel's loop.
    ///
    /// - Parameters:
    ///   - channel: the connection.
    ///   - isOver: whether what is left is nothing to wait for; nil where that cannot be known.
    ///   - done: called then, or when nothing has gone for too long; not where the connection was closed.
    func wait(on channel: any Channel, until isOver: @escaping (Left?) -> Bool, _ done: @escaping () -> Void)
    {
        guard channel.isActive else { return }
        guard let socket = channel as? any SocketOptionProvider else { return isOver(nil) ? done() : () }
        Self.left(in: channel, socket).assumeIsolated().whenComplete { result in
            let left = try? result.get()
            guard !isOver(left) else { return done() }
            guard let left else { return }
            var watch = self
            guard !watch.isStalled(left, at: channel.eventLoop.now) else { return done() }
            let next = watch
            channel.eventLoop.assumeIsolated().scheduleTask(in: Self.interval) {
                next.wait(on: channel, until: isOver, done)
            }
        }
    }

    private static func left(
        in channel: any Channel,
        _ socket: any SocketOptionProvider
    ) -> EventLoopFuture<Left> {
        let queued = channel.getOption(.bufferedWritableBytes)
        #if os(Linux)
        // `struct tcp_info` up to `tcpi_notsent_bytes`, which the C library's does not have (linux/tcp.h; Linux 4.6).
        let info: EventLoopFuture<InlineArray<38, UInt32>> = socket.unsafeGetSocketOption(
            level: .tcp,
            name: .init(rawValue: TCP_INFO)
        )
        return queued.and(info).map { Left(queued: $0, unacknowledged: $1[6], unsent: $1[36]) }
        #else
        let count: EventLoopFuture<CInt> = socket.unsafeGetSocketOption(
            level: .socket,
            name: .init(rawValue: SO_NWRITE)
        )
        return queued.and(count).map { Left(queued: $0, unacknowledged: 0, unsent: UInt32(clamping: $1)) }
        #endif
    }
}
