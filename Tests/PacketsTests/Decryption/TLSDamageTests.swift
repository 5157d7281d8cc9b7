import COpenSSL
import Packets
import TestSupport
import Testing
import Wire

/// Connections of which not everything is there, or not as it was: what can be read is read, and nothing else is.
struct TLSDamageTests {
    typealias Wire = [(side: Side, bytes: [UInt8])]

    static let suites = [
        "TLS_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256", "ECDHE-RSA-AES128-GCM-SHA256", "AES128-SHA",
        "ECDHE-RSA-CHACHA20-POLY1305",
    ]

    /// A connection with `records` lines of text from each side, one to a record.
    static func pair(_ suite: String, records: Int = 20, size: Int = 1000) throws -> TLSPair {
        var options = TLSPair.Options()
        if suite.hasPrefix("TLS_") {
            options.suites = suite
        } else {
            options.versions = TLS1_2_VERSION...TLS1_2_VERSION
            options.ciphers = suite
        }
        let pair = try TLSPair(options)
        try pair.handshake()
        for number in 0..<records {
            for side in [Side.client, .server] { try pair.send(line(number, side, size), from: side) }
        }
        return pair
    }

    static func line(_ number: Int, _ side: Side, _ size: Int) -> [UInt8] {
        let text = Array("\(side.rawValue) \(number) ".utf8)
        return text + Array(repeating: 0x2e, count: size - text.count - 1) + [0x0a]
    }

    /// The numbers of the whole lines that were read.
    static func numbers(_ reading: TLSReading, _ side: Side) -> [Int] {
        String(decoding: reading.plaintext[side] ?? [], as: UTF8.self).split(separator: "\n").compactMap {
            let words = $0.split(separator: " ")
            return words.count == 3 && words[0] == side.rawValue ? Int(words[1]) : nil
        }
    }

    /// The index of the record with this line of the server's in `wire`.
    static func place(of number: Int, records: Int = 20, in wire: Wire) -> Int {
        wire.indices.filter { wire[$0].side == .server }.suffix(records)[
            wire.indices.filter { wire[$0].side == .server }.suffix(records).startIndex + number
        ]
    }

    /// Reads with holes: nil bytes of an entry are missing, by count.
    static func read(_ wire: [(side: Side, bytes: [UInt8], lost: Int)], _ keys: TLSKeyLog) -> TLSReading {
        var stream = TLSStream()
        var reading = TLSReading()
        for (side, bytes, lost) in wire {
            if lost > 0 { stream.lost(lost, from: side, into: &reading) }
            bytes.withUnsafeBytes { stream.receive($0, from: side, keys: keys, into: &reading) }
        }
        for side in [Side.client, .server] { stream.ended(side, keys: keys, into: &reading) }
        return reading
    }

    static func whole(_ wire: Wire) -> [(side: Side, bytes: [UInt8], lost: Int)] {
        wire.map { ($0.side, $0.bytes, 0) }
    }

    // MARK: - Missing bytes

    @Test(arguments: suites)
    func recordBehindAHoleInARecordIsRead(_ suite: String) throws {
        let pair = try Self.pair(suite)
        let place = Self.place(of: 7, in: pair.wire)
        var wire = Self.whole(pair.wire)
        let bytes = wire[place].bytes
        wire[place].bytes = Array(bytes[..<300])
        wire.insert((.server, Array(bytes[500...]), 200), at: place + 1)
        let reading = Self.read(wire, pair.keys)
        #expect(Self.numbers(reading, .server) == Array(0..<7) + Array(8..<20))
        #expect(Self.numbers(reading, .client) == Array(0..<20))
        #expect(reading.reasons.isEmpty && reading.lost[.server]?.count == 1)
        #expect(try #require(reading.lost[.server]?.first) >= 1000)
    }

    @Test(arguments: suites, [1, 2, 9])
    func recordBehindMissingRecordsIsRead(_ suite: String, missing: Int) throws {
        let pair = try Self.pair(suite)
        let places = (7..<7 + missing).map { Self.place(of: $0, in: pair.wire) }
        var wire = Self.whole(pair.wire)
        // Up to the middle of the last one, and from the middle of the one before on.
        let before = places[0] - 2
        var lost = wire[before].bytes.count - 400
        wire[before].bytes = Array(wire[before].bytes[..<400])
        for place in places.dropLast() {
            lost += wire[place].bytes.count
            wire[place].bytes = []
        }
        let last = places[missing - 1]
        lost += 100
        wire[last] = (.server, Array(wire[last].bytes[100...]), lost)
        let reading = Self.read(wire, pair.keys)
        #expect(Self.numbers(reading, .server) == Array(0..<6) + Array((7 + missing)..<20))
        #expect(reading.reasons.isEmpty && reading.lost[.server]?.count == 1)
    }

