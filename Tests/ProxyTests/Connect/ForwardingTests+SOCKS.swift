import Captures
import NIOCore
import Testing

@testable import Proxy

/// Proxies that speak SOCKS.
extension ForwardingTests {
    @Test func socksWithRemoteNamesGetsTheName() async throws {
        let (secure, plain) = (try await origin(tls: true), try await origin(tls: false))
        let proxy = try await SmallProxy(.socks, hosts: [Self.name: "127.0.0.1"], credentials: "al:p@ss")
        let rig = try await rig("socks5h://al:p%40ss@127.0.0.1:\(proxy.port)")
        let output = try await rig.curl(
            "https://\(Self.name):\(secure.port)/",
            "http://\(Self.name):\(plain.port)/",
            "http://\(Self.name):\(plain.port)/2"
        )
        #expect(output.text == "hellohellohello", "\(output.error)")
        #expect(proxy.heads == ["\(Self.name):\(secure.port)", "\(Self.name):\(plain.port)"])
        #expect(rig.exchanges.map(\.response?.status) == [200, 200, 200])
        #expect(rig.exchanges[1].request.url.text == "http://\(Self.name):\(plain.port)/")
        #expect(rig.exchanges[1].connection.serverAddress == nil)
        await rig.stop()
        try await proxy.stop()
        try await secure.stop()
        try await plain.stop()
    }

    @Test func socksWithLocalNamesGetsTheAddress() async throws {
        let proxy = try await SmallProxy(.socks) { _ in [5, 4, 0, 1, 0, 0, 0, 0, 0, 0] }
        let connector = UpstreamConnector(
            limits: ProxyLimits(),
            policy: DestinationPolicy(own: []),
            proxy: try UpstreamProxy("socks5://127.0.0.1:\(proxy.port)"),
            resolver: HostResolver { host, port in
                host == Self.name
                    ? ["2001:db8::7", "192.0.2.7"].compactMap {
                        try? SocketAddress(ipAddress: $0, port: port)
                    } : []
            }
        )
        let found = await Dialling.failure(of: "\(Self.name):443", connector)
        #expect(proxy.heads == ["192.0.2.7:443"])
        #expect(
            found?.reason
                == "ERR_SOCKS_CONNECTION_FAILED: the upstream proxy socks5://127.0.0.1:\(proxy.port) does not "
                + "connect to \(Self.name):443: host unreachable (reply 4)"
        )
        // Each spelling of an address is one, also where names are the proxy's.
        var remote = connector
        remote.proxy = try UpstreamProxy("socks5h://127.0.0.1:\(proxy.port)")
        for host in ["192.0.2.9", "3221225993", "0xc0.0.521", "[2001:db8::9]", "other.example"] {
            _ = await Dialling.failure(of: "\(host):80", remote)
        }
        #expect(
            proxy.heads.dropFirst() == [
                "192.0.2.9:80", "192.0.2.9:80", "192.0.2.9:80", "2001:db8::9:80", "other.example:80",
            ]
        )
        #expect(
            await Dialling.failure(of: "nobody.example:80", connector)?.reason.hasPrefix("ENOTFOUND") == true
        )
        try await proxy.stop()
    }

    @Test func socksProxyThatDoesNotLetUsInIsTold() async throws {
        let proxy = try await SmallProxy(.socks, credentials: "al:right")
        for (url, words) in [
            ("socks5h://127.0.0.1", "it wants a user name and password, or does not let us in"),
            ("socks5h://al:wrong@127.0.0.1", "it does not accept the user name and password"),
        ] {
            let rig = try await rig("\(url):\(proxy.port)") { $0.limits.proxyTime = .seconds(1) }
            let output = try await rig.curl("http://\(Self.name)/", "-w", "%{http_code}")
            #expect(output.text.contains(words) && output.text.hasSuffix("502"), "\(output.text)")
            #expect(rig.exchanges.first?.failure?.hasSuffix(words) == true)
            await rig.stop()
        }
        try await proxy.stop()
    }
}
