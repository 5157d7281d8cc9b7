import Captures
import Foundation
import Proxy
import Synchronization
import TestSupport
import Testing

/// What a client does to the recorder harms itself at most.
@Suite(.serialized) struct HostileClientTests {
    private static let answer = Array(
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok".utf8
    )

    /// What an origin has read.
    private final class Seen: Sendable {
        let bytes = Mutex<[UInt8]>([])
        var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }
    }

    private static func origin(answersBehind end: String, _ seen: Seen) async throws -> LoopbackOrigin {
        try await LoopbackOrigin(tls: nil) { received in
            seen.bytes.withLock { $0 = received }
            return String(decoding: received, as: UTF8.self).hasSuffix(end) ? .sendAndFinish(answer) : .wait
        }
    }

    /// Requests of which one reader sees another end, or another field, than the next.
    static let ambiguous = [
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nEND",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nEND",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\nEND",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3, 5\r\n\r\nEND",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\nEND",
        "GET / HTTP/1.1\nHost: a\nX: 1\n\nEND",
        "GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n 2\r\n\r\nEND",
        "GET / HTTP/1.1\r\nHost: a\r\nX : 1\r\n\r\nEND",
        "GET /a b HTTP/1.1\r\nHost: a\r\n\r\nEND",
    ]

    @Test(arguments: ambiguous) func insideATunnelItPassesAsItWasSent(request: String) async throws {
        let seen = Seen()
        let origin = try await Self.origin(answersBehind: "END", seen)
        let rig = try await ProxyRig()
        let client = try await RawClient(port: rig.port)
        try await client.send("CONNECT 127.0.0.1:\(origin.port) HTTP/1.1\r\nHost: x\r\n\r\n")
        try await client.until { $0.received.hasSuffix("\r\n\r\n") }
        try await client.send(request)
        #expect(try await client.until { $0.received.hasSuffix("ok") })
        #expect(seen.text == request)
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(!exchange.malformations.isEmpty)
        try await client.close()
        await rig.stop()
        try await origin.stop()
    }

    /// Where the request has to be taken apart to be sent on.
    @Test(arguments: ambiguous) func toBeTargetedAnewItIsRefused(request: String) async throws {
        let seen = Seen()
        let origin = try await Self.origin(answersBehind: "END", seen)
        let rig = try await ProxyRig()
        let client = try await RawClient(port: rig.port)
        try await client.send(
            request.replacingOccurrences(of: " /", with: " http://127.0.0.1:\(origin.port)/")
        )
        #expect(try await client.until { $0.received.hasPrefix("HTTP/1.1 400 ") && $0.isEnded })
        #expect(seen.text.isEmpty)
        try await client.close()
        await rig.stop()
        try await origin.stop()
    }

    /// The first of two answers is that to the first request.
    @Test func aRequestBehindAnotherIsRefusedBehindItsAnswer() async throws {
        let origin = try await LoopbackOrigin(tls: nil) { _ in
            .send(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8))
        }
        let rig = try await ProxyRig()
        let client = try await RawClient(port: rig.port)
        let url = "http://127.0.0.1:\(origin.port)"
        try await client.send(
            "GET \(url)/1 HTTP/1.1\r\nHost: x\r\n\r\nGET \(url)/2 HTTP/1.1\r\nHost: x\r\nX : 1\r\n\r\n"
        )
        #expect(try await client.until { $0.isEnded })
        let answers = client.received.components(separatedBy: "HTTP/1.1 ").dropFirst().map { $0.prefix(3) }
        #expect(answers == ["200", "400"])
        #expect(client.received.contains("a field name with characters that are not allowed"))
        #expect(rig.exchanges.map(\.request.url.path) == ["/1", "/2"])
        #expect(rig.exchanges.map(\.response?.status) == [200, nil])
        try await client.close()
        await rig.stop()
        try await origin.stop()
    }

    /// Nobody is left to hear the refusal, nor the answer that it waits for.
    @Test func aClientThatGoesWhileItsRefusalWaitsIsSeenToGo() async throws {
        let origin = try await LoopbackOrigin(tls: nil) { _ in .wait }
        let rig = try await ProxyRig()
        let client = try await RawClient(port: rig.port)
        let url = "http://127.0.0.1:\(origin.port)"
        try await client.send(
            "GET \(url)/1 HTTP/1.1\r\nHost: x\r\n\r\nGET \(url)/2 HTTP/1.1\r\nHost: x\r\nX : 1\r\n\r\n"
        )
        #expect(try await client.until { _ in origin.received > 0 })
        try await client.close()
        #expect(try await client.until { _ in origin.ended == 1 })
        await rig.stop()
        try await origin.stop()
    }

    @Test func aHeadOfAHundredMegabytesPassesAndIsNotHeld() async throws {
        let origin = try await LoopbackOrigin(tls: nil) { _ in .wait }
        let rig = try await ProxyRig()
        let client = try await RawClient(port: rig.port)
        try await client.send(
            "CONNECT 127.0.0.1:\(origin.port) HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nX: "
        )
        let megabyte = [UInt8](repeating: 0x78, count: 1 << 20)
        for _ in 0..<100 { try await client.send(megabyte) }
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(
            exchange.malformations.map(\.reason) == [
                "a head of more than 256 KiB: --max-head has longer ones read"
            ]
        )
        for _ in 0..<1000 where origin.received < 100 << 20 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(origin.received > 100 << 20)
        try await client.close()
        await rig.stop()
        try await origin.stop()
    }

    /// Slowly, and all at once: whoever says what it wants is served meanwhile.
    @Test func thoseWhoNeverFinishTheirHeadsKeepNobodyOut() async throws {
        let seen = Seen()
        let origin = try await Self.origin(answersBehind: "\r\n\r\n", seen)
        let rig = try await ProxyRig(adjust: {
            $0.limits.connections = 200
            $0.limits.headTime = .seconds(2)
        })
        var slow: [RawClient] = []
        for _ in 0..<300 {
            let client = try await RawClient(port: rig.port)
            try await client.send("GET http://a/ HTTP/1.1\r\nX-")
            slow.append(client)
        }
        let output = try await rig.curl("http://127.0.0.1:\(origin.port)/")
        #expect(output.text == "ok")
        // The oldest have given way, and the others are told.
        #expect(try await slow[0].until { $0.isEnded })
        #expect(slow[0].received.isEmpty)
        #expect(try await slow[299].until { $0.isEnded })
        #expect(slow[299].received.hasPrefix("HTTP/1.1 408 "))
        for client in slow { try? await client.close() }
        await rig.stop()
        try await origin.stop()
    }

    @Test func connectionsInUseAreCountedAndFurtherOnesClosed() async throws {
        let seen = Seen()
        let origin = try await Self.origin(answersBehind: "\r\n\r\n", seen)
        let rig = try await ProxyRig(adjust: { $0.limits.connections = 3 })
        var tunnels: [RawClient] = []
        for _ in 0..<3 {
            let client = try await RawClient(port: rig.port)
            try await client.send("CONNECT 127.0.0.1:\(origin.port) HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try await client.until { $0.received.hasPrefix("HTTP/1.1 200 ") })
            tunnels.append(client)
        }
        for _ in 0..<2 {
            let further = try? await RawClient(port: rig.port)
            #expect(try await further?.until { $0.isEnded } ?? true)
        }
        #expect(rig.notices.filter { $0 == .tooManyConnections(limit: 3) }.count == 1)
        try await tunnels[0].close()
        var text = ""
        for _ in 0..<50 where text != "ok" {
            text = try await rig.curl("http://127.0.0.1:\(origin.port)/").text
        }
        #expect(text == "ok")
        for client in tunnels { try? await client.close() }
        await rig.stop()
        try await origin.stop()
    }

    /// Opened and given up, faster than anybody answers.
    @Test func aFloodOfResetsLeavesOthersServed() async throws {
        let origin = try await HTTP2Origin(tls: nil)
        let rig = try await ProxyRig()
        let client = try await RawClient(port: rig.port)
        try await client.send("CONNECT 127.0.0.1:\(origin.port) HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try await client.until { $0.received.hasPrefix("HTTP/1.1 200 ") })
        // Indexed fields of the static table only: GET, http, /, and an authority of one letter.
        let block: [UInt8] = [0x82, 0x86, 0x84, 0x01, 0x01, 0x61]
        var bytes = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]
        for number in 0..<20_000 {
            let stream = UInt32(number * 2 + 1)
            let id = [24, 16, 8, 0].map { UInt8(stream >> $0 & 0xff) }
            bytes += [0, 0, UInt8(block.count), 1, 5] + id + block
            bytes += [0, 0, 4, 3, 0] + id + [0, 0, 0, 8]
        }
        try? await client.send(bytes)
        let output = try await rig.curl(
            "--http2-prior-knowledge",
            "--proxytunnel",
            "http://127.0.0.1:\(origin.port)/a"
        )
        #expect(output.text == "GET /a\n")
        let flood = rig.exchanges.filter { $0.request.url.path == "/" }
        #expect(!flood.isEmpty && flood.allSatisfy { $0.failure != nil })
        try? await client.close()
        await rig.stop()
        try await origin.stop()
    }
}