    @Test(arguments: ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384"])
    func holeWithAKeyUpdateInItIsLeaptOver(_ suite: String) throws {
        let pair = try Self.pair(suite, records: 3)
        try pair.updateKeys(.server, requestsOther: false)
        let update = pair.wire.count - 1
        try pair.send(Self.line(3, .server, 1000), from: .server)
        try pair.send(Self.line(4, .server, 1000), from: .server)
        var wire = Self.whole(pair.wire)
        let lost = wire[update].bytes.count + wire[update + 1].bytes.count
        wire.removeSubrange(update...(update + 1))
        wire[update].lost = lost
        let reading = Self.read(wire, pair.keys)
        #expect(Self.numbers(reading, .server) == [0, 1, 2, 4])
        #expect(reading.reasons.isEmpty && reading.lost[.server]?.count == 1)
    }

    @Test(arguments: suites)
    func holeInTheServersFlightIsLeaptOver(_ suite: String) throws {
        let pair = try Self.pair(suite, records: 3)
        // Behind the ServerHello, in the certificate.
        let place = try #require(pair.wire.firstIndex { $0.side == .server })
        var wire = Self.whole(pair.wire)
        let bytes = wire[place].bytes
        wire[place].bytes = Array(bytes[..<300])
        wire.insert((.server, Array(bytes[400...]), 100), at: place + 1)
        let reading = Self.read(wire, pair.keys)
        #expect(Self.numbers(reading, .server) == [0, 1, 2] && Self.numbers(reading, .client) == [0, 1, 2])
        #expect(reading.reasons.isEmpty && reading.lost.isEmpty)
        #expect(reading.facts.count == 1)
    }

    @Test(arguments: suites)
    func connectionWithoutItsBeginningIsUnreadable(_ suite: String) throws {
        let pair = try Self.pair(suite, records: 3)
        // The keys of TLS 1.3 are found by what they open, behind either hello; those before need both hellos' random values.
        for count in suite.hasPrefix("TLS_") ? [] : [2, 4] {
            let reading = TLSReading(Array(pair.wire[count...]), keys: pair.keys)
            #expect(reading.plaintext.values.allSatisfy { $0.isEmpty })
            #expect(reading.reasons.count == 1, "\(reading.reasons)")
        }
        var wire = Self.whole(pair.wire)
        let bytes = wire[0].bytes
        wire[0] = (.client, Array(bytes[50...]), 50)
        let reading = Self.read(wire, pair.keys)
        #expect(reading.plaintext.values.allSatisfy { $0.isEmpty } && reading.reasons.count == 1)
    }

    @Test func lossOfAnySizeAtAnyPlaceNeverMakesOtherText() throws {
        var random = SeededGenerator(seed: 5)
        for suite in Self.suites {
            let pair = try Self.pair(suite, records: 8, size: 200)
            for _ in 0..<40 {
                var wire = Self.whole(pair.wire)
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let place = Int.random(in: 0..<wire.count, using: &random)
                    let bytes = wire[place].bytes
                    guard !bytes.isEmpty else { continue }
                    let cut = Int.random(in: 0..<bytes.count, using: &random)
                    let end = Int.random(in: cut...bytes.count, using: &random)
                    guard end > cut else { continue }
                    wire[place].bytes = Array(bytes[..<cut])
                    wire.insert((wire[place].side, Array(bytes[end...]), end - cut), at: place + 1)
                }
                let reading = Self.read(wire, pair.keys)
                for side in [Side.client, .server] {
                    let numbers = Self.numbers(reading, side)
                    #expect(reading.plaintext[side]?.count == numbers.count * 200)
                    #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
                    let isTold = reading.lost[side] != nil || !reading.reasons.isEmpty
                    #expect(numbers.count == 8 || isTold, "\(suite): \(numbers), \(reading.reasons)")
                }
            }
        }
    }

