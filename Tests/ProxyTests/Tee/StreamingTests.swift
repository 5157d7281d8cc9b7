import Captures
import Foundation
import NIOCore
import NIOHPACK
import NIOHTTP1
import Testing

/// What does not come all at once, over both versions of HTTP: events, long polls, interim answers, other protocols.
///
/// Nothing is timed: the origin goes on only when the client has heard what came before.
@Suite(
    .serialized,
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"), "curl is not installed")
)
struct StreamingTests {
    /// By the name of curl's option.
    static let versions = ["--http1.1", "--http2"]

    private struct Stage {
        let origin: SteppedOrigin
        let rig: ProxyRig
        let version: String

        init(_ version: String) async throws {
            self.version = version
            origin = try await SteppedOrigin(http2: version == "--http2", tls: ProxyRig.originTLS())
            rig = try await ProxyRig()
        }

        var url: String { "https://localhost:\(origin.port)" }
        var httpVersion: String { version == "--http2" ? "HTTP/2" : "HTTP/1.1" }

        func curl(_ arguments: String...) throws -> ListeningCurl {
            try ListeningCurl(rig, [version] + arguments)
        }

        func stop() async throws {
            await rig.stop()
            try await origin.stop()
        }
    }

    // MARK: - Server-sent events

    /// Each event before the next is sent; returns what was sent in all.
    private func hearEvents(_ call: SteppedOrigin.Call, _ curl: ListeningCurl, _ stage: Stage) async throws
        -> String
    {
        try await call.begin(["content-type": "text/event-stream"])
        var sent = ""
        for number in 1...4 {
            let event = "id: \(number)\ndata: {\"n\":\(number)}\n\n"
            try await call.send(event)
            sent += event
            let expected = sent
            #expect(try await curl.until { $0 == expected }, "event \(number): \(curl.heard)")
            #expect(stage.rig.exchanges.isEmpty)
        }
        return sent
    }

    @Test(arguments: versions) func eventsAreHeardOneByOneAndRecordedAtTheEnd(version: String) async throws {
        let stage = try await Stage(version)
        let curl = try stage.curl("\(stage.url)/events")
        let call = try #require(try await stage.origin.call("/events"))
        let sent = try await hearEvents(call, curl, stage)
        try await call.end()
        #expect(try await curl.end() == 0)
        let exchange = try #require(stage.rig.exchanges.first)
        #expect(stage.rig.exchanges.count == 1 && exchange.failure == nil)
        #expect(exchange.response?.httpVersion == stage.httpVersion)
        #expect(exchange.response?.body?.text == sent && exchange.response?.body?.isTruncated == false)
        #expect(exchange.response?.body?.mediaType == "text/event-stream")
        try await stage.stop()
    }

    @Test(arguments: versions) func eventsThatTheRecorderOutlivesAreRecordedAsFarAsTheyCame(version: String)
        async throws
    {
        let stage = try await Stage(version)
        let curl = try stage.curl("\(stage.url)/events")
        let call = try #require(try await stage.origin.call("/events"))
        let sent = try await hearEvents(call, curl, stage)
        await stage.rig.stop()
        _ = try await curl.end()
        let exchange = try #require(stage.rig.exchanges.first)
        #expect(exchange.failure?.contains("recording ended") == true)
        #expect(exchange.response?.status == 200)
        #expect(exchange.response?.body?.text == sent && exchange.response?.body?.isTruncated == true)
        try await stage.origin.stop()
    }

    // MARK: - Long polls

    /// Another request goes past one that waits; over HTTP/2 on the same connection.
    @Test(arguments: versions) func whoWaitsKeepsNobodyElseWaiting(version: String) async throws {
        let stage = try await Stage(version)
        let curl = try stage.curl(
            "--parallel",
            "--parallel-max",
            "2",
            "\(stage.url)/poll",
            "-o",
            "-",
            "\(stage.url)/quick",
            "-o",
            "-"
        )
        let poll = try #require(try await stage.origin.call("/poll"))
        let quick = try #require(try await stage.origin.call("/quick"))
        try await quick.begin()
        try await quick.send("quick\n")
        try await quick.end()
        #expect(try await curl.until { $0 == "quick\n" })
        // The bytes may be there before the end of the answer, which the entry waits for.
        _ = try await stage.rig.exchanges(atLeast: 1)
        #expect(stage.rig.exchanges.map(\.request.url.path) == ["/quick"])
        // What the poll waited for is there: it is heard before the answer ends, and recorded when it does.
        try await poll.begin()
        try await poll.send("news\n")
        #expect(try await curl.until { $0 == "quick\nnews\n" })
        #expect(stage.rig.exchanges.map(\.request.url.path) == ["/quick"])
        try await poll.send("end\n")
        try await poll.end()
        #expect(try await curl.end() == 0)
        #expect(curl.heard == "quick\nnews\nend\n")
        #expect(stage.rig.exchanges.map(\.request.url.path) == ["/quick", "/poll"])
        #expect(stage.rig.exchanges.map { $0.response?.body?.text } == ["quick\n", "news\nend\n"])
        #expect(stage.rig.exchanges.allSatisfy { $0.failure == nil && $0.malformations.isEmpty })
        try await stage.stop()
    }

    // MARK: - Interim answers

