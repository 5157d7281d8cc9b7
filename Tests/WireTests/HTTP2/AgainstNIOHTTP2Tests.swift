import Captures
import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOHTTP2
import TestSupport
import Testing
import Wire

/// Our passive reader and NIO's two ends of the same HTTP/2 connection see the same.
struct AgainstNIOHTTP2Tests {
    /// What a reader saw of a stream.
    private struct Seen: Equatable {
        var request = Message()
        var answer = Message()
    }

    private struct Message: Equatable {
        var fields: [String] = []
        var body: [UInt8] = []
        var trailers: [String] = []
        var isWhole = false
        var isReset = false
    }

    /// Two ends that are joined by hand, and what passes between them.
    private struct Pair {
        let client = EmbeddedChannel()
        let server = EmbeddedChannel()
        var conversation: Conversation
        var exchanges: [Exchange] = []
        var seen: [HTTP2StreamID: Seen] = [:]
        var random: SeededGenerator

        init(seed: UInt64) throws {
            random = SeededGenerator(seed: seed)
            var configuration = Conversation.Configuration(scheme: "https", authority: "idp.example")
            configuration.connection.alpn = "h2"
            conversation = Conversation(configuration)
            let address = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
            let settings: [HTTP2Setting] = [
                .init(
                    parameter: .headerTableSize,
                    value: [0, 100, 4096, 16_384].randomElement(using: &random) ?? 0
                )
            ]
            try client.pipeline.syncOperations.addHandler(
                NIOHTTP2Handler(mode: .client, initialSettings: settings)
            )
            try server.pipeline.syncOperations.addHandler(
                NIOHTTP2Handler(mode: .server, initialSettings: settings)
            )
            try client.connect(to: address).wait()
            try server.connect(to: address).wait()
        }

        /// Carries across what either side has said, cut anywhere, until nothing is left.
        mutating func pump() throws {
            var isSilent = false
            while !isSilent {
                isSilent = true
                while let bytes = try client.readOutbound(as: ByteBuffer.self) {
                    isSilent = false
                    read(bytes, from: .client)
                    try server.writeInbound(bytes)
                }
                while let bytes = try server.readOutbound(as: ByteBuffer.self) {
                    isSilent = false
                    read(bytes, from: .server)
                    try client.writeInbound(bytes)
                }
            }
            while let frame = try server.readInbound(as: HTTP2Frame.self) {
                Self.note(frame, &seen[frame.streamID, default: Seen()].request)
            }
            while let frame = try client.readInbound(as: HTTP2Frame.self) {
                Self.note(frame, &seen[frame.streamID, default: Seen()].answer)
            }
        }

        private mutating func read(_ bytes: ByteBuffer, from side: Side) {
            var bytes = bytes
            while bytes.readableBytes > 0 {
                let count = min(bytes.readableBytes, Int.random(in: 1...300, using: &random))
                guard let part = bytes.readSlice(length: count) else { return }
                exchanges += conversation.received(part, from: side, at: Timestamp(seconds: 1))
            }
        }

        private static func note(_ frame: HTTP2Frame, _ message: inout Message) {
            switch frame.payload {
            case .headers(let headers):
                let isInterim = headers.headers.first(name: ":status")?.hasPrefix("1") ?? false
                let fields = headers.headers.map { "\($0.name): \($0.value)" }
                if message.fields.isEmpty || headers.headers.contains(name: ":status") {
                    if !isInterim { message.fields = fields }
                } else {
                    message.trailers = fields
                }
                if headers.endStream { message.isWhole = true }
            case .data(let data):
                if case .byteBuffer(let bytes) = data.data { message.body += bytes.readableBytesView }
                if data.endStream { message.isWhole = true }
            case .rstStream: message.isReset = true
            default: break
            }
        }

        // MARK: What is said

