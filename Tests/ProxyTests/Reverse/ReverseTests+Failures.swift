import Captures
import Foundation
import LibCrypto
import Proxy
import Synchronization
import TLS
import Testing

/// What fails, loops of the recorder with itself, and the end.
extension ReverseTests {
    // MARK: What fails

    @Test(arguments: ["http", "https"])
    func originThatIsDownIsAPageAndAnEntry(_ client: String) async throws {
        let rig = try await ProxyRig(adjust: { configuration in
            configuration.reverse = (try? ReverseOrigin("https://127.0.0.1:1=127.0.0.1:0")).map { [$0] } ?? []
        })
        let url = "\(client)://127.0.0.1:\(rig.reversePorts[0])/token"
        let output = try await rig.curlDirectly(url, "-d", "code=1", "-w", "%{http_code}")
        #expect(output.text.contains("ECONNREFUSED: connection refused by 127.0.0.1:1"), "\(output.error)")
        #expect(output.text.hasSuffix("502"))
        #expect(rig.exchanges.map(\.request.method) == ["POST"])
        #expect(rig.exchanges.map(\.request.url.text) == ["https://127.0.0.1:1/token"])
        #expect(rig.exchanges.map(\.failure) == ["ECONNREFUSED: connection refused by 127.0.0.1:1"])
        await rig.stop()
    }

    @Test func originThatIsDownIsAnEntryWithoutARequestToo() async throws {
        let played = try ReverseOrigin("http://127.0.0.1:1=127.0.0.1:0")
        let rig = try await ProxyRig(adjust: { $0.reverse = [played] })
        let raw = try await RawClient(port: rig.reversePorts[0])
        try await raw.send("GET / HT")
        for _ in 0..<500 where rig.notices.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        try await raw.close()
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(exchange.request.method == "CONNECT" && exchange.request.url.text == "http://127.0.0.1:1/")
        #expect(exchange.failure == "ECONNREFUSED: connection refused by 127.0.0.1:1")
        await rig.stop()
    }

    @Test(arguments: ["http", "https"])
    func badCertificateOfTheOriginIsAPageAndAnEntry(_ client: String) async throws {
        let stage = try await Stage(adjust: { $0.upstreamTrust = [] })
        let url = "\(client)://127.0.0.1:\(stage.port)/token"
        let output = try await stage.rig.curlDirectly(url, "-d", "code=1", "-w", "%{http_code}")
        #expect(output.text.contains("ERR_CERT_AUTHORITY_INVALID") && output.text.hasSuffix("502"))
        let exchanges = stage.rig.exchanges
        #expect(exchanges.map(\.request.url.text) == ["https://idp.localhost:\(stage.origin.port)/token"])
        #expect(exchanges.first?.failure?.hasPrefix("ERR_CERT_AUTHORITY_INVALID") == true)
        try await stage.stop()
    }