    @Test(arguments: versions) func interimAnswerComesBeforeTheBody(version: String) async throws {
        let stage = try await Stage(version)
        // Longer than the client waits for anything: without the interim answer it would never send its body.
        let curl = try stage.curl(
            "-i",
            "--expect100-timeout",
            "600",
            "-H",
            "Expect: 100-continue",
            "-d",
            "x=1",
            "\(stage.url)/token"
        )
        let call = try #require(try await stage.origin.call("/token"))
        try await call.interim(.continue)
        for _ in 0..<2000 where call.body != "x=1" { try await Task.sleep(for: .milliseconds(10)) }
        #expect(call.body == "x=1")
        #expect(stage.rig.exchanges.isEmpty)
        try await call.begin()
        try await call.send("ok")
        try await call.end()
        #expect(try await curl.end() == 0)
        let number = version == "--http2" ? "2" : "1.1"
        // Behind the proxy's own answer to CONNECT.
        let lines = curl.heard.split(separator: "\r\n").filter { $0.hasPrefix("HTTP/\(number) ") }
        #expect(lines.suffix(2).map { $0.split(separator: " ")[1] } == ["100", "200"], "\(curl.heard)")
        #expect(curl.heard.hasSuffix("\r\n\r\nok"))
        // The entry has the answer, not what came before it.
        let exchange = try #require(stage.rig.exchanges.first)
        #expect(stage.rig.exchanges.count == 1 && exchange.response?.status == 200)
        #expect(exchange.request.body?.text == "x=1" && exchange.response?.body?.text == "ok")
        #expect(exchange.request.headers.first("expect") == "100-continue")
        #expect(exchange.failure == nil && exchange.malformations.isEmpty)
        try await stage.stop()
    }

    // MARK: - WebSocket

    /// A masked `Hello` (RFC 6455, section 5.7).
    private static let masked: [UInt8] = [0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58]

    @Test func webSocketInHTTP1PassesBothWays() async throws {
        let answer =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
        let origin = try await LoopbackOrigin(tls: ProxyRig.originTLS()) { received in
            .send(received.starts(with: "GET ".utf8) ? Array(answer.utf8) : [0x81, 5] + "Hello".utf8)
        }
        let rig = try await ProxyRig()
        let target = "localhost:\(origin.port)"
        let client = try await TunnelClient(rig, target: target, protocolName: "http/1.1")
        let request =
            "GET /chat HTTP/1.1\r\nHost: \(target)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        try await client.send(Array(request.utf8))
        #expect(try await client.until { $0.elementsEqual(answer.utf8) })
        // The entry is there with the change of the protocol, not with its end.
        let exchange = try #require(rig.exchanges.first)
        #expect(exchange.response?.status == 101 && exchange.upgradedTo == "websocket")
        #expect(exchange.request.url.text == "https://\(target)/chat" && exchange.failure == nil)
        for round in 1...3 {
            try await client.send(Self.masked)
            let expected = Array(answer.utf8) + (0..<round).flatMap { _ in [0x81, 5] + Array("Hello".utf8) }
            #expect(try await client.until { $0 == expected })
        }
        try await client.close()
        await rig.stop()
        #expect(rig.exchanges.count == 1)
        try await origin.stop()
    }

    @Test func webSocketInHTTP2PassesBothWaysBesideRequests() async throws {
        let origin = try await HTTP2Origin(tls: ProxyRig.originTLS())
        let rig = try await ProxyRig()
        let target = "localhost:\(origin.port)"
        let client = try await TunnelClient(rig, target: target, protocolName: "h2")
        var encoder = HPACKEncoder(allocator: ByteBufferAllocator())
        func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
            [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xff), type, flags, 0, 0, 0, stream]
                + payload
        }
        func head(_ stream: UInt8, _ fields: [(String, String)], ends: Bool) throws -> [UInt8] {
            var block = ByteBuffer()
            let common = [(":scheme", "https"), (":authority", target)]
            try encoder.encode(headers: HPACKHeaders(common + fields), to: &block)
            return frame(1, ends ? 5 : 4, stream, Array(block.readableBytesView))
        }
        func isIn(_ part: [UInt8], _ bytes: [UInt8]) -> Bool { ByteSearch.index(of: part, in: bytes) != nil }

        try await client.send(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(4, 0, 0, []))
        // SETTINGS_ENABLE_CONNECT_PROTOCOL, without which no client asks (RFC 8441, section 3).
        #expect(try await client.until { isIn([0, 8, 0, 0, 0, 1], $0) })
        try await client.send(frame(4, 1, 0, []))
        let chat = [
            (":method", "CONNECT"), (":protocol", "websocket"), (":path", "/chat"),
            ("sec-websocket-version", "13"),
        ]
        try await client.send(try head(1, chat, ends: false))
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(exchange.response?.status == 200 && exchange.upgradedTo == "websocket")
        #expect(exchange.request.url.text == "https://\(target)/chat" && exchange.failure == nil)
        for round: UInt8 in 1...3 {
            let message = Self.masked + [round]
            try await client.send(frame(0, 0, 1, message))
            #expect(try await client.until { isIn(message, $0) })
        }
        // The connection is HTTP/2 as before.
        try await client.send(try head(3, [(":method", "GET"), (":path", "/beside")], ends: true))
        #expect(try await client.until { isIn(Array("GET /beside\n".utf8), $0) })
        try await client.send(frame(0, 0, 1, Array("once more".utf8)))
        #expect(try await client.until { isIn(Array("once more".utf8), $0) })
        try await client.close()
        await rig.stop()
        #expect(rig.exchanges.map(\.request.url.path) == ["/chat", "/beside"])
        #expect(rig.exchanges.map { $0.response?.body?.text ?? "" } == ["", "GET /beside\n"])
        #expect(rig.exchanges.allSatisfy { $0.malformations.isEmpty && $0.failure == nil })
        try await origin.stop()
    }
}
