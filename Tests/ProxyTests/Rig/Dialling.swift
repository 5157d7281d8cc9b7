import NIOCore
import NIOPosix
import Testing

@testable import Proxy

/// Has a connector dial, for tests.
enum Dialling {
    /// Why there is no connection to `host:port`; nil where there is, which is closed then.
    static func failure(
        of authority: String,
        _ connector: UpstreamConnector,
        isRestricted: Bool = false
    ) async -> UpstreamFailure? {
        guard let origin = Origin(authority: authority, defaultPort: nil) else {
            Issue.record("\(authority) is no origin")
            return nil
        }
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        do {
            let connection = try await loop.flatSubmit {
                connector.connect(UpstreamRequest(origin: origin, isRestricted: isRestricted), on: loop)
            }.get()
            try? await connection.channel.close().get()
            return nil
        } catch {
            return error as? UpstreamFailure ?? UpstreamFailure(reason: "\(error)")
        }
    }
}
