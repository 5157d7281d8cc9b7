import Captures
import Foundation
import Testing

@testable import Proxy

/// What another proxy does of its own accord, which is not to be laid to the provider.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"), "curl is not installed"))
struct ProxyAnswerTests {
    private static let name = "idp.example"
    private static let squid = [
        ("Server", "squid/5.7"), ("X-Squid-Error", "ERR_CONNECT_FAIL 111"),
        ("Via", "1.1 proxy.corp.example (squid/5.7)"),
    ]

    private func taken(_ response: RecordedResponse, failure: String? = nil) throws -> (Exchange, String?) {
        let proxy = try UpstreamProxy("http://proxy.example:3128")
        let origin = try #require(Origin(authority: "idp.example:80", defaultPort: nil))
        var exchange = Exchange(
            startedAt: Timestamp(nanoseconds: 0),
            request: RecordedRequest(method: "GET", url: RecordedURL("http://idp.example/keys"))
        )
        exchange.response = response
        exchange.failure = failure
        let told = proxy.takeOver(&exchange, of: origin)
        return (exchange, told?.reason)
    }

    private func rig(_ port: Int) async throws -> ProxyRig {
        let proxy = try UpstreamProxy("http://al:pw@127.0.0.1:\(port)")
        return try await ProxyRig(adjust: { $0.upstreamProxy = proxy })
    }

    // MARK: Pages

    static let pages: [(status: Int, fields: [(String, String)], failure: String)] = [
        (
            503, squid,
            "ERR_TUNNEL_CONNECTION_FAILED: the upstream proxy http://proxy.example:3128 answered 503 Text "
                + "in place of idp.example:80 (X-Squid-Error: ERR_CONNECT_FAIL 111)"
        ),
        (
            502, [("X-Squid-Error", "ERR_ZERO_SIZE_OBJECT 0"), ("Via", "1.1 a (squid/6)")],
            "ERR_EMPTY_RESPONSE: the upstream proxy http://proxy.example:3128 got no answer of idp.example:80 "
                + "and answered 502 Text (X-Squid-Error: ERR_ZERO_SIZE_OBJECT 0)"
        ),
        (
            503, [("X-Squid-Error", "ERR_DNS_FAIL 0"), ("Via", "1.1 notidp.example (squid/6)")],
            "ERR_TUNNEL_CONNECTION_FAILED: the upstream proxy http://proxy.example:3128 answered 503 Text "
                + "in place of idp.example:80 (X-Squid-Error: ERR_DNS_FAIL 0)"
        ),
        (
            500, [("Server", "tinyproxy/1.11.1")],
            "ERR_TUNNEL_CONNECTION_FAILED: the upstream proxy http://proxy.example:3128 answered 500 Text "
                + "in place of idp.example:80 (Server: tinyproxy/1.11.1)"
        ),
        (
            401, [("Proxy-Authenticate", "Basic realm=\"x\"")],
            "ERR_TUNNEL_CONNECTION_FAILED: the upstream proxy http://proxy.example:3128 answered 401 Text "
                + "in place of idp.example:80 (Proxy-Authenticate: Basic realm=\"x\")"
        ),
        (
            504, [("Proxy-Status", "proxy.example; error=connection_timeout")],
            "ERR_TUNNEL_CONNECTION_FAILED: the upstream proxy http://proxy.example:3128 answered 504 Text "
                + "in place of idp.example:80 (Proxy-Status: proxy.example; error=connection_timeout)"
        ),
        (
            407, [("Proxy-Authenticate", "Negotiate")],
            "ERR_PROXY_AUTH_REQUESTED: the upstream proxy http://proxy.example:3128 answered 407 and wants a "
                + "user name and password (Proxy-Authenticate: Negotiate)"
        ),
    ]

    @Test(arguments: pages.indices)
    func pageThatOnlyTheProxyCanHaveWrittenIsNoAnswer(_ index: Int) throws {
        let page = Self.pages[index]
        let response = RecordedResponse(
            status: page.status,
            statusText: "Text",
            headers: HeaderFields(page.fields)
        )
        let (exchange, told) = try taken(response)
        #expect(exchange.failure == page.failure)
        #expect(exchange.response == nil)
        #expect(told == page.failure)
        // What broke off is not known to the end.
        let (cut, _) = try taken(response, failure: AnswerLoss.clientLeft)
        #expect(cut.response?.status == page.status && cut.failure == AnswerLoss.clientLeft)
    }

