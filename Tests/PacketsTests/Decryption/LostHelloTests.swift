import COpenSSL
import Captures
import Packets
import TestSupport
import Testing
import Wire

/// Connections whose hellos are not in the capture, or not whole, and whose keys are in the log.
struct LostHelloTests {
    private typealias Damage = TLSDamageTests

    private static let suites = [
        "TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256",
        "TLS_AES_128_CCM_SHA256",
    ]

    /// What is missing of the server's first words.
    enum Missing: CaseIterable {
        /// Its hello, as bytes that are known to be missing.
        case hello
        /// The same, where nothing tells that something is missing.
        case helloUntold
        /// The end of its hello.
        case end
        /// All up to its tickets.
        case flight
    }

    private static func wire(_ pair: TLSPair, _ missing: Missing) throws
        -> [(side: Side, bytes: [UInt8], lost: Int)]
    {
        var wire = Damage.whole(pair.wire)
        let place = try #require(wire.firstIndex { $0.side == .server })
        let bytes = wire[place].bytes
        let hello = 5 + Int(bytes[3]) << 8 + Int(bytes[4])
        switch missing {
        case .hello: wire[place] = (.server, Array(bytes[hello...]), hello)
        case .helloUntold: wire[place] = (.server, Array(bytes[hello...]), 0)
        case .end:
            wire[place].bytes = Array(bytes[..<(hello - 30)])
            wire.insert((.server, Array(bytes[hello...]), 30), at: place + 1)
        case .flight:
            wire[place].bytes = []
            let next = try #require(wire[(place + 1)...].firstIndex { $0.side == .server })
            wire[next].lost = bytes.count
        }
        return wire
    }

