import Captures
import NIOCore
import NIOEmbedded
import NIOHTTP1

@testable import Wire

/// Requests or answers of one HTTP/1 connection, to be read by us and by NIO (llhttp in its strict settings).
struct HTTP1Bytes {
    var bytes: [UInt8]
    /// The methods that are answered; nil where the bytes are requests.
    var answering: [String]?

    static func requests(_ text: String) -> HTTP1Bytes { HTTP1Bytes(bytes: Array(text.utf8)) }

    static func answers(_ text: String, to methods: [String] = ["GET", "GET"]) -> HTTP1Bytes {
        HTTP1Bytes(bytes: Array(text.utf8), answering: methods)
    }

    // MARK: - Ours

    func byUs() -> Reading {
        var decoder = HTTP1Decoder()
        var sink = Sink(side: answering == nil ? .request : .response)
        let time = Timestamp(seconds: 1)
        for method in answering ?? [] {
            Array("\(method) / HTTP/1.1\r\nHost: x\r\n\r\n".utf8).withUnsafeBufferPointer { request in
                _ = decoder.receive(request, from: .client, at: time, into: &sink)
            }
        }
        bytes.withUnsafeBufferPointer { bytes in
            _ = decoder.receive(bytes, from: answering == nil ? .client : .server, at: time, into: &sink)
        }
        if answering != nil { decoder.end(.server, reason: nil, at: time, into: &sink) }
        var reading = Reading(messages: sink.messages)
        guard decoder.hasLost(answering == nil ? .client : .server) else { return reading }
        reading.refusal = sink.lastProblem
        // Why the connection cannot be read any further is no trait of the message before.
        if let last = reading.messages.indices.last, reading.messages[last].named.last == reading.refusal {
            reading.messages[last].named.removeLast()
        }
        return reading
    }

    /// Keeps the messages of one side in the order in which they begin.
    private struct Sink: ExchangeEventSink {
        let side: MessageSide
        var messages: [ReadMessage] = []
        var lastProblem: String?
        private var places: [Int: Int] = [:]

        init(side: MessageSide) { self.side = side }

        private mutating func begin(_ start: [String], _ fields: HeaderFields, of exchange: Int) {
            places[exchange] = messages.count
            messages.append(ReadMessage(start: start, fields: ReadMessage.lines(fields)))
        }

        private mutating func change(_ exchange: Int, _ change: (inout ReadMessage) -> Void) {
            if let place = places[exchange] { change(&messages[place]) }
        }

        mutating func receive(_ event: ExchangeEvent, of exchange: Int) {
            switch (event, side) {
            case (.requestHead(let head, _), .request) where !head.method.isEmpty:
                begin([head.method, head.target], head.headers, of: exchange)
            case (.requestTrailers(let fields), .request), (.responseTrailers(let fields), .response):
                change(exchange) { $0.trailers = ReadMessage.lines(fields) }
            case (.requestEnd, .request), (.responseEnd, .response): change(exchange) { $0.isWhole = true }
            case (.interimResponse(let head, _), .response):
                begin([String(head.status)], head.headers, of: exchange)
                change(exchange) { $0.isWhole = true }
            case (.responseHead(let head, _), .response):
                begin([String(head.status)], head.headers, of: exchange)
            case (.malformed(let what), _):
                lastProblem = what.reason
                change(exchange) { $0.named.append(what.reason) }
            default: break
            }
        }

        mutating func receiveBody(
            _ bytes: UnsafeBufferPointer<UInt8>,
            of message: MessageSide,
            in exchange: Int
        ) {
            if message == side { change(exchange) { $0.body += bytes } }
        }

        mutating func mayHold(_ change: Int) -> Bool { true }
    }

    // MARK: - NIO's

    func byNIO() -> Reading {
        answering.map { answersByNIO($0) } ?? requestsByNIO()
    }

    private func requestsByNIO() -> Reading {
        let channel = EmbeddedChannel(handler: ByteToMessageHandler(HTTPRequestDecoder()))
        var reading = Reading()
        do { try channel.writeInbound(ByteBuffer(bytes: bytes)) } catch { reading.refusal = "\(error)" }
        while let part = try? channel.readInbound(as: HTTPServerRequestPart.self) {
            switch part {
            case .head(let head):
                let start = [head.method.rawValue, head.uri]
                reading.messages.append(ReadMessage(start: start, fields: Self.lines(head.headers)))
            case .body(let bytes): Self.more(bytes, &reading)
            case .end(let trailers): Self.end(trailers, &reading)
            }
        }
        _ = try? channel.finish(acceptAlreadyClosed: true)
        return reading
    }

    private func answersByNIO(_ methods: [String]) -> Reading {
        let decoder = HTTPResponseDecoder(
            leftOverBytesStrategy: .dropBytes,
            informationalResponseStrategy: .forward
        )
        let channel = EmbeddedChannel(handler: ByteToMessageHandler(decoder))
        var reading = Reading()
        for method in methods {
            let head = HTTPRequestHead(version: .http1_1, method: .init(rawValue: method), uri: "/")
            _ = try? channel.writeOutbound(HTTPClientRequestPart.head(head))
            _ = try? channel.readOutbound(as: HTTPClientRequestPart.self)
        }
        func drain() {
            while let part = try? channel.readInbound(as: HTTPClientResponsePart.self) {
                switch part {
                case .head(let head):
                    var message = ReadMessage(
                        start: [String(head.status.code)],
                        fields: Self.lines(head.headers)
                    )
                    message.isWhole = (100..<200).contains(head.status.code) && head.status.code != 101
                    reading.messages.append(message)
                case .body(let bytes): Self.more(bytes, &reading)
                case .end(let trailers): Self.end(trailers, &reading)
                }
            }
        }
        do {
            try channel.writeInbound(ByteBuffer(bytes: bytes))
            drain()
            // The end of the connection, which may be the end of an answer.
            channel.pipeline.fireChannelInactive()
            try channel.throwIfErrorCaught()
        } catch { reading.refusal = "\(error)" }
        drain()
        _ = try? channel.finish(acceptAlreadyClosed: true)
        return reading
    }

    private static func lines(_ headers: HTTPHeaders) -> [String] {
        ReadMessage.lines(headers.map { ($0.name, $0.value) })
    }

    private static func more(_ bytes: ByteBuffer, _ reading: inout Reading) {
        reading.messages[reading.messages.count - 1].body += bytes.readableBytesView
    }

    private static func end(_ trailers: HTTPHeaders?, _ reading: inout Reading) {
        reading.messages[reading.messages.count - 1].trailers = lines(trailers ?? [:])
        reading.messages[reading.messages.count - 1].isWhole = true
    }
}
