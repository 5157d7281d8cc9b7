import Captures
import Foundation
import LibCrypto
import Proxy
import Synchronization
import TLS
import Testing

/// The whole proxy on loopback, with curl, openssl and bare sockets as clients.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"), "curl is not installed"))
struct ProxyServerTests {
    func answering(_ text: String) -> LoopbackOrigin.Script {
        { _ in .send(Array(text.utf8)) }
    }

    let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    // MARK: What is recorded

    @Test func loginOverTLSIsForwardedAndRecorded() async throws {
        let origin = try await LoopbackOrigin(tls: ProxyRig.originTLS(), script: answering(hello))
        let rig = try await ProxyRig()
        let output = try await rig.curl("https://localhost:\(origin.port)/authorize?state=a%2Fb")
        #expect(output.text == "hello")
        #expect(output.status == 0, "\(output.error)")
        let exchange = try #require(rig.exchanges.first)
        #expect(exchange.request.url.text == "https://localhost:\(origin.port)/authorize?state=a%2Fb")
        #expect(exchange.response?.status == 200)
        #expect(exchange.client.process == "curl")
        #expect(exchange.connection.serverTLSVersion == "TLSv1.3")
        #expect(exchange.connection.clientTLSVersion == "TLSv1.3")
        #expect(exchange.connection.alpn == "http/1.1")
        #expect(exchange.connection.serverName == "localhost")
        #expect(exchange.connection.serverAddress == "127.0.0.1:\(origin.port)")
        await rig.stop()
        try await origin.stop()
    }

    @Test func entryIsRecordedBeforeTheClientHasTheAnswer() async throws {
        let origin = try await LoopbackOrigin(tls: nil, script: answering(hello))
        let client = Mutex<RawClient?>(nil)
        let counts = Mutex<[Int?]>([])
        let rig = try await ProxyRig(record: { _ in
            // Give the bytes every chance to overtake.
            Thread.sleep(forTimeInterval: 0.05)
            let count = client.withLock { $0 }?.count
            counts.withLock { $0.append(count) }
        })
        let raw = try await RawClient(port: rig.port)
        client.withLock { $0 = raw }
        let length = hello.utf8.count
        for round in 1...3 {
            try await raw.send("GET http://localhost:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try await raw.until { $0.count == length * round })
        }
        #expect(counts.withLock { $0 } == [0, length, 2 * length])
        try await raw.close()
        await rig.stop()
        try await origin.stop()
    }

    @Test(arguments: ["http", "https"])
    func serverThatIsNotPermittedIsNotConnectedTo(scheme: String) async throws {
        let tls = scheme == "https" ? try ProxyRig.originTLS() : nil
        let origin = try await LoopbackOrigin(tls: tls, script: answering(hello))
        let other = try await LoopbackOrigin(tls: tls, script: answering(hello))
        let port = other.port
        let rig = try await ProxyRig(adjust: { $0.permits = { $0 == "localhost" && $1 != port } })
        let output = try await rig.curl(
            "\(scheme)://localhost:\(origin.port)/",
            "\(scheme)://localhost:\(port)/",
            "-w",
            " %{http_code} "
        )
        #expect(
            output.text.hasPrefix("hello 200 ") && !output.text.dropFirst(10).contains(" 200 "),
            "\(output.text)"
        )
        let refused = try await rig.exchanges(atLeast: 2).last
        #expect(refused?.failure == "localhost:\(port) is not to be connected to")
        #expect(other.received == 0)
        await rig.stop()
        try await origin.stop()
        try await other.stop()
    }

    @Test func connectionIsKeptForSeveralRequests() async throws {
        let origin = try await LoopbackOrigin(tls: ProxyRig.originTLS(), script: answering(hello))
        let rig = try await ProxyRig()
        let url = "https://localhost:\(origin.port)/"
        let output = try await rig.curl(url + "1", url + "2", url + "3", "-w", "%{num_connects}")
        #expect(output.text == "hello1hello0hello0")
        #expect(rig.exchanges.map(\.request.url.path) == ["/1", "/2", "/3"])
        #expect(Set(rig.exchanges.map(\.connection.id)).count == 1)
        await rig.stop()
        try await origin.stop()
    }

