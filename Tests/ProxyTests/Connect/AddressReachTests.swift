import NIOCore
import Testing

@testable import Proxy

struct AddressReachTests {
    static let addresses: [(text: String, reach: AddressReach)] = [
        ("127.0.0.1", .loopback), ("127.255.255.254", .loopback), ("::1", .loopback),
        ("::ffff:127.0.0.1", .loopback),
        ("::ffff:7f00:1", .loopback), ("::127.0.0.1", .loopback), ("64:ff9b::127.0.0.1", .loopback),
        ("2002:7f00:1::", .loopback), ("0.0.0.0", .unspecified), ("0.1.2.3", .unspecified),
        ("::", .unspecified),
        ("::ffff:0.0.0.0", .unspecified), ("169.254.169.254", .linkLocal),
        ("::ffff:169.254.169.254", .linkLocal),
        ("64:ff9b::a9fe:a9fe", .linkLocal), ("fe80::1", .linkLocal), ("febf::1", .linkLocal),
        ("fd00:ec2::254", .linkLocal),
        ("fec0::1", .beyond), ("fd00:ec2::255", .beyond), ("128.0.0.1", .beyond), ("169.253.1.1", .beyond),
        ("10.0.0.1", .beyond), ("192.0.2.1", .beyond), ("::ffff:192.0.2.1", .beyond),
        ("2001:db8::1", .beyond),
        ("1::1", .beyond), ("::2:127.0.0.1", .beyond), ("::2", .beyond),
        // Of those that stand for one of IPv4 just one bit more or less.
        ("::ff00:127.0.0.1", .beyond), ("::fffe:127.0.0.1", .beyond),
    ]

    @Test(arguments: addresses.indices)
    func addressIsJudgedByItsBytes(_ index: Int) throws {
        let row = Self.addresses[index]
        #expect(AddressReach(try SocketAddress(ipAddress: row.text, port: 1)) == row.reach, "\(row.text)")
    }

    @Test func bytesAreInNetworkOrder() throws {
        #expect(AddressReach.bytes(of: try SocketAddress(ipAddress: "192.0.2.7", port: 1)) == [192, 0, 2, 7])
        let bytes = AddressReach.bytes(of: try SocketAddress(ipAddress: "2001:db8::7", port: 1))
        #expect(bytes == [0x20, 0x01, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11) + [7])
    }

    @Test func clientOfThisMachineIsNotRemote() throws {
        let machine = MachineAddresses(entries: [
            .init(interface: "lo", address: "127.0.0.1"), .init(interface: "wlan0", address: "192.168.1.20"),
            .init(interface: "wlan0", address: "192.168.1.21"),
        ])
        for (client, own, isRemote) in [
            ("127.0.0.1", "127.0.0.1", false), ("::1", "::1", false),
            ("::ffff:127.0.0.1", "::ffff:127.0.0.1", false),
            ("192.168.1.20", "192.168.1.20", false), ("192.168.1.21", "192.168.1.20", false),
            ("::ffff:192.168.1.21", "::ffff:192.168.1.20", false), ("192.168.1.22", "192.168.1.20", true),
            ("::ffff:192.168.1.22", "::ffff:192.168.1.20", true), ("172.17.0.2", "172.17.0.1", true),
        ] {
            let ends = try (
                SocketAddress(ipAddress: client, port: 5), SocketAddress(ipAddress: own, port: 8080)
            )
            #expect(ClientIdentity.isRemote(ends.0, ends.1, machine: { machine }) == isRemote, "\(client)")
        }
    }
}