    /// Passed on by the proxy, or written by somebody else in front of the provider.
    static let answers: [(status: Int, fields: [(String, String)])] = [
        (503, [("Via", "1.1 proxy.corp.example (squid/5.7)")]),
        (503, squid + [("Via", "1.1 front.idp.example (squid/6)")]),
        (503, [("X-Squid-Error", "ERR_CONNECT_FAIL 111")]),
        // A proxy on the way may leave Via alone.
        (503, [("X-Squid-Error", "ERR_CONNECT_FAIL 111"), ("Via", "1.1 front.idp.example (squid/6)")]),
        (503, [("X-Squid-Error", "ERR_CONNECT_FAIL 111"), ("Via", "1.1 IDP.example:3128 (squid/6)")]),
        (
            503,
            [("X-Squid-Error", "ERR_CONNECT_FAIL 111"), ("Via", "1.1 front (squid/6), 1.1 vm (tinyproxy/1)")]
        ),
        (200, squid), (302, squid),
        (500, [("Server", "tinyproxy/1.11.1"), ("Via", "1.1 vm (tinyproxy/1.11.1)")]),
        (401, [("WWW-Authenticate", "Basic realm=\"x\"")]),
        (401, [("WWW-Authenticate", "Bearer"), ("Proxy-Authenticate", "Basic realm=\"x\"")]),
        (502, [("Proxy-Status", "cdn.example; error=connection_timeout")]),
        (502, [("Proxy-Status", "proxy.example; received-status=502")]),
        (502, [("Proxy-Status", "cdn.example; error=dns_error, proxy.example")]),
        (502, [("Proxy-Status", "")]),
    ]

    @Test(arguments: answers.indices)
    func whatAProviderMayHaveAnsweredStays(_ index: Int) throws {
        let answer = Self.answers[index]
        let response = RecordedResponse(status: answer.status, headers: HeaderFields(answer.fields))
        let (exchange, told) = try taken(response)
        #expect(exchange.response?.status == answer.status)
        #expect(exchange.failure == nil && told == nil)
    }

