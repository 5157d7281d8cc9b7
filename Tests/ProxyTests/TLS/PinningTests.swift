import Captures
import Foundation
import LibCrypto
import TestSupport
import Testing

@testable import Proxy

/// Clients that do not accept the recorder's certificate.
struct PinningTests {
    private let origin: Origin
    private let other: Origin
    private let app = ClientFacts(process: "app", processID: 7, address: "127.0.0.1:40000")

    /// From when until when connections were there.
    private static let first = Timestamp(nanoseconds: 10)...Timestamp(nanoseconds: 20)
    private static let besideFirst = Timestamp(nanoseconds: 12)...Timestamp(nanoseconds: 22)
    private static let second = Timestamp(nanoseconds: 21)...Timestamp(nanoseconds: 30)

    init() throws {
        origin = try #require(Origin(authority: "login.example:443", defaultPort: nil))
        other = try #require(Origin(authority: "api.example:443", defaultPort: nil))
    }

    @Test func alertIsBelievedAtOnce() {
        let clients = PinningClients()
        #expect(!clients.passesThrough(app, origin))
        #expect(clients.rejected(by: app, origin, saidSo: true, Self.first))
        #expect(clients.passesThrough(app, origin))
    }

    @Test func endWithoutWordsIsBelievedTheSecondTime() {
        let clients = PinningClients()
        #expect(!clients.rejected(by: app, origin, saidSo: false, Self.first))
        #expect(!clients.passesThrough(app, origin))
        #expect(clients.rejected(by: app, origin, saidSo: false, Self.second))
        #expect(clients.passesThrough(app, origin))
    }

    @Test func whatIsClosedSideBySideIsOneDoubt() {
        let clients = PinningClients()
        #expect(!clients.rejected(by: app, origin, saidSo: false, Self.first))
        #expect(!clients.rejected(by: app, origin, saidSo: false, Self.besideFirst))
        #expect(!clients.passesThrough(app, origin))
        #expect(clients.rejected(by: app, origin, saidSo: false, Self.second))
        // Once it is certain, it stays so.
        #expect(clients.rejected(by: app, origin, saidSo: false, Self.besideFirst))
    }

    @Test func goodHandshakeClearsADoubt() {
        let clients = PinningClients()
        _ = clients.rejected(by: app, origin, saidSo: false, Self.first)
        clients.accepted(by: app, origin)
        #expect(!clients.rejected(by: app, origin, saidSo: false, Self.second))
    }

    @Test func onlyThatClientAndThatHost() {
        let clients = PinningClients()
        _ = clients.rejected(by: app, origin, saidSo: true, Self.first)
        var client = app
        client.processID = 8
        #expect(!clients.passesThrough(client, origin))
        #expect(!clients.passesThrough(app, other))
        // Another connection of the same process.
        client = app
        client.address = "127.0.0.1:40001"
        #expect(clients.passesThrough(client, origin))
    }

    @Test func withoutAProcessItIsTheAddress() {
        let clients = PinningClients()
        _ = clients.rejected(by: ClientFacts(address: "[fe80::1]:40000"), origin, saidSo: true, Self.first)
        #expect(clients.passesThrough(ClientFacts(address: "[fe80::1]:50000"), origin))
        #expect(!clients.passesThrough(ClientFacts(address: "[fe80::2]:40000"), origin))
        #expect(!clients.passesThrough(ClientFacts(), origin))
    }

    // MARK: Through the proxy

