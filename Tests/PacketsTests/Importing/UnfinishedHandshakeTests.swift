import COpenSSL
import Captures
import Packets
import Testing
import Wire

/// Connections that end while their two sides shake hands, without an alert that says why.
struct UnfinishedHandshakeTests {
    private typealias Words = [(side: Side, bytes: [UInt8])]

    private static let connect: Words = [
        (.client, Array("CONNECT op.example:443 HTTP/1.1\r\n\r\n".utf8)),
        (.server, Array("HTTP/1.1 200 OK\r\n\r\n".utf8)),
    ]

    /// What both ends say until they are done, the client's hello first.
    private static func handshake(_ version: Int32) throws -> TLSPair {
        var options = TLSPair.Options()
        options.versions = version...version
        options.serverName = "op.example"
        let pair = try TLSPair(options)
        try pair.handshake()
        return pair
    }

    /// What comes of a connection that ends so; nil leaves it open.
    private static func read(_ words: Words, end: (side: Side, flags: String)?) -> PacketImport {
        var made = PacketBuilder()
        let next = made.say(words)
        if let (side, flags) = end {
            let (own, other) =
                side == .client ? (next.client, next.server) : (next.server, next.client)
            made.send(side, flags, own, other, after: 2000)
            if flags == "FA" {
                made.send(side == .client ? .server : .client, "FA", other, own + 1, after: 60_000)
            }
        }
        return PacketImport(made.packets)
    }

    private static let ends: [(end: (side: Side, flags: String)?, what: String)] = [
        (
            (.server, "RA"),
            "server TLS handshake failed: the server reset the connection without an answer to the client's hello"
        ),
        (
            (.server, "FA"),
            "server TLS handshake failed: the server closed the connection without an answer to the client's hello"
        ),
        ((.client, "FA"), "the client closed the connection before the server answered the client's hello"),
        ((.client, "RA"), "the client reset the connection before the server answered the client's hello"),
        (nil, "the capture ends before the server answered the client's hello"),
    ]

    @Test(arguments: ends.indices, [false, true]) func helloWithoutAnAnswerIsAFailedExchange(
        row: Int,
        isTunnelled: Bool
    ) throws {
        let hello = try Self.handshake(0x0304).wire.prefix(1)
        let (end, what) = Self.ends[row]
        let read = Self.read((isTunnelled ? Self.connect : []) + hello, end: end)
        #expect(read.exchanges.map(\.failure) == [what])
        let exchange = try #require(read.exchanges.first)
        #expect(exchange.request.url.text == "https://op.example/")
        #expect(exchange.response == nil)
        #expect(exchange.connection.serverName == "op.example")
        // It lasts as long as somebody waited.
        if end != nil {
            #expect((.seconds(2) ... .seconds(3)).contains(exchange.endedAt - exchange.startedAt))
        }
        #expect(read.report.losses.isEmpty && read.report.counts.unreadConnections == 0)
    }

    /// No key would show more of it, and nothing of it is missing.
    @Test(
        arguments: [
            ((Side.client, "FA"), "the client closed the connection before its hello was whole"),
            (
                (.server, "RA"),
                "server TLS handshake failed: the server reset the connection before the client's hello was whole"
            ),
            (nil, "the capture ends before the client's hello was whole"),
        ] as [((side: Side, flags: String)?, String)]
    )
    func halfAHelloIsAFailedExchange(end: (side: Side, flags: String)?, what: String) throws {
        let hello = try #require(try Self.handshake(0x0304).wire.first).bytes
        // A record that ends within the message.
        let record = hello[..<3] + [0, 50] + hello[5..<55]
        let halves = [3, 5, 6, 8, 100, hello.count - 1].map { hello[..<$0] } + [record]
        for half in halves {
            let read = Self.read([(.client, Array(half))], end: end)
            #expect(read.exchanges.map(\.failure) == [what], "\(half.count) bytes")
            #expect(read.report.losses.isEmpty, "\(half.count) bytes")
            #expect(read.report.counts.unreadConnections == 0 && read.report.counts.oneWayConnections == 0)
        }
        // The name of its server is near its beginning.
        let named = Self.read([(.client, hello.dropLast())], end: end)
        #expect(named.exchanges.map(\.request.url.text) == ["https://op.example/"])
    }

    @Test func halfAHelloOfWhichBytesAreMissingIsNotWhole() throws {
        let hello = try #require(try Self.handshake(0x0304).wire.first).bytes
        var made = PacketBuilder()
        made.handshake()
        made.send(.client, "PA", 1001, 5001, hello[..<100])
        made.send(.server, "A", 5001, 1001 + UInt32(hello.count))
        made.send(.client, "FA", 1001 + UInt32(hello.count), 5001)
        #expect(PacketImport(made.packets).exchanges.map(\.tunnel.reason) == [.notWhole])
    }

    @Test(arguments: [
        (
            Side.server,
            "server TLS handshake failed: the server closed the connection before its handshake was done"
        ),
        (
            .client,
            "the client closed the connection before the TLS handshake was done, after the server's certificate"
        ),
    ])
    func handshakeThatIsLeftHalfWayIsAFailedExchange(side: Side, what: String) throws {
        let words = try Self.handshake(0x0303).wire.prefix(2)
        #expect(Self.read(Array(words), end: (side, "FA")).exchanges.map(\.failure) == [what])
    }

