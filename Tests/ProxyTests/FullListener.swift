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

    func stop() async throws {
        try await channel.close().get()
        for client in clients { client.close(promise: nil) }
    }
}
