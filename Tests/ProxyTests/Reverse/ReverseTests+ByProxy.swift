import Captures
import Foundation
import Proxy
import Synchronization
import Testing

/// Clients that obey a proxy setting, and are led to where an origin is played: an app whose issuer is that address.
extension ReverseTests {
    @Test(arguments: [("https", "https"), ("http", "https"), ("https", "http"), ("http", "http")])
    func addressIsTheOriginByWayOfTheProxyToo(_ client: String, _ provider: String) async throws {
        // What is played is opened, whatever else is.
        let stage = try await Stage(provider, adjust: { $0.onlyHosts = [HostPattern("other.example")] })
        for host in ["127.0.0.1", "localhost"] {
            let output = try await stage.rig.curl("\(client)://\(host):\(stage.port)/token?state=a%2Fb")
            #expect(output.text == "hello", "\(output.error)")
        }
        let authority = "idp.localhost:\(stage.origin.port)"
        let url = "\(provider)://\(authority)/token?state=a%2Fb"
        #expect(stage.rig.exchanges.map(\.request.url.text) == [url, url])
        #expect(stage.rig.exchanges.map { $0.request.headers.first("host") } == [authority, authority])
        #expect(stage.rig.exchanges.map { $0.response?.status } == [200, 200])
        let versions = stage.rig.exchanges.map(\.connection.clientTLSVersion)
        #expect(versions == (client == "https" ? ["TLSv1.3", "TLSv1.3"] : [nil, nil]))
        #expect(stage.seen.components(separatedBy: "\r\nHost: \(authority)\r\n").count == 3)
        try await stage.stop()
        // Once each, not by the address as well.
        #expect(stage.rig.exchanges.count == 2)
        #expect(stage.rig.notices.isEmpty)
    }

    @Test func oneConnectionHasRequestsForTheAddressAndForTheOrigin() async throws {
        let stage = try await Stage("http")
        let raw = try await RawClient(port: stage.rig.port)
        let authorities = ["127.0.0.1:\(stage.port)", "idp.localhost:\(stage.origin.port)"]
        for (index, authority) in authorities.enumerated() {
            try await raw.send("GET http://\(authority)/\(index) HTTP/1.1\r\nHost: \(authority)\r\n\r\n")
            #expect(try await raw.until { $0.received == String(repeating: Self.hello, count: index + 1) })
        }
        let head = "Host: \(authorities[1])\r\n\r\n"
        #expect(stage.seen == "GET /0 HTTP/1.1\r\n\(head)GET /1 HTTP/1.1\r\n\(head)")
        #expect(stage.rig.exchanges.map(\.request.url.path) == ["/0", "/1"])
        try await raw.close()
        try await stage.stop()
    }

    @Test(arguments: ["http", "https"])
    func passwordOfTheProxyIsAskedFor(_ client: String) async throws {
        let stage = try await Stage(adjust: { $0.proxyCredentials = BasicCredentials("al:pw") })
        let url = "\(client)://127.0.0.1:\(stage.port)/"
        let code = client == "http" ? "%{http_code}" : "%{http_connect}"
        #expect(try await stage.rig.curl(url, "-w", code).text.hasSuffix("407"))
        #expect(stage.seen.isEmpty)
        #expect(try await stage.rig.curl(url, "--proxy-user", "al:pw").text == "hello")
        #expect(!stage.seen.contains("Proxy-"))
        try await stage.stop()
    }
}

// MARK: - Another proxy on the way

/// What other proxies expect of plain http: requests in absolute form. Many open tunnels to port 443 alone.
extension ReverseTests {
    private static func refusesTunnels(_ head: String) -> [UInt8]? {
        head.hasPrefix("CONNECT ") ? Array("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n".utf8) : nil
    }

    @Test func proxyOnTheWayIsAskedInAbsoluteForm() async throws {
        let upstream = try await SmallProxy(
            .http,
            hosts: ["idp.example": "127.0.0.1"],
            answer: Self.refusesTunnels
        )
        let stage = try await Self.behind(upstream)
        let output = try await stage.rig.curlDirectly("http://127.0.0.1:\(stage.port)/token?a=%2F")
        #expect(output.text == "hello", "\(output.text)\(output.error)")
        let proxied = try await stage.rig.curl("http://localhost:\(stage.port)/token?a=%2F")
        #expect(proxied.text == "hello", "\(proxied.text)\(proxied.error)")
        let authority = "idp.example:\(stage.origin.port)"
        let url = "http://\(authority)/token?a=%2F"
        #expect(upstream.heads.count == 2)
        #expect(
            upstream.heads.allSatisfy { $0.hasPrefix("GET \(url) HTTP/1.1\r\nHost: \(authority)\r\n") },
            "\(upstream.heads)"
        )
        #expect(stage.rig.exchanges.map(\.request.url.text) == [url, url])
        #expect(stage.rig.exchanges.map(\.failure) == [nil, nil])
        await stage.rig.stop()
        try await stage.origin.stop()
        try await upstream.stop()
    }

    static let wantsTunnel = [
        "GET /socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
        "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n", "GET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nProxy-Authorization: kept\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nX-Folded: a\r\n b\r\n\r\n",
    ]

    /// What means something else in absolute form, or can have none, reaches the provider as it came.
    @Test(arguments: wantsTunnel)
    func requestThatHasNoFormForProxiesGetsATunnel(_ request: String) async throws {
        let upstream = try await SmallProxy(.http, hosts: ["idp.example": "127.0.0.1"])
        let stage = try await Self.behind(upstream)
        let raw = try await RawClient(port: stage.port)
        try await raw.send(request)
        #expect(try await raw.until { $0.received == Self.hello }, "\(raw.received)")
        #expect(upstream.heads.map { $0.prefix(8) } == ["CONNECT "], "\(upstream.heads)")
        let authority = "idp.example:\(stage.origin.port)"
        #expect(stage.seen() == request.replacing("Host: x", with: "Host: \(authority)"))
        #expect(stage.rig.exchanges.map { $0.response?.status } == [200])
        try await raw.close()
        await stage.rig.stop()
        try await stage.origin.stop()
        try await upstream.stop()
    }

    /// A provider that only the proxy knows, and where it is played.
    private struct Behind {
        let origin: LoopbackOrigin
        let rig: ProxyRig
        let seen: @Sendable () -> String
        var port: Int { rig.reversePorts[0] }
    }

    private static func behind(_ upstream: SmallProxy) async throws -> Behind {
        let sent = Stage.Sent()
        let origin = try await LoopbackOrigin(tls: nil) { received in
            sent.bytes.withLock { $0 += received }
            return .send(Array(hello.utf8))
        }
        let played = try ReverseOrigin("http://idp.example:\(origin.port)=127.0.0.1:0")
        let proxy = try UpstreamProxy("http://127.0.0.1:\(upstream.port)")
        let rig = try await ProxyRig(adjust: {
            $0.reverse = [played]
            $0.upstreamProxy = proxy
        })
        return Behind(origin: origin, rig: rig) {
            String(decoding: sent.bytes.withLock { $0 }, as: UTF8.self)
        }
    }
}
