import Captures
import Foundation
import LibCrypto
import Proxy
import Synchronization
import TLS
import Testing

/// What fails, what is no HTTP, and what is not opened.
extension ProxyServerTests {
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
            rig.notices.contains {
                if case .requestRefused(431, _, _, isRecorded: false) = $0 { true } else { false }
            }
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
}
