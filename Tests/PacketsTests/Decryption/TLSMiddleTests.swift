import COpenSSL
import Captures
import Packets
import TestSupport
import Testing
import Wire

/// Connections of TLS 1.3 that began before the capture, in their handshake or long ago.
struct TLSMiddleTests {
    private typealias Damage = TLSDamageTests

    private static let suites = [
        "TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256",
    ]

    /// Where the second words of a client begin, with which it ends its handshake.
    private static func end(of wire: [(side: Side, bytes: [UInt8])]) throws -> Int {
        try #require(wire.indices.filter { wire[$0].side == .client }.dropFirst().first)
    }

    /// What the server says behind its hello, from each of its records on, and what follows that.
    private static func wiresBehindTheHello(_ pair: TLSPair) throws -> [[(side: Side, bytes: [UInt8])]] {
        let end = try end(of: pair.wire)
        let flight = pair.wire[..<end].filter { $0.side == .server }.flatMap(\.bytes)
        var wires = [Array(pair.wire[end...])]
        var place = 0
        while place < flight.count {
            place += 5 + Int(flight[place + 3]) << 8 + Int(flight[place + 4])
            guard place < flight.count else { break }
            wires.append([(.server, Array(flight[place...]))] + pair.wire[end...])
        }
        return wires
    }

