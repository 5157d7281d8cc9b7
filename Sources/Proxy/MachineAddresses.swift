internal import Captures
internal import NIOCore
internal import NIOPosix

/// The addresses of this machine's network interfaces.
struct MachineAddresses: Sendable {
    /// An address with the interface that has it.
    struct Entry: Equatable, Sendable {
        var interface: String
        /// As ``canonical(_:)`` writes it.
        var address: String
    }

    var entries: [Entry]

    /// As they are now; a laptop's change with its network.
    static func current() -> MachineAddresses {
        // Where the system does not tell, loopback is known all the same.
        let devices = (try? System.enumerateDevices()) ?? []
        return MachineAddresses(
            entries: devices.compactMap { device in
                device.address?.ipAddress.map { Entry(interface: device.name, address: canonical($0)) }
            }
        )
    }

    func contain(_ address: String) -> Bool {
        entries.contains { $0.address == address }
    }

    /// The IPv4 addresses at which others on the network find this machine, the likeliest first.
    ///
    /// Without loopback and link-local ones; those of bridges, containers and tunnels come last.
    var reachable: [String] {
        let found = entries.filter {
            Self.isIPv4($0.address) && !Self.isLoopback($0.address) && !Self.isLinkLocal($0.address)
        }
        let (physical, virtual) = (
            found.filter { !Self.isVirtual($0.interface) }, found.filter { Self.isVirtual($0.interface) }
        )
        return (physical + virtual).map(\.address).eachOnce()
    }

    private static func isVirtual(_ interface: String) -> Bool {
        [
            "docker", "br-", "veth", "virbr", "vmnet", "vboxnet", "podman", "cni", "lxc", "tun", "tap", "wg",
            "utun", "bridge",
        ]
        .contains { interface.hasPrefix($0) }
    }

    // MARK: Addresses as text

    /// The one way to write an address, without brackets; an IPv4 address in IPv6 form becomes the former, and
    /// what is no address stays as it is.
    static func canonical(_ text: String) -> String {
        guard let address = (try? SocketAddress(ipAddress: text, port: 0))?.ipAddress else { return text }
        let mapped = "::ffff:"
        return address.hasPrefix(mapped) && address.contains(".")
            ? String(address.dropFirst(mapped.count)) : address
    }

    static func isIPv4(_ address: String) -> Bool {
        if case .v4? = try? SocketAddress(ipAddress: address, port: 0) { true } else { false }
    }

    static func isLoopback(_ address: String) -> Bool {
        address == "::1" || isIPv4(address) && address.hasPrefix("127.")
    }

    static func isLinkLocal(_ address: String) -> Bool {
        isIPv4(address) ? address.hasPrefix("169.254.") : address.hasPrefix("fe80:")
    }

    /// Whether to listen on it is to listen on all addresses.
    static func isWildcard(_ address: String) -> Bool { address == "0.0.0.0" || address == "::" }
}
