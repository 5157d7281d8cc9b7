import Captures
import Foundation
import NIOCore
import NIOPosix

/// A server that is too busy to take connections: who connects gets no answer, as behind a firewall that drops.
final class FullListener: Sendable {
    let port: Int
    private let channel: any Channel
    private let clients: [any Channel]

    /// Fills the queue of a listener that takes nothing out of it, one after the other, until one waits in vain.
    init() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        channel = try await ServerBootstrap(group: group).serverChannelOption(.backlog, value: 1)
            .serverChannelOption(.autoRead, value: false).bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: port)
        let bootstrap = ClientBootstrap(group: group).connectTimeout(.milliseconds(500))
        var clients: [any Channel] = []
        do {
            while clients.count < 64 { clients.append(try await bootstrap.connect(to: address).get()) }
        } catch is ChannelError {
            // The queue is full.
        }
        self.clients = clients
    }

    /// Waits until somebody tries to connect, in vain as yet.
    func waitUntilDialed() async throws {
        // The remote address in hexadecimal, then the state: SYN_SENT (proc_pid_net(5)).
        let entry =
            ":" + Hexadecimal.encode([UInt8(port >> 8), UInt8(port & 0xff)], isUppercase: true) + " 02 "
        for _ in 0..<1000 {
            let sockets = ["/proc/net/tcp", "/proc/net/tcp6"].map { path in
                // Their size is not known before they are read to the end.
                let bytes = try? FileHandle(forReadingAtPath: path)?.readToEnd()
                return String(decoding: bytes ?? Data(), as: UTF8.self)
            }
            if sockets.contains(where: { $0.contains(entry) }) { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw NobodyDialed()
    }

    private struct NobodyDialed: Error {}

    func stop() async throws {
        try await channel.close().get()
        for client in clients { client.close(promise: nil) }
    }
}
