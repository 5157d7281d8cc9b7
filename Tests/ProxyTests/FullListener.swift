import NIOCore
import NIOPosix

/// A server that is too busy to take connections: who connects gets no answer, as behind a firewall that drops.
final class FullListener: Sendable {
    let port: Int
    private let channel: any Channel
    private let clients: [EventLoopFuture<any Channel>]

    init() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        channel = try await ServerBootstrap(group: group).serverChannelOption(.backlog, value: 1)
            .serverChannelOption(.autoRead, value: false).bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: port)
        let bootstrap = ClientBootstrap(group: group).connectTimeout(.seconds(60))
        // The first ones fill its queue; the rest waits as whoever comes after them.
        clients = (0..<6).map { _ in bootstrap.connect(to: address) }
        _ = try await clients[0].get()
        try await Task.sleep(for: .milliseconds(50))
    }

    func stop() async throws {
        try await channel.close().get()
        for client in clients { client.whenSuccess { $0.close(promise: nil) } }
    }
}
