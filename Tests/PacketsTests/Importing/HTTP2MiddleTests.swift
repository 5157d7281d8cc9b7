import COpenSSL
import Captures
import Packets
import Testing
import Wire

/// HTTP/2 on connections that began before the capture.
struct HTTP2MiddleTests {
    private static func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0, 0, UInt8(payload.count), type, flags, 0, 0, 0, stream] + payload
    }

    private static func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + text.utf8 }

    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(4, 0, 0, [])

    /// `GET` of a path: the first one adds its host to the table, the others refer to that.
    private static func request(_ stream: UInt8, _ path: String) -> [UInt8] {
        let host: [UInt8] = stream == 1 ? [0x41] + text("op.example") : [0xbe]
        return frame(1, 5, stream, [0x82, 0x87] + host + [0x04] + text(path))
    }

    /// 200, with the type of its content, which the first one adds to the table.
    private static func answer(_ stream: UInt8, _ body: String) -> [UInt8] {
        let type: [UInt8] = stream == 1 ? [0x5f] + text("text/plain") : [0xbe]
        return frame(1, 4, stream, [0x88] + type) + frame(0, 1, stream, Array(body.utf8))
    }

    private static func connection() throws -> (packets: [MadePacket], keyLog: [UInt8]) {
        var options = TLSPair.Options()
        options.versions = TLS1_3_VERSION...TLS1_3_VERSION
        options.alpn = ["h2"]
        let pair = try TLSPair(options)
        try pair.handshake()
        try pair.send(preface + request(1, "/a"), from: .client)
        try pair.send(frame(4, 0, 0, []) + answer(1, "a"), from: .server)
        for (stream, name) in [(3, "b"), (5, "c")] as [(UInt8, String)] {
            try pair.send(request(stream, "/\(name)"), from: .client)
            try pair.send(answer(stream, name), from: .server)
        }
        var made = PacketBuilder()
        made.converse(pair.wire)
        return (made.packets, pair.keyLog)
    }

    /// Whatever is written out in its requests and answers, or stands in the table of the specification.
    @Test func whatDoesNotReferToTheBeginningIsRead() throws {
        let (packets, keyLog) = try Self.connection()
        let whole = PacketImport(packets, keyLog: keyLog)
        #expect(
            whole.exchanges.map(\.request.url.text) == ["a", "b", "c"].map { "https://op.example/\($0)" }
        )
        // Two requests with their answers, and the three packets of the end.
        let read = PacketImport(Array(packets.suffix(7)), keyLog: keyLog)
        #expect(read.exchanges.map(\.request.url.text) == ["b", "c"].map { "https://10.0.0.2/\($0)" })
        #expect(
            read.exchanges.map(\.request.httpVersion)
                == whole.exchanges.dropFirst().map(\.request.httpVersion)
        )
        #expect(read.exchanges.map(\.response?.status) == [200, 200])
        #expect(read.exchanges.map { $0.response?.headers.first("content-type") } == [nil, nil])
        #expect(read.exchanges.map(\.response?.body?.text) == ["b", "c"])
        #expect(read.exchanges.allSatisfy { $0.failure == nil && $0.malformations.isEmpty })
        let told = try #require(read.report.losses.first?.what)
        #expect(
            told.hasSuffix(
                ": its first requests are not in the capture; with them header fields of 4 messages are not known"
            )
        )
        #expect(read.report.losses.count == 1 && read.report.counts.lateConnections == 0)
    }

    /// A server need not wait for its client (RFC 9113, section 3.4), and only the packets that open the connection are missing.
    @Test(arguments: [nil, 1, 10, 24] as [Int?]) func whatIsThereBehindTheServersSettingsIsNotMissing(
        split: Int?
    ) {
        let asked = Self.preface + Self.request(1, "/a")
        let pieces = split.map { [Array(asked[..<$0]), Array(asked[$0...])] } ?? [asked]
        func read(_ pieces: [[UInt8]]) -> PacketImport {
            var made = PacketBuilder()
            let settings = Self.frame(4, 0, 0, [])
            made.converse(
                [(.server, settings), (.server, Self.frame(8, 0, 0, [0, 0, 1, 0]))]
                    + pieces.map { (.client, $0) } + [(.server, Self.answer(1, "a"))]
            )
            return PacketImport(Array(made.packets.dropFirst(3)))
        }
        let whole = read(pieces)
        #expect(whole.exchanges.map(\.request.url.text) == ["https://op.example/a"])
        #expect(whole.exchanges.map(\.response?.body?.text) == ["a"])
        #expect(whole.report.losses.isEmpty)
        // Behind the preface.
        let late = read([Self.request(1, "/a")])
        #expect(late.exchanges.map(\.request.url.text) == ["https://op.example/a"])
        #expect(late.report.losses.map(\.what).contains { $0.contains("its first requests are not") })
    }

    @Test func framesAreToldFromOtherThings() {
        func stream(_ pieces: [UInt8]...) -> UInt32? {
            var middle = HTTP2Middle()
            for piece in pieces {
                if let found = piece.withUnsafeBytes({ middle.received($0)?.stream }) { return found }
            }
            return nil
        }
        let update = Self.frame(8, 0, 0, [0, 0, 1, 0])
        let request = Self.request(3, "/b")
        #expect(stream(request) == 3)
        #expect(stream(update + Self.request(9, "/b") + update) == 9)
        // A body, whose frame goes on in the next packet, and another frame, of whose header there is a part.
        #expect(stream(request + Self.frame(0, 0, 3, [1, 2, 3]).dropLast()) == 3)
        #expect(stream(request + update.prefix(4)) == 3)
        #expect(stream(update) == nil)
        #expect(stream(Array(request.dropLast())) == nil)
        #expect(stream(request + [1]) == nil)
        // In pieces, and behind what only seemed to be a beginning.
        for place in 1..<request.count {
            #expect(stream(Array(request[..<place]), Array(request[place...])) == 3)
        }
        #expect(stream([0, 0], request) == 3)
        #expect(stream(update + request.prefix(12), Array(request.dropFirst(12))) == 3)
        // The head of an answer, a stream of the server's, and another protocol.
        #expect(stream(Self.answer(3, "b")) == nil)
        #expect(stream(Self.request(4, "/b")) == nil)
        #expect(stream(Array("GET / HTTP/1.1\r\n\r\n".utf8)) == nil)
        #expect(stream([]) == nil)
    }

    /// As much is held of a frame as is usual, and no more.
    @Test func aFrameWithoutEndIsGivenUp() {
        var middle = HTTP2Middle()
        let head: [UInt8] = [0, 0x40, 0, 1, 5, 0, 0, 0, 3]
        func isFound(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { middle.received($0) != nil } }
        #expect(!isFound(head))
        for _ in 0..<16_384 { #expect(!isFound([7])) }
        #expect(isFound(Self.request(3, "/b")))
    }

    @Test func whoSaysItIsToldByTheFirstHead() {
        func sender(_ bytes: [UInt8]) -> Side? { bytes.withUnsafeBytes(HTTP2Middle.sender) }
        let update = Self.frame(8, 0, 0, [0, 0, 1, 0])
        #expect(sender(update + Self.request(3, "/b")) == .client)
        #expect(sender(Self.answer(3, "b")) == .server)
        #expect(sender(Array(Self.answer(3, "b").dropLast())) == .server)
        #expect(sender(update) == nil)
        #expect(sender(Self.request(3, "/b") + [0]) == nil)
        #expect(sender([]) == nil)
    }
}