    // MARK: - Other bytes

    @Test(arguments: suites)
    func flippedBitCostsOneRecord(_ suite: String) throws {
        let pair = try Self.pair(suite)
        let place = Self.place(of: 7, in: pair.wire)
        for (index, bit) in [(0, 1), (1, 0), (3, 2), (4, 0), (4, 7), (5, 0), (300, 3), (1000, 7)]
            as [(Int, UInt8)]
        {
            var wire = pair.wire
            wire[place].bytes[index] ^= 1 << bit
            let reading = TLSReading(wire, keys: pair.keys)
            // Its length may reach over records behind it; those within it are found.
            #expect(Self.numbers(reading, .server) == Array(0..<7) + Array(8..<20), "\(index)")
            #expect(Self.numbers(reading, .client) == Array(0..<20))
            #expect(
                reading.reasons.isEmpty && reading.lost[.server]?.count == 1,
                "\(index): \(reading.reasons)"
            )
            #expect(TLSReading(wire, keys: pair.keys, cut: .bytes) == reading)
        }
    }

    @Test(arguments: suites)
    func cutRecordIsSaid(_ suite: String) throws {
        let pair = try Self.pair(suite, records: 3)
        var wire = pair.wire
        wire[wire.count - 1].bytes.removeLast(10)
        let reading = TLSReading(wire, keys: pair.keys)
        #expect(Self.numbers(reading, .server) == [0, 1] && Self.numbers(reading, .client) == [0, 1, 2])
        #expect(reading.reasons.count == 1 && reading.reasons.first?.side == .server)
        #expect(reading.reasons.first?.text.contains("cut") == true)
    }

    // MARK: - Keys

    @Test(arguments: suites)
    func connectionWithoutKeysNamesItsRandom(_ suite: String) throws {
        let pair = try Self.pair(suite, records: 3)
        let other = try Self.pair(suite, records: 1)
        for keys in [TLSKeyLog(), other.keys] {
            let reading = TLSReading(pair.wire, keys: keys)
            #expect(reading.plaintext.values.allSatisfy { $0.isEmpty })
            let random = try #require(reading.facts.first?.clientRandom)
            #expect(reading.reasons.map(\.side) == [nil])
            #expect(reading.reasons.first?.text.contains(random) == true)
        }
    }

    @Test(arguments: suites)
    func keysOfAnotherSessionReadNothing(_ suite: String) throws {
        let pair = try Self.pair(suite, records: 30)
        let other = try Self.pair(suite, records: 1)
        let randoms = [pair, other].map { pair in
            String(decoding: pair.keyLog, as: UTF8.self).split(separator: "\n").last?.split(separator: " ")[1]
                ?? ""
        }
        let keys = TLSKeyLog(
            String(decoding: other.keyLog, as: UTF8.self).replacing(randoms[1], with: randoms[0])
        )
        let reading = TLSReading(pair.wire, keys: keys)
        #expect(reading.plaintext.values.allSatisfy { $0.isEmpty })
        #expect(Set(reading.reasons.map { $0.side?.rawValue }) == ["client", "server"])
        #expect(reading.reasons.allSatisfy { $0.text.contains("not those of this connection") })
        #expect(TLSReading(pair.wire, keys: keys, cut: .random(4)).reasons == reading.reasons)
    }

    @Test(arguments: ["CLIENT_TRAFFIC_SECRET_0", "SERVER_TRAFFIC_SECRET_0"])
    func oneSideIsReadWithItsKeysAlone(_ label: String) throws {
        let pair = try Self.pair("TLS_AES_256_GCM_SHA384")
        let lines = String(decoding: pair.keyLog, as: UTF8.self).split(separator: "\n")
        // Without that of the handshake too: where its data begins shows when a record authenticates.
        let reading = TLSReading(
            pair.wire,
            keys: TLSKeyLog(lines.filter { $0.hasPrefix(label) }.joined(separator: "\n"))
        )
        let side = label.hasPrefix("CLIENT") ? Side.client : .server
        #expect(Self.numbers(reading, side) == Array(0..<20))
        #expect(Self.numbers(reading, side == .client ? .server : .client).isEmpty)
        #expect(reading.reasons.map(\.side) == [side == .client ? .server : .client] && reading.lost.isEmpty)
        let missing = side == .client ? "SERVER_TRAFFIC_SECRET_0" : "CLIENT_TRAFFIC_SECRET_0"
        #expect(reading.reasons.first?.text.contains("but not its \(missing)") == true)
    }

    /// Bytes of the client's that are missing are no reason to leave the server, whose keys are there.
    @Test func theServerIsReadWithItsKeysAloneWhereTheClientHasAHole() throws {
        let pair = try Self.pair("TLS_AES_128_GCM_SHA256")
        let hole = try #require(
            pair.wire.indices.filter { pair.wire[$0].side == .client }.dropFirst().first
        )
        let wire = pair.wire.indices.map { index in
            let (side, bytes) = pair.wire[index]
            return index == hole
                ? (side: side, bytes: [], lost: bytes.count) : (side: side, bytes: bytes, lost: 0)
        }
        let reading = Self.read(wire, pair.keys(of: "SERVER_TRAFFIC_SECRET_0"))
        #expect(Self.numbers(reading, .server) == Array(0..<20))
        #expect(reading.reasons.map(\.side) == [.client])
        #expect(reading.reasons.first?.text.contains("but not its CLIENT_TRAFFIC_SECRET_0") == true)
    }

    @Test(arguments: suites, [1, 3, 20])
    func keysThatComeLateReadWhatWasHeldBack(_ suite: String, after packets: Int) throws {
        let pair = try Self.pair(suite)
        var stream = TLSStream(holdingForKeys: 1 << 20)
        var reading = TLSReading()
        var keys = TLSKeyLog()
        let lines = String(decoding: pair.keyLog, as: UTF8.self).split(separator: "\n")
        for (number, (side, bytes)) in pair.wire.enumerated() {
            // A line each time from then on.
            if number >= packets, number - packets < lines.count {
                keys.add(Array((lines[number - packets] + "\n").utf8))
                stream.keysAdded(keys, into: &reading)
            }
            bytes.withUnsafeBytes { stream.receive($0, from: side, keys: keys, into: &reading) }
        }
        for side in [Side.client, .server] { stream.ended(side, keys: keys, into: &reading) }
        #expect(reading.plaintext == pair.sent && reading.reasons.isEmpty && reading.lost.isEmpty)
    }

    @Test(arguments: suites)
    func keysMayComeAfterTheEnd(_ suite: String) throws {
        let pair = try Self.pair(suite)
        var stream = TLSStream(holdingForKeys: 1 << 20)
        var reading = TLSReading()
        for (side, bytes) in pair.wire {
            bytes.withUnsafeBytes { stream.receive($0, from: side, keys: TLSKeyLog(), into: &reading) }
        }
        for side in [Side.client, .server] { stream.ended(side, keys: TLSKeyLog(), into: &reading) }
        #expect(reading == TLSReading())
        var given = stream
        stream.keysAdded(pair.keys, into: &reading)
        #expect(reading.plaintext == pair.sent && reading.reasons.isEmpty)
        // In the order in which it was said.
        #expect(reading.turns == TLSReading(pair.wire, keys: pair.keys).turns)
        given = TLSStream(holdingForKeys: 1 << 20)
        reading = TLSReading()
        for (side, bytes) in pair.wire {
            bytes.withUnsafeBytes { given.receive($0, from: side, keys: TLSKeyLog(), into: &reading) }
        }
        given.abandon(into: &reading)
        #expect(reading.reasons.map(\.side) == [nil])
    }

    @Test func heldBytesAreBounded() throws {
        let pair = try Self.pair("TLS_AES_128_GCM_SHA256", records: 30)
        var stream = TLSStream(holdingForKeys: 10_000)
        var reading = TLSReading()
        for (side, bytes) in pair.wire {
            bytes.withUnsafeBytes { stream.receive($0, from: side, keys: TLSKeyLog(), into: &reading) }
        }
        #expect(reading.reasons.map(\.side) == [nil])
        stream.keysAdded(pair.keys, into: &reading)
        #expect(reading.plaintext.values.allSatisfy { $0.isEmpty } && reading.reasons.count == 1)
    }

    /// No key helps where the other side's hello is missing: nobody is to give up waiting for one to make room.
    @Test func onlyWhatKeysMayOpenIsHeldForThem() throws {
        let pair = try Self.pair("TLS_AES_128_GCM_SHA256", records: 30)
        for sides in [[Side.client], [.client, .server]] {
            var stream = TLSStream(holdingForKeys: 1 << 20)
            var reading = TLSReading()
            for (side, bytes) in pair.wire where sides.contains(side) {
                bytes.withUnsafeBytes { stream.receive($0, from: side, keys: TLSKeyLog(), into: &reading) }
            }
            #expect(stream.waitsForKeys == (sides.count == 2) && reading.reasons.isEmpty)
            #expect((stream.heldForKeys > 0) == (sides.count == 2))
        }
    }

    // MARK: - What is no TLS

    @Test(
        arguments: [
            ("GET / HTTP/1.1\r\n\r\n", "not TLS"), ("\u{16}\u{3}\u{1}\u{7f}\u{7f}", "claims 32639 bytes"),
            ("\u{16}\u{3}\u{1}\u{0}\u{4}\u{1}\u{0}\u{0}\u{0}", "ClientHello"),
        ]
    )
    func otherBytesAreRefused(text: String, reason: String) {
        let reading = TLSReading(
            [(.client, Array(text.utf8)), (.server, Array(text.utf8))],
            keys: TLSKeyLog()
        )
        #expect(reading.reasons.count == 1 && reading.reasons.first?.side == nil)
        #expect(reading.reasons.first?.text.contains(reason) == true, "\(reading.reasons)")
    }

    @Test func oldHelloIsNamed() {
        let hello: [UInt8] = [0x80, 0x2e, 1, 0, 2, 0, 0x15, 0, 0, 0, 0x10]
        #expect(
            TLSReading([(.client, hello)], keys: TLSKeyLog()).reasons.first?.text.contains("SSL 2.0") == true
        )
        let datagram: [UInt8] = [22, 0xfe, 0xfd, 0, 0, 0, 0]
        #expect(
            TLSReading([(.client, datagram)], keys: TLSKeyLog()).reasons.first?.text.contains("DTLS") == true
        )
    }

    @Test func cipherThatIsNotSupportedIsNamed() throws {
        let pair = try Self.pair("AES128-SHA", records: 1)
        var wire = pair.wire
        // The suite in the ServerHello: record, message, version, random, an empty or full session's name.
        let place = try #require(wire.firstIndex { $0.side == .server })
        let suite = 5 + 4 + 2 + 32 + 1 + Int(wire[place].bytes[43])
        wire[place].bytes.replaceSubrange(suite..<(suite + 2), with: [0, 5])
        let reading = TLSReading(wire, keys: pair.keys)
        #expect(reading.reasons.map(\.side) == [nil])
        #expect(reading.reasons.first?.text.contains("TLS_RSA_WITH_RC4_128_SHA") == true)
        #expect(reading.facts.first?.cipherSuite == "TLS_RSA_WITH_RC4_128_SHA")
    }

    @Test func largeMessageIsNotKept() {
        // A ClientHello that claims 16 MB.
        let head: [UInt8] = [22, 3, 1, 0x40, 0, 1, 0xff, 0xff, 0xff]
        let reading = TLSReading(
            [(.client, head + Array(repeating: 0, count: 16_380))]
                + Array(
                    repeating: (.client, [22, 3, 1, 0x40, 0] + Array(repeating: 0, count: 16_384)),
                    count: 1100
                ),
            keys: TLSKeyLog()
        )
        #expect(reading.reasons.first?.text.contains("16777215") == true, "\(reading.reasons)")
    }

    /// What cannot be read costs no more than so and so much work: the budget ends the search.
    @Test func searchAmongManyFalseRecordsEnds() throws {
        let pair = try Self.pair("TLS_AES_128_GCM_SHA256", records: 3)
        var stream = TLSStream()
        var reading = TLSReading()
        for (side, bytes) in pair.wire {
            bytes.withUnsafeBytes { stream.receive($0, from: side, keys: pair.keys, into: &reading) }
        }
        stream.lost(1 << 40, from: .server, into: &reading)
        let false23: [UInt8] = [23, 3, 3, 0, 100]
        let noise = Array(repeating: false23, count: 200_000).flatMap { $0 }
        let start = ContinuousClock.now
        noise.withUnsafeBytes { stream.receive($0, from: .server, keys: pair.keys, into: &reading) }
        #expect(ContinuousClock.now - start < .seconds(20))
        #expect(reading.reasons.map(\.side) == [.server])
    }
}
