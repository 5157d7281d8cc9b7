import NIOCore
import Testing

@testable import Proxy

struct OwnAddressTests {
    private static let machine = MachineAddresses(entries: [
        .init(interface: "lo", address: "127.0.0.1"), .init(interface: "docker0", address: "172.17.0.1"),
        .init(interface: "wlan0", address: "192.168.1.20"),
        .init(interface: "wlan0", address: "192.168.1.21"),
        .init(interface: "eth0", address: "169.254.3.4"), .init(interface: "wlan0", address: "fe80::1"),
        .init(interface: "wlan0", address: "2001:db8::20"), .init(interface: "lo", address: "::1"),
    ])

    private func own(_ listening: String, host: String? = nil) throws -> OwnAddress {
        let own = OwnAddress(machine: { Self.machine })
        own.set(try SocketAddress(ipAddress: listening, port: 8080), host: host ?? listening)
        return own
    }

    static let names: [(listening: String, authority: String, isOwn: Bool)] = [
        ("127.0.0.1", "authreel.proxy:443", true), ("127.0.0.1", "AUTHREEL.proxy.:1", true),
        ("127.0.0.1", "127.0.0.1:8080", true), ("127.0.0.1", "localhost:8080", true),
        ("127.0.0.1", "[::1]:8080", true), ("127.0.0.1", "127.0.0.1:8081", false),
        ("127.0.0.1", "127.0.0.2:8080", false), ("127.0.0.1", "192.168.1.20:8080", false),
        ("127.0.0.1", "[::ffff:127.0.0.1]:8080", true), ("127.0.0.1", "other.example:8080", false),
        ("0.0.0.0", "0.0.0.0:8080", true), ("0.0.0.0", "127.0.0.2:8080", true),
        ("0.0.0.0", "localhost:8080", true), ("0.0.0.0", "192.168.1.20:8080", true),
        ("0.0.0.0", "192.168.1.21:8080", true), ("0.0.0.0", "172.17.0.1:8080", true),
        ("0.0.0.0", "192.168.1.22:8080", false), ("0.0.0.0", "192.168.1.20:80", false),
        ("0.0.0.0", "[2001:db8::20]:8080", false), ("0.0.0.0", "[::ffff:192.168.1.20]:8080", true),
        ("::", "[2001:db8:0:0::20]:8080", true), ("::", "192.168.1.20:8080", true),
        ("::", "[::1]:8080", true), ("::", "[2001:db8::21]:8080", false),
        ("192.168.1.20", "192.168.1.20:8080", true), ("192.168.1.20", "192.168.1.21:8080", false),
        // There the application under test may listen.
        ("192.168.1.20", "localhost:8080", false), ("192.168.1.20", "127.0.0.1:8080", false),
    ]

    @Test(arguments: names.indices)
    func addressesOfTheProxyAreItsOwn(_ index: Int) throws {
        let row = Self.names[index]
        let origin = try #require(Origin(authority: row.authority, defaultPort: nil))
        #expect(
            try own(row.listening).isNamed(by: origin) == row.isOwn,
            "\(row.authority) on \(row.listening)"
        )
    }

    @Test func nameThatIsListenedOnIsOwn() throws {
        let origin = try #require(Origin(authority: "my-laptop:8080", defaultPort: nil))
        #expect(try own("192.168.1.20", host: "My-Laptop").isNamed(by: origin))
        #expect(try !own("192.168.1.20").isNamed(by: origin))
    }

    static let dialled: [(listening: String, remote: String, local: String, isReached: Bool)] = [
        ("127.0.0.1", "127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "192.168.1.20", "192.168.1.20", false),
        ("0.0.0.0", "192.168.1.20", "192.168.1.20", true),
        // The system dials these from another address than theirs.
        ("0.0.0.0", "127.0.0.2", "127.0.0.1", true), ("0.0.0.0", "192.168.1.21", "192.168.1.20", true),
        ("0.0.0.0", "192.168.1.22", "192.168.1.20", false), ("0.0.0.0", "::1", "2001:db8::20", false),
        ("::", "192.168.1.21", "192.168.1.20", true),
        ("::", "::ffff:192.168.1.21", "::ffff:192.168.1.20", true),
        ("::", "2001:db8::20", "::1", true), ("192.168.1.20", "192.168.1.20", "192.168.1.20", true),
        ("192.168.1.20", "127.0.0.1", "127.0.0.1", false),
    ]

    @Test(arguments: dialled.indices)
    func connectionToOurselvesIsRecognised(_ index: Int) throws {
        let row = Self.dialled[index]
        let remote = try SocketAddress(ipAddress: row.remote, port: 8080)
        let local = try SocketAddress(ipAddress: row.local, port: 50_000)
        let own = try own(row.listening)
        #expect(
            own.isReached(remote: remote, local: local) == row.isReached,
            "\(row.remote) from \(row.local) on \(row.listening)"
        )
        let other = try SocketAddress(ipAddress: row.remote, port: 8081)
        #expect(!own.isReached(remote: other, local: local))
    }

    static let onNetwork: [(listening: String, addresses: [String])] = [
        ("127.0.0.1", []), ("::1", []),
        ("0.0.0.0", ["192.168.1.20:8080", "192.168.1.21:8080", "172.17.0.1:8080"]),
        ("::", ["192.168.1.20:8080", "192.168.1.21:8080", "172.17.0.1:8080"]),
        ("192.168.1.21", ["192.168.1.21:8080"]), ("2001:db8::20", ["[2001:db8::20]:8080"]),
    ]

    @Test(arguments: onNetwork.indices)
    func addressesForOthersAreThoseTheyCanReach(_ index: Int) throws {
        let row = Self.onNetwork[index]
        #expect(try own(row.listening).onNetwork.map(\.description) == row.addresses)
    }

    @Test func machineHasALoopbackAddress() {
        #expect(MachineAddresses.current().contain("127.0.0.1"))
    }

    @Test func nothingIsOwnBeforeItListensButTheName() throws {
        let own = OwnAddress(machine: { Self.machine })
        let remote = try SocketAddress(ipAddress: "127.0.0.1", port: 8080)
        #expect(!own.isReached(remote: remote, local: nil))
        #expect(own.isNamed(by: try #require(Origin(authority: "authreel.proxy:443", defaultPort: nil))))
        #expect(!own.isNamed(by: try #require(Origin(authority: "localhost:8080", defaultPort: nil))))
        #expect(own.onNetwork.isEmpty)
    }
}