    private static func expectAll(
        of reading: TLSReading,
        _ pair: TLSPair,
        _ location: SourceLocation = #_sourceLocation
    ) {
        for side in [Side.client, .server] {
            #expect(Damage.numbers(reading, side) == [0, 1, 2], "\(side)", sourceLocation: location)
        }
        #expect(
            reading.reasons.isEmpty && reading.lost.isEmpty,
            "\(reading.reasons)",
            sourceLocation: location
        )
        #expect(reading.facts.map(\.version) == [pair.version], sourceLocation: location)
        #expect(reading.facts.map(\.cipherSuite) == [pair.suite], sourceLocation: location)
    }

    @Test(arguments: suites, Missing.allCases)
    func connectionWithoutTheServersHelloIsRead(_ suite: String, _ missing: Missing) throws {
        let pair = try Damage.pair(suite, records: 3)
        Self.expectAll(of: Damage.read(try Self.wire(pair, missing), pair.keys), pair)
    }

    /// Those of the handshake are needed by nobody who has the later ones.
    @Test(arguments: suites, [Missing.hello, .helloUntold])
    func secretsOfTheDataAreEnough(_ suite: String, _ missing: Missing) throws {
        let pair = try Damage.pair(suite, records: 3)
        let lines = String(decoding: pair.keyLog, as: UTF8.self).split(separator: "\n")
        let keys = TLSKeyLog(lines.filter { $0.contains("_TRAFFIC_SECRET_0 ") }.joined(separator: "\n"))
        Self.expectAll(of: Damage.read(try Self.wire(pair, missing), keys), pair)
    }

    /// A connection without all that the server says in front of its first answer.
    private static func wireWithoutFirstWords(_ pair: TLSPair) -> [(side: Side, bytes: [UInt8], lost: Int)] {
        var wire = Damage.whole(pair.wire)
        let places = wire.indices.filter { wire[$0].side == .server }
        let first = places[places.count - 3]
        for place in places.prefix(places.count - 3) {
            wire[first].lost += wire[place].bytes.count
            wire[place].bytes = []
        }
        return wire
    }

    /// What the client asked while the server's first words were missing was asked before the first answer.
    @Test func questionsStandBeforeTheirAnswers() throws {
        let pair = try Damage.pair(Self.suites[0], records: 3)
        let reading = Damage.read(Self.wireWithoutFirstWords(pair), pair.keys)
        #expect(
            Damage.numbers(reading, .client) == [0, 1, 2] && Damage.numbers(reading, .server) == [0, 1, 2]
        )
        #expect(reading.turns == [.client, .server, .client, .server, .client, .server])
        #expect(reading.reasons.isEmpty, "\(reading.reasons)")
    }

    /// What the client said before ends the reading of both: the answer that let it be read is not given behind that.
    @Test func nothingComesBehindTheEndOfBoth() throws {
        let pair = try Damage.pair(Self.suites[0], records: 3)
        var wire = Self.wireWithoutFirstWords(pair)
        // ChangeCipherSpec, and a ClientHello of two bytes.
        wire.insert((.client, [20, 3, 3, 0, 1, 1, 22, 3, 3, 0, 6, 1, 0, 0, 2, 0, 0], 0), at: 1)
        let reading = Damage.read(wire, pair.keys)
        #expect(reading.plaintext.values.allSatisfy { $0.isEmpty })
        #expect(reading.reasons.map { $0.text.hasPrefix("its ClientHello of ") } == [true])
    }

    /// TLS 1.2 makes keys of the server's random as well; other keys open nothing.
    @Test(
        arguments: [("ECDHE-RSA-AES128-GCM-SHA256", true), ("TLS_AES_128_GCM_SHA256", false)],
        Missing.allCases
    )
    func connectionThatTakesTheServersHelloIsNot(row: (suite: String, hasKeys: Bool), missing: Missing) throws
    {
        let pair = try Damage.pair(row.suite, records: 3)
        let reading = Damage.read(try Self.wire(pair, missing), row.hasKeys ? pair.keys : TLSKeyLog())
        #expect(reading.plaintext.values.allSatisfy { $0.isEmpty })
        let told = reading.reasons.filter { $0.text.hasPrefix("its ServerHello is not whole") }
        #expect(!told.isEmpty)
        #expect(told.allSatisfy { $0.text.contains("of whose random TLS 1.2 and before") == row.hasKeys })
        #expect(reading.facts.isEmpty)
    }

    /// Neither side can be read for one and the same reason.
    @Test func whatIsMissingOfItIsToldOnce() throws {
        let pair = try TLSPair(.init(versions: TLS1_2_VERSION...TLS1_2_VERSION))
        try pair.handshake()
        try pair.exchange(["a"])
        var made = PacketBuilder()
        made.converse(pair.wire)
        let flight = try #require(pair.wire.first { $0.side == .server }).bytes
        made.packets.removeAll { $0.bytes.dropFirst(40).starts(with: flight.prefix(40)) }
        let told = PacketImport(made.packets, keyLog: pair.keyLog).report.losses.map(\.what)
        #expect(told.count == 1 && told.allSatisfy { $0.contains("its ServerHello is not whole") }, "\(told)")
    }

    @Test(arguments: suites, Missing.allCases)
    func keysOfItMayComeLate(_ suite: String, _ missing: Missing) throws {
        let pair = try Damage.pair(suite, records: 3)
        for isGiven in [true, false] {
            var stream = TLSStream(holdingForKeys: 1 << 20)
            var reading = TLSReading()
            for (side, bytes, lost) in try Self.wire(pair, missing) {
                if lost > 0 { stream.lost(lost, from: side, into: &reading) }
                bytes.withUnsafeBytes { stream.receive($0, from: side, keys: TLSKeyLog(), into: &reading) }
            }
            #expect(stream.waitsForKeys && reading == TLSReading())
            guard isGiven else {
                stream.abandon(into: &reading)
                #expect(reading.reasons.map { $0.text.hasPrefix("its ServerHello is not whole") } == [true])
                continue
            }
            stream.keysAdded(pair.keys, into: &reading)
            Self.expectAll(of: reading, pair)
        }
    }

    /// Of a hello that went in several packets the first one has what keys are found by.
    @Test(arguments: suites + ["ECDHE-RSA-AES128-GCM-SHA256", "AES128-SHA"], [false, true])
    func connectionWithHalfAClientsHelloIsRead(_ suite: String, andMore: Bool) throws {
        for missing in [1, 20, 60] {
            try Self.expectAll(of: suite, withoutTheLast: missing, andMore: andMore)
        }
    }

    /// `missing`: bytes of the client's hello; `andMore`: all that it says up to its first data is missing as well.
    private static func expectAll(of suite: String, withoutTheLast missing: Int, andMore: Bool) throws {
        let pair = try Damage.pair(suite, records: 3)
        var wire = Damage.whole(pair.wire)
        let places = wire.indices.filter { wire[$0].side == .client }
        wire[places[0]].bytes.removeLast(missing)
        if andMore {
            wire[places[2]].lost = missing + wire[places[1]].bytes.count
            wire[places[1]].bytes = []
        } else {
            wire[places[1]].lost = missing
        }
        expectAll(of: Damage.read(wire, pair.keys), pair)
    }

    // MARK: - Neither hello

    /// The capture began later; which of the log's connections it is, nothing tells but what opens it.
    @Test(arguments: suites.prefix(3), [0, 1, 9])
    func connectionThatBeganBeforeTheCaptureIsRead(_ suite: String, _ first: Int) throws {
        let pair = try Damage.pair(suite, records: 12)
        let other = try Damage.pair(suite, records: 1)
        let keys = TLSKeyLog(other.keyLog + pair.keyLog)
        let place = Array(pair.wire.indices.filter { pair.wire[$0].side == .client }.suffix(12))[first]
        for wire in [pair.wire[place...], pair.wire[(place - 1)...]] {
            let reading = TLSReading(Array(wire), keys: keys)
            #expect(Damage.numbers(reading, .client) == Array(first..<12))
            #expect(Damage.numbers(reading, .server).suffix(12 - first) == Array(first..<12)[...])
            #expect(reading.reasons.isEmpty && reading.lost.isEmpty, "\(reading.reasons)")
            #expect(reading.facts.map(\.version) == ["TLSv1.3"])
            #expect(reading.facts.map(\.cipherSuite) == [suite])
        }
        let others = TLSReading(Array(pair.wire[place...]), keys: other.keys)
        #expect(others.plaintext.values.allSatisfy { $0.isEmpty })
        #expect(
            others.reasons.map(\.text) == ["it begins in the middle: its handshake is not in the capture"]
        )
    }

    /// The secrets of a hello that was seen are of its own connection.
    @Test func keysOfOtherConnectionsAreNotTried() throws {
        let pair = try Damage.pair(Self.suites[0], records: 3)
        let sessions = TLSSessions()
        _ = TLSReading(pair.wire, keys: pair.keys, sessions: sessions)
        let place = try #require(pair.wire.lastIndex { $0.side == .client })
        let reading = TLSReading(Array(pair.wire[place...]), keys: pair.keys, sessions: sessions)
        #expect(reading.plaintext.values.allSatisfy { $0.isEmpty } && reading.reasons.count == 1)
    }

    /// An answer that is missing then would else be the next one.
    @Test func whatIsMissingBehindTheFirstRecordIsTold() throws {
        let pair = try Damage.pair(Self.suites[0], records: 3)
        var wire = Damage.whole(Array(pair.wire.suffix(4)))
        let count = wire[1].bytes.count
        (wire[1].bytes, wire[3].lost) = ([], count)
        let reading = Damage.read(wire, pair.keys)
        #expect(Damage.numbers(reading, .client) == [1, 2] && Damage.numbers(reading, .server) == [2])
        #expect(reading.lost == [.server: [count]])
    }

    /// Of an answer in front of the first request a packet is missing, and its end comes behind that request.
    @Test func recordWithAHoleInFrontOfTheFirstRecordEndsWhereItEnds() throws {
        let pair = try Damage.pair(Self.suites[0], records: 3)
        var wire = Damage.whole(Array(pair.wire.suffix(5)))
        let answer = wire.removeFirst().bytes
        wire.insert((.server, Array(answer[200...]), 0), at: 1)
        wire.insert((.server, Array(answer[150..<200]), 50), at: 0)
        wire.insert((.server, Array(answer[..<100]), 0), at: 0)
        let reading = Damage.read(wire, pair.keys)
        #expect(Damage.numbers(reading, .client) == [1, 2] && Damage.numbers(reading, .server) == [1, 2])
        #expect(reading.reasons.isEmpty && reading.lost.isEmpty, "\(reading.reasons)")
    }

    /// What has its addresses changed on one machine is in its capture twice.
    @Test func connectionIsReadAsOftenAsItIsThere() throws {
        let pair = try Damage.pair(Self.suites[0], records: 3)
        let sessions = TLSSessions()
        let place = try #require(pair.wire.lastIndex { $0.side == .client })
        for _ in 0..<2 {
            let reading = TLSReading(Array(pair.wire[place...]), keys: pair.keys, sessions: sessions)
            #expect(Damage.numbers(reading, .client) == [2] && Damage.numbers(reading, .server) == [2])
        }
    }

    /// An app's connections to its database begin before the capture as well, and no log has their keys.
    @Test func connectionsOfNoKeyLeaveTrialsToOthers() throws {
        let pair = try Damage.pair(Self.suites[0], records: 3)
        let keys = TLSKeyLog(Self.linesOfOthers(3) + pair.keyLog)
        let sessions = TLSSessions()
        let place = try #require(pair.wire.lastIndex { $0.side == .client })
        for number in 0..<30 {
            let record: [UInt8] = [23, 3, 3, 0, 40] + [UInt8](repeating: UInt8(number), count: 40)
            let reading = TLSReading([(.client, record)], keys: keys, sessions: sessions)
            #expect(reading.plaintext.values.allSatisfy { $0.isEmpty } && reading.reasons.count == 1)
        }
        let reading = TLSReading(Array(pair.wire[place...]), keys: keys, sessions: sessions)
        #expect(Damage.numbers(reading, .client) == [2] && Damage.numbers(reading, .server) == [2])
    }

    /// So many lines of connections that are not in the capture.
    static func linesOfOthers(_ count: Int, _ label: String = "CLIENT_TRAFFIC_SECRET_0") -> [UInt8] {
        let lines = (1...count).map { number in
            let random = String(number, radix: 16)
            return label + " " + String(repeating: "0", count: 64 - random.utf8.count) + random
                + " " + String(repeating: "5a", count: 32) + "\n"
        }
        return Array(lines.joined().utf8)
    }

    /// A log may be as old as the capture, and go on behind it, or be much older.
    @Test(arguments: [false, true]) func keysStandAtEitherEndOfALongLog(isLast: Bool) throws {
        let pair = try Damage.pair(Self.suites[0], records: 3)
        let others = Self.linesOfOthers(1000)
        let keys = TLSKeyLog(isLast ? others + pair.keyLog : pair.keyLog + others)
        let place = try #require(pair.wire.lastIndex { $0.side == .client })
        let reading = TLSReading(Array(pair.wire[place...]), keys: keys)
        #expect(Damage.numbers(reading, .client) == [2] && Damage.numbers(reading, .server) == [2])
        #expect(reading.reasons.isEmpty, "\(reading.reasons)")
    }

    /// That of a browser is written to for months.
    @Test(arguments: [false, true]) func keysOfLostHellosStandAtEitherEndOfOneToo(isLast: Bool) throws {
        var packets: [MadePacket] = []
        var keyLog: [UInt8] = []
        // More than there are trials for where each costs as many as there are others.
        let connections: Range<UInt16> = 0..<40
        for number in connections {
            let made = try Self.withoutTheClientsHello(50_000 + number)
            packets += made.packets
            keyLog += made.keyLog
        }
        let others = Self.linesOfOthers(1100, "SERVER_HANDSHAKE_TRAFFIC_SECRET")
        let read = PacketImport(packets, keyLog: isLast ? others + keyLog : keyLog + others)
        #expect(read.exchanges.map(\.request.url.path) == connections.map { _ in "/a" })
    }

    /// So many would take all trials that there are, were each tried as often as the first.
    @Test func connectionsOfNoKeyLeaveTrialsToOneWithoutItsHello() throws {
        let keyless = try (0..<20).flatMap { try Self.withoutTheClientsHello(50_000 + $0).packets }
        let made = try Self.withoutTheClientsHello(50_100)
        let keyLog = Self.linesOfOthers(1100, "SERVER_HANDSHAKE_TRAFFIC_SECRET") + made.keyLog
        let read = PacketImport(keyless + made.packets, keyLog: keyLog)
        #expect(read.exchanges.filter { $0.request.method == "GET" }.count == 1)
        #expect(read.report.counts.unreadConnections == 20)
    }

    /// A connection of TLS 1.3 with one exchange, whose ClientHello was dropped.
    private static func withoutTheClientsHello(_ port: UInt16) throws -> (
        packets: [MadePacket], keyLog: [UInt8]
    ) {
        var options = TLSPair.Options()
        options.versions = TLS1_3_VERSION...TLS1_3_VERSION
        let pair = try TLSPair(options)
        try pair.handshake()
        try pair.send(Array("GET /a HTTP/1.1\r\nHost: op.example\r\n\r\n".utf8), from: .client)
        try pair.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8), from: .server)
        var made = PacketBuilder(client: Endpoint(address: [10, 0, 0, 1], port: port))
        made.converse(pair.wire)
        made.packets.remove(at: try #require(made.packets.firstIndex { $0.bytes.count > 40 }))
        return (made.packets, pair.keyLog)
    }

    /// The keys of others are tried on the client's record; what that costs is not missing where its server's numbers are.
    @Test func numbersOfTheServerAreTriedAllTheSame() throws {
        var options = TLSPair.Options()
        options.versions = TLS1_3_VERSION...TLS1_3_VERSION
        options.suites = Self.suites[0]
        let pair = try TLSPair(options)
        try pair.handshake()
        for number in 0...50 {
            try pair.send(Damage.line(number, .client, 100), from: .client)
            try pair.send(Damage.line(number, .server, 16_000), from: .server)
        }
        let keys = TLSKeyLog(Self.linesOfOthers(255) + pair.keyLog)
        let place = try #require(pair.wire.lastIndex { $0.side == .client })
        let reading = TLSReading(Array(pair.wire[place...]), keys: keys)
        #expect(Damage.numbers(reading, .client) == [50] && Damage.numbers(reading, .server) == [50])
        #expect(reading.reasons.isEmpty, "\(reading.reasons)")
    }

    private static func threeExchanges() throws -> (PacketBuilder, keyLog: [UInt8]) {
        var options = TLSPair.Options()
        options.versions = TLS1_3_VERSION...TLS1_3_VERSION
        let pair = try TLSPair(options)
        try pair.handshake()
        try pair.exchange(["a", "b", "c"])
        var made = PacketBuilder()
        made.converse(pair.wire)
        return (made, pair.keyLog)
    }

    /// Also where an answer comes first, whose request is not there.
    @Test(arguments: [7, 8]) func exchangesThatBeginInTheCaptureAreFound(packets: Int) throws {
        let (made, keyLog) = try Self.threeExchanges()
        // Two requests with their answers, and the three packets of the end.
        let read = PacketImport(Array(made.packets.suffix(packets)), keyLog: keyLog)
        #expect(read.exchanges.map(\.request.url.text) == ["https://op.example/b", "https://op.example/c"])
        #expect(read.exchanges.map(\.response?.body?.text) == ["b", "c"])
        #expect(read.report.counts.unreadConnections == 0 && read.report.losses.isEmpty)
    }

    /// Of what is missing behind the first request it shows by what its client has of the server when it asks again.
    @Test func anAnswerThatIsMissingBehindTheFirstRequestIsNotTheNextOne() throws {
        let (made, keyLog) = try Self.threeExchanges()
        // Without the answer to the first of two requests.
        var packets = Array(made.packets.suffix(7))
        packets.remove(at: 1)
        let read = PacketImport(packets, keyLog: keyLog)
        let answers = read.exchanges.map { "\($0.request.url.path) \($0.response?.body?.text ?? "")" }
        #expect(answers.sorted() == ["/b ", "/c c"])
        let failures = read.exchanges.compactMap(\.failure)
        #expect(failures.count == 1 && failures.allSatisfy { $0.contains("not in the capture") })
    }

    /// The packet with the client's hello was dropped: the first record that is encrypted says which of the keys are its own.
    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION], [true, false])
    func exchangesBehindALostHelloOfTheClient(version: Int32, hasSYN: Bool) throws {
        var options = TLSPair.Options()
        options.versions = version...version
        func pair() throws -> TLSPair {
            let pair = try TLSPair(options)
            try pair.handshake()
            try pair.send(Array("GET /a HTTP/1.1\r\nHost: op.example\r\n\r\n".utf8), from: .client)
            try pair.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8), from: .server)
            return pair
        }
        let (other, pair) = try (pair(), pair())
        var made = PacketBuilder()
        made.converse(pair.wire)
        let hello = try #require(made.packets.firstIndex { $0.bytes.count > 40 })
        made.packets.remove(at: hello)
        if !hasSYN { made.packets.removeFirst(hello) }
        let read = PacketImport(made.packets, keyLog: other.keyLog + pair.keyLog)
        #expect(read.exchanges.map(\.request.url.text) == ["https://op.example/a"])
        #expect(read.exchanges.map(\.response?.body?.text) == ["ok"])
        #expect(read.exchanges.map(\.connection.serverTLSVersion) == [pair.version])
        let closed = PacketImport(made.packets, keyLog: other.keyLog)
        #expect(closed.exchanges.map(\.tunnel.reason) == [.notWhole])
        #expect(
            closed.report.losses.map(\.what).contains {
                $0.hasSuffix("its ClientHello is not in the capture, by which keys are found")
            }
        )
    }

    /// The packet with the server's hello was dropped.
    @Test func exchangesOfIt() throws {
        var options = TLSPair.Options()
        options.versions = TLS1_3_VERSION...TLS1_3_VERSION
        options.serverName = "op.example"
        let pair = try TLSPair(options)
        try pair.handshake()
        try pair.send(Array("GET /a HTTP/1.1\r\nHost: op.example\r\n\r\n".utf8), from: .client)
        try pair.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8), from: .server)
        var made = PacketBuilder()
        made.converse(pair.wire)
        let hello = try #require(pair.wire.first { $0.side == .server }).bytes.prefix(40)
        let place = try #require(made.packets.firstIndex { $0.bytes.dropFirst(40).starts(with: hello) })
        made.packets.remove(at: place)
        let read = PacketImport(made.packets, keyLog: pair.keyLog)
        #expect(read.exchanges.map(\.request.url.text) == ["https://op.example/a"])
        #expect(read.exchanges.map(\.response?.body?.text) == ["ok"])
        #expect(read.exchanges.map(\.connection.serverTLSVersion) == ["TLSv1.3"])
    }
}