    static let answers: [(name: String, method: String, answer: String, body: String)] = [
        (
            "chunked", "GET",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nT: 1\r\n\r\n", "abc"
        ),
        ("HEAD", "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n", ""),
        ("204", "GET", "HTTP/1.1 204 No Content\r\n\r\n", ""),
        ("304", "GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n", ""),
        (
            "interim", "GET",
            "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "ok"
        ),
    ]

    @Test(arguments: answers.indices)
    func answerOfEachShapeCompletesAtItsEnd(_ index: Int) async throws {
        let row = Self.answers[index]
        let origin = try await LoopbackOrigin(tls: ProxyRig.originTLS(), script: answering(row.answer))
        let rig = try await ProxyRig()
        let output = try await rig.curl(
            "https://localhost:\(origin.port)/",
            row.method == "HEAD" ? "-I" : "-s"
        )
        #expect(output.status == 0, "\(row.name): \(output.error)")
        #expect(output.text == row.body || row.method == "HEAD", "\(row.name): \(output.text)")
        #expect(rig.exchanges.count == 1, "\(row.name)")
        await rig.stop()
        try await origin.stop()
    }

    @Test func answerThatEndsWithTheConnectionIsWhole() async throws {
        let origin = try await LoopbackOrigin(
            tls: ProxyRig.originTLS(),
            script: { _ in .sendAndFinish(Array("HTTP/1.0 200 OK\r\n\r\nall of it".utf8)) }
        )
        let rig = try await ProxyRig()
        let output = try await rig.curl("https://localhost:\(origin.port)/")
        #expect(output.text == "all of it", "\(output.error)")
        #expect(rig.exchanges.map(\.failure) == [nil])
        #expect(rig.exchanges.first?.response?.status == 200)
        await rig.stop()
        try await origin.stop()
    }

