import Captures
import Foundation
import LibCrypto
import Proxy
import Synchronization
import TLS
import Testing

/// A provider that is played at an address of the recorder's, with clients that know of no proxy.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"), "curl is not installed"))
struct ReverseTests {
    private static let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    /// A provider, a recorder that plays it, and what the provider was sent.
    private final class Stage: Sendable {
        let origin: LoopbackOrigin
        let rig: ProxyRig
        private let sent: Sent

        final class Sent: Sendable {
            let bytes = Mutex<[UInt8]>([])
        }

        /// - Parameters:
        ///   - scheme: the provider's.
        ///   - name: the provider's; below `localhost`, so that it is found.
        ///   - script: what it answers.
        ///   - record: called with each entry.
        ///   - adjust: of the proxy's configuration.
        /// - Throws: where one of the two cannot listen.
        init(
            _ scheme: String = "https",
            name: String = "idp.localhost",
            script: @escaping LoopbackOrigin.Script = { _ in .send(Array(ReverseTests.hello.utf8)) },
            record: (@Sendable ([Exchange]) throws -> Void)? = nil,
            adjust: (inout ProxyConfiguration) -> Void = { _ in }
        ) async throws {
            let sent = Sent()
            self.sent = sent
            origin = try await LoopbackOrigin(
                tls: scheme == "https" ? ProxyRig.originTLS(name: .host(name)) : nil
            ) { received in
                sent.bytes.withLock { $0 += received }
                return script(received)
            }
            let played = try ReverseOrigin("\(scheme)://\(name):\(origin.port)=127.0.0.1:0")
            rig = try await ProxyRig(record: record) {
                $0.reverse = [played]
                adjust(&$0)
            }
        }

        var port: Int { rig.reversePorts[0] }
        var seen: String { String(decoding: sent.bytes.withLock { $0 }, as: UTF8.self) }

        func stop() async throws {
            await rig.stop()
            try await origin.stop()
        }
    }

    // MARK: What is recorded

    @Test(arguments: [("https", "https"), ("http", "https"), ("https", "http"), ("http", "http")])
    func exchangeIsOneOfTheOrigin(_ client: String, _ provider: String) async throws {
        let stage = try await Stage(provider)
        let output = try await stage.rig.curlDirectly(
            "\(client)://127.0.0.1:\(stage.port)/authorize?state=a%2Fb"
        )
        #expect(output.text == "hello", "\(output.error)")
        let exchange = try #require(stage.rig.exchanges.first)
        let authority = "idp.localhost:\(stage.origin.port)"
        #expect(exchange.request.url.text == "\(provider)://\(authority)/authorize?state=a%2Fb")
        #expect(exchange.request.headers.first("host") == authority)
        #expect(exchange.response?.status == 200)
        #expect(exchange.client.address?.hasPrefix("127.0.0.1:") == true)
        #expect(exchange.connection.serverAddress == "127.0.0.1:\(stage.origin.port)")
        #expect(exchange.connection.serverTLSVersion == (provider == "https" ? "TLSv1.3" : nil))
        #expect(exchange.connection.clientTLSVersion == (client == "https" ? "TLSv1.3" : nil))
        // With TLS, as HAR has it.
        #expect(try #require(exchange.timings.connect) >= exchange.timings.tls ?? .zero)
        #expect(stage.seen.contains("\r\nHost: \(authority)\r\n"))
        try await stage.stop()
        #expect(stage.rig.exchanges.count == 1)
        #expect(stage.rig.notices.isEmpty)
    }

