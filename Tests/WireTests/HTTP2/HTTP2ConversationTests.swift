import Captures
import TestSupport
import Testing
import Wire

/// What is read of sound HTTP/2.
struct HTTP2ConversationTests {
    private var client = HTTP2Speaker.client()
    private var server = HTTP2Speaker.server()

    /// The exchanges of these turns over TLS that agreed on `h2`; the same in pieces of any size.
    static func exchanges(_ turns: [Dialogue.Turn], _ change: (inout Dialogue) -> Void = { _ in })
        -> [Exchange]
    {
        var dialogue = Dialogue.overHTTP2(turns)
        change(&dialogue)
        let whole = dialogue.exchanges()
        for size in [1, 2, 7, 64] {
            let pieces = dialogue.exchanges { bytes in
                stride(from: 0, to: bytes.count, by: size).map {
                    Array(bytes[$0..<min($0 + size, bytes.count)])
                }
            }
            #expect(Dialogue.summary(pieces) == Dialogue.summary(whole), "in pieces of \(size)")
        }
        return whole
    }

    @Test mutating func aRequestAndItsAnswerAreReadAsOfHTTP1() throws {
        client.headers(
            1,
            HTTP2Speaker.request("POST", "/token?x=%2F") + [
                ("content-type", "application/x-www-form-urlencoded"), ("cookie", "a=1"), ("x", "1"),
                ("cookie", "b=2"),
            ]
        )
        client.data(1, "grant_type=")
        client.data(1, "refresh_token", ends: true)
        server.headers(1, [(":status", "200"), ("content-type", "application/json"), ("set-cookie", "c=3")])
        server.data(1, "{\"access_token\"", ends: false)
        server.data(1, ":\"t\"}", ends: true)
        let exchanges = Self.exchanges([.clientBytes(client.bytes), .serverBytes(server.bytes)])
        let exchange = try #require(exchanges.first)
        #expect(exchanges.count == 1)
        #expect(exchange.request.method == "POST")
        #expect(exchange.request.url.text == "https://idp.example/token?x=%2F")
        #expect(exchange.request.httpVersion == "HTTP/2")
        #expect(
            exchange.request.headers.fields.map { "\($0.name): \($0.value)" } == [
                "host: idp.example", "content-type: application/x-www-form-urlencoded", "cookie: a=1; b=2",
                "x: 1",
            ]
        )
        #expect(exchange.request.body?.text == "grant_type=refresh_token")
        #expect(exchange.response?.status == 200)
        #expect(exchange.response?.httpVersion == "HTTP/2")
        #expect(exchange.response?.headers.first("set-cookie") == "c=3")
        #expect(exchange.response?.body?.text == "{\"access_token\":\"t\"}")
        #expect(exchange.failure == nil)
        #expect(exchange.malformations.isEmpty)
    }

    @Test mutating func streamsMayInterleave() {
        client.headers(1, HTTP2Speaker.request("POST", "/one"))
        client.headers(3, HTTP2Speaker.request("POST", "/two"))
        client.data(3, "2")
        client.data(1, "1", ends: true)
        client.data(3, "2", ends: true)
        client.get(5, "/three")
        server.headers(5, [(":status", "302"), ("location", "/x")], ends: true)
        server.headers(3, [(":status", "200")])
        server.headers(1, [(":status", "400")])
        server.data(3, "two")
        server.data(1, "one", ends: true)
        server.data(3, "", ends: true)
        let exchanges = Self.exchanges([.clientBytes(client.bytes), .serverBytes(server.bytes)])
        #expect(
            exchanges.map {
                "\($0.request.url.path) \($0.request.body?.text ?? "") \($0.response?.status ?? 0) \($0.response?.body?.text ?? "")"
            } == ["/three  302 ", "/one 1 400 one", "/two 22 200 two"]
        )
    }

    @Test mutating func paddingPriorityAndContinuationAreNoPartOfWhatIsSaid() {
        let block = client.block(
            HTTP2Speaker.request("POST", "/a") + [("x-long", String(repeating: "y", count: 90))]
        )
        // Padded, with priority, the block in three frames.
        let first = [3] + HTTP2Speaker.four(0x8000_0000) + [15] + Array(block[..<20]) + [0, 0, 0]
        client.frame(1, 0x8 | 0x20, 1, first)
        client.frame(9, 0, 1, Array(block[20..<50]))
        client.frame(9, 4, 1, Array(block[50...]))
        client.frame(2, 0, 1, HTTP2Speaker.four(0) + [1])
        client.frame(0, 0x8, 1, [5] + Array("ab".utf8) + [0, 0, 0, 0, 0])
        client.frame(0, 0x8 | 1, 1, [0] + Array("cd".utf8))
        // PING, WINDOW_UPDATE and a type that nobody knows.
        client.frame(6, 0, 0, [1, 2, 3, 4, 5, 6, 7, 8])
        client.frame(8, 0, 0, HTTP2Speaker.four(65_535))
        client.frame(0xb7, 0xff, 1, Array(repeating: 7, count: 300))
        server.headers(1, [(":status", "204")], ends: true)
        let exchanges = Self.exchanges([.clientBytes(client.bytes), .serverBytes(server.bytes)])
        #expect(exchanges.map { "\($0.request.url.path) \($0.request.body?.text ?? "")" } == ["/a abcd"])
        #expect(exchanges.first?.request.headers.first("x-long")?.count == 90)
        #expect(exchanges.first?.malformations.isEmpty == true)
    }

    @Test mutating func trailersAndInterimAnswers() {
        client.headers(1, HTTP2Speaker.request("POST", "/a") + [("trailer", "sum")])
        client.data(1, "x")
        client.headers(1, [("sum", "1")], ends: true)
        server.headers(1, [(":status", "100")])
        server.headers(1, [(":status", "103"), ("link", "</a>")])
        server.headers(1, [(":status", "200")])
        server.data(1, "y")
        server.headers(1, [("server-timing", "1")], ends: true)
        let exchanges = Self.exchanges([.clientBytes(client.bytes), .serverBytes(server.bytes)])
        #expect(exchanges.map(\.response?.status) == [200])
        #expect(exchanges.first?.request.trailers.first("sum") == "1")
        #expect(exchanges.first?.response?.trailers.first("server-timing") == "1")
        #expect(exchanges.first?.response?.headers.fields.isEmpty == true)
    }

    @Test mutating func anAnswerWithoutContentMayNameALength() {
        client.headers(1, HTTP2Speaker.request("HEAD", "/a"), ends: true)
        server.headers(1, [(":status", "200"), ("content-length", "500")], ends: true)
        client.get(3, "/b")
        server.headers(3, [(":status", "304"), ("content-length", "500")], ends: true)
        client.get(5, "/c")
        server.headers(5, [(":status", "200"), ("content-length", "5")])
        server.data(5, "abc", ends: true)
        let exchanges = Self.exchanges([.clientBytes(client.bytes), .serverBytes(server.bytes)])
        #expect(
            exchanges.map { $0.malformations.map(\.reason) } == [
                [], [], ["Content-Length says 5, the body has 3 bytes"],
            ]
        )
    }

    @Test mutating func aStreamThatIsResetFails() {
        client.get(1, "/a")
        client.get(3, "/b")
        client.get(5, "/c")
        let asked = client.take()
        client.reset(1, 8)
        let given = client.take()
        server.headers(3, [(":status", "200")])
        server.data(3, "half")
        server.reset(3, 2)
        server.reset(5, 7)
        // Behind the end of its stream: nobody's.
        server.headers(1, [(":status", "200")], ends: true)
        let exchanges = Self.exchanges([.clientBytes(asked), .clientBytes(given), .serverBytes(server.bytes)])
        #expect(
            exchanges.map { "\($0.request.url.path) \($0.failure ?? "")" } == [
                "/a the client gave the request up before the answer was complete (RST_STREAM CANCEL)",
                "/b the provider broke off the answer (RST_STREAM INTERNAL_ERROR)",
                "/c the provider broke off the answer (RST_STREAM REFUSED_STREAM)",
            ]
        )
        #expect(exchanges[1].response?.body?.text == "half")
        #expect(exchanges[1].response?.body?.isTruncated == true)
    }

    /// Who has counted the bytes does not wait for the end of the stream, as curl does not.
    @Test mutating func aStreamThatIsResetBehindAllOfItsAnswerIsWhole() {
        client.get(1, "/a")
        client.get(3, "/b")
        client.headers(5, HTTP2Speaker.request("HEAD", "/c"), ends: true)
        client.get(7, "/d")
        client.get(9, "/e")
        let asked = client.take()
        server.headers(1, [(":status", "200"), ("content-length", "4")])
        server.data(1, "done")
        server.headers(3, [(":status", "302"), ("content-length", "0"), ("location", "/cb")])
        server.headers(5, [(":status", "200"), ("content-length", "4")])
        server.headers(7, [(":status", "200"), ("content-length", "5")])
        server.data(7, "half")
        server.headers(9, [(":status", "200"), ("content-length", "4")])
        server.data(9, "last")
        let answered = server.take()
        for stream in [1, 3, 5, 7] { client.reset(UInt32(stream), 5) }
        // Comes too late.
        server.data(1, "", ends: true)
        let exchanges = Self.exchanges([
            .clientBytes(asked), .serverBytes(answered), .clientBytes(client.bytes),
            .serverBytes(server.bytes), .serverEnds,
        ])
        let given = "the client gave the request up before the answer was complete"
        #expect(
            exchanges.map { "\($0.request.url.path) \($0.failure ?? "")" } == [
                "/a ", "/b ", "/c ", "/d \(given) (RST_STREAM STREAM_CLOSED)", "/e ",
            ]
        )
        #expect(exchanges.map { $0.response?.body?.isTruncated } == [false, false, false, true, false])
    }

    @Test mutating func whatTheServerDoesNotTakeWhileItClosesHasFailed() {
        client.get(1, "/a")
        client.get(3, "/b")
        client.get(5, "/c")
        server.goAway(last: 1, 11, "too_many\u{7}_pings")
        let closing = server.take()
        server.headers(1, [(":status", "200")])
        let exchanges = Self.exchanges([
            .clientBytes(client.bytes), .serverBytes(closing), .serverBytes(server.bytes), .serverEnds,
        ])
        let words = "GOAWAY ENHANCE_YOUR_CALM: too_many_pings"
        #expect(
            exchanges.map { "\($0.request.url.path) \($0.failure ?? "")" } == [
                "/b the provider closes the connection and did not take the request (\(words))",
                "/c the provider closes the connection and did not take the request (\(words))",
                "/a the server closed the connection before the answer was complete (\(words))",
            ]
        )
    }

    @Test mutating func anAnswerBeforeTheEndOfTheRequestEndsTheExchange() {
        client.headers(1, HTTP2Speaker.request("POST", "/upload"))
        client.data(1, "some")
        server.headers(1, [(":status", "413")], ends: true)
        server.reset(1, 0)
        var late = HTTP2Speaker()
        late.data(1, "more", ends: true)
        let exchanges = Self.exchanges([
            .clientBytes(client.bytes), .serverBytes(server.bytes), .clientBytes(late.bytes),
        ])
        #expect(exchanges.map(\.response?.status) == [413])
        #expect(exchanges.first?.request.body?.text == "some")
        #expect(exchanges.first?.request.body?.isTruncated == true)
        #expect(exchanges.first?.failure == nil)
    }

    @Test mutating func whatTheServerPushesIsNoted() {
        client.get(1, "/page")
        let asked = client.take()
        server.frame(5, 4, 1, HTTP2Speaker.four(2) + server.block(HTTP2Speaker.request("GET", "/style.css")))
        server.headers(2, [(":status", "200"), ("content-type", "text/css")])
        server.headers(1, [(":status", "200")], ends: true)
        server.data(2, "a{}", ends: true)
        let exchanges = Self.exchanges([.clientBytes(asked), .serverBytes(server.bytes)])
        #expect(
            exchanges.map { "\($0.request.url.path) \($0.isPushed)" } == ["/page false", "/style.css true"]
        )
        #expect(exchanges.last?.response?.body?.text == "a{}")
    }

    @Test mutating func aStreamThatBecomesAWebSocketIsNoted() {
        client.headers(
            1,
            [
                (":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "https"), (":path", "/chat"),
                (":authority", "idp.example"),
            ]
        )
        let asked = client.take()
        server.headers(1, [(":status", "200")])
        server.data(1, "\u{81}\u{5}hello")
        client.data(1, "\u{81}\u{2}ho")
        client.get(3, "/next")
        let next = client.take()
        server.headers(3, [(":status", "200")], ends: true)
        let exchanges = Self.exchanges([
            .clientBytes(asked), .serverBytes(server.bytes), .clientBytes(next), .serverBytes([]),
        ])
        #expect(exchanges.map(\.upgradedTo) == ["websocket", nil])
        #expect(exchanges.first?.request.url.text == "https://idp.example/chat")
        #expect(exchanges.first?.response?.body?.bytes == [])
        // The stream has not ended, and none of it is a body that could be cut.
        #expect(exchanges.first?.request.body == nil)
    }

    /// What a request calls its scheme says more than a connection in clear; TLS is there, whatever it says.
    @Test(
        arguments: [
            ("http", "http", "http", []), ("http", "https", "https", []), ("https", "https", "https", []),
            ("https", "http", "https", ["another :scheme than that of the connection"]),
            ("http", "ftp", "http", ["another :scheme than that of the connection"]),
        ] as [(String, String, String, [String])]
    )
    mutating func theSchemeOfARequest(
        connection: String,
        named: String,
        url: String,
        problems: [String]
    ) {
        client.headers(
            1,
            [(":method", "GET"), (":scheme", named), (":authority", "idp.example:8443"), (":path", "/a")],
            ends: true
        )
        server.headers(1, [(":status", "200")], ends: true)
        let exchanges = Self.exchanges([.clientBytes(client.bytes), .serverBytes(server.bytes)]) {
            $0.alpn = nil
            $0.scheme = connection
        }
        #expect(exchanges.map(\.request.url.text) == ["\(url)://idp.example:8443/a"])
        #expect(exchanges.first?.malformations.map(\.reason) == problems)
    }

    /// The server speaks HTTP/2 only, and says so first; the client does not know it.
    @Test func requestOfHTTP1ToAServerOfHTTP2IsOne() {
        let request = "POST /token HTTP/1.1\r\nHost: idp.example\r\nContent-Length: 3\r\n\r\na=b"
        // Its settings, and why it goes.
        let answer: [UInt8] = [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 100]
        let end: [UInt8] = [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
        let exchanges = Self.exchanges([.serverBytes(answer), .client(request), .serverBytes(end)]) {
            $0.alpn = nil
            $0.scheme = "http"
        }
        #expect(exchanges.map(\.request.method) == ["POST"])
        #expect(exchanges.first?.request.url.text == "http://idp.example/token")
        #expect(exchanges.first?.request.body?.text == "a=b")
        #expect(exchanges.first?.response == nil)
        #expect(exchanges.first?.malformations.map(\.reason) == [MalformedHTTP1Tests.settingsOfHTTP2])
    }

    @Test mutating func withoutTLSTheClientsFirstBytesDecide() {
        client.get(1, "/a")
        server.headers(1, [(":status", "200")], ends: true)
        let exchanges = Self.exchanges([.clientBytes(client.bytes), .serverBytes(server.bytes)]) {
            $0.alpn = nil
            $0.scheme = "http"
        }
        // The client says https, for it was spoken to in TLS, which a balancer or a tool that decrypts has taken off.
        #expect(exchanges.map(\.request.url.text) == ["https://idp.example/a"])
        #expect(exchanges.first?.malformations.isEmpty == true)
        let serverFirst = Self.exchanges([
            .serverBytes(server.bytes.prefix(9) + []), .clientBytes(client.bytes),
            .serverBytes(server.bytes.dropFirst(9) + []),
        ]) {
            $0.alpn = nil
        }
        #expect(serverFirst.map(\.response?.status) == [200])
        let other = Self.exchanges([.client("PRIVET / HTTP/1.1\r\n\r\n"), .server("HTTP/1.1 204 No\r\n\r\n")])
        {
            $0.alpn = nil
        }
        #expect(other.map(\.request.method) == ["PRIVET"])
    }

    @Test mutating func aConnectionMayChangeFromHTTP1() throws {
        client.get(3, "/next")
        server.headers(1, [(":status", "200"), ("x", "1")])
        server.data(1, "first", ends: true)
        server.headers(3, [(":status", "404")], ends: true)
        let exchanges = Self.exchanges([
            .client(
                "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n"
            ),
            .server("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"),
            .clientBytes(client.bytes), .serverBytes(server.bytes),
        ]) { $0.alpn = nil }
        #expect(exchanges.map(\.response?.status) == [200, 404])
        #expect(exchanges.first?.response?.body?.text == "first")
        #expect(exchanges.first?.request.httpVersion == "HTTP/1.1")
        #expect(exchanges.first?.upgradedTo == nil)
    }

    /// The server may go by the settings of the request before the client's own have come.
    @Test mutating func settingsOfTheRequestAreInForceAtOnce() throws {
        server = HTTP2Speaker.server(tableBytes: 60_000)
        let value = String(repeating: "v", count: 20_000)
        server.headers(1, [(":status", "200"), ("x-long", value)], ends: true)
        let before = server.bytes
        client.get(3, "/next")
        server.headers(3, [(":status", "200"), ("x-long", value)], ends: true)
        let after = Array(server.bytes.dropFirst(before.count))
        #expect(after.count < 100)
        // SETTINGS_HEADER_TABLE_SIZE 65536.
        for (settings, isRead) in [("AAEAAQAA", true), ("AAEAAQA", false), ("", false)] {
            let exchanges = Self.exchanges([
                .client(
                    "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: \(settings)\r\n\r\n"
                ),
                .server("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"),
                .serverBytes(before), .clientBytes(client.bytes), .serverBytes(after),
            ]) { $0.alpn = nil }
            let values = exchanges.map { $0.response?.headers.first("x-long") == value }
            #expect((values == [true, true]) == isRead, "\(settings)")
        }
    }

    @Test mutating func aServerMayUseAsMuchOfATableAsTheClientAllows() throws {
        client = HTTP2Speaker.client([(1, 65_536)])
        server = HTTP2Speaker.server(tableBytes: 60_000)
        let value = String(repeating: "v", count: 20_000)
        for stream in stride(from: UInt32(1), through: 5, by: 2) {
            client.get(stream, "/\(stream)")
            server.headers(stream, [(":status", "200"), ("x-long", value)], ends: true)
        }
        // The second and third time it is a byte.
        #expect(server.bytes.count < 25_000)
        let exchanges = Self.exchanges([.clientBytes(client.bytes), .serverBytes(server.bytes)])
        #expect(exchanges.map { $0.response?.headers.first("x-long") == value } == [true, true, true])
    }
}
