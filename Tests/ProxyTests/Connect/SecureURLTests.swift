import Captures
import LibCrypto
import Proxy
import TLS
import Testing

/// Clients that ask a proxy for `https` URLs in clear, as axios does, and leave TLS with the provider to it.
struct SecureURLTests {
    private static let name = "app.example"

    /// Answers each request with what came of it.
    private static let echo: LoopbackOrigin.Script = { received in
        let text = String(decoding: received, as: UTF8.self)
        guard text.hasSuffix(text.hasPrefix("POST ") ? "body" : "\r\n\r\n") else { return .wait }
        return .send(Array("HTTP/1.1 200 OK\r\nContent-Length: \(received.count)\r\n\r\n".utf8) + received)
    }

    @Test func requestsGoToTheirProvidersInTLS() async throws {
        let secure = try await LoopbackOrigin(tls: ProxyRig.originTLS(), script: Self.echo)
        let plain = try await LoopbackOrigin(tls: nil, script: Self.echo)
        let rig = try await ProxyRig()
        let raw = try await RawClient(port: rig.port)
        let base = "https://localhost:\(secure.port)"
        try await raw.send(
            "POST \(base)/token?x=1 HTTP/1.1\r\nHost: x\r\nProxy-Connection: close\r\nContent-Length: 4\r\n\r\nbody"
        )
        #expect(
            try await raw.until {
                $0.received.hasSuffix("POST /token?x=1 HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody")
            }
        )
        // On the connection that is there, to another provider, and back.
        let others = [
            "\(base)/again", "http://localhost:\(plain.port)/plain", "HTTPS://localhost:\(secure.port)",
        ]
        for url in others {
            let count = raw.count
            try await raw.send("GET \(url) HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try await raw.until { $0.count > count && $0.received.hasSuffix("Host: x\r\n\r\n") })
        }
        let exchanges = try await rig.exchanges(atLeast: 4)
        #expect(
            exchanges.map(\.request.url.text) == [
                "\(base)/token?x=1", "\(base)/again", "http://localhost:\(plain.port)/plain", "\(base)/",
            ]
        )
        #expect(exchanges.map { $0.connection.serverTLSVersion != nil } == [true, true, false, true])
        #expect(exchanges.allSatisfy { $0.connection.clientTLSVersion == nil && $0.failure == nil })
        #expect(exchanges.map { $0.timings.tls != nil } == [true, false, false, true])
        try? await raw.close()
        await rig.stop()
        try await plain.stop()
        try await secure.stop()
    }

    @Test(arguments: [true, false])
    func providerThatTLSIsNotAgreedWithIsAPageAndAnEntry(answers: Bool) async throws {
        let tls = try answers ? ProxyRig.originTLS(name: .host("other.example")) : nil
        let origin = try await LoopbackOrigin(tls: tls) { _ in .wait }
        let rig = try await ProxyRig(adjust: { if !answers { $0.limits.handshakeTime = .milliseconds(200) } })
        let raw = try await RawClient(port: rig.port)
        try await raw.send("GET https://localhost:\(origin.port)/login HTTP/1.1\r\nHost: x\r\n\r\n")
        let reason = answers ? "ERR_CERT_COMMON_NAME_INVALID" : "ERR_CONNECTION_TIMED_OUT"
        #expect(try await raw.until { $0.isEnded })
        #expect(raw.received.hasPrefix("HTTP/1.1 502 ") && raw.received.contains(reason))
        let exchange = try #require(rig.exchanges.first)
        #expect(rig.exchanges.count == 1 && exchange.response == nil)
        #expect(exchange.request.url.text == "https://localhost:\(origin.port)/login")
        #expect(exchange.failure?.contains(reason) == true, "\(exchange.failure ?? "-")")
        try? await raw.close()
        await rig.stop()
        try await origin.stop()
    }

    @Test func upstreamProxyIsAskedForATunnel() async throws {
        let tls = try ProxyRig.originTLS(name: .host(Self.name))
        let origin = try await LoopbackOrigin(tls: tls, script: Self.echo)
        let proxy = try await SmallProxy(.http, hosts: [Self.name: "127.0.0.1"])
        let upstream = try UpstreamProxy("http://127.0.0.1:\(proxy.port)")
        let rig = try await ProxyRig(adjust: { $0.upstreamProxy = upstream })
        let raw = try await RawClient(port: rig.port)
        try await raw.send("GET https://\(Self.name):\(origin.port)/a HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try await raw.until { $0.received.hasSuffix("GET /a HTTP/1.1\r\nHost: x\r\n\r\n") })
        #expect(proxy.heads.map { $0.prefix { $0 != " " } } == ["CONNECT"])
        try? await raw.close()
        await rig.stop()
        try await proxy.stop()
        try await origin.stop()
    }
}
