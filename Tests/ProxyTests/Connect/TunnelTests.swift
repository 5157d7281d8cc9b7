import Captures
import Foundation
import LibCrypto
import Proxy
import Synchronization
import TLS
import NIOCore
import Testing

/// What may happen between `CONNECT` and the first answer, and at the ends of connections.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"), "curl is not installed"))
struct TunnelTests {
    private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    @Test func providerThatDoesNotAnswerTheHandshakeIsAPageAndAnEntry() async throws {
        let origin = try await LoopbackOrigin(tls: nil) { _ in .wait }
        let rig = try await ProxyRig(adjust: { $0.limits.handshakeTime = .milliseconds(500) })
        let output = try await rig.curl("https://localhost:\(origin.port)/", "-w", "%{http_code}")
        #expect(output.text.contains("ERR_CONNECTION_TIMED_OUT"))
        #expect(output.text.hasSuffix("502"))
        #expect(rig.exchanges.map(\.request.method) == ["GET"])
        await rig.stop()
        try await origin.stop()
    }

    @Test func clientThatGivesUpMeanwhileIsAnEntry() async throws {
        let origin = try await LoopbackOrigin(tls: nil) { _ in .wait }
        let rig = try await ProxyRig()
        let output = try await rig.curl("--max-time", "0.5", "https://localhost:\(origin.port)/")
        #expect(output.status == 28)
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(exchange.request.method == "CONNECT")
        #expect(
            exchange.failure
                == "the client closed the connection before localhost:\(origin.port) was connected"
        )
        await rig.stop()
        try await origin.stop()
    }

    /// Whoever waited for a provider that does not go on with TLS may have ended the recording for that.
    @Test func recordingThatEndsWithinTheProvidersHandshakeHasTheTunnel() async throws {
        let origin = try await LoopbackOrigin(tls: nil) { _ in .wait }
        let rig = try await ProxyRig()
        async let output = rig.curl("https://localhost:\(origin.port)/")
        // Our hello is there.
        while origin.received == 0 { try await Task.sleep(for: .milliseconds(5)) }
        await rig.stop()
        _ = try await output
        #expect(
            rig.exchanges.map(\.failure)
                == ["the recording ended before localhost:\(origin.port) was connected"]
        )
        #expect(rig.exchanges.map(\.request.method) == ["CONNECT"])
        try await origin.stop()
    }

    @Test func clientThatLeavesWithinItsHelloIsAnEntry() async throws {
        let origin = try await LoopbackOrigin(tls: nil) { _ in .wait }
        let rig = try await ProxyRig()
        let client = try await RawClient(port: rig.port)
        try await client.send("CONNECT localhost:\(origin.port) HTTP/1.1\r\n\r\n")
        try await client.until { $0.received.hasSuffix("\r\n\r\n") }
        // The first of a record of 512 bytes.
        try await client.send([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc])
        try await client.close()
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(exchange.failure == "the client closed the connection within its TLS hello")
        #expect(exchange.request.url.text == "https://localhost:\(origin.port)/")
        await rig.stop()
        #expect(rig.exchanges.count == 1)
        try await origin.stop()
    }

    /// As browsers do with what they had begun beside the first connection that speaks HTTP/2.
    @Test func connectionThatItsClientNeedsNoMoreIsNoEntry() async throws {
        let origin = try await SteppedOrigin(http2: true, tls: ProxyRig.originTLS())
        let rig = try await ProxyRig()
        let target = "localhost:\(origin.port)"
        let spare = try await RawClient(port: rig.port)
        try await spare.send("CONNECT \(target) HTTP/1.1\r\n\r\n")
        try await spare.until { $0.received.hasSuffix("\r\n\r\n") }
        try await spare.send([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc])
        let client = try await TunnelClient(rig, target: target, protocolName: "h2")
        // The origin's settings: the recorder has come to the end of the handshake, which a client does not wait for.
        #expect(try await client.until { !$0.isEmpty })
        try await client.send(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0])
        try await spare.close()
        // One that is opened later is another matter.
        let late = try await RawClient(port: rig.port)
        try await late.send("CONNECT \(target) HTTP/1.1\r\n\r\n")
        try await late.until { $0.received.hasSuffix("\r\n\r\n") }
        try await late.send([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc])
        try await late.close()
        let exchanges = try await rig.exchanges(atLeast: 1)
        #expect(exchanges.map(\.connection.id) == ["3"])
        try await client.close()
        await rig.stop()
        #expect(rig.exchanges.count == 1)
        try await origin.stop()
    }

    /// Nobody knows then what came of it, but that it was wanted.
    @Test(arguments: ["http", "https"])
    func recordingThatEndsMeanwhileHasTheRequest(scheme: String) async throws {
        let provider = try await FullListener()
        let rig = try await ProxyRig()
        async let output = rig.curl(
            "-d",
            "grant_type=authorization_code",
            "\(scheme)://localhost:\(provider.port)/token"
        )
        try await provider.waitUntilDialed()
        await rig.stop()
        _ = try await output
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(exchange.failure == "the recording ended before localhost:\(provider.port) was connected")
        #expect(exchange.request.method == (scheme == "http" ? "POST" : "CONNECT"))
        #expect((exchange.request.body?.bytes ?? []).count == (scheme == "http" ? 29 : 0))
        #expect(exchange.client.address != nil)
        try await provider.stop()
    }

    @Test func clientThatBreaksOffMeanwhileIsAnEntry() async throws {
        let provider = try await FullListener()
        let rig = try await ProxyRig()
        let client = try await RawClient(port: rig.port)
        try await client.send(
            "GET http://127.0.0.1:\(provider.port)/keys HTTP/1.1\r\nHost: a.example\r\n\r\n"
        )
        try await provider.waitUntilDialed()
        try await client.reset()
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(
            exchange.failure
                == "the client closed the connection before 127.0.0.1:\(provider.port) was connected"
        )
        #expect(exchange.request.url.path == "/keys")
        await rig.stop()
        try await provider.stop()
    }

    /// It ends for the client when it goes, and not when the provider or the recorder does.
    @Test func clientThatLeavesBeforeTheAnswerIsNotTheRecordersEnd() async throws {
        let origin = try await LoopbackOrigin(tls: nil) { _ in .wait }
        let rig = try await ProxyRig()
        let output = try await rig.curl("--max-time", "0.5", "http://localhost:\(origin.port)/token")
        #expect(output.status == 28)
        // Nothing is told of it before the provider's end or the recorder's.
        try await Task.sleep(for: .seconds(1))
        await rig.stop()
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(exchange.failure == "the client closed the connection before the answer was complete")
        #expect(exchange.duration.map { $0 < .milliseconds(1_200) } == true)
        try await origin.stop()
    }

    @Test func providerThatWantsAClientCertificateIsNamed() async throws {
        // OpenSSL's own server: it asks for the certificate and, with TLS 1.3, refuses after the handshake.
        let key = try PrivateKey.generate(.elliptic(.p256))
        let seconds = ProxyRig.now().seconds
        let leaf = try ProxyRig.originAuthority().leaf(
            for: .host("localhost"),
            key: key,
            validity: .init(notBefore: seconds - 60, notAfter: seconds + 600)
        )
        let server = try OpenSSLServer(
            chain: leaf.pem,
            key: key.pem,
            options: ["-Verify", "1", "-verify_return_error"]
        )
        defer { server.stop() }

        let rig = try await ProxyRig()
        _ = try await rig.curl("https://localhost:\(server.port)/userinfo")
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(
            exchange.failure?.contains("ERR_BAD_SSL_CLIENT_AUTH_CERT") == true,
            "\(exchange.failure ?? "-")"
        )
        #expect(exchange.request.url.path == "/userinfo")
        await rig.stop()
    }

    /// As with a provider that says only behind its handshake (TLS 1.3) that it wants a certificate of the client.
    @Test func requestOfWhichTheProviderDidNotWaitIsRecorded() async throws {
        let origin = try await LoopbackOrigin(tls: ProxyRig.originTLS(), resetsAfter: .milliseconds(500)) {
            _ in
            .wait
        }
        let rig = try await ProxyRig()
        let command =
            "(sleep 2; printf 'GET /late HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n'; sleep 1) | timeout 10 openssl s_client -quiet "
            + "-proxy 127.0.0.1:\(rig.port) -connect localhost:\(origin.port)"
        let output = try await ProxyRig.run(["/bin/sh", "-c", command])
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(exchange.request.url.path == "/late")
        #expect(exchange.failure?.contains("ECONNRESET") == true, "\(exchange.failure ?? "-")")
        #expect(output.text.hasPrefix("HTTP/1.1 502"), "\(output.text.prefix(200))")
        #expect(rig.exchanges.count == 1)
        await rig.stop()
        try await origin.stop()
    }

    /// A body without a length lasts until the connection ends: the client has to see that it was cut off.
    @Test func answerThatBreaksOffBreaksOffForTheClient() async throws {
        let origin = try await LoopbackOrigin(tls: ProxyRig.originTLS(), resetsAfter: .seconds(2)) { _ in
            .send(Array("HTTP/1.1 200 OK\r\n\r\nabc".utf8))
        }
        let rig = try await ProxyRig()
        let output = try await rig.curl("https://localhost:\(origin.port)/")
        // What had come is there, and then it fails to receive data.
        #expect(output.status == 56 && output.text == "abc", "\(output.status) \(output.error)")
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(exchange.failure?.contains("ECONNRESET") == true, "\(exchange.failure ?? "-")")
        await rig.stop()
        try await origin.stop()
    }

    /// A reset drops what the client has not got yet: it waits for a client that takes its time.
    @Test func whatCameBeforeTheBreakReachesASlowClient() async throws {
        let body = [UInt8](repeating: 0x78, count: 6 << 20)
        let origin = try await LoopbackOrigin(tls: ProxyRig.originTLS(), resetsAfter: .seconds(2)) { _ in
            .send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + body)
        }
        let rig = try await ProxyRig()
        // Nothing for four seconds, then all.
        let command =
            "(printf 'GET / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n'; sleep 8) | timeout 20 openssl s_client -quiet "
            + "-proxy 127.0.0.1:\(rig.port) -connect localhost:\(origin.port) 2>/dev/null | (sleep 4; wc -c)"
        let output = try await ProxyRig.run(["/bin/sh", "-c", command])
        let count = try #require(Int(output.text.trimmingCharacters(in: .whitespacesAndNewlines)))
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(exchange.failure?.contains("ECONNRESET") == true, "\(exchange.failure ?? "-")")
        // As much as the recorder had of it.
        let recorded = try #require(exchange.response?.body?.wireSize)
        #expect(count == recorded + "HTTP/1.1 200 OK\r\n\r\n".utf8.count)
        await rig.stop()
        try await origin.stop()
    }

    /// A connection that was opened ahead and closed again is nothing to tell of.
    @Test func connectionThatIsNotUsedIsNotRecorded() async throws {
        let origin = try await LoopbackOrigin(tls: ProxyRig.originTLS(), resetsAfter: .milliseconds(500)) {
            _ in
            .wait
        }
        let rig = try await ProxyRig()
        let command =
            "sleep 2 | timeout 10 openssl s_client -quiet -proxy 127.0.0.1:\(rig.port) -connect localhost:\(origin.port)"
        _ = try await ProxyRig.run(["/bin/sh", "-c", command])
        await rig.stop()
        #expect(rig.exchanges.isEmpty, "\(rig.exchanges.map { $0.failure ?? "-" })")
        try await origin.stop()
    }

    @Test(arguments: ["-tls1", "-tls1_1", "-tls1_2", "-tls1_3"])
    func clientOfAnyVersionIsRecorded(_ version: String) async throws {
        let origin = try await LoopbackOrigin(tls: ProxyRig.originTLS()) { [hello] _ in
            .send(Array(hello.utf8))
        }
        let rig = try await ProxyRig()
        let command =
            "printf 'GET / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n' | timeout 10 openssl s_client -quiet \(version) "
            + "-cipher DEFAULT@SECLEVEL=0 -proxy 127.0.0.1:\(rig.port) -connect localhost:\(origin.port)"
        let client = Task { try await ProxyRig.run(["/bin/sh", "-c", command]) }
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        let names = ["-tls1": "TLSv1", "-tls1_1": "TLSv1.1", "-tls1_2": "TLSv1.2", "-tls1_3": "TLSv1.3"]
        #expect(exchange.response?.status == 200)
        #expect(exchange.connection.clientTLSVersion == names[version])
        #expect(exchange.connection.serverTLSVersion == "TLSv1.3")
        await rig.stop()
        #expect(try await client.value.text == hello)
        try await origin.stop()
    }

    @Test func providerThatSpeaksFirstIsHeard() async throws {
        let origin = try await LoopbackOrigin(tls: nil, greeting: "SSH-2.0-server\r\n") {
            .send($0.reversed())
        }
        let rig = try await ProxyRig()
        let raw = try await RawClient(port: rig.port)
        try await raw.send("CONNECT localhost:\(origin.port) HTTP/1.1\r\n\r\n")
        #expect(try await raw.until { $0.received.hasSuffix("\r\n\r\nSSH-2.0-server\r\n") })
        try await raw.send("abc")
        #expect(try await raw.until { $0.received.hasSuffix("cba") })
        try await raw.close()
        await rig.stop()
        try await origin.stop()
    }

    @Test func clientThatEndsItsHalfStillGetsItsAnswer() async throws {
        let origin = try await LoopbackOrigin(tls: nil) { [hello] _ in .send(Array(hello.utf8)) }
        let rig = try await ProxyRig()
        let raw = try await RawClient(port: rig.port)
        try await raw.send("GET http://localhost:\(origin.port)/ HTTP/1.0\r\n\r\n")
        try await raw.finishSending()
        #expect(try await raw.until { $0.received == hello })
        #expect(rig.exchanges.map(\.response?.status) == [200])
        #expect(rig.exchanges.map(\.failure) == [nil])
        try? await raw.close()
        await rig.stop()
        try await origin.stop()
    }

    /// What ends the wait for a provider's close counts from the last byte of the answer.
    @Test func clientThatEndsItsHalfGetsALongAnswerWhole() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n"
        let origin = try await LoopbackOrigin(tls: nil) { _ in
            .drip(head: Array(head.utf8), Array("all of it\r\n\n".utf8), every: .milliseconds(200))
        }
        let rig = try await ProxyRig(adjust: { $0.limits.lingerTime = .milliseconds(100) })
        let raw = try await RawClient(port: rig.port)
        try await raw.send("GET http://localhost:\(origin.port)/ HTTP/1.0\r\n\r\n")
        try await raw.finishSending()
        #expect(try await raw.until { $0.received == head + "all of it\r\n\n" })
        #expect(rig.exchanges.map(\.failure) == [nil])
        try? await raw.close()
        await rig.stop()
        try await origin.stop()
    }

    @Test func clientThatLeavesBeforeItsAnswerIsAnEntry() async throws {
        let origin = try await LoopbackOrigin(tls: nil) { _ in .wait }
        let rig = try await ProxyRig(adjust: { $0.limits.lingerTime = .milliseconds(50) })
        let raw = try await RawClient(port: rig.port)
        try await raw.send("GET http://localhost:\(origin.port)/slow HTTP/1.1\r\nHost: x\r\n\r\n")
        for _ in 0..<500 where origin.received == 0 { try await Task.sleep(for: .milliseconds(10)) }
        try await raw.close()
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(exchange.failure == "the client closed the connection before the answer was complete")
        #expect(exchange.response == nil)
        await rig.stop()
        try await origin.stop()
    }

    @Test func plainRequestsToUnrecordedHostsGoWhereEachOfThemWants() async throws {
        let first = try await LoopbackOrigin(tls: nil) { _ in
            .send(Array("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na".utf8))
        }
        let second = try await LoopbackOrigin(tls: nil) { _ in
            .send(Array("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nb".utf8))
        }
        let rig = try await ProxyRig(adjust: { $0.onlyHosts = [HostPattern("*.example")] })
        let output = try await rig.curl(
            "http://localhost:\(first.port)/",
            "http://localhost:\(second.port)/",
            "http://localhost:\(first.port)/"
        )
        #expect(output.text == "aba")
        #expect(rig.exchanges.isEmpty)
        await rig.stop()
        try await first.stop()
        try await second.stop()
    }

    @Test func oneConnectionDoesNotDisturbAnother() async throws {
        let origin = try await LoopbackOrigin(tls: ProxyRig.originTLS()) { [hello] _ in
            .send(Array(hello.utf8))
        }
        let rig = try await ProxyRig()
        let port = origin.port
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<24 {
                group.addTask {
                    if number.isMultiple(of: 3) {
                        let raw = try await RawClient(port: rig.port)
                        try await raw.send("CONNECT localhost:\(port) HTTP/1.1\r\n\r\n")
                        try await raw.until { $0.received.hasSuffix("\r\n\r\n") }
                        // A record that promises more than comes, or no TLS at all.
                        try await raw.send(
                            number.isMultiple(of: 2) ? [22, 3, 1, 0x3f, 0xff, 1] : [0, 255, 13, 10]
                        )
                        try await raw.close()
                    } else {
                        let output = try await rig.curl("https://localhost:\(port)/\(number)")
                        #expect(output.text == "hello")
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(rig.exchanges.filter { $0.response?.status == 200 }.count == 16)
        await rig.stop()
        try await origin.stop()
    }
}