    private static let hello: LoopbackOrigin.Script = { _ in
        .send(Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8))
    }

    /// Two requests of one process that trusts the server, and not the recorder.
    private func pinned(_ rig: ProxyRig, _ port: Int) async throws -> ProxyRig.Output {
        let roots = NSTemporaryDirectory() + "authreel-pinned-\(UUID().uuidString).pem"
        try ProxyRig.originAuthority().certificate.pem.write(toFile: roots, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: roots) }
        let url = "https://localhost:\(port)/"
        return try await ProxyRig.run([
            "/usr/bin/curl", "-sS", "--proxy", "http://127.0.0.1:\(rig.port)", "--noproxy", "", "--cacert",
            roots,
            url, url,
        ])
    }

    @Test func pinningClientGetsThroughTheSecondTime() async throws {
        let origin = try await LoopbackOrigin(tls: ProxyRig.originTLS(), script: Self.hello)
        let rig = try await ProxyRig()
        let output = try await pinned(rig, origin.port)
        #expect(output.status == 0)
        #expect(output.text.contains("hello"))
        let exchanges = try await rig.exchanges(atLeast: 2)
        #expect(exchanges.map(\.tunnel.reason) == [nil, .clientRejectsRecorder])
        let passed = try #require(exchanges.last)
        #expect(passed.request.method == "CONNECT" && passed.response?.status == 200 && passed.failure == nil)
        #expect(passed.request.url.text == "https://localhost:\(origin.port)/")
        #expect((passed.tunnel.sentBytes ?? 0) > 300 && (passed.tunnel.receivedBytes ?? 0) > 300)
        #expect(passed.duration ?? .zero > .zero)
        #expect(
            rig.notices.contains {
                if case .clientRejectedCertificate(_, _, "unknown_ca", passesThrough: true) = $0 {
                    true
                } else {
                    false
                }
            }
        )
        await rig.stop()
        try await origin.stop()
    }

    @Test func strictRecorderPassesNobodyThrough() async throws {
        let origin = try await LoopbackOrigin(tls: ProxyRig.originTLS(), script: Self.hello)
        let rig = try await ProxyRig(adjust: { $0.passesPinningClients = false })
        let output = try await pinned(rig, origin.port)
        #expect(output.status == 60)
        let exchanges = try await rig.exchanges(atLeast: 2)
        #expect(exchanges.allSatisfy { $0.response == nil && $0.tunnel.reason == nil })
        await rig.stop()
        try await origin.stop()
    }

    /// Two connections, one after the other, that are closed when the recorder's certificate has come.
    private func closing(_ rig: ProxyRig, _ port: Int) async throws {
        let client = """
            import socket, ssl, sys
            for _ in range(2):
                raw = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
                raw.sendall(b"CONNECT localhost:%s HTTP/1.1\\r\\n\\r\\n" % sys.argv[2].encode())
                while not raw.recv(4096).endswith(b"\\r\\n\\r\\n"):
                    pass
                came, sent = ssl.MemoryBIO(), ssl.MemoryBIO()
                tls = ssl.create_default_context().wrap_bio(came, sent, server_hostname="localhost")
                try:
                    tls.do_handshake()
                except ssl.SSLWantReadError:
                    raw.sendall(sent.read())
                raw.recv(1, socket.MSG_PEEK)
                raw.close()
            """
        let output = try await ProxyRig.run(["/usr/bin/python3", "-c", client, "\(rig.port)", "\(port)"])
        #expect(output.status == 0, "\(output.text)")
    }

    @Test(arguments: [false, true])
    func endWithoutWordsMeansNothingOfAClientThatAcceptsUs(accepts: Bool) async throws {
        let origin = try await LoopbackOrigin(tls: ProxyRig.originTLS(), script: Self.hello)
        let rig = try await ProxyRig(adjust: { $0.acceptsCertificates = { _ in accepts } })
        try await closing(rig, origin.port)
        let exchanges = try await rig.exchanges(atLeast: 2)
        #expect(exchanges.count == 2)
        #expect(
            exchanges.allSatisfy {
                $0.failure?.hasPrefix(
                    accepts
                        ? "the client closed the connection during its TLS handshake"
                        : "Client TLS handshake failed. The client does not trust the proxy's certificate"
                ) == true
            },
            "\(exchanges.map(\.failure))"
        )
        let passes = rig.notices.map {
            if case .clientRejectedCertificate(_, _, nil, let passes) = $0 { passes } else { false }
        }
        #expect(passes == (accepts ? [] : [false, true]))
        await rig.stop()
        try await origin.stop()
    }

    /// Three handshakes, one after the other, each with an end behind it, as OkHttp and GnuTLS have it when a certificate is refused.
    ///
    /// - Parameters:
    ///   - rig: the recorder.
    ///   - port: the server's.
    ///   - asks: whether the client has had a request answered before.
    ///   - endsByAsking: whether it has one answered behind them.
    /// - Throws: where there is no Python.
    private func finishing(_ rig: ProxyRig, _ port: Int, asks: Bool = false, endsByAsking: Bool = false)
        async throws
    {
        let client = """
            import socket, ssl, sys
            context = ssl.create_default_context()
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
            def tunnel():
                raw = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
                raw.sendall(b"CONNECT localhost:%s HTTP/1.1\\r\\n\\r\\n" % sys.argv[2].encode())
                while not raw.recv(4096).endswith(b"\\r\\n\\r\\n"):
                    pass
                return context.wrap_socket(raw, server_hostname="localhost")
            def ask():
                tls = tunnel()
                tls.sendall(b"GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
                tls.recv(4096)
            if sys.argv[3] == "true":
                ask()
            for _ in range(3):
                tls = tunnel()
                # The next one is begun when the recorder knows of this end.
                tls.settimeout(10)
                tls.shutdown(socket.SHUT_WR)
                while tls.recv(4096):
                    pass
                tls.close()
            if sys.argv[4] == "true":
                ask()
            """
        let output = try await ProxyRig.run([
            "/usr/bin/python3", "-c", client, "\(rig.port)", "\(port)", "\(asks)", "\(endsByAsking)",
        ])
        #expect(output.status == 0, "\(output.error)")
    }

    /// It may have been opened ahead, or to see whether the server is there: what comes of the client later is to be recorded.
    @Test func endBehindTheHandshakeIsToldOnceAndPassesNobodyThrough() async throws {
        let origin = try await LoopbackOrigin(tls: ProxyRig.originTLS(), script: Self.hello)
        let rig = try await ProxyRig()
        try await finishing(rig, origin.port, endsByAsking: true)
        let exchanges = try await rig.exchanges(atLeast: 2)
        await rig.stop()
        #expect(exchanges.map(\.request.method) == ["CONNECT", "GET"])
        #expect(
            exchanges.first?.failure?.hasPrefix(
                "the client closed the connection behind its TLS handshake without a request"
            ) == true,
            "\(exchanges.map(\.failure))"
        )
        #expect(exchanges.last?.response?.status == 200)
        #expect(rig.notices.count == 1)
        #expect(
            rig.notices.allSatisfy {
                if case .clientLeftBehindHandshake("localhost:\(origin.port)", _) = $0 { true } else { false }
            },
            "\(rig.notices)"
        )
        try await origin.stop()
    }

    /// A client that has asked something, and one that was started so that it accepts us, have only had no use for them.
    @Test(arguments: [false, true])
    func unusedConnectionOfAClientThatAcceptsUsIsNone(asks: Bool) async throws {
        let origin = try await LoopbackOrigin(tls: ProxyRig.originTLS(), script: Self.hello)
        let rig = try await ProxyRig(adjust: { if !asks { $0.acceptsCertificates = { _ in true } } })
        try await finishing(rig, origin.port, asks: asks)
        await rig.stop()
        #expect(rig.exchanges.map(\.failure) == (asks ? [nil] : []))
        #expect(rig.notices.isEmpty)
        try await origin.stop()
    }

    @Test func hostThatIsLeftAloneIsAnEntryWithItsBytes() async throws {
        let origin = try await LoopbackOrigin(tls: ProxyRig.originTLS(), script: Self.hello)
        let rig = try await ProxyRig(adjust: { $0.passThroughHosts = [HostPattern("localhost")] })
        let output = try await pinned(rig, origin.port)
        #expect(output.status == 0)
        let exchanges = try await rig.exchanges(atLeast: 1)
        #expect(exchanges.map(\.tunnel.reason) == [.asked])
        #expect((exchanges.first?.tunnel.receivedBytes ?? 0) > 300)
        await rig.stop()
        try await origin.stop()
    }
}