    /// As of the connections that a program opens to several addresses at once and needs one of: no key would show more of it.
    @Test(
        arguments: [
            (
                (Side.client, "FA"),
                "the client closed the connection before the TLS handshake was done"
            ),
            (
                (.client, "RA"),
                "the client reset the connection before the TLS handshake was done"
            ),
            (
                (.server, "FA"),
                "server TLS handshake failed: the server closed the connection before its handshake was done"
            ),
            (nil, "the capture ends before the TLS handshake was done"),
        ] as [((side: Side, flags: String)?, String)]
    )
    func handshakeOfTLS13WithoutKeysIsOneToo(end: (side: Side, flags: String)?, what: String) throws {
        let pair = try Self.handshake(0x0304)
        let words = Array(
            pair.wire.prefix { $0.side == .client }
                + pair.wire.drop { $0.side == .client }
                .prefix { $0.side == .server }
        )
        let read = Self.read(words, end: end)
        #expect(read.exchanges.map(\.failure) == [what])
        #expect(read.report.losses.isEmpty && read.report.counts.keylessConnections == 0)
        // What the client says behind it is encrypted: it was done with the handshake.
        let whole = Self.read(pair.wire, end: end)
        #expect(whole.exchanges.map(\.tunnel.reason) == [.noKeys])
        #expect(whole.report.counts.keylessConnections == 1)
    }

    /// What else the client said may be what is missing.
    @Test func handshakeWithMissingBytesOfTheClientIsNotUnfinished() throws {
        let pair = try Self.handshake(0x0304)
        var made = PacketBuilder()
        made.converse(pair.wire)
        let shaken = try #require(pair.wire.last { $0.side == .client }).bytes
        made.packets.removeAll { $0.bytes.suffix(shaken.count).elementsEqual(shaken) }
        #expect(PacketImport(made.packets).exchanges.map(\.tunnel.reason) == [.noKeys])
    }

    /// OpenSSL's servers answer the end of what they read with `decode_error`.
    @Test func alertToAClientThatHasGoneIsNotTheCause() throws {
        var made = PacketBuilder()
        let next = made.say(Array(try Self.handshake(0x0303).wire.prefix(2)))
        made.send(.client, "FA", next.client, next.server)
        made.send(.server, "PA", next.server, next.client + 1, [0x15, 3, 3, 0, 2, 2, 50])
        made.send(.server, "FA", next.server + 7, next.client + 1)
        #expect(
            PacketImport(made.packets).exchanges.map(\.failure) == [
                "the client closed the connection before the TLS handshake was done, after the server's certificate"
            ]
        )
    }

    @Test(arguments: [0x0303, 0x0304] as [Int32]) func alertBehindAWholeHandshakeIsNoFailureOfIt(
        version: Int32
    )
        throws
    {
        let pair = try Self.handshake(version)
        let shaken = pair.wire
        // A record that does not open.
        let broken: [UInt8] = [0x17, 3, 3, 0, 20] + [UInt8](repeating: 9, count: 20)
        BIO_write(SSL_get_rbio(pair.server), broken, Int32(broken.count))
        var byte: UInt8 = 0
        SSL_read(pair.server, &byte, 1)
        ERR_clear_error()
        pair.close()
        ERR_clear_error()
        let alert = pair.wire.dropFirst(shaken.count).filter { $0.side == .server }.flatMap(\.bytes)
        #expect(!alert.isEmpty)

        var made = PacketBuilder()
        let next = made.say(shaken)
        made.send(.client, "FA", next.client, next.server)
        made.send(.server, "PA", next.server, next.client + 1, alert)
        made.send(.server, "FA", next.server + UInt32(alert.count), next.client + 1)
        let read = PacketImport(made.packets, keyLog: pair.keyLog)
        #expect(read.exchanges.isEmpty && read.report.losses.isEmpty)
    }

    @Test func handshakeWithoutARequestIsNoFailure() throws {
        let pair = try Self.handshake(0x0304)
        var made = PacketBuilder()
        made.converse(pair.wire)
        #expect(PacketImport(made.packets, keyLog: pair.keyLog).exchanges.isEmpty)
    }

    @Test(arguments: ["FA", "RA"]) func tunnelThatIsClosedBeforeAnythingIsSaidInItIsAFailedExchange(
        flags: String
    ) {
        let read = Self.read(Self.connect, end: (.server, flags))
        #expect(
            read.exchanges.map(\.failure) == [
                "connection closed by the server before anything was said in the proxy's tunnel"
            ]
        )
        #expect(read.exchanges.map(\.request.url.text) == ["https://op.example/"])
        #expect(Self.read(Self.connect, end: (.client, flags)).exchanges.isEmpty)
    }

    /// As a balancer's check of whether somebody listens.
    @Test func clientThatSaysNothingIsNotOneOfWhichADirectionIsMissing() {
        let alert: [UInt8] = [0x15, 3, 3, 0, 2, 2, 50]
        for end in [(Side.client, "FA"), (.server, "FA")] {
            let read = Self.read([(.server, alert)], end: end)
            #expect(read.exchanges.isEmpty && read.report.losses.isEmpty)
            #expect(read.report.counts.oneWayConnections == 0 && read.report.counts.unreadConnections == 0)
        }
    }
}
