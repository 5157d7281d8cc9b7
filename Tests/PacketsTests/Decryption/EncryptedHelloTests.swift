import Captures
import Foundation
import Packets
import TestSupport
import Testing

/// Encrypted Client Hello (RFC 9849): what is seen is a hello for the server's front, and key logs go by the one inside of it.
struct EncryptedHelloTests {
    /// What BoringSSL sent with the hellos of Chrome, Firefox and Safari to a server that took them.
    private func read(_ keys: [UInt8]) throws -> (exchanges: [Exchange], report: PacketImportReport) {
        var exchanges = PacketExchanges(maximumBodyBytes: 1 << 20, budget: RecordingBudget(bytes: 1 << 30))
        exchanges.add(keyLog: keys)
        exchanges.endKeyLog()
        var decoder = PacketDecoder(into: exchanges)
        let path = Fixtures.root.appending(path: "Tests/Recordings/encrypted-hello.pcap").path
        _ = try PacketFile.read(path: path, into: &decoder) { _, _ in }
        decoder.finish()
        return (decoder.sink.takeFinished(), decoder.sink.report)
    }

    private func keys() throws -> [UInt8] { try Fixtures.bytes("Tests/Recordings/encrypted-hello.keys") }

    @Test func keysOfTheInnerHelloOpenTheConnection() throws {
        let found = try read(keys())
        #expect(found.exchanges.map { $0.request.url.host } == ["op.test", "op.test", "op.test"])
        #expect(found.exchanges.allSatisfy { $0.request.url.path == "/login" && $0.response?.status == 200 })
        // The name in clear is that of everybody behind the same front.
        #expect(found.exchanges.allSatisfy { $0.connection.serverName == nil })
        #expect(found.report.counts.unreadConnections == 0 && found.report.losses.isEmpty)
    }

    @Test func keysOfOthersOpenNothing() throws {
        let other = String(decoding: try keys(), as: UTF8.self).split(separator: "\n").map { line in
            line.dropLast(4) + "0000"
        }
        let found = try read(Array(other.joined(separator: "\n").utf8))
        #expect(found.exchanges.map(\.tunnel.reason) == [.noKeys, .noKeys, .noKeys])
    }

    /// Whoever listens looks again and again for keys that may be of connections which wait: what was tried is not tried again.
    @Test func keysOfOthersLeaveTrialsForThoseThatComeLate() throws {
        var exchanges = PacketExchanges(
            maximumBodyBytes: 1 << 20,
            budget: RecordingBudget(bytes: 1 << 30),
            heldForKeys: 1 << 20
        )
        let others = (10..<60).map { number in
            let random = String(repeating: "\(number)", count: 32)
            return ["CLIENT", "SERVER"].map { side in
                "\(side)_HANDSHAKE_TRAFFIC_SECRET \(random) \(String(repeating: "\(number)", count: 48))\n"
            }.joined()
        }
        exchanges.add(keyLog: Array(others.joined().utf8))
        var decoder = PacketDecoder(into: exchanges)
        let path = Fixtures.root.appending(path: "Tests/Recordings/encrypted-hello.pcap").path
        _ = try PacketFile.read(path: path, into: &decoder) { _, _ in }
        let now = Timestamp(seconds: 1_780_000_000)
        for _ in 0..<500 { decoder.sink.keysAdded(at: now) }
        #expect(decoder.sink.takeFinished().isEmpty)
        decoder.sink.add(keyLog: try keys())
        decoder.sink.keysAdded(at: now)
        decoder.finish()
        #expect(decoder.sink.takeFinished().map { $0.request.url.path } == ["/login", "/login", "/login"])
    }
}
