internal import NIOCore

/// Judges, by resolved addresses, where a connection may lead.
struct DestinationPolicy: Sendable {
    /// Where this program listens; set once it does.
    let own: [OwnAddress]
    /// Those that play an origin, with addresses that are among those.
    var reverse: [ReverseListener] = []

    /// Those of a host's addresses that may be connected to.
    ///
    /// - Parameters:
    ///   - addresses: all that are known, one at least.
    ///   - origin: what the client asked for.
    ///   - isRestricted: whether it is a client on the network, to which this machine's loopback is closed.
    /// - Returns: some of them.
    /// - Throws: ``UpstreamFailure`` where none is left, or one betrays what the name is for.
    func permitted(_ addresses: [SocketAddress], of origin: Origin, isRestricted: Bool)
        throws(UpstreamFailure)
        -> [SocketAddress]
    {
        if isRestricted {
            for address in addresses {
                let reach = AddressReach(address)
                // Also where other addresses would do: an honest name does not lead to both.
                guard reach == .beyond else { throw .notFromNetwork(origin, reach.words) }
            }
        }
        let others = addresses.filter { !isOwn($0) }
        guard !others.isEmpty else { throw loop(origin) }
        return others
    }

    /// What is said of an origin that leads to a listener of ours.
    func loop(_ origin: Origin) -> UpstreamFailure { .loop(origin, reverse: reverse) }

    /// Whether a connection to this address would lead to a listener of ours.
    func isOwn(_ address: SocketAddress) -> Bool {
        own.contains { $0.isReached(remote: Self.dialled(address), local: nil) }
    }

    /// Whether a connection that was made leads to a listener of ours.
    func isOwn(_ channel: any Channel) -> Bool { own.contains { $0.isReached(by: channel) } }

    /// Where the system connects to: `0.0.0.0` and `::` are loopback then.
    private static func dialled(_ address: SocketAddress) -> SocketAddress {
        guard AddressReach(address) == .unspecified else { return address }
        let isIPv4 = address.ipAddress.map(MachineAddresses.canonical).map(MachineAddresses.isIPv4) ?? true
        return (try? SocketAddress(ipAddress: isIPv4 ? "127.0.0.1" : "::1", port: address.port ?? 0))
            ?? address
    }
}