        mutating func fields() -> [(String, String)] {
            (0..<Int.random(in: 0...6, using: &random)).map { number in
                let length = [1, 8, 40, 200].randomElement(using: &random) ?? 1
                let letter = ["v", "~", "é", "%", "0"].randomElement(using: &random) ?? "v"
                return (
                    "x-\(Int.random(in: 0...9, using: &random))", String(repeating: letter, count: length)
                )
            }
        }

        mutating func body() -> ByteBuffer {
            let count = Int.random(in: 0...900, using: &random)
            return ByteBuffer(bytes: (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
        }

        /// Ends a stream: mostly with an answer, perhaps behind an interim one, at times by a reset of either side.
        mutating func answer(_ stream: HTTP2StreamID) throws {
            switch Int.random(in: 0...9, using: &random) {
            case 0:
                try server.writeOutbound(HTTP2Frame(streamID: stream, payload: .rstStream(.refusedStream)))
            case 1: try client.writeOutbound(HTTP2Frame(streamID: stream, payload: .rstStream(.cancel)))
            case 2:
                let interim = HPACKHeaders([(":status", "103"), ("link", "</a>")])
                try server.writeOutbound(
                    HTTP2Frame(streamID: stream, payload: .headers(.init(headers: interim)))
                )
                fallthrough
            default:
                let status = ["200", "302", "400", "500"].randomElement(using: &random) ?? "200"
                try say([(":status", status)], on: stream, by: server)
            }
        }

        /// Says headers, perhaps a body in several frames, perhaps trailers.
        mutating func say(_ fields: [(String, String)], on stream: HTTP2StreamID, by channel: EmbeddedChannel)
            throws
        {
            func write(_ payload: HTTP2Frame.FramePayload) throws {
                try channel.writeOutbound(HTTP2Frame(streamID: stream, payload: payload))
            }
            let parts = Int.random(in: 0...3, using: &random)
            let hasTrailers = parts > 0 && Bool.random(using: &random)
            try write(.headers(.init(headers: HPACKHeaders(fields + self.fields()), endStream: parts == 0)))
            for part in 0..<parts {
                let isLast = part == parts - 1 && !hasTrailers
                try write(.data(.init(data: .byteBuffer(body()), endStream: isLast)))
            }
            guard hasTrailers else { return }
            try write(.headers(.init(headers: HPACKHeaders([("x-sum", "1")]), endStream: true)))
        }
    }

    private static func target(_ exchange: Exchange) -> String {
        exchange.request.url.path + (exchange.request.url.query.map { "?\($0)" } ?? "")
    }

    private static func names(_ fields: HeaderFields) -> [String] {
        fields.fields.map { "\($0.name): \($0.value)" }
    }

    private static func agree(_ exchange: Exchange, _ seen: Seen, _ place: String) {
        let pseudo = [
            ":method: \(exchange.request.method)", ":path: \(Self.target(exchange))", ":scheme: https",
            ":authority: \(exchange.request.headers.first("host") ?? "")",
        ]
        let request = pseudo + names(exchange.request.headers).filter { !$0.hasPrefix("host: ") }
        #expect(request == seen.request.fields, "\(place)")
        #expect(exchange.request.body?.bytes ?? [] == seen.request.body, "\(place)")
        #expect(names(exchange.request.trailers) == seen.request.trailers, "\(place)")
        #expect(exchange.malformations.isEmpty, "\(place): \(exchange.malformations)")
        guard seen.answer.isWhole else {
            #expect(exchange.failure != nil, "\(place)")
            return
        }
        #expect(exchange.failure == nil, "\(place)")
        let answer =
            [":status: \(exchange.response?.status ?? 0)"]
            + names(exchange.response?.headers ?? HeaderFields())
        #expect(answer == seen.answer.fields, "\(place)")
        #expect(exchange.response?.body?.bytes ?? [] == seen.answer.body, "\(place)")
        #expect(names(exchange.response?.trailers ?? HeaderFields()) == seen.answer.trailers, "\(place)")
    }

    @Test(arguments: 0..<60) func soundConnectionsReadTheSame(seed: Int) throws {
        var pair = try Pair(seed: UInt64(seed))
        let count = 12
        var unanswered: [HTTP2StreamID] = []
        var asked = 0
        while asked < count || !unanswered.isEmpty {
            if asked < count, unanswered.isEmpty || Bool.random(using: &pair.random) {
                let stream = HTTP2StreamID(asked * 2 + 1)
                asked += 1
                let head = [
                    (":method", ["GET", "POST", "PUT"].randomElement(using: &pair.random) ?? "GET"),
                    (":path", "/\(seed)/\(asked)?q=%2F"), (":scheme", "https"), (":authority", "idp.example"),
                ]
                try pair.say(head, on: stream, by: pair.client)
                unanswered.append(stream)
            } else {
                let stream = unanswered.remove(at: Int.random(in: 0..<unanswered.count, using: &pair.random))
                try pair.pump()
                try pair.answer(stream)
            }
            if Bool.random(using: &pair.random) { try pair.pump() }
        }
        try pair.pump()
        pair.exchanges += pair.conversation.ended(.server, reason: nil, at: Timestamp(seconds: 2))
        #expect(pair.exchanges.count == count)
        #expect(!pair.conversation.hasLostTheThread)
        for exchange in pair.exchanges {
            let stream = try #require(
                pair.seen.first {
                    $0.key != .rootStream
                        && $0.value.request.fields.contains(":path: \(Self.target(exchange))")
                }
            )
            Self.agree(exchange, stream.value, "seed \(seed), \(stream.key)")
        }
        _ = try? pair.client.finish(acceptAlreadyClosed: true)
        _ = try? pair.server.finish(acceptAlreadyClosed: true)
    }

