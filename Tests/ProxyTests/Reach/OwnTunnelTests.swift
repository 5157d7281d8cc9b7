import Captures
import Foundation
import Proxy
import Testing

/// What a client finds that asks for the proxy itself: in a tunnel, in clear, and by roundabout names.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"), "curl is not installed"))
struct OwnTunnelTests {
    @Test(arguments: ["--tlsv1.3", "--tls-max=1.2"])
    func clientThatTrustsIsIntercepted(_ version: String) async throws {
        let rig = try await ProxyRig()
        let options = version.split(separator: "=").map(String.init)
        let page = try await rig.curl(
            "https://authreel.proxy/",
            options[0],
            options.count > 1 ? options[1] : "-s"
        )
        #expect(page.status == 0, "\(page.error)")
        #expect(page.text.contains("You are intercepted"))
        #expect(page.text.hasSuffix("</html>\n"))
        #expect(page.text.contains("http://127.0.0.1:\(rig.port)/ca.pem"))
        let sign = try await rig.curl("https://authreel.proxy/check.svg", "-w", "%{content_type}")
        #expect(sign.text.contains("you are ready to record"))
        #expect(sign.text.hasSuffix("image/svg+xml"))
        // Told a moment after the answer.
        for _ in 0..<100 where rig.notices.isEmpty { try await Task.sleep(for: .milliseconds(20)) }
        await rig.stop()
        #expect(rig.exchanges.isEmpty)
        // Told, so that the user sees it as well.
        #expect(!rig.notices.isEmpty)
        for notice in rig.notices {
            guard case .clientIsIntercepted(let client) = notice else {
                Issue.record("\(notice)")
                continue
            }
            // A crowded machine may not say in time who it was.
            #expect([nil, "curl"].contains(client.process) && client.address != nil)
        }
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func tunnelToTheListeningAddressIsServedToo(_ host: String) async throws {
        let rig = try await ProxyRig()
        let page = try await rig.curl("https://\(host):\(rig.port)/")
        #expect(page.text.contains("You are intercepted"), "\(page.error)")
        await rig.stop()
        #expect(rig.exchanges.isEmpty)
    }

    @Test(arguments: ["--tlsv1.3", "--tls-max=1.2"])
    func clientThatDoesNotTrustLeavesNoTrace(_ version: String) async throws {
        let rig = try await ProxyRig()
        let options = version.split(separator: "=").map(String.init)
        let page = try await rig.curl(
            "https://authreel.proxy/",
            options[0],
            options.count > 1 ? options[1] : "-s",
            trusting: false
        )
        #expect(page.status == 60, "\(page.error)")
        await rig.stop()
        #expect(rig.exchanges.isEmpty)
        #expect(rig.notices.isEmpty)
    }

    @Test func checkIsNotThereInClear() async throws {
        let rig = try await ProxyRig()
        let status = ["-w", "%{http_code}", "-o", "/dev/null"]
        let proxied = try await rig.curl(
            status[0],
            status[1],
            status[2],
            status[3],
            "http://authreel.proxy/check.svg"
        )
        #expect(proxied.text == "404")
        let page = try await rig.curl("http://authreel.proxy/")
        #expect(
            page.text.contains("https://authreel.proxy/check.svg")
                && !page.text.contains("You are intercepted")
        )
        let direct = try await ProxyRig.run(["/usr/bin/curl", "-sS", "http://127.0.0.1:\(rig.port)/"])
        #expect(direct.text.contains("cannot tell") && !direct.text.contains("check.svg"))
        await rig.stop()
        #expect(rig.exchanges.isEmpty)
    }

    private static let request = "GET / HTTP/1.1\r\nHost: authreel.proxy\r\nUser-Agent: Java/21\r\n\r\n"

    @Test func tunnelInClearIsServedWithoutSayingIntercepted() async throws {
        let rig = try await ProxyRig()
        for isSplit in [false, true] {
            let raw = try await RawClient(port: rig.port)
            let bytes = "CONNECT authreel.proxy:80 HTTP/1.1\r\n\r\n" + Self.request
            if isSplit {
                for byte in bytes.utf8 { try await raw.send([byte]) }
            } else {
                try await raw.send(bytes)
            }
            // Who ends its own half with the request has the whole answer all the same.
            try await raw.finishSending()
            #expect(try await raw.until { $0.isEnded })
            #expect(raw.received.hasPrefix("HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 200 OK\r\n"))
            #expect(raw.received.hasSuffix("</html>\n"))
            #expect(raw.received.contains("<h2>Java</h2>"))
            #expect(!raw.received.contains("You are intercepted"))
        }
        await rig.stop()
        #expect(rig.exchanges.isEmpty)
    }

