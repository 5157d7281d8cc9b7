import Captures
import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOHTTP2

@testable import Wire

/// What a client says on one HTTP/2 connection, preface included, to be read by us and by NIO's server.
struct HTTP2Bytes {
    var bytes: [UInt8]

    // MARK: - Ours

    func byUs() -> Reading {
        var decoder = HTTP2Decoder(scheme: "https")
        var sink = Sink()
        bytes.withUnsafeBufferPointer { bytes in
            decoder.receive(bytes, from: .client, at: Timestamp(seconds: 1), into: &sink)
        }
        return Reading(
            messages: sink.messages,
            refusal: decoder.hasLostTheThread ? sink.lastProblem ?? "?" : nil
        )
    }

    private struct Sink: ExchangeEventSink {
        var messages: [ReadMessage] = []
        var lastProblem: String?
        private var places: [Int: Int] = [:]

        init() {}

        private mutating func change(_ exchange: Int, _ change: (inout ReadMessage) -> Void) {
            if let place = places[exchange] { change(&messages[place]) }
        }

        mutating func receive(_ event: ExchangeEvent, of exchange: Int) {
            switch event {
            case .requestHead(let head, _) where !head.method.isEmpty:
                places[exchange] = messages.count
                messages.append(
                    ReadMessage(start: [head.method, head.target], fields: ReadMessage.lines(head.headers))
                )
            case .requestTrailers(let fields):
                change(exchange) { $0.trailers = ReadMessage.lines(fields) }
            case .requestEnd: change(exchange) { $0.isWhole = true }
            case .malformed(let what):
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
            change(exchange) { $0.body += bytes }
        }

        mutating func mayHold(_ change: Int) -> Bool { true }
    }

    // MARK: - NIO's

    /// What NIO passes on, and the kinds of errors that it tells of, of streams as of the connection.
    func byNIO() throws -> (messages: [ReadMessage], errors: [String]) {
        let channel = EmbeddedChannel(handler: NIOHTTP2Handler(mode: .server))
        let errors = Errors()
        try channel.pipeline.syncOperations.addHandler(errors)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        // Errors of the handler are heard of below.
        _ = try? channel.writeInbound(ByteBuffer(bytes: bytes))
        var places: [HTTP2StreamID: Int] = [:]
        var messages: [ReadMessage] = []
        while let frame = try channel.readInbound(as: HTTP2Frame.self) {
            switch frame.payload {
            case .headers(let headers):
                if let place = places[frame.streamID] {
                    messages[place].trailers = headers.headers.map { "\($0.name): \($0.value)" }
                } else {
                    places[frame.streamID] = messages.count
                    messages.append(Self.request(headers.headers))
                }
                if headers.endStream, let place = places[frame.streamID] { messages[place].isWhole = true }
            case .data(let data):
                guard let place = places[frame.streamID] else { continue }
                if case .byteBuffer(let bytes) = data.data {
                    messages[place].body += bytes.readableBytesView
                }
                if data.endStream { messages[place].isWhole = true }
            default: break
            }
        }
        _ = try? channel.finish(acceptAlreadyClosed: true)
        return (messages, errors.kinds)
    }

    private final class Errors: ChannelInboundHandler {
        typealias InboundIn = HTTP2Frame
        var kinds: [String] = []

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            let inner = (error as? NIOHTTP2Errors.StreamError)?.baseError ?? error
            kinds.append("\(type(of: inner))")
        }
    }

    /// In the words of HTTP/1, as ``HTTP2Decoder`` says it: the authority as `host`, one `cookie`.
    private static func request(_ headers: HPACKHeaders) -> ReadMessage {
        func pseudo(_ name: String) -> String? { headers.first(name: name) }
        var fields: [(name: String, value: String)] = []
        for (name, value, _) in headers where !name.hasPrefix(":") {
            if name == "cookie", let first = fields.firstIndex(where: { $0.name == "cookie" }) {
                fields[first].value += "; \(value)"
            } else {
                fields.append((name, value))
            }
        }
        if let authority = pseudo(":authority") {
            fields.removeAll { $0.name == "host" && $0.value == authority }
            fields.insert(("host", authority), at: 0)
        }
        let method = pseudo(":method") ?? ""
        let isTunnel = method == "CONNECT" && pseudo(":protocol") == nil
        return ReadMessage(
            start: [method, (isTunnel ? pseudo(":authority") : pseudo(":path")) ?? ""],
            fields: ReadMessage.lines(fields)
        )
    }
}
