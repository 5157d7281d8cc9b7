import NIOCore
import Testing

@testable import Proxy

struct RequestSplitterTests {
    private static let stream = """
        POST http://a.example/1 HTTP/1.1\r
        Transfer-Encoding: chunked\r
        \r
        3;x="\r
        abc\r
        00a\r
        0123456789\r
        0\r
        Trailer: x\r
        \r
        \r
        POST http://b.example/2 HTTP/1.1\r
        Content-Length: 5\r
        \r
        helloGET http://c.example/3 HTTP/1.1\r
        \r

        """

    /// The pieces as text, bodies joined.
    private func pieces(_ chunks: [ArraySlice<UInt8>], mayLackBody: Bool = false) -> [String] {
        var splitter = RequestSplitter(maximumHeadBytes: 4096)
        var found: [String] = []
        for chunk in chunks {
            splitter.received(ByteBuffer(bytes: chunk))
            while let piece = splitter.next(mayLackBody: mayLackBody) {
                switch piece {
                case .head(let request): found += [request.path, ""]
                case .body(let bytes):
                    found[found.count - 1] += String(decoding: bytes.readableBytesView, as: UTF8.self)
                case .end: found.append("end")
                case .refused(let refusal): found.append("refused \(refusal.status)")
                }
            }
        }
        return found
    }

    @Test func requestsAreTheSameHoweverTheyAreSplit() {
        let bytes = Array(Self.stream.utf8)
        let wanted = [
            "/1", "3;x=\"\r\nabc\r\n00a\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n", "end", "/2", "hello",
            "end", "/3", "",
            "end",
        ]
        #expect(pieces([bytes[...]]) == wanted)
        #expect(pieces(bytes.indices.map { bytes[$0...$0] }) == wanted)
        for split in bytes.indices {
            #expect(pieces([bytes[..<split], bytes[split...]]) == wanted, "split at \(split)")
        }
    }

    /// A client that was answered before it was told to go on.
    @Test(arguments: [
        ("GET http://a/2 HTTP/1.1\r\n\r\n", true, ["end", "/2", "", "end"]),
        ("code=a&b=c", true, ["code=a&b=c", "end"]), ("GET / to x", true, ["GET / to x", "end"]),
        ("GET / HTTP", false, ["GET / HTTP", "end"]),
        // A word in capitals, and the next request behind it.
        ("ABCDEFGHIJGET http://a/2 HTTP/1.1\r\n\r\n", true, ["ABCDEFGHIJ", "end", "/2", "", "end"]),
    ])
    func nextRequestMayStandInThePlaceOfABodyThatIsHeldBack(
        _ row: (rest: String, mayLackBody: Bool, wanted: [String])
    ) {
        let head = "POST http://a/1 HTTP/1.1\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n"
        let wanted = ["/1"] + (row.wanted[0] == "end" ? [""] : []) + row.wanted
        let bytes = Array((head + row.rest).utf8)
        for split in bytes.indices {
            let chunks = [bytes[..<split], bytes[split...]]
            #expect(pieces(chunks, mayLackBody: row.mayLackBody) == wanted, "split at \(split)")
        }
        #expect(pieces(bytes.indices.map { bytes[$0...$0] }, mayLackBody: row.mayLackBody) == wanted)
    }

    /// Who waits to be told to go on with no body does not wait.
    @Test func requestBehindOneThatIsWholeIsNoBody() {
        let text =
            "GET http://a/1 HTTP/1.1\r\nExpect: 100-continue\r\n\r\n"
            + "POST http://a/2 HTTP/1.1\r\nContent-Length: 10\r\n\r\nGET / HTTP"
        #expect(
            pieces([Array(text.utf8)[...]], mayLackBody: true) == [
                "/1", "", "end", "/2", "GET / HTTP", "end",
            ]
        )
    }

    @Test(arguments: ["xyz\r\n", "-1\r\n", "\r\n", "ffffffffffffffffff\r\n", "3\r\nabcd\r\n"])
    func brokenChunksPassAsTheyAre(_ body: String) {
        let head = "POST http://a/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        let rest = "GET http://b/ HTTP/1.1\r\n\r\n"
        #expect(pieces([Array((head + body + rest).utf8)[...]]) == ["/", body + rest])
    }

    /// Also where it came to its end at once.
    @Test(arguments: [(93, 93, false), (93, 94, true)])
    func headThatIsTooLongIsRefused(limit: Int, length: Int, isRefused: Bool) {
        for isForServer in [false, true] {
            var splitter = RequestSplitter(maximumHeadBytes: limit, isForServer: isForServer)
            let frame = "GET http://a/ HTTP/1.1\r\nX: \r\n\r\n"
            let filling = String(repeating: "x", count: length - frame.utf8.count)
            splitter.received(ByteBuffer(string: frame.replacing("X: ", with: "X: \(filling)")))
            switch splitter.next() {
            case .head: #expect(!isRefused)
            case .refused(let refusal): #expect(isRefused && refusal.status == 431)
            default: Issue.record("neither")
            }
        }
    }

    /// What stands before an answer is not always skipped.
    @Test func headMayBeginWithTheEndOfALine() {
        var scanner = HeadScanner()
        #expect(scanner.length(in: Array("\nA: b\r\n\r\nrest".utf8)) == 9)
    }
}
