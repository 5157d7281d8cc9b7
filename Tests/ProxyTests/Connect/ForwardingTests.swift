import Captures
import Foundation
import LibCrypto
import NIOCore
import TLS
import Testing

@testable import Proxy

/// Providers that are reached by way of another proxy, over real sockets.
@Suite(
    .serialized,
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"), "curl is not installed")
)
struct ForwardingTests {
    static let hello = Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8)
    static let name = "idp.example"

    func origin(tls: Bool, name: String = ForwardingTests.name) async throws -> LoopbackOrigin {
        try await LoopbackOrigin(tls: tls ? ProxyRig.originTLS(name: .host(name)) : nil) { received in
            // A whole request, so that nothing of it is answered twice.
            received.suffix(4).elementsEqual("\r\n\r\n".utf8) ? .send(Self.hello) : .wait
        }
    }

    func rig(_ url: String, adjust: (inout ProxyConfiguration) -> Void = { _ in }) async throws
        -> ProxyRig
    {
        let proxy = try UpstreamProxy(url)
        return try await ProxyRig(adjust: { configuration in
            configuration.upstreamProxy = proxy
            adjust(&configuration)
        })
    }

    // MARK: HTTP

    @Test func httpsGoesByConnectAndByName() async throws {
        let origin = try await origin(tls: true)
        let proxy = try await SmallProxy(.http, hosts: [Self.name: "127.0.0.1"])
        let rig = try await rig("http://al%40:p%3Aw@127.0.0.1:\(proxy.port)")
        let output = try await rig.curl("https://\(Self.name):\(origin.port)/authorize?a=b")
        #expect(output.text == "hello", "\(output.error)")
        let token = Base64.encode(Array("al@:p:w".utf8))
        #expect(
            proxy.heads == [
                "CONNECT \(Self.name):\(origin.port) HTTP/1.1\r\nHost: \(Self.name):\(origin.port)\r\n"
                    + "User-Agent: authreel\r\nProxy-Authorization: Basic \(token)\r\n\r\n"
            ]
        )
        let exchange = try #require(rig.exchanges.first)
        #expect(exchange.request.url.text == "https://\(Self.name):\(origin.port)/authorize?a=b")
        #expect(exchange.response?.status == 200)
        #expect(exchange.connection.serverTLSVersion == "TLSv1.3")
        // Whose address it is, is the proxy's knowledge.
        #expect(exchange.connection.serverAddress == nil)
        await rig.stop()
        try await proxy.stop()
        try await origin.stop()
    }

    @Test func recordersCanStandInARow() async throws {
        let origin = try await origin(tls: true)
        let far = try await SmallProxy(.http, hosts: [Self.name: "127.0.0.1"])
        let outer = try await rig("http://127.0.0.1:\(far.port)") {
            $0.passThroughHosts = [HostPattern(Self.name)]
            $0.proxyCredentials = BasicCredentials("al:pw")
        }
        let inner = try await rig("http://al:pw@127.0.0.1:\(outer.port)")
        let output = try await inner.curl("https://\(Self.name):\(origin.port)/")
        #expect(output.text == "hello", "\(output.error)")
        #expect(inner.exchanges.map(\.response?.status) == [200])
        // The outer one has no way to a name that the far one does not know; the inner one says what it heard.
        _ = try await inner.curl("https://unknown.invalid/")
        let failure = try #require(try await inner.exchanges(atLeast: 2).last?.failure)
        #expect(
            failure
                == "ERR_TUNNEL_CONNECTION_FAILED: the upstream proxy http://127.0.0.1:\(outer.port) answered "
                + "502 Bad Gateway to CONNECT unknown.invalid:443"
        )
        await inner.stop()
        let outside = outer.exchanges.compactMap(\.failure)
        #expect(outside.count == 1 && outside[0].contains("answered 503 Cannot reach it"), "\(outside)")
        await outer.stop()
        try await far.stop()
        try await origin.stop()
    }

    @Test func plainHTTPGoesInAbsoluteFormAndIsRecordedAsItIs() async throws {
        let origin = try await origin(tls: false)
        let proxy = try await SmallProxy(.http, hosts: [Self.name: "127.0.0.1"])
        let rig = try await rig("http://al:pw@127.0.0.1:\(proxy.port)")
        let url = "http://\(Self.name):\(origin.port)/token?a=%20b"
        let output = try await rig.curl("-H", "X-Odd:  kept ", "-H", "Proxy-Connection: x", url, url)
        #expect(output.text == "hellohello", "\(output.error)")
        let token = Base64.encode(Array("al:pw".utf8))
        let head = try #require(proxy.heads.first)
        #expect(
            head.hasPrefix("GET \(url) HTTP/1.1\r\nProxy-Authorization: Basic \(token)\r\nHost: "),
            "\(head)"
        )
        #expect(head.contains("X-Odd:  kept"))
        #expect(!head.contains("Proxy-Connection"))
        #expect(rig.exchanges.count == 2)
        for exchange in rig.exchanges {
            #expect(exchange.request.url.text == url)
            #expect(exchange.request.headers.first("proxy-authorization") == nil)
            #expect(exchange.request.headers.first("host") == "\(Self.name):\(origin.port)")
            #expect(exchange.response?.status == 200)
        }
        await rig.stop()
        try await proxy.stop()
        try await origin.stop()
    }

    @Test func plainHTTPThatBecomesAnotherProtocolGoesByConnect() async throws {
        let origin = try await LoopbackOrigin(tls: nil) { received in
            let text = String(decoding: received, as: UTF8.self)
            if text.hasSuffix("\r\n\r\n") {
                return .send(
                    Array(
                        (text.contains("Upgrade")
                            ? "HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: upgrade\r\n\r\n"
                            : "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx").utf8
                    )
                )
            }
            return text.contains("HTTP") ? .wait : .send(received)
        }
        let proxy = try await SmallProxy(.http, hosts: [Self.name: "127.0.0.1"])
        let rig = try await rig("http://127.0.0.1:\(proxy.port)")
        let raw = try await RawClient(port: rig.port)
        let target = "http://\(Self.name):\(origin.port)/ws"
        try await raw.send("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try await raw.until { $0.received.hasSuffix("\r\n\r\nx") })
        try await raw.send(
            "GET \(target) HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n"
        )
        #expect(try await raw.until { $0.received.hasSuffix("upgrade\r\n\r\n") })
        try await raw.send("ping")
        #expect(try await raw.until { $0.received.hasSuffix("ping") })
        #expect(proxy.heads.map { $0.prefix { $0 != " " } } == ["GET", "CONNECT"])
        #expect(rig.exchanges.map(\.response?.status) == [200, 101])
        try? await raw.close()
        await rig.stop()
        try await proxy.stop()
        try await origin.stop()
    }

    @Test func proxyInTLSIsVerified() async throws {
        let origin = try await origin(tls: true)
        let tls = try ProxyRig.originTLS(name: .address([127, 0, 0, 1]))
        let proxy = try await SmallProxy(.http, tls: tls, hosts: [Self.name: "127.0.0.1"])
        // TLS inside TLS, and plain http inside TLS.
        let trusting = try await rig("https://127.0.0.1:\(proxy.port)")
        let plain = try await self.origin(tls: false)
        let output = try await trusting.curl(
            "https://\(Self.name):\(origin.port)/",
            "http://\(Self.name):\(plain.port)/"
        )
        #expect(output.text == "hellohello", "\(output.error)")
        #expect(trusting.exchanges.map(\.response?.status) == [200, 200])
        await trusting.stop()
        // Another name than the certificate's.
        let wrong = try await rig("https://localhost:\(proxy.port)")
        _ = try await wrong.curl("https://\(Self.name):\(origin.port)/")
        let failure = try #require(try await wrong.exchanges(atLeast: 1).first?.failure)
        #expect(
            failure.hasPrefix(
                "ERR_PROXY_CERTIFICATE_INVALID: TLS with the upstream proxy https://localhost:"
            ),
            "\(failure)"
        )
        await wrong.stop()
        let unknown = try await rig("https://127.0.0.1:\(proxy.port)") { $0.upstreamTrust = [] }
        let page = try await unknown.curl("http://\(Self.name):\(plain.port)/", "-w", "%{http_code}")
        #expect(page.text.contains("ERR_PROXY_CERTIFICATE_INVALID") && page.text.hasSuffix("502"))
        #expect(page.text.contains("--upstream-ca FILE"))
        #expect(proxy.heads.count == 2)
        await unknown.stop()
        try await proxy.stop()
        try await plain.stop()
        try await origin.stop()
    }

    @Test func loopbackAndNamedHostsAreReachedDirectly() async throws {
        let origin = try await origin(tls: false)
        let proxy = try await SmallProxy(.http) { _ in
            Array("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n".utf8)
        }
        let rig = try await rig("http://127.0.0.1:\(proxy.port)")
        let output = try await rig.curl(
            "http://localhost:\(origin.port)/",
            "http://127.0.0.1:\(origin.port)/",
            "http://app.localhost:\(origin.port)/"
        )
        #expect(output.text == "hellohellohello", "\(output.error)")
        #expect(proxy.heads.isEmpty)
        await rig.stop()
        try await proxy.stop()
        try await origin.stop()
    }

    // MARK: What a proxy says instead

    private static let refusals: [(answer: String, words: String, hint: String?)] = [
        (
            "HTTP/1.1 407 Who are you\r\nProxy-Authenticate: Basic realm=\"corp\"\r\nContent-Length: 4\r\n\r\nhtml",
            "ERR_PROXY_AUTH_REQUESTED: the upstream proxy http://127.0.0.1:PORT answered 407 and wants a user name and "
                + "password (Proxy-Authenticate: Basic realm=\"corp\")", "--upstream-proxy-auth"
        ),
        (
            "HTTP/1.1 407 Who\r\nProxy-Authenticate: NTLM\r\nProxy-Authenticate: Negotiate\r\n\r\n",
            "(Proxy-Authenticate: NTLM, Negotiate)", "authreel knows Basic only"
        ),
        (
            "HTTP/1.1 403 Forbidden by policy\r\nContent-Length: 0\r\n\r\n",
            "ERR_TUNNEL_CONNECTION_FAILED: the upstream proxy http://127.0.0.1:PORT answered 403 Forbidden by policy to "
                + "CONNECT idp.example:443", nil
        ),
        ("HTTP/1.0 503\r\n\r\n", "answered 503 to CONNECT idp.example:443", nil),
        ("HTTP/1.0 401 No\r\n\r\n", "answered 401 No to CONNECT", "Give user name and password"),
        ("220 ftp.example ready\r\n", "its answer is not HTTP/1", nil),
        ("\u{15}\u{3}\u{3}", "it speaks TLS: name it by https://", nil),
    ]

    @Test(arguments: refusals.indices)
    func refusalOfAProxyIsToldAndRecorded(_ index: Int) async throws {
        let row = Self.refusals[index]
        let proxy = try await SmallProxy(.http) { _ in Array(row.answer.utf8) }
        let rig = try await rig("http://127.0.0.1:\(proxy.port)")
        let raw = try await RawClient(port: rig.port)
        try await raw.send("CONNECT \(Self.name):443 HTTP/1.1\r\n\r\n")
        #expect(try await raw.until { $0.isEnded })
        #expect(raw.received.hasPrefix("HTTP/1.1 502 "))
        // It is the proxy's wish to us, and none to the client.
        #expect(!raw.received.contains("\r\nProxy-Authenticate"))
        let words = row.words.replacing("PORT", with: "\(proxy.port)")
        let failure = try #require(rig.exchanges.first?.failure)
        #expect(failure.contains(words), "\(failure)")
        #expect(raw.received.contains(HTMLText.escaped(words)))
        if let hint = row.hint { #expect(raw.received.contains(hint)) }
        guard case .upstreamFailed(let host, failure, let hint)? = rig.notices.first, rig.notices.count == 1
        else { return #expect(Bool(false), "\(rig.notices)") }
        #expect(host == "\(Self.name):443")
        if let words = row.hint { #expect(hint?.contains(words) == true) }
        try? await raw.close()
        await rig.stop()
        try await proxy.stop()
    }

    /// What proxies answer to credentials that are wrong, and what the entry says of it.
    private static let rejections = [
        (
            "407 No\r\nProxy-Authenticate: Basic realm=\"x\"",
            "answered 407 to the user name and password it was given"
        ),
        ("407 No", "(Proxy-Authenticate: without saying how)"),
        ("401 Unauthorized", "answered 401 Unauthorized to CONNECT"),
    ]

    @Test(arguments: rejections)
    func wrongPasswordIsToldApart(_ answer: String, _ words: String) async throws {
        let proxy = try await SmallProxy(.http) { _ in Array("HTTP/1.1 \(answer)\r\n\r\n".utf8) }
        let rig = try await rig("http://al:s3cret@127.0.0.1:\(proxy.port)")
        _ = try await rig.curl("https://\(Self.name)/")
        let failure = try #require(try await rig.exchanges(atLeast: 1).first?.failure)
        #expect(failure.contains(words) && !failure.contains("s3cret"), "\(failure)")
        let hint = "It does not accept the user name and password that were given."
        #expect(
            rig.notices == [.upstreamFailed(host: "\(Self.name):443", reason: failure, hint: hint)],
            "\(rig.notices)"
        )
        await rig.stop()
        try await proxy.stop()
    }

    @Test func answer407ToAPlainRequestIsNotTheProviders() async throws {
        let proxy = try await SmallProxy(.http) { _ in
            Array(
                "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"corp\"\r\nContent-Length: 2\r\n\r\nxx"
                    .utf8
            )
        }
        let rig = try await rig("http://127.0.0.1:\(proxy.port)")
        let output = try await rig.curl("http://\(Self.name)/token", "-d", "code=1", "-w", "%{http_code}")
        #expect(output.text.contains("ERR_PROXY_AUTH_REQUESTED"), "\(output.text) \(output.error)")
        #expect(output.text.hasSuffix("502"))
        let exchange = try #require(rig.exchanges.first)
        #expect(exchange.failure?.contains("Proxy-Authenticate: Basic realm=\"corp\"") == true)
        #expect(exchange.response == nil)
        #expect(exchange.request.method == "POST")
        #expect(rig.exchanges.count == 1)
        await rig.stop()
        try await proxy.stop()
    }

    @Test func answer407IsHeardByAClientThatGoesOnSending() async throws {
        let proxy = try await SmallProxy(.http) { _ in
            Array("HTTP/1.1 407 No\r\nProxy-Authenticate: Negotiate\r\nContent-Length: 0\r\n\r\n".utf8)
        }
        let rig = try await rig("http://127.0.0.1:\(proxy.port)") { $0.limits.lingerTime = .seconds(30) }
        let raw = try await RawClient(port: rig.port)
        try await raw.send("POST http://\(Self.name)/ HTTP/1.1\r\nHost: x\r\nContent-Length: 8000000\r\n\r\n")
        for _ in 0..<64 { try await raw.send([UInt8](repeating: 0x78, count: 65_536)) }
        #expect(try await raw.until { $0.isEnded })
        #expect(
            raw.received.hasPrefix("HTTP/1.1 502 ") && raw.received.hasSuffix("</p>\n"),
            "\(raw.received)"
        )
        #expect(rig.exchanges.map(\.request.method) == ["POST"])
        #expect(rig.exchanges.first?.failure?.hasSuffix("(Proxy-Authenticate: Negotiate)") == true)
        try? await raw.close()
        await rig.stop()
        try await proxy.stop()
    }

    @Test func answerOfAProxyThatIsNotARefusalPassesHoweverItComes() async throws {
        // An answer of the proxy's own that any provider could have given is what the client gets.
        let proxy = try await SmallProxy(.http) { _ in
            Array("HTTP/1.1 403 Policy\r\nContent-Length: 6\r\n\r\npolicy".utf8)
        }
        let rig = try await rig("http://127.0.0.1:\(proxy.port)")
        let output = try await rig.curl("http://\(Self.name)/", "-w", "%{http_code}")
        #expect(output.text == "policy403")
        #expect(rig.exchanges.map(\.response?.status) == [403])
        await rig.stop()
        try await proxy.stop()
    }

    @Test func headWithoutAnEndIsBounded() async throws {
        let proxy = try await LoopbackOrigin(tls: nil) { _ in
            .flood(head: Array("HTTP/1.1 200 OK\r\nX: ".utf8), count: 64 << 20)
        }
        let rig = try await rig("http://127.0.0.1:\(proxy.port)") { $0.limits.headBytes = 4096 }
        let raw = try await RawClient(port: rig.port)
        try await raw.send("CONNECT \(Self.name):443 HTTP/1.1\r\n\r\n")
        #expect(try await raw.until { $0.isEnded })
        let failure = try #require(rig.exchanges.first?.failure)
        #expect(failure.hasSuffix("the head of its answer is longer than 4096 bytes"), "\(failure)")
        #expect(proxy.sent < 32 << 20)
        try? await raw.close()
        await rig.stop()
        try await proxy.stop()
    }

    @Test func proxyThatSaysNothingOrGoesIsTold() async throws {
        let silent = try await LoopbackOrigin(tls: nil) { _ in .wait }
        let waiting = try await rig("http://127.0.0.1:\(silent.port)") {
            $0.limits.proxyTime = .milliseconds(200)
        }
        _ = try await waiting.curl("https://\(Self.name)/")
        #expect(try await waiting.exchanges(atLeast: 1).first?.failure?.contains("no answer in time") == true)
        await waiting.stop()
        let inTLS = try await rig("https://127.0.0.1:\(silent.port)") {
            $0.limits.handshakeTime = .milliseconds(200)
        }
        _ = try await inTLS.curl("https://\(Self.name)/")
        let failure = try #require(try await inTLS.exchanges(atLeast: 1).first?.failure)
        #expect(failure.contains("did not finish the TLS handshake in time"), "\(failure)")
        await inTLS.stop()
        try await silent.stop()
        let leaving = try await LoopbackOrigin(tls: nil) { _ in .sendAndFinish(Array("HTTP/1.1 2".utf8)) }
        let left = try await rig("http://127.0.0.1:\(leaving.port)")
        _ = try await left.curl("https://\(Self.name)/")
        #expect(
            try await left.exchanges(atLeast: 1).first?.failure?.hasSuffix(
                "it closed the connection without an answer"
            )
                == true
        )
        await left.stop()
        try await leaving.stop()
        let gone = try await rig("socks5h://127.0.0.1:\(leaving.port)")
        _ = try await gone.curl("https://\(Self.name)/")
        let refused = try #require(try await gone.exchanges(atLeast: 1).first?.failure)
        #expect(
            refused
                == "ERR_PROXY_CONNECTION_FAILED: no connection to the upstream proxy socks5h://127.0.0.1:\(leaving.port): "
                + "ECONNREFUSED: connection refused by 127.0.0.1:\(leaving.port)"
        )
        await gone.stop()
    }
}
