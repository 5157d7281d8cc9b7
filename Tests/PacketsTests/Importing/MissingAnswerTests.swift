import Captures
@testable import Packets
import Testing
import Wire

/// Answers that the capture lacks: whose they were, and that all others stay with their requests.
struct MissingAnswerTests {
    private static let numbers = 1...4

    /// What is read of a connection whose packets that end with something are not there.
    private static func read(
        _ words: [(side: Side, bytes: [UInt8])],
        without endings: [[UInt8]],
        keyLog: [UInt8] = []
    ) -> PacketImport {
        var made = PacketBuilder()
        made.converse(words)
        let there = made.packets.filter { packet in
            !endings.contains { packet.bytes.suffix($0.count).elementsEqual($0) }
        }
        return PacketImport(there, keyLog: keyLog)
    }

    /// What became of each request: the body of its answer, or that it failed.
    private static func ends(of exchanges: [Exchange]) -> [String] {
        exchanges.map {
            "\($0.request.url.path) \($0.failure == nil ? $0.response?.body?.text ?? "" : "fails")"
        }
    }

    private static func expected(without missing: [Int]) -> [String] {
        numbers.map { "/\($0) \(missing.contains($0) ? "fails" : "\($0)")" }
    }

    @Test(arguments: [[2], [1, 2], [2, 3], [1, 3], [1, 2, 3]]) func inClear(missing: [Int]) {
        let words = Self.numbers.flatMap { number -> [(side: Side, bytes: [UInt8])] in
            [(.client, NumberedExchange.request(number)), (.server, NumberedExchange.answer(number))]
        }
        let read = Self.read(words, without: missing.map(NumberedExchange.answer))
        #expect(Self.ends(of: read.exchanges) == Self.expected(without: missing))
        let failed = read.exchanges.filter { $0.failure != nil }
        let size = NumberedExchange.answer(1).count
        #expect(failed.allSatisfy { $0.failure == "\(size) bytes of the server are not in the capture" })
    }

    /// They are one place, though requests came between them.
    @Test func thoseBehindEachOtherAreTold() throws {
        let words = Self.numbers.flatMap { number -> [(side: Side, bytes: [UInt8])] in
            [(.client, NumberedExchange.request(number)), (.server, NumberedExchange.answer(number))]
        }
        let read = Self.read(words, without: [NumberedExchange.answer(1), NumberedExchange.answer(2)])
        let told = try #require(read.report.losses.first?.what)
        #expect(told.hasSuffix(" \(2 * NumberedExchange.answer(1).count) bytes are not in the capture"))
        #expect(read.report.losses.count == 1)
    }

    /// In TLS it shows with the next record of the server's what is missing in front of it, and the next request is there by then.
    @Test(arguments: [0x0303, 0x0304] as [Int32], [[2], [1, 3], [1, 2], [2, 3]]) func inTLS(
        version: Int32,
        missing: [Int]
    ) throws {
        var options = TLSPair.Options()
        options.versions = version...version
        let pair = try TLSPair(options)
        try pair.handshake()
        var answers: [Int: [UInt8]] = [:]
        for number in Self.numbers {
            try pair.send(NumberedExchange.request(number), from: .client)
            try pair.send(NumberedExchange.answer(number), from: .server)
            answers[number] = pair.wire.last?.bytes
        }
        let read = Self.read(pair.wire, without: missing.compactMap { answers[$0] }, keyLog: pair.keyLog)
        #expect(Self.ends(of: read.exchanges) == Self.expected(without: missing))
        let starts = read.exchanges.map(\.startedAt)
        #expect(starts == starts.sorted())
    }

