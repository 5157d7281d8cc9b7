import Captures
import Packets
import Testing
import Wire

/// Servers that answer before they have read the request: what comes of it is in the entry.
struct EarlyAnswerTests {
    private static func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0, 0, UInt8(payload.count), type, flags, 0, 0, 0, stream] + payload
    }

    /// The head of `POST http://op.example/token`, without the end of the stream.
    private static func head(_ stream: UInt8) -> [UInt8] {
        frame(1, 4, stream, [0x83, 0x86, 4, 6] + Array("/token".utf8) + [1, 10] + Array("op.example".utf8))
    }

    private static func data(_ stream: UInt8, _ text: String, ends: Bool) -> [UInt8] {
        frame(0, ends ? 1 : 0, stream, Array(text.utf8))
    }

    /// `:status 400`, a body.
    private static func refusal(_ stream: UInt8) -> [UInt8] {
        frame(1, 4, stream, [0x8c]) + data(stream, "no", ends: true)
    }

    private static let settings = frame(4, 0, 0, [])
    private static let beginning = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + settings

    private static func bodies(_ exchanges: [Exchange]) -> [String] {
        exchanges.map { exchange in
            let body = exchange.request.body
            return "\(exchange.response?.status ?? 0) \(body?.text ?? "")"
                + (body?.isTruncated == true ? "…" : "")
        }
    }

    @Test func ofHTTP2WaitsForTheRestOfItsRequest() {
        var made = PacketBuilder()
        made.server.port = 80
        made.converse([
            (.client, Self.beginning + Self.head(1) + Self.data(1, "code=", ends: false)),
            (.server, Self.settings + Self.refusal(1)),
            (.client, Self.data(1, "abc", ends: true)),
            (.client, Self.head(3) + Self.data(3, "code=d", ends: true)),
            (.server, Self.refusal(3)),
        ])
        let read = PacketImport(made.packets)
        #expect(Self.bodies(read.exchanges) == ["400 code=abc", "400 code=d"])
        #expect(read.exchanges.allSatisfy { $0.failure == nil && $0.response?.body?.text == "no" })
    }

    /// The rest never comes, and the connection goes on, or ends.
    @Test(arguments: [true, false]) func ofHTTP2DoesNotWaitForEver(goesOn: Bool) {
        var made = PacketBuilder()
        made.server.port = 80
        let first = Self.beginning + Self.head(1) + Self.data(1, "code=", ends: false)
        let refusal = Self.settings + Self.refusal(1)
        let next = Self.head(3) + Self.data(3, "code=d", ends: true)
        let (asked, answered) = (UInt32(1001 + first.count), UInt32(5001 + refusal.count))
        made.say([(.client, first), (.server, refusal)])
        made.send(.client, "PA", asked, answered, next, after: goesOn ? 6000 : 10)
        made.send(.server, "PA", answered, asked + UInt32(next.count), Self.refusal(3))
        let expected = ["400 code=…", "400 code=d"]
        #expect(
            Self.bodies(PacketImport(made.packets).exchanges) == (goesOn ? expected : expected.reversed())
        )
    }

    /// Whoever listens live has the exchange though nothing more comes on its connection, but not while the request may still go on.
    @Test(arguments: [true, false]) func isToldWhenTheConnectionFallsSilent(isHTTP2: Bool) throws {
        let head = "POST /token HTTP/1.1\r\nHost: op.example\r\nContent-Length: 9\r\n\r\n"
        var made = PacketBuilder()
        made.server.port = 80
        made.say(
            isHTTP2
                ? [
                    (.client, Self.beginning + Self.head(1) + Self.data(1, "code=", ends: false)),
                    (.server, Self.settings + Self.refusal(1)),
                ]
                : [
                    (.client, Array("\(head)code=".utf8)),
                    (.server, Array("HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\nno".utf8)),
                ]
        )
        var decoder = PacketDecoder(
            into: PacketExchanges(maximumBodyBytes: 1 << 20, budget: RecordingBudget(bytes: 1 << 30))
        )
        for (index, packet) in made.packets.enumerated() { decoder.give(packet, number: index + 1) }
        decoder.timePassed(until: made.time + .seconds(4))
        #expect(decoder.sink.takeFinished().isEmpty)
        decoder.timePassed(until: made.time + .seconds(6))
        let told = decoder.sink.takeFinished()
        #expect(Self.bodies(told) == ["400 code=…"])
        #expect(told.allSatisfy { $0.failure == nil && $0.response?.body?.text == "no" })
        decoder.finish()
        #expect(decoder.sink.takeFinished().isEmpty)
    }

    /// Answers of one segment, the last of which is early: its request is waited for all the same.
    @Test func behindAnotherAnswerWaitsForTheRestOfItsRequest() {
        let head = "POST /token HTTP/1.1\r\nHost: op.example\r\nContent-Length: 8\r\n\r\n"
        let refusal = "HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\nno"
        var script = ConnectionScript()
        script.open()
        script.client("GET /authorize HTTP/1.1\r\nHost: op.example\r\n\r\n\(head)code=")
        script.server(ConnectionScript.answer + refusal)
        #expect(Self.bodies(script.exchanges.takeFinished()) == ["200 "])
        script.client("abc")
        script.close()
        #expect(Self.bodies(script.exchanges.takeFinished()) == ["400 code=abc"])
    }

    /// Who asks for more in the segment that ends a request which was refused has been refused before.
    @Test func comesBeforeWhatIsSaidBehindItsRequest() {
        let head = "POST /token HTTP/1.1\r\nHost: op.example\r\nContent-Length: 8\r\n\r\n"
        let refusal = "HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\nno"
        var script = ConnectionScript()
        script.open()
        script.client("\(head)code=")
        script.server(refusal)
        script.client("abc\(head)code=def")
        script.server(ConnectionScript.answer)
        script.close()
        let told = script.exchanges.takeFinished()
        #expect(Self.bodies(told) == ["400 code=abc", "200 code=def"])
        #expect(told.allSatisfy { $0.failure == nil && $0.malformations.isEmpty })
    }
}
