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
    static let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    /// A provider, a recorder that plays it, and what the provider was sent.
    final class Stage: Sendable {
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
}
