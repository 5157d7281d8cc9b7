#if os(Linux)
import Glibc
import NIOCore
import Testing

@testable import Proxy

struct ClientProcessTests {
    /// Two ends of one connection of this very process.
    private func connection(_ body: (SocketTable.Endpoint, SocketTable.Endpoint) throws -> Void) async throws
    {
        let rig = try await ProxyRig()
        let client = try await RawClient(port: rig.port)
        let ownPort = try #require(client.localAddress?.port)
        let own = try #require(SocketTable.Endpoint("127.0.0.1", port: ownPort))
        let peer = try #require(SocketTable.Endpoint("127.0.0.1", port: rig.port))
        try body(own, peer)
        try await client.close()
        await rig.stop()
    }

    @Test func bothWaysToTheSocketLeadToTheSameOne() async throws {
        try await connection { own, peer in
            let listed = try #require(SocketTable.readTable(own, peer))
            let asked = SocketTable.askKernel(own, peer)
            #expect(asked == .inode(listed) || asked == .notAvailable)
            #expect(SocketTable.readTable(peer, own) != listed, "each end has a socket of its own")
        }
    }

    @Test func ownerIsThisProcess() async throws {
        let rig = try await ProxyRig()
        let client = try await RawClient(port: rig.port)
        let owner = ClientProcess.owner(
            client: try #require(client.localAddress),
            proxy: try SocketAddress(ipAddress: "127.0.0.1", port: rig.port)
        )
        #expect(owner?.processID == getpid())
        #expect(owner?.name.isEmpty == false)
        try await client.close()
        await rig.stop()
    }

    @Test func ownerIsRememberedByTheDescriptor() async throws {
        let rig = try await ProxyRig()
        let proxy = try SocketAddress(ipAddress: "127.0.0.1", port: rig.port)
        let client = try await RawClient(port: rig.port)
        let address = try #require(client.localAddress)
        let owner = try #require(ClientProcess.owner(client: address, proxy: proxy))
        // Other tests have connections of their own meanwhile; it is found again where it was found just now.
        #expect(ClientProcess.likelyOwner(client: address, proxy: proxy)?.processID == owner.processID)
        try await client.close()
        #expect(ClientProcess.likelyOwner(client: address, proxy: proxy) == nil, "the socket is gone")
        await rig.stop()
    }

    /// Also where its descriptor is far from the one that was found last.
    @Test func ownerIsFoundWhereverItsDescriptorIs() async throws {
        let rig = try await ProxyRig()
        let proxy = try SocketAddress(ipAddress: "127.0.0.1", port: rig.port)
        var clients: [RawClient] = []
        for _ in 0..<30 { clients.append(try await RawClient(port: rig.port)) }
        for index in [0, 29, 1, 15, 16, 29] {
            let address = try #require(clients[index].localAddress)
            #expect(ClientProcess.owner(client: address, proxy: proxy)?.processID == getpid(), "\(index)")
        }
        for client in clients { try await client.close() }
        await rig.stop()
    }

    @Test func socketThatIsNotThereHasNoOwner() throws {
        let own = try #require(SocketTable.Endpoint("127.0.0.1", port: 1))
        let peer = try #require(SocketTable.Endpoint("127.0.0.1", port: 2))
        #expect(SocketTable.inode(own: own, peer: peer) == nil)
    }

    /// `struct nlmsghdr` of a length and a kind, the number of the question, and what follows.
    private func message(_ type: UInt16, number: UInt32, _ rest: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        func add(_ value: some FixedWidthInteger) { withUnsafeBytes(of: value) { bytes += $0 } }
        add(UInt32(16 + rest.count))
        add(type)
        add(UInt16(0))
        add(number)
        add(UInt32(0))
        return bytes + rest
    }

    private func answer(in bytes: [UInt8], to number: UInt32) -> SocketTable.Answer {
        bytes.withUnsafeBytes { SocketTable.answer(in: $0[...], to: number) }
    }

    @Test("An answer counts only for the question that it has the number of.")
    func answersAreToldApart() {
        let diagnosis = message(20, number: 7, [UInt8](repeating: 0, count: 68) + [9, 0, 0, 0])
        #expect(answer(in: diagnosis, to: 7) == .inode(9))
        #expect(answer(in: diagnosis, to: 8) == .notAvailable)
        #expect(answer(in: Array(diagnosis.dropLast()), to: 7) == .notAvailable)
        #expect(answer(in: [], to: 7) == .notAvailable)
        let missing = withUnsafeBytes(of: -ENOENT) { Array($0) }
        #expect(answer(in: message(2, number: 7, missing), to: 7) == .noSuchSocket)
        let refused = withUnsafeBytes(of: -EPERM) { Array($0) }
        #expect(answer(in: message(2, number: 7, refused), to: 7) == .notAvailable)
    }

    @Test("The one line to the kernel serves many threads at once.")
    func manyAskAtOnce() async throws {
        let rig = try await ProxyRig()
        let peer = try #require(SocketTable.Endpoint("127.0.0.1", port: rig.port))
        let nobody = try #require(SocketTable.Endpoint("127.0.0.1", port: 1))
        let client = try await RawClient(port: rig.port)
        let port = try #require(client.localAddress?.port)
        let own = try #require(SocketTable.Endpoint("127.0.0.1", port: port))
        let inode = SocketTable.inode(own: own, peer: peer)
        #expect(inode != nil)
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<64 {
                let isThere = number.isMultiple(of: 2)
                group.addTask {
                    SocketTable.inode(own: isThere ? own : nobody, peer: peer) == (isThere ? inode : nil)
                }
            }
            for await isRight in group { #expect(isRight) }
        }
        try await client.close()
        await rig.stop()
    }

    @Test func mappedAddressIsTheIPv4One() {
        #expect(SocketTable.Endpoint("::ffff:10.0.0.1", port: 5) == SocketTable.Endpoint("10.0.0.1", port: 5))
        #expect(SocketTable.Endpoint("::1", port: 5)?.address.count == 16)
        #expect(SocketTable.Endpoint("name", port: 5) == nil)
    }
}
#endif
