internal import Captures
internal import NIOConcurrencyHelpers

/// The clients that speak HTTP/2 to a server, each with the time of its last agreement on that.
///
/// A browser opens up to six connections to a server it does not know. With the first that speaks HTTP/2 it needs no other, and
/// closes those that are not done with their handshakes: nobody wanted anything of them, and nobody refused anything.
final class SpareConnections: Sendable {
    /// A hostile client may name any number of hosts.
    private static let maximumCount = 4096

    private let agreements = NIOLockedValueBox<[ClientAtOrigin: Timestamp]>([:])

    /// Takes note that a connection of this client speaks HTTP/2 from now on.
    func agreed(by client: ClientFacts, _ origin: Origin, at now: Timestamp) {
        guard let key = ClientAtOrigin(client, origin) else { return }
        agreements.withLockedValue { agreements in
            if agreements[key] == nil, agreements.count >= Self.maximumCount { agreements.removeAll() }
            agreements[key] = now
        }
    }

    /// Whether a connection on which nothing was asked was not needed any more when its client closed it.
    ///
    /// `begin`: when it was opened.
    func contain(_ client: ClientFacts, _ origin: Origin, since begin: Timestamp) -> Bool {
        guard let key = ClientAtOrigin(client, origin) else { return false }
        return agreements.withLockedValue { $0[key].map { $0 >= begin } ?? false }
    }
}
