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
    private func answering(_ text: String) -> LoopbackOrigin.Script {
        { _ in .send(Array(text.utf8)) }
    }

    private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

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

    // MARK: Plain http

    @Test func plainRequestsGoWhereEachOfThemWants() async throws {
        let seen = Mutex<[String]>([])
        let script: @Sendable (String) -> LoopbackOrigin.Script = { name in
            { received in
                let text = String(decoding: received, as: UTF8.self)
                // Head and body may come one after the other.
                guard text.hasSuffix(text.hasPrefix("POST ") ? "body" : "\r\n\r\n") else { return .wait }
                seen.withLock { $0.append(name + " " + text) }
                return .send(Array("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(name)".utf8))
            }
        }
        let first = try await LoopbackOrigin(tls: nil, script: script("a"))
        let second = try await LoopbackOrigin(tls: nil, script: script("b"))
        let rig = try await ProxyRig()
        let raw = try await RawClient(port: rig.port)
        // All at once: the second provider is dialled only when the first has answered.
        try await raw.send(
            """
            POST http://localhost:\(first.port)/token?x=1 HTTP/1.1\r
            hOsT:  localhost:\(first.port)\r
            Proxy-Authorization: Basic c2VjcmV0\r
            Proxy-Connection: keep-alive\r
            X-Odd:kept\r
            Content-Length: 4\r
            \r
            bodyGET http://localhost:\(second.port) HTTP/1.1\r
            Host: localhost:\(second.port)\r
            \r
            GET http://localhost:\(first.port)/again HTTP/1.1\r
            Host: localhost:\(first.port)\r
            \r

            """
        )
        #expect(try await raw.until { $0.received.components(separatedBy: "HTTP/1.1 200").count == 4 })
        #expect(
            seen.withLock { $0 } == [
                "a POST /token?x=1 HTTP/1.1\r\nhOsT:  localhost:\(first.port)\r\nX-Odd:kept\r\nContent-Length: 4\r\n\r\nbody",
                "b GET / HTTP/1.1\r\nHost: localhost:\(second.port)\r\n\r\n",
                "a GET /again HTTP/1.1\r\nHost: localhost:\(first.port)\r\n\r\n",
            ]
        )
        #expect(rig.exchanges.count == 3)
        #expect(rig.exchanges.allSatisfy { $0.request.url.scheme == "http" })
        try await raw.close()
        await rig.stop()
        try await first.stop()
        try await second.stop()
    }

    /// As with a provider that closes a connection which it takes for unused.
    @Test func requestThatCrossesWithTheProvidersEndIsNotTheClientsFault() async throws {
        let origin = try await LoopbackOrigin(tls: nil) { _ in
            .sendAndFinish(Array("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na".utf8))
        }
        let rig = try await ProxyRig()
        let raw = try await RawClient(port: rig.port)
        let here = "localhost:\(origin.port)"
        try await raw.send("GET http://\(here)/ HTTP/1.1\r\nHost: \(here)\r\n\r\n")
        #expect(try await raw.until { $0.isEnded })
        try await raw.send("GET http://\(here)/token HTTP/1.1\r\nHost: \(here)\r\n\r\n")
        try await raw.close()
        let exchanges = try await rig.exchanges(atLeast: 2)
        #expect(exchanges.map(\.request.url.path) == ["/", "/token"])
        #expect(exchanges[0].failure == nil)
        #expect(exchanges[1].failure?.hasPrefix("the server closed the connection") == true)
        await rig.stop()
        try await origin.stop()
    }

    @Test func requestBehindTheEndOfTheAnswersGoesNowhere() async throws {
        let first = try await LoopbackOrigin(tls: nil) { _ in
            .sendAndFinish(Array("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na".utf8))
        }
        let second = try await LoopbackOrigin(tls: nil) { _ in .wait }
        let rig = try await ProxyRig()
        let raw = try await RawClient(port: rig.port)
        let here = "localhost:\(first.port)"
        try await raw.send("GET http://\(here)/ HTTP/1.1\r\nHost: \(here)\r\n\r\n")
        #expect(try await raw.until { $0.isEnded })
        // What curl does with a callback that it sends on, while the end is still on its way to it: it asks again
        // elsewhere, and an app that had got both would spend the code twice.
        let url = "http://localhost:\(second.port)/callback?code=c"
        try await raw.send("GET \(url) HTTP/1.1\r\nHost: localhost:\(second.port)\r\n\r\n")
        let crossed = try await rig.exchanges(atLeast: 2)
        #expect(crossed.map(\.request.url.text) == ["http://\(here)/", url])
        #expect(crossed.last?.failure == "the connection was closed when the request came")
        try await raw.close()
        await rig.stop()
        #expect(second.received == 0)
        try await first.stop()
        try await second.stop()
    }

    @Test func requestThatWaitsForAnAnswerThatNeverComesIsAnEntry() async throws {
        let first = try await LoopbackOrigin(tls: nil) { _ in .reset }
        let second = try await LoopbackOrigin(tls: nil) { _ in .wait }
        let rig = try await ProxyRig()
        let raw = try await RawClient(port: rig.port)
        let urls = ["http://localhost:\(first.port)/", "http://localhost:\(second.port)/callback?code=c"]
        try await raw.send(
            zip(urls, [first.port, second.port])
                .map { "POST \($0) HTTP/1.1\r\nHost: localhost:\($1)\r\nContent-Length: 3\r\n\r\nabc" }
                .joined()
        )
        let exchanges = try await rig.exchanges(atLeast: 2)
        #expect(exchanges.map(\.request.url.text) == urls)
        #expect(exchanges.last?.request.body?.text == "abc")
        #expect(
            exchanges.last?.failure
                == "the connection ended while the request waited for the answers before it"
        )
        // Which has been reset, as the first provider did.
        try? await raw.close()
        await rig.stop()
        #expect(second.received == 0)
        try await first.stop()
        try await second.stop()
    }

    @Test func setUpPageHasTheCertificate() async throws {
        let rig = try await ProxyRig()
        let page = try await rig.curl("http://authreel.proxy/")
        #expect(page.text.contains("authreel is recording"))
        let direct = try await ProxyRig.run(["/usr/bin/curl", "-sS", "http://127.0.0.1:\(rig.port)/ca.pem"])
        #expect(try direct.text == String(contentsOfFile: rig.authorityFile, encoding: .utf8))
        let viaProxy = try await rig.curl(
            "-w",
            "%{content_type}",
            "-o",
            "/dev/null",
            "http://localhost:\(rig.port)/ca.crt"
        )
        #expect(viaProxy.text == "application/x-x509-ca-cert")
        #expect(rig.exchanges.isEmpty)
        await rig.stop()
    }

    // MARK: What fails

    @Test func refusedConnectionIsAnEntryAndAPage() async throws {
        let rig = try await ProxyRig()
        let tunnel = try await rig.curl("https://127.0.0.1:1/token")
        #expect(tunnel.status == 56)
        #expect(tunnel.error.contains("502"))
        let plain = try await rig.curl("-w", "%{http_code}", "-d", "grant_type=x", "http://127.0.0.1:1/token")
        #expect(plain.text.contains("ECONNREFUSED: connection refused by 127.0.0.1:1"))
        #expect(plain.text.hasSuffix("502"))
        #expect(rig.exchanges.map(\.request.method) == ["CONNECT", "POST"])
        #expect(
            rig.exchanges.map(\.request.url.text) == ["https://127.0.0.1:1/", "http://127.0.0.1:1/token"]
        )
        #expect(rig.exchanges.allSatisfy { $0.failure == "ECONNREFUSED: connection refused by 127.0.0.1:1" })
        #expect(rig.exchanges.allSatisfy { $0.response == nil })
        await rig.stop()
    }

    @Test func unknownNameIsAnEntry() async throws {
        let rig = try await ProxyRig()
        _ = try await rig.curl("https://no-such-host.invalid/")
        #expect(rig.exchanges.map(\.failure) == ["ENOTFOUND: no address found for no-such-host.invalid"])
        await rig.stop()
    }

    static let certificates:
        [(name: String, host: String, from: Int64, to: Int64, trusted: Bool, words: [String], hint: String)] =
            [
                (
                    "untrusted", "localhost", -3600, 3600, false,
                    [
                        "ERR_CERT_AUTHORITY_INVALID", "unable to get local issuer certificate",
                        "issuer CN=origin authority",
                    ], "record --upstream-ca FILE"
                ),
                (
                    "expired", "localhost", -7200, -3600, true,
                    ["ERR_CERT_DATE_INVALID", "certificate has expired"], "record --insecure-upstream"
                ),
                (
                    "wrong name", "other.example", -3600, 3600, true,
                    ["ERR_CERT_COMMON_NAME_INVALID", "hostname mismatch"], "record --insecure-upstream"
                ),
            ]

    @Test(arguments: certificates.indices)
    func badCertificateOfAProviderIsAPageAndAnEntry(_ index: Int) async throws {
        let row = Self.certificates[index]
        let origin = try await LoopbackOrigin(
            tls: ProxyRig.originTLS(name: .host(row.host), from: row.from, to: row.to),
            script: answering(hello)
        )
        let rig = try await ProxyRig(adjust: { if !row.trusted { $0.upstreamTrust = [] } })
        let output = try await rig.curl(
            "-d",
            "code=1",
            "https://localhost:\(origin.port)/token",
            "-w",
            "%{http_code}"
        )
        #expect(output.text.hasSuffix("502"), "\(output)")
        let exchange = try #require(rig.exchanges.first)
        for words in row.words {
            #expect(output.text.contains(words))
            #expect(exchange.failure?.contains(words) == true, "\(exchange.failure ?? "-")")
        }
        // What helps is told to the client and to whoever records.
        #expect(output.text.contains(row.hint))
        let hints = rig.notices.compactMap { notice in
            if case .upstreamFailed(_, _, let hint) = notice { hint } else { nil }
        }
        #expect(hints.count == 1 && hints[0].contains(row.hint), "\(hints)")
        #expect(exchange.request.method == "POST")
        #expect(exchange.request.url.path == "/token")
        #expect(exchange.response == nil)
        #expect(rig.exchanges.count == 1)
        await rig.stop()
        try await origin.stop()
    }

    @Test func certificateForAnAddressIsVerifiedAsSuch() async throws {
        let origin = try await LoopbackOrigin(
            tls: ProxyRig.originTLS(name: .address([127, 0, 0, 1])),
            script: answering(hello)
        )
        let rig = try await ProxyRig()
        let output = try await rig.curl("https://127.0.0.1:\(origin.port)/")
        #expect(output.text == "hello", "\(output.error)")
        #expect(rig.exchanges.first?.connection.serverName == nil)
        await rig.stop()
        try await origin.stop()
    }

    @Test func insecureUpstreamGoesOnAndSaysSo() async throws {
        let origin = try await LoopbackOrigin(tls: ProxyRig.originTLS(), script: answering(hello))
        let rig = try await ProxyRig(adjust: {
            $0.upstreamTrust = []
            $0.insecureUpstream = true
        })
        let output = try await rig.curl("https://localhost:\(origin.port)/")
        #expect(output.text == "hello")
        #expect(
            rig.notices.contains {
                if case .toleratedCertificate(_, let reason) = $0 { return reason.contains("local issuer") }
                return false
            }
        )
        await rig.stop()
        try await origin.stop()
    }

    @Test func serverWithoutTLSIsAHandshakeFailure() async throws {
        let origin = try await LoopbackOrigin(tls: nil, script: answering("HTTP/1.1 400 Bad Request\r\n\r\n"))
        let rig = try await ProxyRig()
        let output = try await rig.curl("https://localhost:\(origin.port)/")
        #expect(output.text.contains("ERR_SSL_PROTOCOL_ERROR"))
        #expect(rig.exchanges.first?.failure?.contains("wrong version number") == true)
        await rig.stop()
        try await origin.stop()
    }

    @Test(arguments: ["--tlsv1.3", "--tls-max=1.2"])
    func clientThatRejectsTheAuthorityIsAnEntry(_ version: String) async throws {
        let origin = try await LoopbackOrigin(tls: ProxyRig.originTLS(), script: answering(hello))
        let rig = try await ProxyRig()
        let options = version == "--tlsv1.3" ? [version] : ["--tls-max", "1.2"]
        let output = try await ProxyRig.run(
            ["/usr/bin/curl", "-sS", "--proxy", "http://127.0.0.1:\(rig.port)", "--noproxy", ""] + options
                + ["https://localhost:\(origin.port)/"]
        )
        #expect(output.status == 60)
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(exchange.request.method == "CONNECT")
        #expect(exchange.request.url.text == "https://localhost:\(origin.port)/")
        #expect(
            exchange.failure?.contains(
                "Client TLS handshake failed. The client does not trust the proxy's certificate (alert unknown_ca): curl"
            ) == true
        )
        #expect(exchange.client.process == "curl")
        #expect(
            rig.notices.contains {
                if case .clientRejectedCertificate(_, _, "unknown_ca", _) = $0 { return true }
                return false
            }
        )
        await rig.stop()
        try await origin.stop()
    }

    @Test(arguments: ["http", "https"]) func brokenAnswerIsAnEntryWithItsReason(scheme: String) async throws {
        let origin = try await LoopbackOrigin(tls: scheme == "http" ? nil : ProxyRig.originTLS()) { _ in
            .reset
        }
        let rig = try await ProxyRig()
        let output = try await rig.curl("\(scheme)://localhost:\(origin.port)/")
        // As without the recorder: data cannot be received, which is no empty answer (52).
        #expect(output.status == 56, "\(output.status) \(output.error)")
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(exchange.response == nil)
        #expect(exchange.failure?.isEmpty == false)
        await rig.stop()
        try await origin.stop()
    }

    // MARK: Bad input

    @Test func longHeadIs431() async throws {
        let rig = try await ProxyRig()
        let raw = try await RawClient(port: rig.port)
        let head = "CONNECT localhost:1 HTTP/1.1\r\nX: " + String(repeating: "x", count: 1 << 20) + "\r\n\r\n"
        try? await raw.send(head)
        #expect(try await raw.until { $0.isEnded })
        #expect(raw.received.hasPrefix("HTTP/1.1 431 "))
        // Nothing of it is in the capture: somebody has to say so.
        func isTold() -> Bool {
            rig.notices.contains { if case .requestRefused(431, _, _) = $0 { true } else { false } }
        }
        for _ in 0..<1000 where !isTold() { try await Task.sleep(for: .milliseconds(10)) }
        #expect(isTold() && rig.exchanges.isEmpty)
        await rig.stop()
    }

    @Test func stalledHeadIs408() async throws {
        let rig = try await ProxyRig(adjust: { $0.limits.headTime = .milliseconds(200) })
        let raw = try await RawClient(port: rig.port)
        try await raw.send("CONNECT localhost:443 HT")
        #expect(try await raw.until { $0.isEnded })
        #expect(raw.received.hasPrefix("HTTP/1.1 408 "))
        await rig.stop()
    }

    @Test(arguments: [
        "\u{16}\u{3}\u{1}\u{2}", "GET\r\n\r\n", "CONNECT nonsense HTTP/1.1\r\n\r\n",
        "GET http://a:b/ HTTP/1.1\r\n\r\n",
    ])
    func garbageIs400(_ bytes: String) async throws {
        let rig = try await ProxyRig()
        let raw = try await RawClient(port: rig.port)
        try await raw.send(bytes)
        #expect(try await raw.until { $0.isEnded })
        #expect(raw.received.hasPrefix("HTTP/1.1 400 "))
        await rig.stop()
    }

    @Test func garbageInATunnelIsForwardedAsItIs() async throws {
        let origin = try await LoopbackOrigin(tls: nil) { .send($0.reversed()) }
        let rig = try await ProxyRig()
        let raw = try await RawClient(port: rig.port)
        try await raw.send("CONNECT localhost:\(origin.port) HTTP/1.1\r\n\r\n")
        #expect(try await raw.until { $0.received.hasSuffix("\r\n\r\n") })
        let before = raw.count
        try await raw.send([0, 1, 2, 250, 255] + [UInt8](repeating: 7, count: 40))
        #expect(try await raw.until { $0.count == before + 45 })
        #expect(rig.notices.contains(.notHTTP(host: "localhost:\(origin.port)")))
        try await raw.close()
        await rig.stop()
        try await origin.stop()
    }

    // MARK: What is not opened

    @Test func passedThroughHostIsNotOpened() async throws {
        let origin = try await LoopbackOrigin(tls: ProxyRig.originTLS(), script: answering(hello))
        let rig = try await ProxyRig(adjust: { $0.passThroughHosts = [HostPattern("localhost")] })
        let untrusting = try await rig.curl("https://localhost:\(origin.port)/")
        #expect(untrusting.status == 60, "the client sees the origin's own certificate")
        let insecure = try await rig.curl("-k", "https://localhost:\(origin.port)/")
        #expect(insecure.text == "hello")
        let exchanges = try await rig.exchanges(atLeast: 2)
        #expect(exchanges.map(\.tunnel.reason) == [.asked, .asked])
        #expect(exchanges.allSatisfy { $0.request.method == "CONNECT" && $0.response?.body == nil })
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