    /// Of spoiled bytes, every request that NIO takes as whole is one that we see, and the same.
    @Test(arguments: 0..<40) func whatNIOTakesOfSpoiledBytesWeSee(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(1000 + seed))
        var speaker = HTTP2Speaker.client()
        for number in 0..<8 {
            let stream = UInt32(number * 2 + 1)
            speaker.headers(stream, HTTP2Speaker.request("POST", "/\(number)") + [("x-n", "\(number)")])
            speaker.data(stream, "body \(number)", ends: true)
        }
        var bytes = speaker.bytes
        for _ in 0...seed % 3 {
            bytes[Int.random(in: 24..<bytes.count, using: &random)] ^=
                1 << UInt8.random(in: 0...7, using: &random)
        }
        let server = EmbeddedChannel(handler: NIOHTTP2Handler(mode: .server))
        try server.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        // An error of the connection ends what NIO reads.
        _ = try? server.writeInbound(ByteBuffer(bytes: bytes))
        var theirs: [HTTP2StreamID: Seen] = [:]
        while let frame = try? server.readInbound(as: HTTP2Frame.self) {
            switch frame.payload {
            case .headers(let headers):
                theirs[frame.streamID, default: Seen()].request.fields = headers.headers.map {
                    "\($0.name): \($0.value)"
                }
                if headers.endStream { theirs[frame.streamID]?.request.isWhole = true }
            case .data(let data):
                if case .byteBuffer(let bytes) = data.data {
                    theirs[frame.streamID, default: Seen()].request.body += bytes.readableBytesView
                }
                if data.endStream { theirs[frame.streamID]?.request.isWhole = true }
            default: break
            }
        }
        let ours = Dialogue.overHTTP2([.clientBytes(bytes)]).exchanges()
        for (stream, seen) in theirs where seen.request.isWhole && stream != .rootStream {
            let path = seen.request.fields.first { $0.hasPrefix(":path: ") }?.dropFirst(7) ?? ""
            let found = ours.contains { exchange in
                Self.target(exchange) == path && exchange.request.body?.bytes ?? [] == seen.request.body
            }
            #expect(found, "seed \(seed), \(stream): \(seen.request.fields)")
        }
        _ = try? server.finish(acceptAlreadyClosed: true)
    }
}