    @Test func entryIsRecordedBeforeTheClientHasTheAnswer() async throws {
        let client = Mutex<RawClient?>(nil)
        let counts = Mutex<[Int?]>([])
        let stage = try await Stage(record: { _ in
            // Give the bytes every chance to overtake.
            Thread.sleep(forTimeInterval: 0.05)
            let count = client.withLock { $0 }?.count
            counts.withLock { $0.append(count) }
        })
        let raw = try await RawClient(port: stage.port)
        client.withLock { $0 = raw }
        let length = Self.hello.utf8.count
        for round in 1...3 {
            try await raw.send("GET /\(round) HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try await raw.until { $0.count == length * round })
        }
        #expect(counts.withLock { $0 } == [0, length, 2 * length])
        try await raw.close()
        try await stage.stop()
    }

    @Test func connectionsInUseStayWhenOthersCome() async throws {
        let stage = try await Stage("http", adjust: { $0.limits.connections = 4 })
        var clients: [RawClient] = []
        for _ in 0..<4 {
            let client = try await RawClient(port: stage.port)
            try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try await client.until { $0.received == Self.hello })
            clients.append(client)
        }
        #expect(clients.allSatisfy { !$0.isEnded })
        try await clients[0].send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try await clients[0].until { $0.received == Self.hello + Self.hello || $0.isEnded })
        #expect(clients[0].received == Self.hello + Self.hello)
        for client in clients { try? await client.close() }
        try await stage.stop()
    }

    @Test func nothingButHostIsAltered() async throws {
        let stage = try await Stage()
        let raw = try await RawClient(port: stage.port)
        let request = """
            POST /token?a=%2F HTTP/1.1\r
            X-Odd :kept\r
            hOsT:  127.0.0.1:\(stage.port)\r
            Proxy-Authorization: kept\r
            Cookie: a=b; a=c\r
            Content-Length: 4\r
            \r
            body
            """
        try await raw.send(request)
        #expect(try await raw.until { $0.received == Self.hello })
        #expect(
            stage.seen
                == request.replacing("127.0.0.1:\(stage.port)", with: "idp.localhost:\(stage.origin.port)")
        )
        try await raw.close()
        try await stage.stop()
    }

    @Test func clientThatNamesTheOriginIsLeftAlone() async throws {
        let stage = try await Stage()
        let url = "https://idp.localhost/metadata"
        let output = try await stage.rig.curlDirectly(
            "--connect-to",
            "idp.localhost:443:127.0.0.1:\(stage.port)",
            url
        )
        #expect(output.text == "hello", "\(output.error)")
        #expect(stage.seen.contains("\r\nHost: idp.localhost\r\n"))
        // The provider's own port, whatever the client's.
        #expect(
            stage.rig.exchanges.map(\.request.url.text) == [
                "https://idp.localhost:\(stage.origin.port)/metadata"
            ]
        )
        #expect(stage.rig.exchanges.first?.connection.serverName == "idp.localhost")
        let clear = try await RawClient(port: stage.port)
        try await clear.send("GET / HTTP/1.1\r\nHost: idp.localhost:9443\r\n\r\n")
        #expect(try await clear.until { $0.received == Self.hello })
        #expect(stage.seen.hasSuffix("GET / HTTP/1.1\r\nHost: idp.localhost:9443\r\n\r\n"))
        try await clear.close()
        try await stage.stop()
    }

    @Test(arguments: ["http", "https"])
    func connectionIsKeptForSeveralRequests(_ client: String) async throws {
        let stage = try await Stage()
        let url = "\(client)://localhost:\(stage.port)/"
        let output = try await stage.rig.curlDirectly(
            url + "1",
            url + "2",
            url + "3",
            "-w",
            "%{num_connects}"
        )
        #expect(output.text == "hello1hello0hello0", "\(output.error)")
        #expect(stage.rig.exchanges.map(\.request.url.path) == ["/1", "/2", "/3"])
        #expect(stage.seen.components(separatedBy: "Host: idp.localhost:\(stage.origin.port)").count == 4)
        #expect(Set(stage.rig.exchanges.map(\.connection.id)).count == 1)
        try await stage.stop()
    }

    @Test func pipelinedRequestsAreAllAnswered() async throws {
        let stage = try await Stage(script: { received in
            let text = String(decoding: received, as: UTF8.self)
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
            let count = text.components(separatedBy: "\r\n\r\n").count - 1
            return count == 0 ? .wait : .send(Array(String(repeating: answer, count: count).utf8))
        })
        let raw = try await RawClient(port: stage.port)
        let requests = (1...3).map { "GET /\($0) HTTP/1.1\r\nHost: 127.0.0.1:\(stage.port)\r\n\r\n" }
        try await raw.send(requests.joined())
        #expect(try await raw.until { $0.received.components(separatedBy: "ok").count == 4 })
        #expect(stage.rig.exchanges.map(\.request.url.path) == ["/1", "/2", "/3"])
        #expect(!stage.seen.contains("127.0.0.1"))
        try await raw.close()
        try await stage.stop()
    }

    @Test func largeBodyArrivesWhole() async throws {
        let count = 3 << 20
        let stage = try await Stage(script: { received in
            received.count < count ? .wait : .send(Array(ReverseTests.hello.utf8))
        })
        let file = NSTemporaryDirectory() + "authreel-body-\(UUID().uuidString)"
        try Data(repeating: 0x61, count: count).write(to: URL(filePath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        for more in ["Expect: 100-continue", "Transfer-Encoding: chunked"] {
            let output = try await stage.rig.curlDirectly(
                "--expect100-timeout",
                "0.1",
                "-H",
                more,
                "--data-binary",
                "@\(file)",
                "http://127.0.0.1:\(stage.port)/token"
            )
            #expect(output.text == "hello", "\(output.error)")
        }
        #expect(stage.rig.exchanges.map(\.request.body?.size) == [count, count])
        try await stage.stop()
    }

    /// Keeps the recorder's loop busy from its next entry on, so that it sees at once what comes meanwhile.
    private final class Delay: Sendable {
        enum State { case off, wanted, on }

        private let state = Mutex(State.off)

        /// What the recorder calls.
        func record() {
            state.withLock { if $0 == .wanted { $0 = .on } }
            while state.withLock({ $0 == .on }) { Thread.sleep(forTimeInterval: 0.001) }
        }

        func begin(_ stage: Stage) async throws -> RawClient {
            state.withLock { $0 = .wanted }
            let client = try await RawClient(port: stage.port)
            try await client.send("GET /first HTTP/1.1\r\nHost: x\r\n\r\n")
            while state.withLock({ $0 == .wanted }) { try await Task.sleep(for: .milliseconds(1)) }
            return client
        }

        func end() { state.withLock { $0 = .off } }
    }

    @Test func clientThatEndsItsHalfAtOnceStillGetsItsAnswer() async throws {
        let delay = Delay()
        let stage = try await Stage(
            record: { _ in delay.record() }
        )
        let first = try await delay.begin(stage)
        let second = try await RawClient(port: stage.port)
        try await second.send("GET /second HTTP/1.1\r\nHost: x\r\n\r\n")
        try await second.finishSending()
        delay.end()
        #expect(
            try await second.until { $0.received == Self.hello && $0.isEnded },
            "\(second.received)"
        )
        let exchanges = try await stage.rig.exchanges(atLeast: 2)
        #expect(exchanges.map { $0.request.url.path } == ["/first", "/second"])
        #expect(exchanges.map { $0.failure } == [nil, nil])
        try await first.close()
        try await stage.stop()
    }

    @Test func clientThatLeavesBehindItsHelloIsAnEntry() async throws {
        let delay = Delay()
        let stage = try await Stage(record: { _ in delay.record() })
        let first = try await delay.begin(stage)
        let second = try await RawClient(port: stage.port)
        // Version, random, no session, one cipher suite, no compression, no extensions.
        let body: [UInt8] = [3, 3] + [UInt8](repeating: 7, count: 32) + [0, 0, 2, 0x13, 1, 1, 0, 0, 0]
        let length = UInt8(body.count)
        try await second.send([22, 3, 1, 0, length + 4, 1, 0, 0, length] + body)
        try await second.finishSending()
        delay.end()
        let exchanges = try await stage.rig.exchanges(atLeast: 2)
        #expect(
            exchanges.last?.failure
                == "the client closed the connection before idp.localhost:\(stage.origin.port) was connected"
        )
        try await first.close()
        try await stage.stop()
        #expect(stage.rig.exchanges.count == 2)
    }

    // MARK: What is not, or no longer, HTTP

    @Test(arguments: [false, true])
    func bytesAfterAnUpgradePassBothWays(_ isEager: Bool) async throws {
        let frame: [UInt8] = [0x47, 0x02, 0x0a, 0x0a, 0x00, 0xff]
        let stage = try await Stage(script: { received in
            guard received.starts(with: "GET".utf8) else { return .send(received) }
            let answer =
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n"
            return .send(Array(answer.utf8))
        })
        let raw = try await RawClient(port: stage.port)
        let request =
            "GET /ws HTTP/1.1\r\nHost: 127.0.0.1:\(stage.port)\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n"
        try await raw.send(Array(request.utf8) + (isEager ? frame : []))
        if !isEager {
            #expect(try await raw.until { $0.received.hasSuffix("upgrade\r\n\r\n") })
            try await raw.send(frame)
        }
        let answered = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n"
            .utf8.count
        #expect(try await raw.until { $0.count == answered + 6 }, "\(raw.received)")
        try await raw.send(frame)
        #expect(try await raw.until { $0.count == answered + 12 })
        #expect(stage.seen.contains("Host: idp.localhost"))
        #expect(stage.rig.exchanges.map(\.response?.status) == [101])
        try await raw.close()
        try await stage.stop()
    }

    @Test func garbageIsForwardedAsItIs() async throws {
        let stage = try await Stage(script: { .send($0.reversed()) })
        let raw = try await RawClient(port: stage.port)
        try await raw.send([0, 1, 2])
        #expect(try await raw.until { $0.received == "\u{2}\u{1}\0" })
        #expect(stage.rig.notices.contains(.notHTTP(host: "idp.localhost:\(stage.origin.port)")))
        try await raw.close()
        try await stage.stop()
    }

    @Test func hostIsTheOriginsAlsoAfterAnAnswerThatCannotBeRead() async throws {
        let stage = try await Stage(script: { _ in .send(Array((ReverseTests.hello + "surplus").utf8)) })
        let raw = try await RawClient(port: stage.port)
        let length = Self.hello.utf8.count + 7
        for round in 1...2 {
            try await raw.send("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(stage.port)\r\n\r\n")
            #expect(try await raw.until { $0.count == round * length })
        }
        #expect(stage.seen.components(separatedBy: "Host: idp.localhost").count == 3)
        // Now we must not speak any more.
        try await raw.send("GET /\r\n\r\n")
        #expect(try await raw.until { $0.count == 3 * length })
        #expect(!raw.received.contains("400"))
        try await raw.close()
        try await stage.stop()
    }

    @Test(arguments: [
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\n",
    ])
    func requestWithoutAnEndIs400AndAnEntry(_ request: String) async throws {
        let stage = try await Stage()
        let raw = try await RawClient(port: stage.port)
        try await raw.send("GET / HTTP/1.1\r\n\r\n" + request)
        #expect(try await raw.until { $0.isEnded })
        #expect(raw.received.hasPrefix(Self.hello + "HTTP/1.1 400 "), "\(raw.received)")
        #expect(stage.seen == "GET / HTTP/1.1\r\n\r\n")
        let exchanges = try await stage.rig.exchanges(atLeast: 2)
        #expect(exchanges.count == 2 && exchanges.last?.response == nil)
        #expect(exchanges.last?.failure?.isEmpty == false)
        try await stage.stop()
    }

    @Test func stalledAndEndlessHeadsAreAnswered() async throws {
        let stage = try await Stage(adjust: {
            $0.limits.headTime = .seconds(1)
            $0.limits.headBytes = 2000
        })
        var stalled = try await RawClient(port: stage.port)
        // On a busy machine the first byte may be too late; then it is closed without a word.
        for _ in 1...5 where stalled.count == 0 {
            stalled = try await RawClient(port: stage.port)
            try? await stalled.send("GET / HTTP/1.1\r\nHost")
            #expect(try await stalled.until { $0.isEnded })
        }
        #expect(stalled.received.hasPrefix("HTTP/1.1 408 "))
        let endless = try await RawClient(port: stage.port)
        try await endless.send("GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: 3000))
        #expect(try await endless.until { $0.isEnded })
        #expect(endless.received.hasPrefix("HTTP/1.1 431 "))
        #expect(stage.seen.isEmpty)
        try await stage.stop()
    }

    @Test func silentClientIsClosedAndLeavesNoTrace() async throws {
        let stage = try await Stage(adjust: {
            $0.limits.headTime = .milliseconds(100)
            $0.limits.handshakeTime = .milliseconds(100)
        })
        let silent = try await RawClient(port: stage.port)
        #expect(try await silent.until { $0.isEnded })
        let stalled = try await RawClient(port: stage.port)
        try await stalled.send([22, 3, 1, 2])
        #expect(try await stalled.until { $0.isEnded })
        try await stage.stop()
        #expect(stage.rig.exchanges.isEmpty && stage.rig.notices.isEmpty)
        #expect(stage.origin.received == 0)
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: authreel.proxy\r\n\r\n", "GET http://authreel.proxy/ HTTP/1.1\r\n\r\n",
    ])
    func setUpPageIsNotThere(_ request: String) async throws {
        let stage = try await Stage()
        let raw = try await RawClient(port: stage.port)
        try await raw.send(request)
        #expect(try await raw.until { $0.received == Self.hello })
        try await raw.close()
        try await stage.stop()
    }

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