    @Test func pipelinedRequestsAreAllAnswered() async throws {
        let origin = try await LoopbackOrigin(tls: nil) { received in
            let count =
                String(decoding: received, as: UTF8.self).components(separatedBy: "\r\n\r\n").count - 1
            guard count > 0 else { return .wait }
            return .send(
                Array(String(repeating: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", count: count).utf8)
            )
        }
        let rig = try await ProxyRig()
        let raw = try await RawClient(port: rig.port)
        try await raw.send("CONNECT localhost:\(origin.port) HTTP/1.1\r\n\r\n")
        #expect(try await raw.until { $0.received == "HTTP/1.1 200 Connection established\r\n\r\n" })
        try await raw.send(
            "GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\nGET /3 HTTP/1.1\r\nHost: x\r\n\r\n"
        )
        #expect(try await raw.until { $0.received.components(separatedBy: "ok").count == 4 })
        #expect(rig.exchanges.map(\.request.url.path) == ["/1", "/2", "/3"])
        try await raw.close()
        await rig.stop()
        try await origin.stop()
    }

    @Test func bytesAfterAnUpgradePassBothWays() async throws {
        let origin = try await LoopbackOrigin(tls: nil) { received in
            if received.starts(with: "GET".utf8) {
                return .send(
                    Array(
                        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: upgrade\r\n\r\n"
                            .utf8
                    )
                )
            }
            return .send(received)
        }
        let rig = try await ProxyRig()
        let raw = try await RawClient(port: rig.port)
        try await raw.send(
            "GET http://localhost:\(origin.port)/ HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n"
        )
        #expect(try await raw.until { $0.received.hasSuffix("upgrade\r\n\r\n") })
        let before = raw.count
        try await raw.send([0x81, 0x02, 0x00, 0xff])
        #expect(try await raw.until { $0.count == before + 4 })
        #expect(rig.exchanges.first?.response?.status == 101)
        try await raw.close()
        await rig.stop()
        try await origin.stop()
    }

    @Test func slowReaderHoldsTheProviderBack() async throws {
        let total = 192 << 20
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n"
        let origin = try await LoopbackOrigin(tls: nil) { _ in .flood(head: Array(head.utf8), count: total) }
        let rig = try await ProxyRig(adjust: { $0.maximumBodyBytes = 1 << 16 })
        let raw = try await RawClient(port: rig.port, reads: false)
        try await raw.send("GET http://localhost:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\r\n")
        // The provider stops by itself once every buffer on the way is full; then its count stands still.
        var last = -1
        for _ in 0..<200 where origin.sent != last || last <= 0 {
            last = origin.sent
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(origin.sent < 96 << 20, "the proxy took \(origin.sent) bytes that nobody read")
        #expect(rig.exchanges.isEmpty)
        try await raw.startReading()
        #expect(try await raw.until { $0.count == total + head.utf8.count })
        #expect(rig.exchanges.count == 1)
        try await raw.close()
        await rig.stop()
        try await origin.stop()
    }

    @Test func slowProviderHoldsTheClientBack() async throws {
        let origin = try await LoopbackOrigin(tls: nil, reads: false) { _ in .wait }
        let rig = try await ProxyRig(adjust: { $0.maximumBodyBytes = 1 << 16 })
        let raw = try await RawClient(port: rig.port)
        try await raw.send(
            "POST http://localhost:\(origin.port)/ HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999\r\n\r\n"
        )
        let written = Mutex(0)
        let sender = Task {
            let block = [UInt8](repeating: 0x78, count: 1 << 20)
            for _ in 0..<200 {
                try await raw.send(block)
                written.withLock { $0 += block.count }
            }
        }
        var last = -1
        for _ in 0..<200 where written.withLock({ $0 }) != last || last <= 0 {
            last = written.withLock { $0 }
            try await Task.sleep(for: .milliseconds(100))
        }
        // The system holds some of it, 32 MB and more on either side of the proxy.
        #expect(written.withLock { $0 } < 96 << 20)
        try await raw.close()
        _ = await sender.result
        await rig.stop()
        try await origin.stop()
    }

    // MARK: The recorder itself

    @Test func pendingExchangeIsRecordedAtTheEnd() async throws {
        let origin = try await LoopbackOrigin(tls: nil) { _ in .wait }
        let rig = try await ProxyRig()
        let raw = try await RawClient(port: rig.port)
        try await raw.send("GET http://localhost:\(origin.port)/slow HTTP/1.1\r\nHost: x\r\n\r\n")
        for _ in 0..<500 where origin.received == 0 { try await Task.sleep(for: .milliseconds(10)) }
        await rig.stop()
        #expect(rig.exchanges.map(\.request.url.path) == ["/slow"])
        #expect(rig.exchanges.first?.failure?.contains("recording ended") == true)
        try await origin.stop()
    }

    @Test func trafficGoesOnWhenRecordingFails() async throws {
        struct DiskFull: Error {}
        let origin = try await LoopbackOrigin(tls: ProxyRig.originTLS(), script: answering(hello))
        let rig = try await ProxyRig(record: { _ in throw DiskFull() })
        let url = "https://localhost:\(origin.port)/"
        let output = try await rig.curl(url, url)
        #expect(output.text == "hellohello")
        #expect(rig.notices == [.recordingFailed(reason: "DiskFull()")])
        await rig.stop()
        try await origin.stop()
    }

    @Test func takenPortIsNamed() async throws {
        let rig = try await ProxyRig()
        await #expect(throws: ProxyError.addressInUse(host: "127.0.0.1", port: rig.port)) {
            _ = try await ProxyRig(adjust: { $0.port = rig.port })
        }
        await rig.stop()
    }

    /// RFC 9112, section 3.2.2: where the target says whom is asked, `Host` counts for nothing.
    @Test func plainRequestIsOfTheServerThatItsTargetNames() async throws {
        let origin = try await LoopbackOrigin(tls: nil) { received in
            received.suffix(4).elementsEqual("\r\n\r\n".utf8)
                ? .send(Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8)) : .wait
        }
        let rig = try await ProxyRig()
        let url = "http://127.0.0.1:\(origin.port)/token"
        #expect(try await rig.curl("-H", "Host: idp.example", url).text == "hello")
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(exchange.request.url.text == url)
        #expect(exchange.request.headers.first("host") == "idp.example")
        await rig.stop()
        try await origin.stop()
    }
}