    /// Nothing stands behind it that could be deciphered: it is missing, not broken.
    @Test func ofTheLastRequestInTLS() throws {
        let pair = try TLSPair(.init())
        try pair.handshake()
        try pair.send(NumberedExchange.request(1), from: .client)
        try pair.send(NumberedExchange.answer(1), from: .server)
        let answer = pair.wire.last?.bytes ?? []
        let read = Self.read(pair.wire, without: [answer], keyLog: pair.keyLog)
        #expect(
            read.exchanges.map(\.failure) == [
                "up to \(NumberedExchange.answer(1).count) bytes of the server are not in the capture"
            ]
        )
        #expect(read.report.losses.count == 1)
    }

    /// A part of the request that waits is missing as well: it is of that request, and the next one begins behind it.
    @Test(arguments: [0x0303, 0x0304] as [Int32]) func ofTheRequestThatWaits(version: Int32) throws {
        var options = TLSPair.Options()
        options.versions = version...version
        let pair = try TLSPair(options)
        try pair.handshake()
        var missing: [[UInt8]] = []
        for number in Self.numbers {
            if number == 2 {
                let head = "POST /2 HTTP/1.1\r\nHost: op.example\r\nContent-Length: 9\r\n\r\n"
                try pair.send(Array(head.utf8), from: .client)
                for part in ["abc", "def", "ghi"] {
                    try pair.send(Array(part.utf8), from: .client)
                    if part == "def" { missing += [pair.wire.last?.bytes ?? []] }
                }
            } else {
                try pair.send(NumberedExchange.request(number), from: .client)
            }
            try pair.send(NumberedExchange.answer(number), from: .server)
            if number == 1 { missing += [pair.wire.last?.bytes ?? []] }
        }
        let read = Self.read(pair.wire, without: missing, keyLog: pair.keyLog)
        #expect(Self.ends(of: read.exchanges) == Self.expected(without: [1]))
        let failure = read.exchanges.first?.failure ?? ""
        #expect(failure.hasSuffix(" bytes of the server are not in the capture"))
    }

    /// A request whose record is damaged has an answer, which is no fault of the server's; what is asked behind it is read.
    @Test(arguments: [0x0303, 0x0304] as [Int32]) func toARequestThatIsDamaged(version: Int32) throws {
        var options = TLSPair.Options()
        options.versions = version...version
        let pair = try TLSPair(options)
        try pair.handshake()
        var damaged = 0
        for number in Self.numbers {
            try pair.send(NumberedExchange.request(number), from: .client)
            if number == 2 { damaged = pair.wire.count - 1 }
            try pair.send(NumberedExchange.answer(number), from: .server)
        }
        var words = pair.wire
        words[damaged].bytes[words[damaged].bytes.count - 1] ^= 1
        let read = Self.read(words, without: [], keyLog: pair.keyLog)
        #expect(Self.ends(of: read.exchanges) == ["/1 1", "/3 3", "/4 4"])
        #expect(read.exchanges.allSatisfy { $0.malformations.isEmpty })
        #expect(read.report.losses.count == 1)
    }

    /// A client that begins TLS behind its request for a tunnel has got one, though the answer is missing; of one that asks the proxy
    /// for something else, or says nothing more, that is not known.
    @Test func ofAProxyThatWasAskedForATunnel() throws {
        let pair = try TLSPair()
        try pair.handshake()
        for number in Self.numbers {
            try pair.send(NumberedExchange.request(number), from: .client)
            try pair.send(NumberedExchange.answer(number), from: .server)
        }
        let connect = Array("CONNECT op.example:443 HTTP/1.1\r\nHost: op.example:443\r\n\r\n".utf8)
        let agreed = Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8)
        let tunnel: [(side: Side, bytes: [UInt8])] = [(.client, connect), (.server, agreed)]
        let whole = Self.read(tunnel + pair.wire, without: [], keyLog: pair.keyLog)
        let read = Self.read(tunnel + pair.wire, without: [agreed], keyLog: pair.keyLog)
        #expect(Self.ends(of: read.exchanges) == Self.expected(without: []))
        #expect(read.exchanges.map(\.request.url.text) == whole.exchanges.map(\.request.url.text))
        #expect(read.report.losses.count == 1 && whole.report.losses.isEmpty)
        let other = Self.read(
            tunnel + [(.client, NumberedExchange.request(1)), (.server, NumberedExchange.answer(1))],
            without: [agreed]
        )
        #expect(other.exchanges.map(\.request.method) == ["CONNECT", "GET"])
        let nothing = Self.read(tunnel, without: [agreed])
        let reason = "\(agreed.count) bytes of the server are not in the capture"
        #expect([other, nothing].map { $0.exchanges.first?.failure } == [reason, reason])
    }

    /// A client that begins TLS on its connection to a proxy has asked for a tunnel, though that is missing: what is in it is read,
    /// whatever was asked for on the connection before.
    @Test(arguments: [
        ("CONNECT op.example:443", "407 Proxy Authentication Required"), ("GET http://op.example/", "200 OK"),
    ])
    func ofAProxyWhoseRequestForATunnelIsMissing(before: (line: String, status: String)) throws {
        let pair = try TLSPair()
        try pair.handshake()
        for number in Self.numbers {
            try pair.send(NumberedExchange.request(number), from: .client)
            try pair.send(NumberedExchange.answer(number), from: .server)
        }
        let first = Array("\(before.line) HTTP/1.1\r\nHost: op.example\r\n\r\n".utf8)
        let answer = Array("HTTP/1.1 \(before.status)\r\nContent-Length: 0\r\n\r\n".utf8)
        let connect = Array("CONNECT op.example:443 HTTP/1.1\r\nProxy-Authorization: Basic YTpi\r\n\r\n".utf8)
        let agreed = Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8)
        let proxy: [(side: Side, bytes: [UInt8])] = [
            (.client, first), (.server, answer), (.client, connect), (.server, agreed),
        ]
        let whole = Self.read(proxy + pair.wire, without: [], keyLog: pair.keyLog)
        let read = Self.read(proxy + pair.wire, without: [connect], keyLog: pair.keyLog)
        #expect(whole.exchanges.count == 1 + Self.numbers.count && whole.report.losses.isEmpty)
        #expect(read.exchanges.map(\.request.method) == whole.exchanges.map(\.request.method))
        #expect(read.exchanges.map(\.request.url.path) == whole.exchanges.map(\.request.url.path))
        #expect(read.exchanges.map(\.failure) == whole.exchanges.map(\.failure))
        #expect(read.report.losses.count == 1)
    }

    @Test func whatWaitsForARecordIsBounded() {
        var postponed = PostponedRequests()
        let start = PacketBuilder.start
        var taken: [Bool] = []
        [UInt8](repeating: 0, count: 200_000).withUnsafeBytes { bytes in
            taken.append(postponed.holds(bytes, at: start))
            postponed.begin(at: start)
            taken.append(postponed.holds(bytes, at: start + .seconds(2)))
            taken.append(postponed.holds(bytes, at: start + .seconds(3)))
        }
        #expect(taken == [false, true, false] && postponed.since == start)
        let pieces = postponed.take()
        #expect(pieces.map(\.time) == [start + .seconds(2)])
        #expect(pieces.first?.content == .bytes([UInt8](repeating: 0, count: 200_000)))
        #expect(postponed.since == nil)
    }
}
