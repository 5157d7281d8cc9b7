import Captures
import Testing

/// What HTTP/1 does not allow though it can be read: kept as it came, and named with its place.
struct MalformedHTTP1Tests {
    struct Row: CustomTestStringConvertible, Sendable {
        /// A request where it is no answer.
        var text: String
        /// Up to where the text is in order.
        var sound: String
        var reason: String
        /// The body that is read all the same.
        var body = ""

        var testDescription: String { reason }
        var isAnswer: Bool { text.hasPrefix("HTTP/") }
    }

    private static let chunked = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"

    private static func chunks(_ sound: String, _ rest: String, _ reason: String, body: String = "abc") -> Row
    {
        Row(text: chunked + sound + rest, sound: chunked + sound, reason: reason, body: body)
    }

    static let rows: [Row] = [
        Row(
            text: "GET /\u{1}a HTTP/1.1\r\nHost: x\r\n\r\n",
            sound: "GET ",
            reason: "a character in the request target that is not allowed"
        ),
        Row(
            text: "GET /é HTTP/1.1\r\nHost: x\r\n\r\n",
            sound: "GET ",
            reason: "a character in the request target that is not allowed"
        ),
        Row(
            text: "GET / HTTP/1.1\r\nHost: x\r\nA: b\u{7f}c\r\n\r\n",
            sound: "GET / HTTP/1.1\r\nHost: x\r\nA: ",
            reason: "a control character in a field value"
        ),
        Row(
            text: "HTTP/1.1 200OK\r\nContent-Length: 0\r\n\r\n",
            sound: "HTTP/1.1 200",
            reason: "a status code that no space follows"
        ),
        Row(
            text: "HTTP/1.1  200 OK\r\nContent-Length: 0\r\n\r\n",
            sound: "HTTP/1.1",
            reason: "more than one space before the status code"
        ),
        Row(
            text: "HTTP/1.1 200 O\rK\r\nContent-Length: 0\r\n\r\n",
            sound: "HTTP/1.1 200 ",
            reason: "a control character in the reason phrase"
        ),
        Row(
            text:
                "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: Chunked\r\n\r\n0\r\n\r\n",
            sound: "",
            reason: "chunked more than once in Transfer-Encoding"
        ),
        chunks("3", "\nabc\r\n0\r\n\r\n", "a chunk size line that ends in LF alone"),
        chunks("3\r\nabc\r\n0", "\n\r\n", "a chunk size line that ends in LF alone"),
        chunks("3\r\nabc", "\n0\r\n\r\n", "a chunk that ends in LF alone"),
        chunks("3 ", "\r\nabc\r\n0\r\n\r\n", "white space behind a chunk size"),
        chunks("3 ", "x\r\nabc\r\n0\r\n\r\n", "white space behind a chunk size"),
        chunks("3;a", "\u{1}\r\nabc\r\n0\r\n\r\n", "a control character in a chunk extension"),
        chunks("3\r\nabc\r\n0\r\nX: ", "a\rb\r\n\r\n", "NUL or CR in a field value"),
        chunks("3\r\nabc\r\n0\r\n", "X 1\r\n\r\n", "a field line without a colon"),
    ]

