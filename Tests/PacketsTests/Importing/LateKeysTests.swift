import Captures
import Packets
import Testing
import Wire

/// Keys that come when the connection that they open has ended already.
struct LateKeysTests {
    private static let request = Array(
        "POST /token HTTP/1.1\r\nHost: op.example\r\nContent-Length: 3\r\n\r\na=b".utf8
    )
    private static let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)

    /// What both ends of a connection say in TLS, and its keys.
    private static func pair(_ answer: [UInt8] = Self.answer, versions: ClosedRange<Int32>? = nil) throws
        -> TLSPair
    {
        var options = TLSPair.Options()
        if let versions { options.versions = versions }
        let pair = try TLSPair(options)
        try pair.handshake()
        try pair.send(request, from: .client)
        try pair.send(answer, from: .server)
        return pair
    }

    private static func packets(_ words: [(side: Side, bytes: [UInt8])], port: UInt16 = 50_000)
        -> [MadePacket]
    {
        var made = PacketBuilder()
        made.client.port = port
        made.time = made.time + .seconds(Int64(port - 50_000))
        made.converse(words)
        return made.packets
    }

    /// Listens as one does whose key log grows meanwhile.
    private struct Listening {
        var decoder: PacketDecoder<PacketExchanges>
        var told: [Exchange] = []

        init(inAll: Int = 128 << 20) {
            decoder = PacketDecoder(
                into: PacketExchanges(
                    maximumBodyBytes: 1 << 20,
                    budget: RecordingBudget(bytes: 1 << 30),
                    heldForKeys: 1 << 20,
                    heldForKeysInAll: inAll
                )
            )
        }

        mutating func give(_ packets: [MadePacket]) {
            for (index, packet) in packets.enumerated() { decoder.give(packet, number: index + 1) }
            told += decoder.sink.takeFinished()
        }

        mutating func give(keys: [UInt8], after wait: Duration = .seconds(1)) {
            decoder.sink.add(keyLog: keys)
            decoder.sink.keysAdded(at: PacketBuilder.start + wait)
            told += decoder.sink.takeFinished()
        }

        mutating func timePassed(_ wait: Duration) {
            decoder.timePassed(until: PacketBuilder.start + wait)
            told += decoder.sink.takeFinished()
        }

        mutating func finish() {
            decoder.finish()
            told += decoder.sink.takeFinished()
        }

        var said: [String] {
            told.map { "\($0.request.method) \($0.response?.status ?? 0) \($0.response?.body?.text ?? "")" }
        }
    }

    /// TLS 1.2 and 1.3.
    @Test(arguments: [Int32(0x0303)...0x0303, 0x0304...0x0304])
    func openAConnectionThatHasEnded(versions: ClosedRange<Int32>) throws {
        let pair = try Self.pair(versions: versions)
        let packets = Self.packets(pair.wire)
        var listening = Listening()
        listening.give(packets)
        #expect(listening.told.isEmpty)
        listening.give(keys: pair.keyLog, after: .seconds(90))
        #expect(listening.said == ["POST 200 ok"])
        let told = try #require(listening.told.first)
        #expect(told.failure == nil && told.request.body?.text == "a=b")
        // The times are those of the packets.
        let asked = PacketImport(packets, keyLog: pair.keyLog).exchanges.first
        #expect(told.startedAt == asked?.startedAt && told.timings == asked?.timings)
        listening.finish()
        #expect(listening.told.count == 1)
        #expect(listening.decoder.sink.report.counts.unreadConnections == 0)
    }

    /// Connections that are still open are told in the order in which they began, with the times of their packets.
    @Test func openWhatIsNotEndedInItsOrder() throws {
        let pairs = try (0..<8).map {
            try Self.pair(Array("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\($0)".utf8))
        }
        var listening = Listening()
        for (index, pair) in pairs.enumerated() {
            listening.give(Array(Self.packets(pair.wire, port: 50_000 + UInt16(index)).dropLast(3)))
        }
        listening.give(keys: pairs.flatMap(\.keyLog), after: .seconds(60))
        #expect(listening.said == (0..<8).map { "POST 200 \($0)" })
        #expect(listening.told.map(\.startedAt) == listening.told.map(\.startedAt).sorted())
        #expect(listening.told.allSatisfy { $0.startedAt < PacketBuilder.start + .seconds(9) })
    }

    /// A body that ends with the connection is whole.
    @Test func findTheEndsOfBothSides() throws {
        let pair = try Self.pair(Array("HTTP/1.1 200 OK\r\n\r\nall of it".utf8))
        var listening = Listening()
        listening.give(Self.packets(pair.wire))
        listening.give(keys: pair.keyLog)
        #expect(listening.said == ["POST 200 all of it"])
        #expect(listening.told.allSatisfy { $0.failure == nil && $0.response?.body?.isTruncated != true })
    }

    @Test func openWhatWasSaidInATunnel() throws {
        let pair = try Self.pair()
        let connect = Array("CONNECT op.example:443 HTTP/1.1\r\nHost: op.example:443\r\n\r\n".utf8)
        let connected = Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8)
        var listening = Listening()
        listening.give(Self.packets([(.client, connect), (.server, connected)] + pair.wire))
        #expect(listening.told.isEmpty)
        listening.give(keys: pair.keyLog)
        #expect(listening.said == ["POST 200 ok"])
    }

    /// What has come in time is told in time.
    @Test func whoseKeysAreThereDoesNotWait() throws {
        let pair = try Self.pair()
        var listening = Listening()
        listening.give(keys: pair.keyLog, after: .zero)
        listening.give(Self.packets(pair.wire))
        #expect(listening.said == ["POST 200 ok"])
    }

    /// Keys that never come leave one entry, at the end of the capture, or when it has taken too long.
    @Test(arguments: [true, false]) func thatDoNotComeAreNotWaitedForForEver(ends: Bool) throws {
        let pair = try Self.pair()
        var listening = Listening()
        listening.give(Self.packets(pair.wire))
        listening.timePassed(.seconds(500))
        #expect(listening.told.isEmpty)
        if ends { listening.finish() } else { listening.timePassed(.seconds(700)) }
        #expect(listening.told.map(\.tunnel.reason) == [.noKeys])
        #expect(listening.told.allSatisfy { $0.startedAt < PacketBuilder.start + .seconds(1) })
        listening.give(keys: pair.keyLog)
        listening.finish()
        #expect(listening.told.count == 1)
    }

    /// Of connections without number those that have waited longest are given up.
    @Test func connectionsWithoutNumberMakeRoom() throws {
        let pair = try Self.pair()
        let others = 600
        var listening = Listening()
        listening.give(Self.packets(pair.wire))
        for index in 1...others {
            let other = index == others ? try Self.pair() : pair
            var wire = other.wire
            // Another random, and no connection that was captured twice.
            if index < others {
                withUnsafeBytes(of: UInt32(index).bigEndian) {
                    wire[0].bytes.replaceSubrange(11..<15, with: $0)
                }
            }
            listening.give(Self.packets(wire, port: 50_000 + UInt16(index)))
            if index == others { listening.give(keys: other.keyLog, after: .seconds(600)) }
        }
        #expect(listening.told.count > 50 && listening.told.count < 120)
        #expect(listening.said.last == "POST 200 ok")
    }

    /// What waits in all connections together is bounded: those that have waited longest are given up, and the others are read.
    @Test func allTogetherHoldSoMuch() throws {
        let body = String(repeating: "x", count: 100_000)
        let pair = try Self.pair(Array("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n\(body)".utf8))
        var listening = Listening(inAll: 1 << 20)
        for index in 0..<50 {
            let isLast = index == 49
            let other = isLast ? try Self.pair() : pair
            var wire = other.wire
            if !isLast {
                withUnsafeBytes(of: UInt32(index).bigEndian) {
                    wire[0].bytes.replaceSubrange(11..<15, with: $0)
                }
            }
            listening.give(Array(Self.packets(wire, port: 50_000 + UInt16(index)).dropLast(3)))
            if isLast { listening.give(keys: other.keyLog, after: .seconds(60)) }
        }
        #expect(listening.said == ["POST 200 ok"])
        let given = listening.decoder.sink.report.losses.count
        #expect(given >= 40 && given < 49)
        listening.finish()
        #expect(listening.told.count == 50)
    }

    /// So is what clients say that waits for the hello of their server, be the keys there: it may come, or not be in the capture.
    @Test(arguments: [(1 << 20, 5...10), (128 << 20, 30...30)])
    func whatWaitsForServersIsBoundedAsWell(inAll: Int, expected: ClosedRange<Int>) throws {
        let body = String(repeating: "x", count: 100_000)
        let request = Array(
            "POST /token HTTP/1.1\r\nHost: op.example\r\nContent-Length: 100000\r\n\r\n\(body)".utf8
        )
        var listening = Listening(inAll: inAll)
        var answers: [[MadePacket]] = []
        for index in 0..<30 {
            let pair = try TLSPair(TLSPair.Options())
            try pair.handshake()
            try pair.send(request, from: .client)
            try pair.send(Self.answer, from: .server)
            listening.give(keys: pair.keyLog)
            let sides = [Side.client, .server].map { side in pair.wire.filter { $0.side == side } }
            var made = PacketBuilder()
            made.client.port = 50_000 + UInt16(index)
            made.say(sides[0] + sides[1])
            var asked = PacketBuilder()
            asked.say(sides[0])
            listening.give(Array(made.packets.prefix(asked.packets.count)))
            answers.append(Array(made.packets.dropFirst(asked.packets.count)))
        }
        #expect(listening.told.isEmpty)
        for packets in answers { listening.give(packets) }
        listening.finish()
        #expect(expected.contains(listening.said.filter { $0 == "POST 200 ok" }.count))
    }

    /// What was said to a server that turns out to speak in clear waits for nothing, and takes no room from others.
    @Test func whatWasSaidToServersInClearDoesNotWait() throws {
        let body = [UInt8](repeating: 0x78, count: 100_000)
        let answer = Array("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n".utf8)
        let pair = try TLSPair(TLSPair.Options())
        try pair.handshake()
        try pair.send(body, from: .client)
        let asked = pair.wire.filter { $0.side == .client }
        var listening = Listening(inAll: 1 << 20)
        for index in 0..<30 {
            var wire = asked
            // Another random, and no connection that was captured twice.
            withUnsafeBytes(of: UInt32(index).bigEndian) { wire[0].bytes.replaceSubrange(11..<15, with: $0) }
            var made = PacketBuilder()
            made.client.port = 50_000 + UInt16(index)
            made.say(wire + [(side: .server, bytes: answer)])
            listening.give(made.packets)
        }
        let late = try Self.pair()
        listening.give(Array(Self.packets(late.wire, port: 50_030).dropLast(3)))
        listening.give(keys: late.keyLog, after: .seconds(60))
        #expect(listening.said.last == "POST 200 ok")
        listening.finish()
        let failures = listening.told.compactMap(\.failure)
        #expect(failures.count == 30 && failures.allSatisfy { $0.contains("answered in clear") })
    }
}
