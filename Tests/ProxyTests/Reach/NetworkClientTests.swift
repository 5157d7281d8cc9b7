import Captures
import Foundation
import NIOCore
import Testing

@testable import Proxy

/// What clients on the network may reach: not this machine's loopback, nor what is link-local.
@Suite(
    .serialized,
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"), "curl is not installed")
)
struct NetworkClientTests {
    private func origin() async throws -> LoopbackOrigin {
        try await LoopbackOrigin(tls: nil) { _ in
            .send(Array("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret".utf8))
        }
    }

    /// A proxy to which each client is one of another machine.
    private func rig(_ adjust: (inout ProxyConfiguration) -> Void = { _ in }) async throws -> ProxyRig {
        try await ProxyRig(adjust: {
            $0.isRemote = { _, _ in true }
            adjust(&$0)
        })
    }

    @Test(arguments: [
        "localhost", "localhost.", "app.localhost", "127.0.0.1", "127.0.0.2", "127.1", "2130706433", "0x7f.1",
        "0x7f000001", "017700000001", "0.0.0.0", "0", "[::1]", "[::]", "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[0:0:0:0:0:0:0:1]",
    ])
    func loopbackIsClosedInEachSpelling(_ host: String) async throws {
        let origin = try await origin()
        let rig = try await rig()
        for request in [
            "CONNECT \(host):\(origin.port) HTTP/1.1\r\n\r\n",
            "GET http://\(host):\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\r\n",
        ] {
            let raw = try await RawClient(port: rig.port)
            try await raw.send(request)
            #expect(try await raw.until { $0.isEnded })
            #expect(raw.received.hasPrefix("HTTP/1.1 403 Forbidden\r\n"), "\(raw.received)")
            #expect(raw.received.contains("--allow-remote-loopback"))
            try? await raw.close()
        }
        #expect(rig.exchanges.count == 2)
        for exchange in rig.exchanges {
            #expect(exchange.failure?.contains("is a loopback address of the recorder's computer") == true)
            #expect(exchange.response == nil)
        }
        #expect(origin.received == 0)
        await rig.stop()
        try await origin.stop()
    }

    @Test(arguments: [
        "169.254.169.254", "2852039166", "[::ffff:169.254.169.254]", "[fe80::1]", "[fd00:ec2::254]",
    ])
    func linkLocalIsClosed(_ host: String) async throws {
        let rig = try await rig()
        let output = try await rig.curl("http://\(host)/latest/meta-data/", "-w", "%{http_code}", "-g")
        #expect(output.text.hasSuffix("403"), "\(output.text)")
        #expect(rig.exchanges.first?.failure?.contains("is a link-local address") == true)
        await rig.stop()
    }

    @Test func optionOpensIt() async throws {
        let origin = try await origin()
        let rig = try await rig { $0.allowsRemoteLoopback = true }
        #expect(try await rig.curl("http://localhost:\(origin.port)/").text == "secret")
        await rig.stop()
        try await origin.stop()
    }

    @Test func clientOfThisMachineReachesIt() async throws {
        let origin = try await origin()
        let rig = try await ProxyRig()
        #expect(try await rig.curl("http://localhost:\(origin.port)/").text == "secret")
        await rig.stop()
        try await origin.stop()
    }

    @Test func originThatIsPlayedIsTheUsersChoice() async throws {
        let origin = try await origin()
        let played = try ReverseOrigin("http://localhost:\(origin.port)=127.0.0.1:0")
        let rig = try await rig { $0.reverse = [played] }
        let url = "http://127.0.0.1:\(rig.reversePorts[0])/"
        #expect(try await rig.curlDirectly(url).text == "secret")
        // The proxy is no way for it to what listens on loopback.
        #expect(try await rig.curl(url, "-w", "%{http_code}").text.hasSuffix("403"))
        #expect(try await rig.curl("-p", url, "-w", "%{http_connect}").text.hasSuffix("403"))
        await rig.stop()
        try await origin.stop()
    }

    @Test func setUpPageIsForEveryone() async throws {
        let rig = try await rig { $0.proxyCredentials = BasicCredentials("al:pw") }
        let page = try await rig.curl("http://authreel.proxy/", "-w", "%{http_code}").text
        #expect(page.hasSuffix("200") && page.contains("asks for a user name and password"))
        #expect(try await rig.curl("https://authreel.proxy/", "-w", "%{http_code}").text.hasSuffix("200"))
        #expect(
            try await rig.curlDirectly("http://127.0.0.1:\(rig.port)/ca.pem").text.contains(
                "BEGIN CERTIFICATE"
            )
        )
        await rig.stop()
    }

    // MARK: Names

    private func connector(_ lookup: @escaping HostResolver.Lookup) -> UpstreamConnector {
        UpstreamConnector(
            limits: ProxyLimits(connectTime: .seconds(2)),
            policy: DestinationPolicy(own: []),
            resolver: HostResolver(lookup: lookup)
        )
    }

    private static func addresses(_ texts: [String], _ port: Int) -> [SocketAddress] {
        texts.compactMap { try? SocketAddress(ipAddress: $0, port: port) }
    }

    @Test func nameIsJudgedByWhatItLeadsTo() async throws {
        let origin = try await origin()
        for list in [
            ["127.0.0.1"], ["::1"], ["192.0.2.1", "127.0.0.1"], ["::ffff:127.0.0.1"], ["169.254.169.254"],
        ] {
            let connector = connector { _, port in Self.addresses(list, port) }
            let failure = await Dialling.failure(
                of: "rebind.example:\(origin.port)",
                connector,
                isRestricted: true
            )
            #expect(failure?.status == 403, "\(list)")
        }
        let honest = connector { _, port in Self.addresses(["127.0.0.1"], port) }
        #expect(await Dialling.failure(of: "rebind.example:\(origin.port)", honest) == nil)
        try await origin.stop()
    }

    // MARK: By way of another proxy

    @Test func upstreamProxyIsNoWayAround() async throws {
        let origin = try await origin()
        let proxy = try await SmallProxy(.http, hosts: ["rebind.example": "127.0.0.1"])
        for scheme in ["http", "socks5", "socks5h"] {
            var connector = connector { host, port in
                host == "rebind.example"
                    ? Self.addresses(["127.0.0.1"], port) : HostResolver.addresses(of: host, port: port)
            }
            connector.proxy = try UpstreamProxy("\(scheme)://127.0.0.1:\(proxy.port)")
            for host in [
                "rebind.example", "localhost", "127.1", "169.254.169.254", "2852039166", "[::ffff:127.0.0.1]",
            ] {
                let failure = await Dialling.failure(
                    of: "\(host):\(origin.port)",
                    connector,
                    isRestricted: true
                )
                #expect(failure?.status == 403, "\(scheme) \(host): \(failure?.reason ?? "connected")")
            }
        }
        #expect(proxy.heads.isEmpty)
        #expect(origin.received == 0)
        try await proxy.stop()
        try await origin.stop()
    }

    @Test func nameThatOnlyTheProxyKnowsIsLeftToIt() async throws {
        let proxy = try await SmallProxy(.http) { _ in Array("HTTP/1.1 200 OK\r\n\r\n".utf8) }
        var connector = connector { _, _ in [] }
        connector.proxy = try UpstreamProxy("http://127.0.0.1:\(proxy.port)")
        #expect(await Dialling.failure(of: "intranet:443", connector, isRestricted: true) == nil)
        #expect(proxy.heads.count == 1)
        try await proxy.stop()
    }
}
