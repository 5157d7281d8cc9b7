import Captures
import Foundation
import Replay

/// The two pipes on which a browser of the Chromium family is spoken to (`--remote-debugging-pipe`): no port, so
/// nobody else on this machine can.
///
/// The browser reads at its descriptor 3 and writes at 4; when our ends are closed, it ends.
final class DevToolsPipe: Sendable {
    /// Of the browser: read at 3, write at 4; ours until it has started.
    let childDescriptors: [Int32: Int32]
    private let input: Int32
    private let output: Int32

    /// Throws ``CommandFailure`` where the system has no descriptors left.
    init() throws {
        let (commandsOut, commandsIn) = try Self.pipe()
        let (messagesOut, messagesIn) = try Self.pipe()
        childDescriptors = [3: commandsOut, 4: messagesIn]
        input = messagesOut
        output = commandsIn
    }

    /// Gives up the browser's ends, which it has now.
    func started() { for descriptor in childDescriptors.values { close(descriptor) } }

    /// Reads until the browser closes its end.
    ///
    /// On a thread of its own, which waits; the calls come from there.
    func read(
        _ received: @escaping @Sendable (DevToolsMessage) -> Void,
        ended: @escaping @Sendable () -> Void
    ) {
        Thread.detachNewThread { [input] in
            var decoder = DevToolsDecoder()
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = buffer.withUnsafeMutableBytes { Foundation.read(input, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                for message in decoder.received(buffer[..<count]) { received(message) }
            }
            close(input)
            ended()
        }
    }

    /// Says something; a browser that has gone does not hear it.
    func send(_ command: DevToolsCommand) {
        let bytes = command.bytes
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            offset += count
        }
    }

    /// Says nothing more; the browser ends.
    func hangUp() { close(output) }

    /// Both ends above the numbers that a child gets them at, and closed in any other child.
    private static func pipe() throws -> (out: Int32, in: Int32) {
        var ends: [Int32] = [0, 0]
        guard Foundation.pipe(&ends) == 0 else {
            throw CommandFailure(.unavailable, "no pipe to a browser: \(errno.systemReason)")
        }
        let moved = ends.map { fcntl($0, F_DUPFD_CLOEXEC, 10) }
        ends.forEach { close($0) }
        guard moved.allSatisfy({ $0 >= 0 }) else {
            throw CommandFailure(.unavailable, "no pipe to a browser: \(errno.systemReason)")
        }
        return (moved[0], moved[1])
    }
}
