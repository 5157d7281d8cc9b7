@testable import Captures
import JSON
import TestSupport
import Testing

/// Bodies of requests out of what Chromium's sockets sent.
struct NetLogSentBytesTests {
    private static let post =
        "POST /token HTTP/1.1\r\nHost: a.example:8443\r\nContent-Length: 6\r\n\r\ncode=1"
    private static let get = "GET /x HTTP/1.1\r\nHost: a.example\r\n\r\n"

    /// Each body with what it belongs to.
    private static func bodies(_ pieces: [[UInt8]]) -> [String] {
        var reader = NetLogSentBytes()
        return pieces.flatMap { reader.take($0) }.map { body in
            let text = String(decoding: body.bytes, as: UTF8.self)
            return switch body.request {
            case .line(let method, let url): "\(method) \(url) \(text)"
            case .stream(let number): "\(number) \(text)"
            }
        }
    }

    private static func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt8, _ payload: String) -> [UInt8] {
        let bytes = Array(payload.utf8)
        return [0, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xff), type, flags, 0, 0, 0, stream] + bytes
    }

    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(4, 0, 0, "")

    @Test(arguments: [
        (post, ["POST a.example:8443/token code=1"]),
        (get + post + post, ["POST a.example:8443/token code=1", "POST a.example:8443/token code=1"]),
        (
            "POST http://b.example/t?x=1 HTTP/1.1\r\nHost: b.example\r\nContent-Length: 1\r\n\r\n1" + get,
            ["POST b.example/t?x=1 1"]
        ),
        // What cannot be followed is read no further.
        ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n" + post, []),
        ("CONNECT a.example:443 HTTP/1.1\r\n\r\n" + post, []), ("\u{16}\u{3}\u{1}" + post, []),
        ("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n12" + post, []),
        ("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n" + post, []), ("", []), ("\r\n\r\n" + post, []),
    ])
    func requestsInClear(text: String, expected: [String]) {
        #expect(Self.bodies([Array(text.utf8)]) == expected)
        #expect(Self.bodies(text.utf8.map { [$0] }) == expected)
    }

    @Test(arguments: [
        (frame(0, 1, 3, "code=1"), ["3 code=1"]),
        (frame(0, 0, 3, "code") + frame(0, 1, 5, "other") + frame(0, 1, 3, "=1"), ["5 other", "3 code=1"]),
        (frame(0, 9, 3, "\u{2}code=1\0\0"), ["3 code=1"]),
        (frame(1, 5, 3, "head") + frame(0, 1, 3, "x"), ["3 x"]),
        (frame(0, 0, 3, "lost") + frame(3, 0, 3, "\0\0\0\u{8}") + frame(0, 1, 3, "x"), ["3 x"]),
        (frame(0, 1, 3, ""), []), ([255, 255, 255, 0, 1, 0, 0, 0, 3] + frame(0, 1, 3, "x"), []),
        (frame(0, 9, 3, "\u{7f}x"), []),
    ])
    func framesOfHTTP2(frames: [UInt8], expected: [String]) {
        #expect(Self.bodies([Self.preface + frames]) == expected)
        #expect(Self.bodies((Self.preface + frames).map { [$0] }) == expected)
    }

    @Test func bodyThatIsTooLargeIsPassedOver() {
        let head = "POST /up HTTP/1.1\r\nHost: a.example\r\nContent-Length: 3000000\r\n\r\n"
        let bytes = Array(head.utf8) + [UInt8](repeating: 0x61, count: 3_000_000) + Array(Self.post.utf8)
        #expect(Self.bodies([bytes]) == ["POST a.example:8443/token code=1"])
        let frames = (0..<40).flatMap { _ in Self.frame(0, 0, 3, String(repeating: "x", count: 60_000)) }
        #expect(Self.bodies([Self.preface + frames + Self.frame(0, 1, 3, "")]) == [])
    }

    @Test func bodyThatNeverEndsIsNotHeldForEver() {
        var reader = NetLogSentBytes()
        for _ in 0..<100 { _ = reader.take([UInt8](repeating: 0x41, count: 100_000)) }
        #expect(reader.weight == 0)
    }

    /// Where the end of a head was looked for already, it is not looked for again.
    @Test func timeGrowsWithTheHead() {
        func seconds(_ lines: Int) -> Double {
            var reader = NetLogSentBytes()
            _ = reader.take(Array("GET / HTTP/1.1\r\n".utf8))
            let piece = Array(String(repeating: "a:b\r\n", count: 10).utf8)
            return ProcessorTime.seconds { for _ in 0..<(lines / 10) { _ = reader.take(piece) } }
        }
        let few = seconds(1_500)
        // Eight times the head: linear is 8, quadratic 64.
        #expect(seconds(12_000) < 24 * max(few, 0.001))
    }

    @Test func endOfAHeadMayComeInPieces() {
        let head = Array("GET /x HTTP/1.1\r\nHost: a.example\r\n\r".utf8)
        #expect(Self.bodies([head, Array(("\n" + Self.post).utf8)]) == ["POST a.example:8443/token code=1"])
    }

    /// What a socket sent already is not copied for each event that follows.
    @Test func eventCostsTheSameHoweverMuchWasSent() {
        func seconds(held: Int) -> Double {
            var sockets = NetLogSockets()
            func send(_ text: String) {
                let params: JSONObject = ["bytes": .string(Base64.encode(Array(text.utf8)))]
                sockets.sent(7, params, isEncrypted: true, at: 0)
            }
            send("POST / HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n" + String(repeating: "a", count: held))
            return ProcessorTime.seconds { for _ in 0..<1_000 { send("a") } }
        }
        let little = seconds(held: 1_000)
        #expect(seconds(held: 900_000) < 3 * max(little, 0.002))
    }

    /// Anything at all, in pieces of any size, is read without a trap, and the same way in one piece.
    @Test(arguments: [true, false]) func hostileBytesAreReadTheSameInPieces(isHTTP2: Bool) {
        var random = SeededGenerator(seed: isHTTP2 ? 2 : 1)
        for _ in 0..<2_000 {
            var bytes = isHTTP2 ? Self.preface : []
            for _ in 0..<Int.random(in: 0..<6, using: &random) {
                let type = UInt8.random(in: 0..<5, using: &random)
                let text = String(repeating: "x", count: Int.random(in: 0..<9, using: &random))
                bytes +=
                    isHTTP2
                    ? Self.frame(
                        type,
                        .random(in: 0..<16, using: &random),
                        .random(in: 0..<3, using: &random),
                        text
                    )
                    : Array((Bool.random(using: &random) ? Self.post : Self.get).utf8)
            }
            for _ in 0..<Int.random(in: 0..<3, using: &random) where !bytes.isEmpty {
                bytes[.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            var pieces: [[UInt8]] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Int.random(in: 1...rest.count, using: &random)
                pieces.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            #expect(Self.bodies(pieces) == Self.bodies([bytes]))
        }
    }

    // MARK: - In a log

    private static let events = """
        {"constants":{"logEventTypes":{"URL_REQUEST_START_JOB":1,"HTTP_TRANSACTION_SEND_REQUEST_HEADERS":2,"HTTP_TRANSACTION_SEND_REQUEST_BODY":3,"SOCKET_BYTES_SENT":4,"REQUEST_ALIVE":5},"logSourceType":{"URL_REQUEST":1,"SOCKET":10,"HTTP2_SESSION":11},"timeTickOffset":1772618000000},
        "events":[
        """

    private static func request(_ id: Int, at time: Int, length: Int) -> String {
        """
        {"phase":1,"source":{"id":\(id),"type":1},"time":"\(time)","type":1,"params":{"method":"POST","url":"https://a.example:8443/token"}},
        {"phase":0,"source":{"id":\(id),"type":1},"time":"\(time)","type":2,"params":{"headers":["Content-Type: application/x-www-form-urlencoded"]}},
        {"phase":0,"source":{"id":\(id),"type":1},"time":"\(time)","type":3,"params":{"length":\(length)}},
        """
    }

    private static func sent(_ socket: Int, at time: Int, _ text: String) -> String {
        """
        {"phase":0,"source":{"id":\(socket),"type":10},"time":"\(time)","type":4,"params":{"byte_count":1,"bytes":"\(Base64.encode(Array(text.utf8)))"}},
        """
    }

    private static func ended(_ id: Int, at time: Int) -> String {
        "{\"phase\":2,\"source\":{\"id\":\(id),\"type\":1},\"time\":\"\(time)\",\"type\":5},"
    }

    /// The texts of the requests' bodies; empty where there is none.
    private func texts(_ events: String...) throws -> [String] {
        let log = Self.events + events.joined() + "]}"
        let capture = try CaptureReader.read(bytes: Array(log.utf8), name: "log")
        return capture.indices.map { capture[$0].request.body?.text ?? "" }
    }

    /// What is known of a request is not copied for each event of it.
    @Test(arguments: [
        "URL_REQUEST_JOB_FILTERED_BYTES_READ", "URL_REQUEST_JOB_BYTES_READ", "COOKIE_INCLUSION_STATUS",
    ])
    func eventsOfOneRequestAreAddedInPlace(event: String) {
        var log = NetLog(source: CaptureSource(bytes: []))
        let isLog = log.take(constants: [
            "logEventTypes": .object(JSONObject([("URL_REQUEST_START_JOB", 1), (event, 2)])),
            "logSourceType": ["URL_REQUEST": 1],
        ])
        #expect(isLog)
        func take(_ type: Int64, _ params: JSONValue) {
            let source: JSONValue = ["id": 5, "type": 1]
            log.take(
                ["source": source, "type": .init(integerLiteral: type), "time": "1", "params": params],
                at: JSONEvents.Place(offset: 0)
            )
        }
        take(1, ["url": "https://a.example/"])
        var moves = 0
        var last: [UInt] = []
        for _ in 0..<500 {
            take(2, ["byte_count": 1, "bytes": "YQ=="])
            let hop = log.hops[0]
            let now = [Self.address(hop.pieces), Self.address(hop.wirePieces), Self.address(hop.cookies)]
            if now != last { moves += 1 }
            last = now
        }
        // Its room grows by doubling.
        #expect(log.hops[0].pieces.count + log.hops[0].wirePieces.count + log.hops[0].cookies.count == 500)
        #expect(moves < 30)
    }

    /// Where the elements stand in memory.
    private static func address(_ list: [some Any]) -> UInt {
        list.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    }

    @Test func bodyGoesToTheRequestThatWasSentMeanwhile() throws {
        let first = try texts(
            Self.request(1, at: 100, length: 6),
            Self.sent(7, at: 101, Self.post),
            Self.ended(1, at: 110),
            Self.request(2, at: 120, length: 6),
            Self.ended(2, at: 130)
        )
        #expect(first == ["code=1", ""])
        let second = try texts(
            Self.request(1, at: 100, length: 6),
            Self.ended(1, at: 110),
            Self.request(2, at: 120, length: 6),
            Self.sent(7, at: 121, Self.post),
            Self.ended(2, at: 130)
        )
        #expect(second == ["", "code=1"])
    }

    @Test func bodyOfOneOfTwoIsNobodys() throws {
        let both = try texts(
            Self.request(1, at: 100, length: 6),
            Self.request(2, at: 101, length: 6),
            Self.sent(7, at: 102, Self.post),
            Self.ended(1, at: 110),
            Self.ended(2, at: 110)
        )
        #expect(both == ["", ""])
        // Told apart by how many bytes there were.
        let apart = try texts(
            Self.request(1, at: 100, length: 9),
            Self.request(2, at: 101, length: 6),
            Self.sent(7, at: 102, Self.post),
            Self.ended(1, at: 110),
            Self.ended(2, at: 110)
        )
        #expect(apart == ["", "code=1"])
    }

    @Test func pagesTokenRequestIsReadFromAChromiumsOwnLog() throws {
        let bytes = try Fixtures.bytes("Tests/Recordings/netlog-raw-bytes.json")
        let capture = try CaptureReader.read(bytes: bytes, name: "netlog")
        let request = try #require(capture.indices.map { capture[$0].request }.first { $0.method == "POST" })
        let fields = try #require(FormBody.items(of: request.body))
        #expect(fields.first("code_verifier") == "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(request.httpVersion == "HTTP/2")
    }
}