    @Test(arguments: suites, [false, true])
    func handshakeWhoseHellosAreMissing(_ suite: String, showsCertificate: Bool) throws {
        var options = TLSPair.Options()
        options.suites = suite
        options.asksForCertificate = showsCertificate
        options.showsCertificate = showsCertificate
        let pair = try TLSPair(options)
        try pair.handshake()
        for number in 0..<3 {
            for side in [Side.client, .server] { try pair.send(Damage.line(number, side, 900), from: side) }
        }
        let other = try Damage.pair(suite, records: 1)
        let keys = TLSKeyLog(other.keyLog + pair.keyLog)
        let wires = try Self.wiresBehindTheHello(pair)
        #expect(wires.count > 2)
        for wire in wires {
            let reading = TLSReading(wire, keys: keys)
            for side in [Side.client, .server] { #expect(Damage.numbers(reading, side) == [0, 1, 2]) }
            #expect(reading.reasons.isEmpty && reading.lost.isEmpty, "\(reading.reasons)")
            #expect(reading.facts.map(\.version) == ["TLSv1.3"])
            #expect(reading.facts.map(\.cipherSuite) == [suite])
        }
    }

    /// Those of the handshake are in no log that has what follows alone: its end is passed over then.
    @Test func handshakeOfWhichThereAreNoSecrets() throws {
        let pair = try Damage.pair(Self.suites[0], records: 3)
        let lines = String(decoding: pair.keyLog, as: UTF8.self).split(separator: "\n")
        let keys = TLSKeyLog(lines.filter { $0.contains("_TRAFFIC_SECRET_0 ") }.joined(separator: "\n"))
        for wire in try Self.wiresBehindTheHello(pair) {
            let reading = TLSReading(wire, keys: keys)
            for side in [Side.client, .server] { #expect(Damage.numbers(reading, side) == [0, 1, 2]) }
            #expect(reading.reasons.isEmpty && reading.lost.isEmpty, "\(reading.reasons)")
        }
    }

    /// TLS 1.2 makes its keys of both hellos; nothing that it says is taken for another hello.
    @Test func handshakeOfTLS12WhoseHellosAreMissing() throws {
        let pair = try Damage.pair("ECDHE-RSA-AES128-GCM-SHA256", records: 3)
        let other = try Damage.pair(Self.suites[0], records: 3)
        let end = try Self.end(of: pair.wire)
        for keys in [pair.keys, other.keys] {
            let reading = TLSReading(Array(pair.wire[end...]), keys: keys)
            #expect(reading.plaintext.values.allSatisfy { $0.isEmpty } && reading.facts.isEmpty)
            #expect(
                reading.reasons == [
                    .init(text: "it begins in the middle: its handshake is not in the capture", side: nil)
                ]
            )
        }
    }

    /// What the server asked for with its first hello.
    @Test func helloThatFollowsOnAnotherOne() throws {
        var options = TLSPair.Options()
        options.versions = TLS1_3_VERSION...TLS1_3_VERSION
        options.clientGroups = "X25519:P-256"
        options.serverGroups = "P-256"
        let pair = try TLSPair(options)
        try pair.handshake()
        try pair.send(Damage.line(0, .client, 100), from: .client)
        try pair.send(Damage.line(0, .server, 100), from: .server)
        let reading = TLSReading(Array(pair.wire[try Self.end(of: pair.wire)...]), keys: pair.keys)
        #expect(Damage.numbers(reading, .client) == [0] && Damage.numbers(reading, .server) == [0])
        #expect(reading.reasons.isEmpty && reading.lost.isEmpty, "\(reading.reasons)")
    }

    /// What is missing of a server's flight ends with a record; the messages behind that are read, which tell that the handshake ended.
    @Test func messagesBehindMissingOnesAreRead() throws {
        let pair = try Damage.pair(Self.suites[0], records: 3)
        // From ChangeCipherSpec, EncryptedExtensions, Certificate, CertificateVerify and Finished on.
        for (first, flight) in try Self.wiresBehindTheHello(pair).dropFirst().enumerated() {
            let whole = pair.wire.first { $0.side == .server }?.bytes.count ?? 0
            var wire = Damage.whole([pair.wire[0]] + flight)
            wire[1].lost = whole - wire[1].bytes.count
            let reading = Damage.read(wire, pair.keys)
            for side in [Side.client, .server] { #expect(Damage.numbers(reading, side) == [0, 1, 2]) }
            #expect(reading.facts.map(\.showsServerCertificate) == [first < 3])
            #expect(reading.reasons.isEmpty && reading.lost.isEmpty, "\(reading.reasons)")
        }
    }

    /// Who asks for that has the other side do so as well.
    @Test(arguments: suites, 1...3)
    func keysThatWereUpdatedBeforeAreFound(_ suite: String, updates: Int) throws {
        var options = TLSPair.Options()
        options.suites = suite
        let pair = try TLSPair(options)
        try pair.handshake()
        var place = 0
        for number in 0...4 {
            if (1...updates).contains(number) { try pair.updateKeys(.client, requestsOther: true) }
            place = pair.wire.count
            for side in [Side.client, .server] { try pair.send(Damage.line(number, side, 900), from: side) }
        }
        let other = try Damage.pair(suite, records: 1)
        let reading = TLSReading(Array(pair.wire[place...]), keys: TLSKeyLog(other.keyLog + pair.keyLog))
        for side in [Side.client, .server] { #expect(Damage.numbers(reading, side) == [4]) }
        #expect(reading.reasons.isEmpty && reading.lost.isEmpty, "\(reading.reasons)")
    }

    /// A record that is broken, or of early data, has no secret; that of the next one shows.
    @Test func recordOfNoSecretInFrontIsPassedOver() throws {
        let pair = try Damage.pair(Self.suites[0], records: 12)
        let broken: [UInt8] = [23, 3, 3, 0, 40] + [UInt8](repeating: 7, count: 40)
        for count in [1, 7, 8] {
            let wire = [(side: Side.client, bytes: [UInt8]((0..<count).flatMap { _ in broken }))]
            let reading = TLSReading(wire + pair.wire.suffix(4), keys: pair.keys)
            #expect(Damage.numbers(reading, .client) == (count < 8 ? [10, 11] : []))
            #expect(Damage.numbers(reading, .server) == (count < 8 ? [10, 11] : []))
            #expect(reading.reasons.count == (count < 8 ? 0 : 1))
        }
    }

    /// Behind a record of no secret the next one is missing, or a part of both.
    @Test(arguments: [45, 20]) func bytesThatAreMissingBehindARecordOfNoSecretAreLeaptOver(count: Int) throws
    {
        let pair = try Damage.pair(Self.suites[0], records: 12)
        let broken: [UInt8] = [23, 3, 3, 0, 40] + [UInt8](repeating: 7, count: 40)
        var wire = Damage.whole([(.client, broken), (.client, Array(broken.prefix(count)))])
        wire += Damage.whole(Array(pair.wire.suffix(4)))
        wire[2].lost = 500
        let reading = Damage.read(wire, pair.keys)
        #expect(
            Damage.numbers(reading, .client) == [10, 11] && Damage.numbers(reading, .server) == [10, 11]
        )
        #expect(reading.reasons.isEmpty, "\(reading.reasons)")
    }

    /// Until it is known whose a connection is the server may be anywhere in a record.
    @Test func restOfAServersRecordBehindOneOfNoSecretIsNoOtherProtocol() throws {
        let pair = try Damage.pair(Self.suites[0], records: 12)
        let broken: [UInt8] = [23, 3, 3, 0, 40] + [UInt8](repeating: 7, count: 40)
        let rest = [UInt8](repeating: 0x55, count: 300)
        let wire = [(side: Side.client, bytes: broken), (.server, rest)] + pair.wire.suffix(4)
        let reading = TLSReading(wire, keys: pair.keys)
        #expect(
            Damage.numbers(reading, .client) == [10, 11] && Damage.numbers(reading, .server) == [10, 11]
        )
        #expect(reading.reasons.isEmpty, "\(reading.reasons)")
    }

    /// Who gives leave for more of an upload sends a record of its own while the client is within one.
    @Test(arguments: [false, true]) func restOfAClientsRecordBehindOneOfTheServersIsNoOtherProtocol(
        isLost: Bool
    ) throws {
        var options = TLSPair.Options()
        options.versions = TLS1_3_VERSION...TLS1_3_VERSION
        let pair = try TLSPair(options)
        try pair.handshake()
        try pair.send(Damage.line(0, .client, 5000), from: .client)
        try pair.send(Damage.line(0, .server, 100), from: .server)
        let before = pair.wire.count
        try pair.send(Array("GET /a HTTP/1.1\r\nHost: op\r\n\r\n".utf8), from: .client)
        try pair.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8), from: .server)
        // The server's words come within the client's record, whose last 600 bytes follow them, or are not there.
        var made = PacketBuilder()
        let (upload, leave) = (pair.wire[before - 2].bytes, pair.wire[before - 1].bytes)
        let next = 1001 + UInt32(upload.count)
        made.send(.server, "PA", 5001, next - 600, leave)
        if !isLost { made.send(.client, "PA", next - 600, 5001 + UInt32(leave.count), upload.suffix(600)) }
        let (asked, answer) = (pair.wire[before].bytes, pair.wire[before + 1].bytes)
        made.send(.client, "PA", next, 5001 + UInt32(leave.count), asked)
        made.send(.server, "PA", 5001 + UInt32(leave.count), next + UInt32(asked.count), answer)
        let read = PacketImport(made.packets, keyLog: pair.keyLog)
        #expect(read.exchanges.map(\.request.url.path) == ["/a"])
        #expect(read.exchanges.map(\.response?.status) == [200])
    }

    /// An app's connections to its databases began before the capture as well: their trials are not those of the one that has keys.
    @Test(arguments: [true, false]) func sixteenConnectionsOfNoKeyLeaveTrialsToOneOfManyRecords(
        isOneServer: Bool
    ) throws {
        let pair = try Damage.pair(Self.suites[0], records: 100, size: 100)
        let keys = TLSKeyLog(LostHelloTests.linesOfOthers(40) + pair.keyLog)
        let sessions = TLSSessions()
        for number in 0..<16 {
            let record: [UInt8] = [23, 3, 3, 0, 40] + [UInt8](repeating: UInt8(number), count: 40)
            let peer = isOneServer ? "10.0.0.3:5432" : "10.0.0.3:\(5432 + number)"
            let reading = TLSReading([(.client, record)], keys: keys, sessions: sessions, peer: peer)
            #expect(reading.plaintext.values.allSatisfy { $0.isEmpty } && reading.reasons.count == 1)
        }
        let place = try #require(pair.wire.lastIndex { $0.side == .client })
        let wire = Array(pair.wire[place...])
        let reading = TLSReading(wire, keys: keys, sessions: sessions, peer: "10.0.0.2:443")
        #expect(Damage.numbers(reading, .client) == [99] && Damage.numbers(reading, .server) == [99])
    }

    /// Where there are no secrets yet nothing is tried, which says nothing of the server.
    @Test func connectionsInFrontOfTheirKeysLeaveTrialsToOneOfManyRecords() throws {
        let pair = try Damage.pair(Self.suites[0], records: 300, size: 100)
        let (sessions, peer) = (TLSSessions(), "10.0.0.2:443")
        let record: [UInt8] = [23, 3, 3, 0, 40] + [UInt8](repeating: 7, count: 40)
        for _ in 0..<8 {
            let reading = TLSReading([(.client, record)], keys: TLSKeyLog(), sessions: sessions, peer: peer)
            #expect(reading.reasons.count == 1)
        }
        let place = try #require(pair.wire.lastIndex { $0.side == .client })
        let reading = TLSReading(Array(pair.wire[place...]), keys: pair.keys, sessions: sessions, peer: peer)
        #expect(Damage.numbers(reading, .client) == [299] && Damage.numbers(reading, .server) == [299])
    }

    /// From whatever packet of the handshake on, be it the middle of a record.
    @Test(arguments: [false, true]) func exchangesOfAHandshakeThatBeganBefore(isHTTP2: Bool) throws {
        var options = TLSPair.Options()
        options.versions = TLS1_3_VERSION...TLS1_3_VERSION
        options.alpn = isHTTP2 ? ["h2"] : []
        let pair = try TLSPair(options)
        try pair.handshake()
        func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
            [0, 0, UInt8(payload.count), type, flags, 0, 0, 0, stream] + payload
        }
        if isHTTP2 {
            let fields: [UInt8] = [0x82, 0x87, 0x41, 2] + Array("op".utf8) + [0x04, 2] + Array("/a".utf8)
            let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(4, 0, 0, [])
            try pair.send(preface + frame(1, 5, 1, fields), from: .client)
            try pair.send(frame(4, 0, 0, []) + frame(1, 5, 1, [0x88]), from: .server)
        } else {
            try pair.send(Array("GET /a HTTP/1.1\r\nHost: op\r\n\r\n".utf8), from: .client)
            try pair.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8), from: .server)
        }
        var made = PacketBuilder()
        // The server's words in packets of its own size, so that some begin within records.
        made.converse(
            pair.wire.flatMap { words in
                stride(from: 0, to: words.bytes.count, by: 300).map {
                    (words.side, Array(words.bytes[$0..<min(words.bytes.count, $0 + 300)]))
                }
            }
        )
        let words = made.packets.indices.filter { made.packets[$0].bytes.count > 40 }
        let clients = words.filter { made.packets[$0].bytes[12..<16].elementsEqual(made.client.address) }
        let hello = try #require(clients.first)
        let end = try #require(clients.first { $0 > hello + 1 })
        for first in (hello + 1)...end {
            let read = PacketImport(Array(made.packets[first...]), keyLog: pair.keyLog)
            #expect(read.exchanges.map(\.request.url.text) == ["https://op/a"], "from packet \(first) on")
            #expect(read.exchanges.map(\.response?.status) == [200])
            #expect(read.exchanges.map(\.connection.serverTLSVersion) == ["TLSv1.3"])
            #expect(read.report.counts.unreadConnections == 0 && read.report.losses.isEmpty)
        }
    }

    /// The connection to a proxy began before the capture, as did the one that goes through it.
    @Test(arguments: [7, 8]) func exchangesInATunnelThatBeganBefore(packets: Int) throws {
        var options = TLSPair.Options()
        options.versions = TLS1_3_VERSION...TLS1_3_VERSION
        let (inner, outer) = try (TLSPair(options), TLSPair(options))
        try inner.handshake()
        try inner.exchange(["a", "b", "c"])
        try outer.handshake()
        try outer.send(Array("CONNECT op.example:443 HTTP/1.1\r\n\r\n".utf8), from: .client)
        try outer.send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8), from: .server)
        for (side, bytes) in inner.wire { try outer.send(bytes, from: side) }
        var made = PacketBuilder()
        made.converse(outer.wire)
        let read = PacketImport(Array(made.packets.suffix(packets)), keyLog: inner.keyLog + outer.keyLog)
        #expect(read.exchanges.map(\.request.url.text) == ["https://op.example/b", "https://op.example/c"])
        #expect(read.exchanges.map(\.response?.body?.text) == ["b", "c"])
    }
}
