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

    init() throws {
        origin = try #require(Origin(authority: "login.example:443", defaultPort: nil))
        other = try #require(Origin(authority: "api.example:443", defaultPort: nil))
    }

    @Test func alertIsBelievedAtOnce() {
        let clients = PinningClients()
        #expect(!clients.passesThrough(app, origin))
        #expect(clients.rejected(by: app, origin, saidSo: true))
        #expect(clients.passesThrough(app, origin))
    }

    @Test func endWithoutWordsIsBelievedTheSecondTime() {
        let clients = PinningClients()
        #expect(!clients.rejected(by: app, origin, saidSo: false))
        #expect(!clients.passesThrough(app, origin))
        #expect(clients.rejected(by: app, origin, saidSo: false))
        #expect(clients.passesThrough(app, origin))
    }

    @Test func goodHandshakeClearsADoubt() {
        let clients = PinningClients()
        _ = clients.rejected(by: app, origin, saidSo: false)
        clients.accepted(by: app, origin)
        #expect(!clients.rejected(by: app, origin, saidSo: false))
    }

    @Test func onlyThatClientAndThatHost() {
        let clients = PinningClients()
        _ = clients.rejected(by: app, origin, saidSo: true)
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
        _ = clients.rejected(by: ClientFacts(address: "[fe80::1]:40000"), origin, saidSo: true)
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
