import Captures
import Foundation
import LibCrypto
import NIOCore
import TLS
import Testing

@testable import Proxy

/// Addresses of IPv6, wherever one may stand.
@Suite(
    .serialized,
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"), "curl is not installed"),
    .enabled(if: MachineAddresses.current().contain("::1"), "this machine has no IPv6")
)
struct IPv6Tests {
    private static let loopback: [UInt8] = [UInt8](repeating: 0, count: 15) + [1]

    private func origin(tls: Bool) async throws -> LoopbackOrigin {
        try await LoopbackOrigin(
            tls: tls ? ProxyRig.originTLS(name: .address(Self.loopback)) : nil,
            host: "::1"
        ) { _ in .send(Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8)) }
    }

    @Test func tunnelAndPlainRequestToAnAddress() async throws {
        let (secure, plain) = (try await origin(tls: true), try await origin(tls: false))
        let rig = try await ProxyRig()
        let urls = [
            "https://[::1]:\(secure.port)/a", "http://[::1]:\(plain.port)/b",
            "http://[::1]:\(plain.port)/c",
        ]
        // Without a name in the hello; curl verifies our certificate for the address, we verify the origin's.
        let output = try await rig.curl("-g", urls[0], urls[1], urls[2])
        #expect(output.text == "hellohellohello", "\(output.error)")
        #expect(rig.exchanges.map(\.request.url.text) == urls)
        #expect(rig.exchanges.map(\.connection.serverName) == [nil, nil, nil])
        #expect(
            rig.exchanges.map(\.connection.serverAddress)
                == ["[::1]:\(secure.port)", "[::1]:\(plain.port)", "[::1]:\(plain.port)"]
        )
        #expect(rig.exchanges.map(\.failure) == [nil, nil, nil])
        await rig.stop()
        try await secure.stop()
        try await plain.stop()
    }

    @Test func certificateForAnotherAddressIsRefused() async throws {
        let origin = try await LoopbackOrigin(
            tls: ProxyRig.originTLS(name: .address([UInt8](repeating: 0, count: 15) + [2])),
            host: "::1"
        ) { _ in .wait }
        let rig = try await ProxyRig()
        let output = try await rig.curl("-g", "https://[::1]:\(origin.port)/", "-w", "%{http_code}")
        #expect(
            output.text.contains("ERR_CERT_COMMON_NAME_INVALID") && output.text.hasSuffix("502"),
            "\(output.text)"
        )
        await rig.stop()
        try await origin.stop()
    }

    @Test func proxyListensOnIt() async throws {
        let origin = try await origin(tls: true)
        let rig = try await ProxyRig(adjust: {
            $0.host = "::1"
            $0.proxyCredentials = BasicCredentials("al:pw")
        })
        let output = try await ProxyRig.run([
            "/usr/bin/curl", "-sSg", "--noproxy", "", "--proxy", "http://al:pw@[::1]:\(rig.port)", "--cacert",
            rig.authorityFile, "https://[::1]:\(origin.port)/",
        ])
        #expect(output.text == "hello", "\(output.error)")
        #expect(rig.exchanges.first?.client.address?.hasPrefix("[::1]:") == true)
        // Its own page, by its address and through itself.
        let page = try await ProxyRig.run([
            "/usr/bin/curl", "-sSg", "--noproxy", "*", "http://[::1]:\(rig.port)/",
        ])
        #expect(page.text.contains("http://[::1]:\(rig.port)"))
        let own = try await ProxyRig.run([
            "/usr/bin/curl", "-sSg", "--noproxy", "", "--proxy", "http://[::1]:\(rig.port)",
            "http://[::1]:\(rig.port)/", "-w", "%{http_code}",
        ])
        #expect(own.text.hasSuffix("200"))
        await rig.stop()
        try await origin.stop()
    }

    @Test func proxyOnAllAddressesKnowsItself() async throws {
        let rig = try await ProxyRig(adjust: { $0.host = "::" })
        for host in ["[::1]", "127.0.0.1", "2130706433", "[::]", "0.0.0.0", "[::ffff:7f00:1]", "0x7f.2"] {
            let output = try await ProxyRig.run([
                "/usr/bin/curl", "-sSg", "--noproxy", "", "--proxy", "http://[::1]:\(rig.port)", "--max-time",
                "20",
                "http://\(host):\(rig.port)/", "-w", "%{http_code}",
            ])
            #expect(
                output.text.hasSuffix("200") || output.text.contains("is this recorder itself"),
                "\(host): \(output.text)"
            )
        }
        #expect(rig.exchanges.allSatisfy { $0.failure?.contains("is this recorder itself") == true })
        await rig.stop()
    }

    @Test func originIsPlayedAtIt() async throws {
        let origin = try await origin(tls: true)
        let played = try ReverseOrigin("https://[::1]:\(origin.port)=[::1]:0")
        let rig = try await ProxyRig(adjust: { $0.reverse = [played] })
        let output = try await rig.curlDirectly("-g", "https://[::1]:\(rig.reversePorts[0])/x")
        #expect(output.text == "hello", "\(output.error)")
        #expect(rig.exchanges.map(\.request.url.text) == ["https://[::1]:\(origin.port)/x"])
        #expect(rig.exchanges.first?.request.headers.first("host") == "[::1]:\(origin.port)")
        await rig.stop()
        try await origin.stop()
    }

    @Test(arguments: ["http", "socks5", "socks5h"])
    func upstreamProxyIsAskedForIt(_ scheme: String) async throws {
        let proxy = try await SmallProxy(scheme == "http" ? .http : .socks) { _ in
            scheme == "http" ? Array("HTTP/1.1 504 Late\r\n\r\n".utf8) : [5, 3, 0, 1, 0, 0, 0, 0, 0, 0]
        }
        let upstream = try UpstreamProxy("\(scheme)://127.0.0.1:\(proxy.port)")
        let rig = try await ProxyRig(adjust: { $0.upstreamProxy = upstream })
        _ = try await rig.curl("-g", "https://[2001:db8::7]/")
        let asked = try #require(proxy.heads.first)
        #expect(
            scheme == "http"
                ? asked.hasPrefix("CONNECT [2001:db8::7]:443 HTTP/1.1\r\nHost: [2001:db8::7]:443\r\n")
                : asked == "2001:db8::7:443",
            "\(asked)"
        )
        let failure = try #require(rig.exchanges.first?.failure)
        #expect(failure.contains("[2001:db8::7]:443"))
        await rig.stop()
        try await proxy.stop()
    }

    @Test(arguments: [
        ("[fe80::1%eth0]:443", "fe80::1%eth0"), ("[FE80::1%25wlP2p33s0]:443", "fe80::1%wlP2p33s0"),
        ("[fe80::1%25]:443", "fe80::1%25"), ("[fe80::1%]:443", nil), ("[%eth0]:443", nil),
        ("[fe80::1%e/0]:443", nil), ("[fe80::g]:443", nil),
    ])
    func zoneIsReadAsInAURLAndAsTheSystemHasIt(authority: String, host: String?) {
        #expect(Origin(authority: authority, defaultPort: nil)?.host == host)
    }

    @Test func addressIsNotAName() throws {
        #expect(LeafCertificates.name(of: "::1") == .address(Self.loopback))
        #expect(LeafCertificates.name(of: "2001:db8::7") != .host("2001:db8::7"))
        let origin = try #require(Origin(authority: "[fe80::1%2]:443", defaultPort: nil))
        // The zone is this machine's affair (RFC 6874, section 4).
        #expect(origin.hostInTLS == "fe80::1")
        #expect(
            try #require(Origin(authority: "idp.example.:443", defaultPort: nil)).hostInTLS == "idp.example"
        )
    }
}
