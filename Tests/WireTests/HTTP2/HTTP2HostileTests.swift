import Captures
import TestSupport
import Testing
import Wire

/// What is not as HTTP/2 wants it: named, bounded, never the end of the program.
struct HTTP2HostileTests {
    /// The problems that are noted of a request with these fields.
    private static func problems(_ fields: [(String, String)]) -> [String] {
        var client = HTTP2Speaker.client()
        client.headers(1, fields, ends: true)
        var server = HTTP2Speaker.server()
        server.headers(1, [(":status", "200")], ends: true)
        let exchanges = HTTP2ConversationTests.exchanges([
            .clientBytes(client.bytes), .serverBytes(server.bytes),
        ])
        #expect(exchanges.count == 1)
        #expect(exchanges.first?.failure == nil)
        #expect(exchanges.first?.malformations.allSatisfy { $0.side == .request && $0.offset == 33 } == true)
        return exchanges.first?.malformations.map(\.reason) ?? []
    }

    @Test func fieldsThatReadersDifferOnAreNamed() {
        let sound = HTTP2Speaker.request("GET", "/a")
        #expect(Self.problems(sound).isEmpty)
        #expect(Self.problems(sound + [("X-A", "1")]) == ["a field name in capitals"])
        #expect(
            Self.problems(sound + [("x a", "1")]) == ["a field name with characters that are not allowed"]
        )
        #expect(Self.problems(sound + [("x", "a\r\nb: c")]) == ["NUL, CR or LF in a field value"])
        #expect(Self.problems(sound + [("x", " a")]) == ["white space around a field value"])
        #expect(
            Self.problems(sound + [("transfer-encoding", "chunked")]) == [
                "the field transfer-encoding, which belongs to HTTP/1"
            ]
        )
        #expect(Self.problems(sound + [("te", "gzip")]) == ["the field te with another value than trailers"])
        #expect(Self.problems(sound + [("te", "trailers")]).isEmpty)
        #expect(Self.problems([("x", "1")] + sound) == ["a pseudo-header field behind other fields"])
        #expect(Self.problems(sound + [(":path", "/b")]) == ["two :path fields"])
        #expect(Self.problems(sound + [(":pa\u{1b}th", "/b")]) == ["the unknown pseudo-header field :pa?th"])
        #expect(Self.problems(Array(sound.dropFirst())) == ["a request without :method"])
        #expect(Self.problems(Array(sound.dropLast())) == ["a request without :path"])
        #expect(
            Self.problems(sound + [("host", "evil.example")]) == ["a host field that differs from :authority"]
        )
        #expect(Self.problems(sound + [("host", "idp.example")]).isEmpty)
        #expect(
            Self.problems(sound + [("content-length", "5")]) == [
                "Content-Length says 5, the body has 0 bytes"
            ]
        )
    }

    @Test func theAuthorityNamesTheURLWhateverHostSays() {
        var client = HTTP2Speaker.client()
        client.get(1, "/a", [("host", "evil.example")])
        var server = HTTP2Speaker.server()
        server.headers(1, [(":status", "20")], ends: true)
        let exchange = HTTP2ConversationTests.exchanges([
            .clientBytes(client.bytes), .serverBytes(server.bytes),
        ])
        .first
        #expect(exchange?.request.url.text == "https://idp.example/a")
        #expect(exchange?.request.headers.all("host") == ["idp.example", "evil.example"])
        #expect(exchange?.malformations.last?.reason == "an answer without a :status of three digits")
        #expect(exchange?.malformations.last?.side == .response)
    }

    /// RFC 9113, section 5.1: a server takes nothing of it, so it is no part of the request.
    @Test func framesBehindTheEndOfARequestAreNoPartOfIt() {
        var client = HTTP2Speaker.client()
        client.headers(1, HTTP2Speaker.request("POST", "/a"))
        client.data(1, "abc", ends: true)
        let sound = client.bytes.count
        client.data(1, "def")
        client.data(1, "", ends: true)
        client.headers(1, [("x-late", "1")], ends: true)
        client.get(3, "/b")
        var server = HTTP2Speaker.server()
        for stream: UInt32 in [1, 3] { server.headers(stream, [(":status", "200")], ends: true) }
        let exchanges = HTTP2ConversationTests.exchanges([
            .clientBytes(client.bytes), .serverBytes(server.bytes),
        ])
        #expect(exchanges.map(\.request.url.path) == ["/a", "/b"])
        #expect(exchanges.first?.request.body?.text == "abc")
        #expect(exchanges.first?.request.trailers.fields == [])
        #expect(exchanges.first?.malformations.map(\.reason) == ["a frame of the request behind its end"])
        #expect(exchanges.first.map { $0.malformations.allSatisfy { $0.offset >= sound } } == true)
        #expect(exchanges.last?.malformations == [])
    }

    /// What is said when the bytes of a client cannot be read any further; one exchange is under way then.
    private static func loss(_ say: (inout HTTP2Speaker) -> Void) -> String {
        var client = HTTP2Speaker.client()
        client.headers(1, HTTP2Speaker.request("GET", "/a"))
        say(&client)
        client.get(9, "/z")
        var server = HTTP2Speaker.server()
        server.headers(1, [(":status", "200")], ends: true)
        let exchanges = HTTP2ConversationTests.exchanges([
            .clientBytes(client.bytes), .serverBytes(server.bytes),
        ])
        #expect(exchanges.map(\.request.url.path) == ["/a"])
        #expect(exchanges.first?.malformations.count == 1)
        let prefix = "the connection could not be read any further: "
        let failure = exchanges.first?.failure ?? ""
        #expect(failure.hasPrefix(prefix))
        return String(failure.dropFirst(prefix.count))
    }

    @Test func whereTheThreadIsLostItIsSaid() {
        #expect(
            Self.loss { $0.frame(1, 4 | 8, 3, [200, 0x82]) } == "a HEADERS frame with more padding than bytes"
        )
        #expect(Self.loss { $0.frame(0, 8, 1, [2, 0]) } == "a DATA frame with more padding than bytes")
        #expect(
            Self.loss { $0.frame(0, 8, 1, []) } == "a padded DATA frame without the length of its padding"
        )
        #expect(Self.loss { $0.frame(9, 4, 3, [0x82]) } == "a CONTINUATION frame of no header block")
        #expect(Self.loss { $0.frame(5, 4, 3, [0, 0, 0, 2]) } == "a PUSH_PROMISE frame that nobody may send")
        #expect(
            Self.loss { speaker in
                speaker.frame(1, 0, 3, [0x82])
                speaker.data(1, "x")
                speaker.frame(8, 0, 0, [0, 0, 0, 1])
            } == "a header block that another frame interrupts"
        )
        #expect(
            Self.loss { speaker in
                speaker.frame(1, 0, 3, [0x82])
                speaker.frame(9, 4, 5, [0x84])
            } == "a header block that another frame interrupts"
        )
        // An index of a table that has no such entry.
        #expect(
            Self.loss { $0.frame(1, 5, 3, [0xff, 0x80, 0x01]) }.hasPrefix(
                "a header block that cannot be decoded"
            )
        )
        #expect(
            Self.loss { $0.frame(1, 0, 3, [UInt8](repeating: 0, count: 300_000)) }
                == "a header block of more than 256 KiB"
        )
    }

    @Test func aBlockThatNeverEndsIsGivenUp() {
        let reason = Self.loss { speaker in
            speaker.frame(1, 0, 3, [0x82])
            for _ in 0..<20 { speaker.frame(9, 0, 3, [UInt8](repeating: 0, count: 16_384)) }
        }
        #expect(reason == "a header block of more than 256 KiB")
    }

    /// A few bytes that say thousands of long fields.
    @Test func aBombOfFieldsIsGivenUp() {
        let reason = Self.loss { speaker in
            let long = speaker.block([("x", String(repeating: "~", count: 3_000))])
            // The newest entry of the table, again and again.
            speaker.frame(1, 5, 3, long + [UInt8](repeating: 0xbe, count: 10_000))
        }
        #expect(reason.hasPrefix("a header block that cannot be decoded (fields of more than 256 KiB)"))
    }

    @Test func moreStreamsThanAreFollowedAreGivenUp() {
        var client = HTTP2Speaker.client()
        for number in 0..<6_000 { client.get(UInt32(number * 2 + 1), "/") }
        let exchanges = Dialogue.overHTTP2([.clientBytes(client.bytes)]).exchanges()
        #expect(exchanges.count == 4096)
        #expect(
            exchanges.first?.failure
                == "the connection could not be read any further: more requests without an answer than are followed"
        )
        // Long heads weigh more.
        client = HTTP2Speaker.client(compresses: false)
        for number in 0..<300 {
            client.get(UInt32(number * 2 + 1), "/", [("x", String(repeating: "~", count: 20_000))])
        }
        #expect(Dialogue.overHTTP2([.clientBytes(client.bytes)]).exchanges().count < 220)
    }

    /// Open and give up, as fast as can be: nothing stays.
    @Test func rapidResetsLeaveNothing() {
        var client = HTTP2Speaker.client()
        for number in 0..<5_000 {
            client.get(UInt32(number * 2 + 1), "/")
            client.reset(UInt32(number * 2 + 1), 8)
        }
        let exchanges = Dialogue.overHTTP2([.clientBytes(client.bytes)]).exchanges()
        #expect(exchanges.count == 5_000)
        #expect(exchanges.allSatisfy { $0.failure?.hasSuffix("(RST_STREAM CANCEL)") == true })
    }

    @Test func whatIsNoHTTP2ThoughItWasAgreedIsSaid() {
        let exchanges = HTTP2ConversationTests.exchanges([
            .client("GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
            .server("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
        ])
        #expect(
            exchanges.map(\.failure) == [
                "the connection could not be read any further: no HTTP/2 connection preface"
            ]
        )
    }

    private static let answerOfHTTP1 =
        "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

    /// As of a balancer that agrees on HTTP/2 in front of a server that does not speak it, and of one that takes the preface for a
    /// request of HTTP/0.9, which is answered without a head.
    @Test(
        arguments: [true, false],
        [
            (answerOfHTTP1, "an answer of HTTP/1"), ("<!DOCTYPE HTML>\n<html lang=\"en\">", "text"),
            ("\r\n<p>400</p>\r\n", "text"),
        ]
    )
    func anAnswerOfAnotherProtocolIsSaid(isAsked: Bool, answer: (bytes: String, name: String)) {
        var client = HTTP2Speaker.client()
        if isAsked { client.get(1, "/a") }
        let exchanges = HTTP2ConversationTests.exchanges([
            .clientBytes(client.bytes),
            .server(answer.bytes),
        ])
        #expect(exchanges.map(\.request.method) == [isAsked ? "GET" : ""])
        #expect(
            exchanges.map(\.failure) == [
                "the connection could not be read any further: not HTTP/2 but \(answer.name): "
                    + "the server does not speak HTTP/2 on this port"
            ]
        )
        #expect(exchanges.first?.malformations.map(\.side) == [.response])
    }

    /// Behind frames it is not the port that is another one.
    @Test func anAnswerOfHTTP1BehindFramesIsSaid() {
        var client = HTTP2Speaker.client()
        client.get(1, "/a")
        let server = HTTP2Speaker.server()
        let exchanges = HTTP2ConversationTests.exchanges([
            .clientBytes(client.bytes), .serverBytes(server.bytes), .server(Self.answerOfHTTP1),
        ])
        #expect(
            exchanges.map(\.failure) == [
                "the connection could not be read any further: an answer of HTTP/1 in the place of frames"
            ]
        )
    }

    /// A type that nobody knows is passed over, also where it is a letter, and a length that is one's does not make a text.
    @Test func frameOfAnUnknownTypeIsNoText() {
        var client = HTTP2Speaker.client()
        client.get(1, "/a")
        var server = HTTP2Speaker.server()
        server.frame(0x41, 0x20, 0, [UInt8](repeating: 0x61, count: 0x2020))
        server.headers(1, [(":status", "204")], ends: true)
        let exchanges = HTTP2ConversationTests.exchanges([
            .clientBytes(client.bytes), .serverBytes(server.bytes),
        ])
        #expect(exchanges.map(\.failure) == [nil] && exchanges.map { $0.response?.status } == [204])
    }

    @Test func anyBytesAreRead() {
        var random = SeededGenerator(seed: 7)
        for round in 0..<300 {
            var client = HTTP2Speaker.client([(1, 65_536)])
            var server = HTTP2Speaker.server(tableBytes: 8_192)
            for stream in stride(from: UInt32(1), through: 9, by: 2) {
                client.headers(stream, HTTP2Speaker.request("POST", "/\(stream)") + [("x", "y\(stream)")])
                client.data(stream, "body", ends: true)
                server.headers(stream, [(":status", "200"), ("y", "z")])
                server.data(stream, "answer", ends: true)
            }
            func spoiled(_ bytes: [UInt8], from: Int) -> [UInt8] {
                var bytes = bytes
                for _ in 0...round % 7 {
                    bytes[Int.random(in: from..<bytes.count, using: &random)] = UInt8.random(
                        in: 0...255,
                        using: &random
                    )
                }
                return bytes
            }
            let exchanges = HTTP2ConversationTests.exchanges([
                .clientBytes(spoiled(client.bytes, from: 24)), .serverBytes(spoiled(server.bytes, from: 0)),
                .serverEnds,
            ])
            #expect(exchanges.count <= 20)
        }
    }
}
