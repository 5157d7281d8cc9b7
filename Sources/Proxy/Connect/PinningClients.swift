internal import Captures
internal import NIOConcurrencyHelpers

/// The clients that do not accept our certificate for a host, each with the hosts: their further connections there are
/// passed through unread, so that the app under examination goes on working.
///
/// A client is its process, where the system tells, else its address. Never a host as a whole: another client of the same
/// host is recorded.
final class PinningClients: Sendable {
    private enum Opinion: Equatable {
        /// It broke off without a word, as a closed tab does; the time is that of the end.
        case doubtful(since: Timestamp)
        case certain
    }

    /// A hostile client may name any number of hosts.
    static let maximumCount = 4096

    private let opinions = NIOLockedValueBox<[ClientAtOrigin: Opinion]>([:])
    /// Those whose ends behind the handshake are no news: they have said something inside TLS, or their first end was told.
    private let known = NIOLockedValueBox<Set<ClientAtOrigin>>([])

    /// Takes note of a handshake that the client broke off at our certificate.
    ///
    /// - Parameters:
    ///   - client: whose.
    ///   - origin: for which server.
    ///   - saidSo: by an alert; an end without one counts from the second time on, by a connection that was begun after
    ///     the first had ended: what is closed side by side is one decision, of a browser whose tab is closed or that makes
    ///     all its connections anew.
    ///   - connection: from when until when it was there.
    /// - Returns: whether its next connection to the host is passed through.
    func rejected(
        by client: ClientFacts,
        _ origin: Origin,
        saidSo: Bool,
        _ connection: ClosedRange<Timestamp>
    ) -> Bool {
        guard let key = ClientAtOrigin(client, origin) else { return false }
        return opinions.withLockedValue { opinions in
            if opinions[key] == nil, opinions.count >= Self.maximumCount { opinions.removeAll() }
            let isCertain =
                switch opinions[key] {
                case .certain: true
                case .doubtful(let since): saidSo || connection.lowerBound >= since
                case nil: saidSo
                }
            opinions[key] = isCertain ? .certain : opinions[key] ?? .doubtful(since: connection.upperBound)
            return isCertain
        }
    }

    /// Takes note of a handshake that went well: an end without a word before it meant nothing.
    func accepted(by client: ClientFacts, _ origin: Origin) {
        guard let key = ClientAtOrigin(client, origin) else { return }
        opinions.withLockedValue { opinions in
            if opinions[key] != .certain { opinions[key] = nil }
        }
    }

    /// Takes note of a client that has said something inside TLS, or of its end behind the handshake before it has.
    ///
    /// - Returns: whether it is the first time; false where nothing tells the client from others.
    @discardableResult func takeNote(of client: ClientFacts, _ origin: Origin) -> Bool {
        guard let key = ClientAtOrigin(client, origin) else { return false }
        return known.withLockedValue { known in
            if known.count >= Self.maximumCount { known.removeAll() }
            return known.insert(key).inserted
        }
    }

    /// Whether a connection of this client to the host is left alone.
    func passesThrough(_ client: ClientFacts, _ origin: Origin) -> Bool {
        guard let key = ClientAtOrigin(client, origin) else { return false }
        return opinions.withLockedValue { $0[key] == .certain }
    }
}