    static let bad: [(name: String, bytes: String, status: Int)] = [
        ("noise", "\u{1}\u{2}", 400), ("other protocol", "SSH-2.0-x\r\n\r\n", 400),
        ("tunnel in a tunnel", "CONNECT a.example:443 HTTP/1.1\r\n\r\n", 400),
        ("own tunnel in a tunnel", "CONNECT authreel.proxy:443 HTTP/1.1\r\n\r\n", 400),
        ("long head", "GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: 3000), 431),
    ]

    @Test(arguments: bad.indices)
    func badRequestInsideIsRefused(_ index: Int) async throws {
        let row = Self.bad[index]
        let rig = try await ProxyRig(adjust: { $0.limits.headBytes = 2000 })
        let raw = try await RawClient(port: rig.port)
        try await raw.send("CONNECT authreel.proxy:443 HTTP/1.1\r\n\r\n")
        try await raw.send(row.bytes)
        #expect(try await raw.until { $0.isEnded }, "\(row.name)")
        #expect(
            raw.received.contains("\r\n\r\nHTTP/1.1 \(row.status) "),
            "\(row.name): \(raw.received.prefix(200))"
        )
        await rig.stop()
        #expect(rig.exchanges.isEmpty)
    }

    @Test func silentTunnelIsClosed() async throws {
        let rig = try await ProxyRig(adjust: {
            $0.limits.headTime = .milliseconds(100)
            $0.limits.handshakeTime = .milliseconds(100)
        })
        let silent = try await RawClient(port: rig.port)
        try await silent.send("CONNECT authreel.proxy:443 HTTP/1.1\r\n\r\n")
        #expect(try await silent.until { $0.isEnded })
        // A hello that begins, and a request that does.
        let hello = try await RawClient(port: rig.port)
        try await hello.send(Array("CONNECT authreel.proxy:443 HTTP/1.1\r\n\r\n".utf8) + [22, 3, 1, 2])
        #expect(try await hello.until { $0.isEnded })
        let head = try await RawClient(port: rig.port)
        try await head.send("CONNECT authreel.proxy:443 HTTP/1.1\r\n\r\nGET / HT")
        #expect(try await head.until { $0.isEnded })
        #expect(head.received.contains("HTTP/1.1 408 "))
        await rig.stop()
        #expect(rig.exchanges.isEmpty)
    }

    @Test func openTunnelDoesNotHoldUpTheEnd() async throws {
        let rig = try await ProxyRig()
        let raw = try await RawClient(port: rig.port)
        try await raw.send("CONNECT authreel.proxy:443 HTTP/1.1\r\n\r\n")
        #expect(try await raw.until { $0.count > 0 })
        let clock = ContinuousClock()
        let took = await clock.measure { await rig.stop() }
        #expect(took < .seconds(5))
        #expect(try await raw.until { $0.isEnded })
    }

    @Test func ownPageBehindARecordedRequestIsNotRecorded() async throws {
        let origin = try await LoopbackOrigin(
            tls: nil,
            script: { _ in .send(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)) }
        )
        let rig = try await ProxyRig()
        let raw = try await RawClient(port: rig.port)
        try await raw.send("GET http://localhost:\(origin.port)/ HTTP/1.1\r\nHost: app.example\r\n\r\n")
        #expect(try await raw.until { $0.received.hasSuffix("ok") })
        try await raw.send("GET http://authreel.proxy/ HTTP/1.1\r\nHost: authreel.proxy\r\n\r\n")
        #expect(try await raw.until { $0.isEnded })
        #expect(raw.received.contains("check.svg") && raw.received.hasSuffix("</html>\n"))
        await rig.stop()
        #expect(rig.exchanges.map(\.request.url.text) == ["http://localhost:\(origin.port)/"])
        try await origin.stop()
    }

    // MARK: By other names

    /// What the resolver makes of them is known only when they are dialled.
    @Test(arguments: [("127.0.0.1", "127.1"), ("0.0.0.0", "127.1"), ("0.0.0.0", "127.2")])
    func proxyDoesNotConnectToItself(_ listening: String, _ name: String) async throws {
        let rig = try await ProxyRig(adjust: { $0.host = listening })
        let raw = try await RawClient(port: rig.port)
        try await raw.send("GET http://\(name):\(rig.port)/ HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try await raw.until { $0.isEnded })
        #expect(raw.received.hasPrefix("HTTP/1.1 502"), "\(raw.received.prefix(300))")
        #expect(
            try await rig.exchanges(atLeast: 1).first?.failure?.contains("does not connect to itself") == true
        )
        await rig.stop()
    }

    @Test func proxyOnAllAddressesServesItsPageAtEach() async throws {
        let rig = try await ProxyRig(adjust: { $0.host = "0.0.0.0" })
        for host in ["127.0.0.1", "127.0.0.2", "localhost", "0.0.0.0"] {
            let page = try await rig.curl("http://\(host):\(rig.port)/")
            #expect(page.text.contains("authreel is recording"), "\(host): \(page.error)")
        }
        await rig.stop()
        #expect(rig.exchanges.isEmpty)
    }
}
