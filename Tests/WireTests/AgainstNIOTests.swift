import Captures
import NIOCore
import NIOEmbedded
import NIOHTTP1
import TestSupport
import Testing
import Wire

/// Our passive reader and NIO's strict one see the same in sound traffic.
struct AgainstNIOTests {
    private struct Seen: Equatable {
        var head: String
        var headers: [String]
        var body: [UInt8]
        var trailers: [String]
    }

    private static func names(_ headers: some Sequence<(String, String)>) -> [String] {
        headers.map { "\($0.0.lowercased()):\($0.1)" }
    }

    private static func byNIO(_ bytes: [UInt8]) throws -> [Seen] {
        let channel = EmbeddedChannel(handler: ByteToMessageHandler(HTTPRequestDecoder()))
        try channel.writeInbound(ByteBuffer(bytes: bytes))
        var seen: [Seen] = []
        while let part = try channel.readInbound(as: HTTPServerRequestPart.self) {
            switch part {
            case .head(let head):
                let fields = names(head.headers.map { ($0.name, $0.value) })
                seen.append(
                    Seen(head: "\(head.method.rawValue) \(head.uri)", headers: fields, body: [], trailers: [])
                )
            case .body(let bytes): seen[seen.count - 1].body += bytes.readableBytesView
            case .end(let trailers):
                seen[seen.count - 1].trailers = names((trailers ?? [:]).map { ($0.name, $0.value) })
            }
        }
        _ = try? channel.finish(acceptAlreadyClosed: true)
        return seen
    }

    private static func byUs(_ bytes: [UInt8], answers: Int) -> [Seen] {
        let answer = String(repeating: "HTTP/1.1 204 No Content\r\n\r\n", count: answers)
        return Dialogue([.clientBytes(bytes), .server(answer)]).exchanges().map { exchange in
            let url = exchange.request.url
            return Seen(
                head: "\(exchange.request.method) \(url.path)\(url.query.map { "?\($0)" } ?? "")",
                headers: names(exchange.request.headers.fields.map { ($0.name, $0.value) }),
                body: exchange.request.body?.bytes ?? [],
                trailers: names(exchange.request.trailers.fields.map { ($0.name, $0.value) })
            )
        }
    }

    @Test func soundRequestsReadTheSame() throws {
        var random = SeededGenerator(seed: 1)
        for round in 0..<400 {
            var bytes: [UInt8] = []
            let count = Int.random(in: 1...4, using: &random)
            for _ in 0..<count { bytes += Self.request(&random) }
            let ours = Self.byUs(bytes, answers: count)
            let theirs = try Self.byNIO(bytes)
            let first = zip(ours, theirs).first { $0 != $1 }
            #expect(
                ours == theirs,
                "round \(round): \(first.map { "\($0)\n\($1)" } ?? "\(ours.count) and \(theirs.count)")"
            )
        }
    }

    private static func request(_ random: inout SeededGenerator) -> [UInt8] {
        let method = ["GET", "POST", "PUT", "OPTIONS", "DELETE"].randomElement(using: &random) ?? "GET"
        var text =
            "\(method) /p\(Int.random(in: 0...99, using: &random))?q=%2F HTTP/1.1\r\nHost: idp.example\r\n"
        for number in 0..<Int.random(in: 0...5, using: &random) {
            text +=
                "X-\(number):\(String(repeating: " ", count: Int.random(in: 0...2, using: &random)))v;\(number)\r\n"
        }
        let body = (0..<Int.random(in: 0...50, using: &random)).map { _ in
            UInt8.random(in: 0...255, using: &random)
        }
        switch Int.random(in: 0...2, using: &random) {
        case 0: return Array((text + "\r\n").utf8)
        case 1: return Array((text + "Content-Length: \(body.count)\r\n\r\n").utf8) + body
        default:
            var bytes = Array((text + "Transfer-Encoding: chunked\r\n\r\n").utf8)
            var rest = body[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Int.random(in: 1...20, using: &random))
                rest = rest.dropFirst(piece.count)
                bytes += Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + [0x0d, 0x0a]
            }
            return bytes + Array("0\r\n\(Bool.random(using: &random) ? "X-T: 1\r\n" : "")\r\n".utf8)
        }
    }
}