    @Test(arguments: ["https", "http"])
    func clientThatRejectsTheAuthorityIsAnEntry(_ provider: String) async throws {
        let stage = try await Stage(provider)
        let url = "https://127.0.0.1:\(stage.port)/"
        // It is not passed through: under our name the provider's certificate would be of no use to it.
        for _ in 1...2 {
            #expect(try await stage.rig.curlDirectly(url, url, trusting: false).status == 60)
        }
        let exchanges = try await stage.rig.exchanges(atLeast: 4)
        #expect(exchanges.count == 4 && exchanges.allSatisfy { $0.request.method == "CONNECT" })
        #expect(
            exchanges.allSatisfy {
                $0.request.url.text == "\(provider)://idp.localhost:\(stage.origin.port)/"
            }
        )
        #expect(
            exchanges.allSatisfy {
                $0.failure?.contains(
                    "The client does not trust the proxy's certificate (alert unknown_ca)"
                )
                    == true
            }
        )
        #expect(
            stage.rig.notices.contains {
                if case .clientRejectedCertificate(_, _, "unknown_ca", _) = $0 { true } else { false }
            }
        )
        try await stage.stop()
    }

    @Test func pinningClientThatNamesTheOriginGetsThroughTheSecondTime() async throws {
        let stage = try await Stage()
        let roots = NSTemporaryDirectory() + "authreel-pinned-\(UUID().uuidString).pem"
        try ProxyRig.originAuthority().certificate.pem.write(toFile: roots, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: roots) }
        let url = "https://idp.localhost/"
        let output = try await stage.rig.curlDirectly(
            "--cacert",
            roots,
            "--connect-to",
            "idp.localhost:443:127.0.0.1:\(stage.port)",
            url,
            url,
            trusting: false
        )
        #expect(output.text == "hello", "\(output.error)")
        let exchanges = try await stage.rig.exchanges(atLeast: 2)
        #expect(exchanges.map(\.tunnel.reason) == [nil, .clientRejectsRecorder])
        try await stage.stop()
    }

    @Test func clientThatGivesUpMeanwhileIsAnEntry() async throws {
        let silent = try await LoopbackOrigin(tls: nil) { _ in .wait }
        let played = try ReverseOrigin("https://localhost:\(silent.port)=127.0.0.1:0")
        let rig = try await ProxyRig(adjust: { $0.reverse = [played] })
        let output = try await rig.curlDirectly(
            "--max-time",
            "0.5",
            "https://127.0.0.1:\(rig.reversePorts[0])/"
        )
        #expect(output.status == 28)
        #expect(
            try await rig.exchanges(atLeast: 1).map(\.failure)
                == ["the client closed the connection before localhost:\(silent.port) was connected"]
        )
        await rig.stop()
        try await silent.stop()
    }

    // MARK: Ourselves

    /// One below those that the system gives to connections: nobody takes it before the rig does.
    private func freePort() async throws -> Int {
        while true {
            let port = Int.random(in: 20_000..<32_000)
            guard let probe = try? await LoopbackOrigin(tls: nil, port: port, script: { _ in .wait }) else {
                continue
            }
            try await probe.stop()
            return port
        }
    }

    @Test(arguments: ["http", "https"])
    func loopIsAFailure(_ scheme: String) async throws {
        let port = try await freePort()
        let played = try ReverseOrigin("\(scheme)://localhost:\(port)=127.0.0.1:\(port)")
        let rig = try await ProxyRig(adjust: { $0.reverse = [played] })
        let output = try await rig.curlDirectly("\(scheme)://127.0.0.1:\(port)/", "-w", "%{http_code}")
        #expect(
            output.text.contains("localhost:\(port) is this recorder itself") && output.text.hasSuffix("502")
        )
        #expect(
            rig.exchanges.map(\.failure) == [
                "localhost:\(port) is this recorder itself; it does not connect to itself"
            ]
        )
        #expect(
            output.text.contains("Play it at another port: --reverse ORIGIN=127.0.0.1:0 picks a free one")
        )
        // Nor by way of the proxy.
        let proxied = try await rig.curl("http://127.0.0.1:\(port)/", "-w", "%{http_code}")
        #expect(proxied.text.hasSuffix("502"))
        #expect(rig.exchanges.count == 2)
        await rig.stop()
    }

    @Test func twoThatPlayEachOtherAreALoop() async throws {
        let (first, second) = (try await freePort(), try await freePort())
        let played = try [
            ReverseOrigin("http://localhost:\(second)=127.0.0.1:\(first)"),
            ReverseOrigin("http://localhost:\(first)=127.0.0.1:\(second)"),
        ]
        let rig = try await ProxyRig(adjust: { $0.reverse = played })
        let output = try await rig.curlDirectly("http://127.0.0.1:\(first)/", "-w", "%{http_code}")
        #expect(output.text.hasSuffix("502"))
        #expect(rig.exchanges.count == 1)
        await rig.stop()
    }

    @Test func allAddressesAreListenedOnOrNone() async throws {
        let taken = try await LoopbackOrigin(tls: nil) { _ in .wait }
        let (main, first) = (try await freePort(), try await freePort())
        let played = try [
            ReverseOrigin("http://a.localhost=127.0.0.1:\(first)"),
            ReverseOrigin("http://b.localhost=127.0.0.1:\(taken.port)"),
        ]
        await #expect(
            throws: ProxyError.reverseAddressInUse(
                origin: "http://b.localhost",
                host: "127.0.0.1",
                port: taken.port
            )
        ) {
            _ = try await ProxyRig(adjust: {
                $0.port = main
                $0.furtherPorts = [0]
                $0.reverse = played
            })
        }
        for port in [main, first] { #expect(try await Self.isFree(port)) }
        await #expect(throws: ProxyError.addressInUse(host: "127.0.0.1", port: taken.port)) {
            _ = try await ProxyRig(adjust: {
                $0.port = taken.port
                $0.reverse = [played[0]]
            })
        }
        #expect(try await Self.isFree(first))
        try await taken.stop()
    }

    /// Whether nobody listens there, or soon does not: another test may have been given the port meanwhile.
    private static func isFree(_ port: Int) async throws -> Bool {
        for _ in 0..<100 {
            guard let client = try? await RawClient(port: port) else { return true }
            try? await client.close()
            try await Task.sleep(for: .milliseconds(100))
        }
        return false
    }

    /// A client that gives up, or a proxy on the way that breaks off: the provider has said nothing yet.
    @Test func requestThatEndsWithinItsHeadIsAnEntry() async throws {
        let stage = try await Stage("http", script: { _ in .wait })
        let raw = try await RawClient(port: stage.port)
        try await raw.send("GET /cb?code=1 HTTP/1.1\r\nAccept: a/b\r\nHos")
        try await raw.finishSending()
        #expect(try await raw.until { $0.isEnded })
        let exchanges = try await stage.rig.exchanges(atLeast: 1)
        try? await raw.close()
        try await stage.stop()
        #expect(exchanges.map(\.request.url.path) == ["/cb"])
        #expect(exchanges.first?.request.headers.fields.map(\.name) == ["Accept"])
        #expect(exchanges.map(\.failure) == ["the connection ended within the head of the request"])
        #expect(stage.rig.exchanges.count == 1)
    }

    /// The same without an end in good order, and at the end of the recording.
    @Test(arguments: [true, false])
    func requestThatIsTornWithinItsHeadIsAnEntryToo(isReset: Bool) async throws {
        let stage = try await Stage("http")
        let raw = try await RawClient(port: stage.port)
        // With the answer to the first the proxy has what came in one piece with it.
        try await raw.send("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /cb?code=1 HTTP/1.1\r\nAccept: a/b\r\nHos")
        #expect(try await raw.until { $0.received.hasPrefix("HTTP/1.1 200") })
        if isReset {
            try await raw.reset()
            #expect(try await stage.rig.exchanges(atLeast: 2).count == 2)
        }
        await stage.rig.stop()
        try? await raw.close()
        try await stage.origin.stop()
        let exchanges = stage.rig.exchanges
        #expect(exchanges.map(\.request.url.path) == ["/", "/cb"])
        #expect(exchanges.map(\.failure) == [nil, "the connection ended within the head of the request"])
    }

    // MARK: The end

    @Test func pendingExchangeIsRecordedAtTheEnd() async throws {
        let stage = try await Stage(script: { _ in .wait })
        let raw = try await RawClient(port: stage.port)
        try await raw.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
        for _ in 0..<500 where stage.origin.received == 0 { try await Task.sleep(for: .milliseconds(10)) }
        await stage.rig.stop()
        #expect(stage.rig.exchanges.map(\.request.url.path) == ["/slow"])
        #expect(stage.rig.exchanges.first?.failure?.contains("recording ended") == true)
        #expect(try await raw.until { $0.isEnded })
        await #expect(throws: (any Error).self) { _ = try await RawClient(port: stage.port) }
        try await stage.origin.stop()
    }

    @Test func whatIsOpenDoesNotHoldUpTheEnd() async throws {
        let stage = try await Stage()
        let (idle, peeking, inside) = (
            try await RawClient(port: stage.port), try await RawClient(port: stage.port),
            try await RawClient(port: stage.port)
        )
        try await peeking.send([22, 3, 1])
        try await inside.send("GET / HTTP/1.1\r\n")
        let took = try await ContinuousClock().measure { try await stage.stop() }
        #expect(took < .seconds(5))
        for client in [idle, peeking, inside] { #expect(try await client.until { $0.isEnded }) }
    }
}