    @Test func pageIsTheClientsAndNoAnswerOfTheProvider() async throws {
        let fields = Self.squid.map { "\($0): \($1)\r\n" }.joined()
        let proxy = try await SmallProxy(.http) { head in
            Array(
                (head.contains("/fine")
                    ? "HTTP/1.1 200 OK\r\nVia: 1.1 a (squid/5.7)\r\nContent-Length: 4\r\n\r\nfine"
                    : "HTTP/1.1 503 Service Unavailable\r\n\(fields)Content-Length: 4\r\n\r\npage").utf8
            )
        }
        let rig = try await rig(proxy.port)
        // On one connection: the first answer is not the only one that is looked at.
        let output = try await rig.curl("http://\(Self.name)/fine", "http://\(Self.name)/gone")
        #expect(output.text == "finepage", "\(output.error)")
        #expect(rig.exchanges.map(\.response?.status) == [200, nil])
        let failure = try #require(rig.exchanges.last?.failure)
        #expect(failure.hasSuffix("in place of \(Self.name):80 (X-Squid-Error: ERR_CONNECT_FAIL 111)"))
        #expect(
            rig.notices == [.upstreamFailed(host: "\(Self.name):80", reason: failure, hint: nil)],
            "\(rig.notices)"
        )
        await rig.stop()
        try await proxy.stop()
    }

    // MARK: Ends

    @Test func proxyThatEndsTheConnectionIsNamed() async throws {
        for (step, words) in [
            (LoopbackOrigin.Step.reset, "ECONNRESET: connection reset by the upstream proxy "),
            (.sendAndFinish([]), "connection closed by the upstream proxy "),
            (.sendAndFinish(Array("HTTP/1.1 200 O".utf8)), "connection closed by the upstream proxy "),
        ] {
            let proxy = try await LoopbackOrigin(tls: nil) { received in
                received.suffix(4).elementsEqual("\r\n\r\n".utf8) ? step : .wait
            }
            let rig = try await rig(proxy.port)
            _ = try await rig.curl("http://\(Self.name)/token")
            let failure = try #require(try await rig.exchanges(atLeast: 1).first?.failure)
            #expect(failure.hasPrefix("\(words)http://127.0.0.1:\(proxy.port)"), "\(failure)")
            await rig.stop()
            try await proxy.stop()
        }
    }

    /// The alert with which TLS answers a request in clear (RFC 8446, section 6).
    @Test func proxyThatSpeaksTLSIsNamed() async throws {
        let proxy = try await LoopbackOrigin(tls: nil) { _ in .sendAndFinish([0x15, 3, 3, 0, 2, 2, 10]) }
        let rig = try await rig(proxy.port)
        _ = try await rig.curl("http://\(Self.name)/token")
        let failure = try #require(try await rig.exchanges(atLeast: 1).first?.failure)
        #expect(
            failure
                == "ERR_TUNNEL_CONNECTION_FAILED: no way to \(Self.name):80 through the upstream proxy "
                + "http://127.0.0.1:\(proxy.port): it speaks TLS: name it by https://"
        )
        #expect(rig.notices.contains(.upstreamFailed(host: "\(Self.name):80", reason: failure, hint: nil)))
        await rig.stop()
        try await proxy.stop()
    }

    /// Without a proxy on the way the words are about the provider.
    @Test func providerThatEndsTheConnectionIsTheServer() async throws {
        let origin = try await LoopbackOrigin(tls: nil) { _ in .sendAndFinish([]) }
        let rig = try await ProxyRig()
        _ = try await rig.curl("http://localhost:\(origin.port)/token")
        #expect(try await rig.exchanges(atLeast: 1).first?.failure == AnswerLoss.serverLeft)
        await rig.stop()
        try await origin.stop()
    }

    @Test(arguments: ["http", "https", "socks5h"])
    func proxyThatIsWaitedForInVainIsNamed(_ scheme: String) async throws {
        let silent = try await LoopbackOrigin(tls: nil) { _ in .wait }
        let proxy = try UpstreamProxy("\(scheme)://127.0.0.1:\(silent.port)")
        let rig = try await ProxyRig(adjust: { $0.upstreamProxy = proxy })
        _ = try await rig.curl("--max-time", "0.5", "https://\(Self.name)/")
        #expect(
            try await rig.exchanges(atLeast: 1).map(\.failure) == [
                "the client closed the connection before \(Self.name):443 was connected "
                    + "(by way of the upstream proxy \(scheme)://127.0.0.1:\(silent.port))"
            ]
        )
        await rig.stop()
        try await silent.stop()
    }

    /// A proxy may say yes before it knows of a way.
    @Test func proxyIsNamedBesideAHandshakeThatFails() async throws {
        let proxy = try await LoopbackOrigin(tls: nil) { received in
            guard received.starts(with: "CONNECT ".utf8) else { return .sendAndFinish([]) }
            return .send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
        }
        let rig = try await rig(proxy.port)
        let output = try await rig.curl("https://\(Self.name)/token", "-w", "%{http_code}")
        #expect(output.text.hasSuffix("502"), "\(output.error)")
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(exchange.request.url.path == "/token")
        #expect(
            exchange.failure
                == "ERR_SSL_PROTOCOL_ERROR: \(Self.name):443 closed the connection during the TLS handshake "
                + "(by way of the upstream proxy http://127.0.0.1:\(proxy.port))"
        )
        await rig.stop()
        try await proxy.stop()
    }

    /// It, or the server behind it: nobody sees which.
    @Test(arguments: [
        (
            LoopbackOrigin.Step.sendAndFinish(
                Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{".utf8)
            ),
            AnswerLoss.serverLeft
        ),
        (.sendAndFinish([]), AnswerLoss.serverLeft),
        (.reset, "ECONNRESET: connection reset by the server"),
    ])
    func proxyIsNamedBesideAnAnswerThatIsCutShort(_ step: LoopbackOrigin.Step, _ words: String) async throws {
        let proxy = try await LoopbackOrigin(tls: nil) { received in
            received.starts(with: "CONNECT ".utf8) ? .send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8)) : step
        }
        let rig = try await rig(proxy.port)
        _ = try await rig.curl("--proxytunnel", "http://\(Self.name)/token")
        let way = " (by way of the upstream proxy http://127.0.0.1:\(proxy.port))"
        #expect(try await rig.exchanges(atLeast: 1).map(\.failure) == [words + way])
        await rig.stop()
        try await proxy.stop()
    }

    /// The client's request is on its way then, and is to be in the capture.
    @Test func proxyThatHangsUpBehindItsYesIsTold() async throws {
        let proxy = try await LoopbackOrigin(tls: nil) { _ in
            .sendAndFinish(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
        }
        let by = try UpstreamProxy("http://127.0.0.1:\(proxy.port)")
        let rig = try await ProxyRig(adjust: {
            $0.upstreamProxy = by
            $0.limits.beginTime = .seconds(20)
        })
        let output = try await rig.curl("https://\(Self.name)/token", "-w", "%{http_code} %{http_connect}")
        #expect(output.text.contains("502"), "\(output.text) \(output.error)")
        let failures = try await rig.exchanges(atLeast: 1).compactMap(\.failure)
        let failure = try #require(failures.first)
        #expect(failures.count == 1)
        #expect(failure.hasPrefix("\(Self.name):443 closed the connection before it was asked anything"))
        #expect(failure.hasSuffix(" (by way of the upstream proxy http://127.0.0.1:\(proxy.port))"))
        await rig.stop()
        try await proxy.stop()
    }

    /// As proxies for HTTP do when SOCKS or TLS is spoken to them.
    @Test(arguments: [
        ("socks5h", "ERR_SOCKS_CONNECTION_FAILED: no way to ", "An HTTP proxy is named by http://"),
        (
            "https", "ERR_PROXY_CONNECTION_FAILED: no connection to ",
            "A proxy without TLS is named by http://"
        ),
    ])
    func proxyThatSaysNothingMaySpeakHTTP(_ scheme: String, _ words: String, _ hint: String) async throws {
        let silent = try await LoopbackOrigin(tls: nil) { _ in .wait }
        let proxy = try UpstreamProxy("\(scheme)://127.0.0.1:\(silent.port)")
        let rig = try await ProxyRig(adjust: {
            $0.upstreamProxy = proxy
            $0.limits.connectTime = .milliseconds(300)
            $0.limits.handshakeTime = .milliseconds(300)
        })
        _ = try await rig.curl("https://\(Self.name)/")
        let failure = try #require(try await rig.exchanges(atLeast: 1).first?.failure)
        #expect(failure.hasPrefix(words), "\(failure)")
        #expect(rig.notices == [.upstreamFailed(host: "\(Self.name):443", reason: failure, hint: hint)])
        await rig.stop()
        try await silent.stop()
    }

    @Test func howToWaitLongerIsTold() async throws {
        let silent = try await LoopbackOrigin(tls: nil) { _ in .wait }
        let proxy = try UpstreamProxy("http://127.0.0.1:\(silent.port)")
        let rig = try await ProxyRig(adjust: {
            $0.upstreamProxy = proxy
            $0.limits.proxyTime = .milliseconds(500)
        })
        _ = try await rig.curl("https://\(Self.name)/")
        let failure = try #require(try await rig.exchanges(atLeast: 1).first?.failure)
        #expect(failure.hasSuffix("no answer in time (0.5 s)"), "\(failure)")
        let hint = "To wait longer for it: authreel record --connect-timeout SECONDS"
        #expect(rig.notices == [.upstreamFailed(host: "\(Self.name):443", reason: failure, hint: hint)])
        await rig.stop()
        try await silent.stop()
    }

    /// Its own connection takes longer than a word of it.
    @Test func proxyThatSpeaksSOCKSIsWaitedForLonger() async throws {
        let slow = try await LoopbackOrigin(tls: nil) { received in
            received == [5, 1, 0] ? .send([5, 0]) : .wait
        }
        let proxy = try UpstreamProxy("socks5h://127.0.0.1:\(slow.port)")
        let rig = try await ProxyRig(adjust: {
            $0.upstreamProxy = proxy
            $0.limits.connectTime = .seconds(1)
        })
        _ = try await rig.curl("--max-time", "3", "https://\(Self.name)/")
        let failure = try #require(try await rig.exchanges(atLeast: 1).first?.failure)
        #expect(failure.hasPrefix("the client closed the connection before "), "\(failure)")
        await rig.stop()
        try await slow.stop()
    }
}
