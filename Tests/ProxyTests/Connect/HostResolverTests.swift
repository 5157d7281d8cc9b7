import Foundation
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import Proxy

struct HostResolverTests {
    /// Which names lead to this machine, whatever its resolver knows.
    @Test(arguments: [
        ("localhost", "localhost"), ("localhost.", "localhost"), ("LOCALHOST", "localhost"),
        ("idp.localhost", "localhost"),
        ("idp.localhost.", "localhost"), ("idp.example.", "idp.example."), ("notlocalhost", "notlocalhost"),
        ("localhost.example", "localhost.example"), ("", ""),
    ])
    func namesBelowLocalhostAreThisMachine(_ row: (host: String, resolvable: String)) {
        #expect(HostResolver.resolvable(row.host) == row.resolvable)
    }

    @Test func spellingsOfAddressesAreReadWithoutAskingAnybody() {
        for (host, address) in [
            ("127.1", "127.0.0.1"), ("2130706433", "127.0.0.1"), ("0x7f.1", "127.0.0.1"),
            ("010.0.0.1", "8.0.0.1"),
            ("192.0.2.1", "192.0.2.1"), ("2001:DB8:0:0::1", "2001:db8::1"),
        ] { #expect(HostResolver.numeric(host, port: 80)?.ipAddress == address, "\(host)") }
        for host in ["localhost", "1password.example", "256.0.0.1", "0x", "1.2.3.4.5", "a::b::c", ""] {
            #expect(HostResolver.numeric(host, port: 80) == nil, "\(host)")
        }
    }

    @Test func systemKnowsLocalhost() {
        let addresses = HostResolver.addresses(of: "localhost", port: 8080)
        #expect(addresses.contains { $0.ipAddress == "127.0.0.1" && $0.port == 8080 })
    }

    /// A list of hosts may have the one without the other.
    @Test(arguments: [["127.0.0.1"], ["::1"], []]) func localhostIsBothAddresses(listed: [String])
        async throws
    {
        let resolver = HostResolver { _, port in
            listed.compactMap { try? SocketAddress(ipAddress: $0, port: port) }
        }
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let found = try await resolver.resolve("app.localhost", port: 7, within: .seconds(60), on: loop).get()
        #expect(Set(found.compactMap(\.ipAddress)) == ["127.0.0.1", "::1"])
        #expect(listed.isEmpty || found.first?.ipAddress == listed.first)
        let other = try await resolver.resolve("idp.example", port: 7, within: .seconds(60), on: loop).get()
        #expect(other.compactMap(\.ipAddress) == listed)
    }

    /// What the system's resolver blocks on for long keeps nobody waiting longer than agreed.
    @Test func answerThatDoesNotComeIsNotWaitedFor() async throws {
        let gate = DispatchSemaphore(value: 0)
        defer { gate.signal() }
        let resolver = HostResolver { _, _ in
            gate.wait()
            return []
        }
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let answer = resolver.resolve("slow.example", port: 1, within: .milliseconds(50), on: loop)
        await #expect(throws: ChannelError.connectTimeout(.milliseconds(50))) { try await answer.get() }
    }

    @Test func endOfTheProxyEndsTheWaiting() async throws {
        let gate = DispatchSemaphore(value: 0)
        defer { gate.signal() }
        let resolver = HostResolver { _, _ in
            gate.wait()
            return []
        }
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let answer = resolver.resolve("slow.example", port: 1, within: .seconds(60), on: loop)
        resolver.shutdown()
        await #expect(throws: CancellationError.self) { try await answer.get() }
        let late = resolver.resolve("late.example", port: 1, within: .seconds(60), on: loop)
        await #expect(throws: CancellationError.self) { try await late.get() }
        // What needs no resolver goes on.
        #expect(
            try await resolver.resolve("192.0.2.1", port: 1, within: .seconds(60), on: loop).get().count == 1
        )
    }

    /// As a browser that opens half a dozen connections to a server asks for it.
    @Test func nameIsLookedUpOnceForAllWhoWaitForIt() async throws {
        let gate = DispatchSemaphore(value: 0)
        let lookups = Mutex(0)
        let resolver = HostResolver { _, port in
            lookups.withLock { $0 += 1 }
            gate.wait()
            return [try? SocketAddress(ipAddress: "192.0.2.1", port: port)].compactMap(\.self)
        }
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let answers = (0..<6).map { _ in
            resolver.resolve("many.example", port: 1, within: .seconds(60), on: loop)
        }
        gate.signal()
        for answer in answers { #expect(try await answer.get().count == 1) }
        #expect(lookups.withLock { $0 } == 1)
    }

    /// Names whose servers are silent hold up each other, and not what is on this machine.
    @Test func localhostDoesNotWaitForSilentServers() async throws {
        let gate = DispatchSemaphore(value: 0)
        let resolver = HostResolver { host, _ in
            if host != "localhost" { gate.wait() }
            return []
        }
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let silent = (0..<9).map {
            resolver.resolve("silent\($0).example", port: 1, within: .seconds(60), on: loop)
        }
        let found = try? await resolver.resolve("localhost", port: 7, within: .seconds(10), on: loop).get()
        for _ in silent { gate.signal() }
        #expect(found?.count == 2)
        for answer in silent { #expect(try await answer.get().isEmpty) }
    }
}