    @Test(arguments: rows) func isReadAndNamed(row: Row) throws {
        let turns: [Dialogue.Turn] =
            row.isAnswer
            ? [.client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), .server(row.text)]
            : [.client(row.text), .server("HTTP/1.1 204 No Content\r\n\r\n")]
        let dialogue = Dialogue(turns)
        let found = dialogue.exchanges()
        let exchange = try #require(found.first)
        #expect(found.count == 1 && exchange.failure == nil)
        #expect(exchange.malformations.map(\.reason) == [row.reason])
        #expect(exchange.malformations.map(\.offset) == [row.sound.utf8.count])
        #expect(exchange.malformations.map(\.side) == [row.isAnswer ? .response : .request])
        #expect(exchange.request.body?.text ?? "" == row.body)
        let byBytes = dialogue.exchanges { $0.map { [$0] } }
        #expect(Dialogue.summary(byBytes) == Dialogue.summary(found), "byte by byte")
    }

    /// Blanks before an extension are allowed (RFC 9112, section 7.1.1), and so are tabs in values.
    @Test(arguments: ["3 \t;a=\"b\"\r\nabc\r\n0;x\r\nX: a\tb\r\n\r\n", "03\r\nabc\r\n000\r\n\r\n"])
    func whatIsAllowedIsNotNamed(chunks: String) {
        let found = Dialogue([.client(Self.chunked + chunks), .server("HTTP/1.1 204 No\tContent\r\n\r\n")])
            .exchanges()
        #expect(found.map(\.malformations) == [[]])
        #expect(found.map { $0.request.body?.text } == ["abc"])
    }

    /// RFC 9112, section 5.2: one space for a fold; there is none around a value.
    @Test func foldedFieldIsOneValueWithoutBlanksAround() {
        let head = "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n \t c\r\nD:\r\n\te\r\nF: g\r\n \r\n\r\n"
        let found = Dialogue([.client(head), .server("HTTP/1.1 204 x\r\n\r\n")]).exchanges()
        #expect(found.map { $0.request.headers.fields.dropFirst().map(\.value) } == [["b c", "e", "g"]])
    }

    static let settingsOfHTTP2 =
        "not HTTP/1 but the settings of HTTP/2: the server speaks HTTP/2 on this port"

    /// A request in clear on the port of a server that speaks TLS, which says so, or HTTP/2, and other bytes that are no answer.
    @Test(arguments: [
        (
            "\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}\u{a}",
            "not HTTP but an alert of TLS: the server speaks https on this port"
        ),
        // With one setting, and without any.
        ("\0\0\u{6}\u{4}\0\0\0\0\0\0\u{3}\0\0\0\u{64}", settingsOfHTTP2),
        ("\0\0\0\u{4}\0\0\0\0\0", settingsOfHTTP2),
        // Another frame, a length that no settings have, and too few to tell.
        ("\0\0\u{6}\u{6}\0\0\0\0\0\0\0\0\0\0\0", "not HTTP"),
        ("\0\0\u{5}\u{4}\0\0\0\0\0\0\0\0\0\0", "not HTTP"),
        ("\0\0\u{6}", "not HTTP"), ("220 mail.example ready\r\n", "not HTTP"),
    ])
    func answerThatIsNoneIsNamed(bytes: String, reason: String) {
        let dialogue = Dialogue([.client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), .server(bytes)])
        for found in [dialogue.exchanges(), dialogue.exchanges { bytes in bytes.map { [$0] } }] {
            #expect(found.map(\.failure) == ["the connection could not be read any further: \(reason)"])
            #expect(found.map { $0.malformations.map(\.reason) } == [[reason]])
        }
    }

    @Test func reasonPhraseIsKeptWhole() {
        let found = Dialogue([
            .client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), .server("HTTP/1.1 204No Content\r\n\r\n"),
        ]).exchanges()
        #expect(found.map { $0.response?.statusText } == ["No Content"])
    }

    /// One reader takes `0` for the size, another 16: whatever follows cannot be trusted (request smuggling).
    @Test(arguments: ["1\r0\r\n", "1;a\rb\r\n", "1 \r \r\n"])
    func carriageReturnWithinASizeLineEndsTheReading(line: String) {
        let text = Self.chunked + line + "0123456789abcdef\r\n0\r\n\r\n"
        let found = Dialogue([.client(text)]).exchanges()
        #expect(found.first?.malformations.last?.reason == "a CR within the line of a chunk size")
        #expect(found.first?.failure?.contains("could not be read any further") == true)
    }

    @Test func carriageReturnsBehindAChunkEndTheReading() {
        let found = Dialogue([.client(Self.chunked + "3\r\nabc\r\r\n0\r\n\r\n")]).exchanges()
        #expect(found.first?.malformations.map(\.reason) == ["a chunk longer than its size"])
    }

    /// A reader that takes blanks out of the middle of a coding reads chunks where others read none.
    @Test func codingWithABlankInItIsNotChunked() {
        let found = Dialogue([
            .client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
            .server("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunk\ted\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
            .serverEnds,
        ]).exchanges()
        #expect(found.first?.response?.body?.text == "3\r\nabc\r\n0\r\n\r\n")
    }

    @Test(arguments: [" chunked\t", ",gzip,\t chunked ,", "Chunked", "chunked,"])
    func blanksAroundACodingAreNoPartOfIt(coding: String) {
        let head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: \(coding)\r\n\r\n"
        let found = Dialogue([.client(head + "3\r\nabc\r\n0\r\n\r\n"), .server("HTTP/1.1 204 x\r\n\r\n")])
            .exchanges()
        #expect(found.map { $0.request.body?.text } == ["abc"] && found.map(\.malformations) == [[]])
    }

    /// A server that looks for the word at the end, or anywhere, reads chunks where others read none.
    @Test(arguments: ["chun ked", "xchunked", "chunked;q=1", "chun\u{212a}ed", "chunked, identity", ""])
    func otherCodingThanChunkedEndsTheReadingOfARequest(coding: String) {
        let head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: \(coding)\r\n\r\n"
        let found = Dialogue([.client(head + "3\r\nabc\r\n0\r\n\r\n")]).exchanges()
        #expect(found.map { $0.malformations.map(\.reason) } == [["the length of the request is not known"]])
    }

    @Test func answerThatChangesToHTTP2IsNamed() {
        let found = Dialogue([
            .client("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"),
            .server("HTTP/1.1 101 Switching\nUpgrade: h2c\r\n\r\n"),
        ]).exchanges()
        #expect(found.first?.malformations.map(\.reason) == ["a line ends in LF alone"])
    }
}
