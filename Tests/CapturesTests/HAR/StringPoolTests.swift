@testable import Captures
import JSON
import Testing

/// What is kept once for many entries.
struct StringPoolTests {
    /// One letter as one code point and as two: texts that Unicode calls equal.
    private static let spellings = ["caf\u{e9}", "cafe\u{301}"]

    private static func exchange(_ text: String) -> Exchange {
        var exchange = Exchange(
            startedAt: Timestamp(nanoseconds: 0),
            request: RecordedRequest(
                method: "POST",
                url: RecordedURL("https://a.example/"),
                headers: HeaderFields([("X-Shop", text)]),
                body: Body(content: .missing, mediaType: "text/plain; name=\(text)")
            ),
            response: RecordedResponse(
                status: 200,
                headers: HeaderFields([("Location", "https://a.example/\(text)"), ("X-\(text)", "")])
            )
        )
        exchange.request.foreign["cookies"] = [["name": "a", "value": .string(text), "b": 1]]
        return exchange
    }

    /// All texts of an exchange, byte by byte.
    private static func bytes(_ exchange: Exchange) -> [ByteText] {
        let fields = exchange.request.headers.fields + (exchange.response?.headers.fields ?? [])
        return
            (fields.flatMap { [$0.name, $0.value] } + [
                exchange.request.body?.mediaType ?? "",
                JSONWriter.text(of: .object(exchange.request.foreign)),
            ]).map(ByteText.init)
    }

    @Test func textsKeepTheirBytes() {
        var pool = StringPool()
        for spelling in Self.spellings + Self.spellings {
            var exchange = Self.exchange(spelling)
            pool.share(&exchange)
            #expect(Self.bytes(exchange) == Self.bytes(Self.exchange(spelling)))
        }
    }

    @Test func whatComesAgainIsKeptOnce() {
        var pool = StringPool()
        var exchanges = (0..<2).map { _ in Self.exchange(Self.spellings[0]) }
        for index in exchanges.indices { pool.share(&exchanges[index]) }
        let places = exchanges.map { exchange in
            exchange.request.headers.fields.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
        }
        #expect(places[0] == places[1])
    }
}
