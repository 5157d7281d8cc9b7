import Captures
@testable import Packets
import Testing
import Wire

/// Connections that begin with what is said to, or by, somebody in between.
struct PreludeTests {
    private static let ask = Array("GET /authorize HTTP/1.1\r\nHost: op.example\r\n\r\n".utf8)
    private static let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)
    private static let line = Array("PROXY TCP4 203.0.113.7 10.0.0.2 49153 443\r\n".utf8)

    /// Of HTTP in TLS.
    private static func talk() throws -> (wire: SOCKSHandshakeTests.Words, keyLog: [UInt8]) {
        var options = TLSPair.Options()
        options.serverName = "op.example"
        let pair = try TLSPair(options)
        try pair.handshake()
        try pair.send(ask, from: .client)
        try pair.send(answer, from: .server)
        return (pair.wire, pair.keyLog)
    }

    private static func read(_ words: SOCKSHandshakeTests.Words, keyLog: [UInt8] = []) -> PacketImport {
        var made = PacketBuilder()
        made.converse(words)
        return PacketImport(made.packets, keyLog: keyLog)
    }

    // MARK: - The PROXY protocol

    @Test(arguments: ProxyHeaderTests.headers.map(\.name)) func headerInFrontOfTLSSaysWhoTheClientIs(
        name: String
    )
        throws
    {
        let header = try #require(ProxyHeaderTests.headers.first { $0.name == name })
        let (wire, keyLog) = try Self.talk()
        var joined = wire
        joined[0].bytes = header.bytes + wire[0].bytes
        for words in [joined, [(.client, header.bytes)] + wire] {
            let exchange = try #require(Self.read(words, keyLog: keyLog).exchanges.first)
            #expect(exchange.request.url.text == "https://op.example/authorize")
            #expect(exchange.response?.status == 200)
            #expect(exchange.client.address == header.source ?? "10.0.0.1:50000")
            #expect(exchange.connection.serverAddress == "10.0.0.2:443")
        }
    }

    @Test func headerInFrontOfHTTPMayComeByteByByte() throws {
        for header in ProxyHeaderTests.headers where header.bytes.count < 300 {
            let words = (header.bytes + Self.ask).map { (side: Side.client, bytes: [$0]) }
            let read = Self.read(words + [(.server, Self.answer)])
            #expect(read.exchanges.map { $0.client.address } == [header.source ?? "10.0.0.1:50000"])
            // In clear, on the port of TLS.
            #expect(read.exchanges.map { $0.request.url.text } == ["https://op.example/authorize"])
            #expect(read.exchanges.allSatisfy { $0.malformations.isEmpty })
        }
    }

    /// Of several, the one that came with the client's bytes to the first balancer is the last.
    @Test func severalBalancersMayStandInFrontOfEachOther() throws {
        let outer = Array("PROXY TCP4 10.0.0.9 10.0.0.2 1 443\r\n".utf8)
        let read = Self.read([(.client, outer + Self.line + Self.ask), (.server, Self.answer)])
        #expect(read.exchanges.map { $0.client.address } == ["203.0.113.7:49153"])
        let endless = Self.read([(.client, Array(repeating: Self.line, count: 5).joined() + Self.ask)])
        #expect(endless.exchanges.allSatisfy { $0.response == nil })
    }

    @Test func brokenHeaderIsTold() throws {
        let read = Self.read([
            (.client, Array("PROXY TCP4 nobody\r\n".utf8) + Self.ask), (.server, Self.answer),
        ])
        #expect(read.exchanges.isEmpty)
        #expect(
            read.report.losses.map(\.what) == [
                "connection 1, 10.0.0.1:50000 to 10.0.0.2:443: its header of the PROXY protocol cannot be read:"
                    + " its addresses cannot be read"
            ]
        )
        #expect(read.report.counts.otherConnections == 1)
    }

    @Test func nameInTheHeaderIsThatOfAConnectionWithoutKeys() throws {
        let named = try #require(ProxyHeaderTests.headers.first { $0.authority != nil })
        let pair = try TLSPair()
        try pair.handshake()
        let read = Self.read([(.client, named.bytes)] + pair.wire)
        #expect(read.exchanges.map(\.request.url.text) == ["https://op.example/"])
        #expect(read.exchanges.map(\.client.address) == ["203.0.113.7:49153"])
    }

    // MARK: - SOCKS

    @Test(arguments: SOCKSHandshakeTests.handshakes.map(\.name)) func connectionInSOCKSIsRead(name: String)
        throws
    {
        let handshake = try #require(SOCKSHandshakeTests.handshakes.first { $0.name == name })
        let (wire, keyLog) = try Self.talk()
        let secure = try #require(Self.read(handshake.words + wire, keyLog: keyLog).exchanges.first)
        #expect(secure.request.url.text == "https://op.example/authorize")
        #expect(secure.response?.status == 200)
        #expect(secure.connection.serverAddress == handshake.address)
        #expect(secure.client.address == "10.0.0.1:50000")

        let request = Array("GET / HTTP/1.0\r\n\r\n".utf8)
        let clear = Self.read(handshake.words + [(.client, request), (.server, Self.answer)])
        let colon80 =
            handshake.authority.hasSuffix(":80")
            ? String(handshake.authority.dropLast(3)) : handshake.authority
        #expect(clear.exchanges.map(\.request.url.text) == ["http://\(colon80)/"])
        #expect(clear.report.counts.otherConnections == 0)
    }

    /// What the client sends before it knows that the proxy has connected.
    @Test func clientThatDoesNotWaitIsRead() throws {
        let words =
            [(.client, [5, 1, 0, 5, 1, 0] + SOCKSHandshakeTests.name + Self.ask)] as SOCKSHandshakeTests.Words
        let answers = [5, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0] as [UInt8]
        let read = Self.read(words + [(.server, answers + Self.answer)])
        #expect(read.exchanges.map { $0.response?.status } == [200])
    }

    @Test func refusedTargetIsAnEntry() throws {
        let read = Self.read([
            (.client, [5, 1, 0]), (.server, [5, 0]), (.client, [5, 1, 0] + SOCKSHandshakeTests.name),
            (.server, [5, 5, 0, 1, 0, 0, 0, 0, 0, 0]),
        ])
        #expect(read.exchanges.map(\.request.url.text) == ["https://op.example/"])
        #expect(read.exchanges.map(\.failure) == ["the SOCKS proxy does not connect: connection refused"])
    }

    private static let asked: [(name: String, words: SOCKSHandshakeTests.Words)] = [
        ("5", [(.client, [5, 1, 0]), (.server, [5, 0]), (.client, [5, 1, 0] + SOCKSHandshakeTests.name)]),
        ("4a", [(.client, [4, 1, 1, 187, 0, 0, 0, 1, 0] + Array("op.example".utf8) + [0])]),
    ]

    @Test(arguments: asked.indices, [Side.client, .server]) func targetThatIsNeverAnsweredIsAnEntry(
        row: Int,
        side: Side
    ) {
        var made = PacketBuilder()
        let next = made.say(Self.asked[row].words)
        let (own, other) = side == .client ? (next.client, next.server) : (next.server, next.client)
        made.send(side, "FA", own, other)
        made.send(side == .client ? .server : .client, "FA", other, own + 1)
        let read = PacketImport(made.packets)
        #expect(read.exchanges.map(\.request.url.text) == ["https://op.example/"])
        #expect(
            read.exchanges.map(\.failure) == [
                side == .server
                    ? "the SOCKS proxy failed to connect to op.example:443: it closed the connection without an answer"
                    : "the client closed the connection before the SOCKS proxy answered"
            ]
        )
        #expect(read.report.counts.otherConnections == 0)
    }

    /// The proxy's answer is missing: who begins TLS, or asks, behind it is connected, who says something else may not be.
    @Test(arguments: asked.indices) func answerThatIsMissingIsKnownByWhatComesBehindIt(row: Int) throws {
        let (wire, keyLog) = try Self.talk()
        let answer: [UInt8] = row == 0 ? [5, 0, 0, 1, 0, 0, 0, 0, 0, 0] : [0, 0x5a, 0, 0, 0, 0, 0, 0]
        func read(_ words: SOCKSHandshakeTests.Words) -> PacketImport {
            var made = PacketBuilder()
            made.converse(Self.asked[row].words + [(.server, answer)] + words)
            made.packets.removeAll { $0.bytes.suffix(answer.count).elementsEqual(answer) }
            return PacketImport(made.packets, keyLog: keyLog)
        }
        for words in [wire, [(.client, Self.ask), (.server, Self.answer)]] {
            let read = read(words)
            #expect(read.exchanges.map(\.request.url.path) == ["/authorize"])
            #expect(read.exchanges.first?.response?.status == 200)
            #expect(read.exchanges.first?.connection.serverAddress == nil)
            #expect(read.report.losses.count == 1 && read.report.counts.otherConnections == 0)
        }
        for words in [[], [(.client, [UInt8](repeating: 1, count: 40))]] as [SOCKSHandshakeTests.Words] {
            let read = read(words)
            #expect(read.exchanges.isEmpty)
            #expect(read.report.losses.count == 1 && read.report.counts.otherConnections == 1)
        }
    }

    @Test func proxyThatClosesAtTheGreetingIsAnEntryOfItsOwn() {
        var made = PacketBuilder()
        made.server.port = 1080
        let next = made.say([(.client, [5, 2, 0, 2])])
        made.send(.server, "RA", next.server, next.client)
        let read = PacketImport(made.packets)
        #expect(read.exchanges.map(\.request.url.text) == ["https://10.0.0.2:1080/"])
        #expect(read.exchanges.map(\.failure) == ["the SOCKS proxy reset the connection without an answer"])
    }

    @Test func otherProtocolsInSOCKSAreCounted() throws {
        let handshake = SOCKSHandshakeTests.handshakes[0].words
        let read = Self.read(handshake + [(.server, Array("220 mail.example ESMTP\r\n".utf8))])
        #expect(read.exchanges.isEmpty && read.report.counts.otherConnections == 1)
        let broken = Self.read([(.client, [5, 1, 0]), (.server, [9, 9])])
        #expect(broken.exchanges.isEmpty && broken.report.counts.otherConnections == 1)
        let silent = Self.read([(.client, [5, 1, 0])])
        #expect(silent.exchanges.isEmpty && silent.report.counts.otherConnections == 1)
    }

    /// A balancer in front of a SOCKS proxy, which tunnels to one of HTTP.
    @Test func whatStandsInFrontMayBeOfManyKinds() throws {
        let connect = Array("CONNECT op.example:8443 HTTP/1.1\r\n\r\n".utf8)
        let read = Self.read(
            [(.client, Self.line)] + SOCKSHandshakeTests.handshakes[0].words + [
                (.client, connect), (.server, Array("HTTP/1.1 200 OK\r\n\r\n".utf8)), (.client, Self.ask),
                (.server, Self.answer),
            ]
        )
        #expect(read.exchanges.map(\.request.url.text) == ["http://op.example/authorize"])
        #expect(read.exchanges.map(\.client.address) == ["203.0.113.7:49153"])
    }
}
