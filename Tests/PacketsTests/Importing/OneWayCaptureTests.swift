import Captures
import Packets
import Testing
import Wire

/// Captures that one direction of a connection is missing from, as where the other one goes by another interface.
struct OneWayCaptureTests {
    private static func connection(_ version: Int32) throws -> (packets: [MadePacket], keyLog: [UInt8]) {
        var options = TLSPair.Options()
        options.versions = version...version
        let pair = try TLSPair(options)
        try pair.handshake()
        try pair.send(Array("GET / HTTP/1.1\r\nHost: op.example\r\n\r\n".utf8), from: .client)
        try pair.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8), from: .server)
        var made = PacketBuilder()
        made.converse(pair.wire)
        return (made.packets, pair.keyLog)
    }

    private static func isOf(_ side: Side, _ packet: MadePacket) -> Bool {
        packet.bytes[12..<16].elementsEqual([10, 0, 0, side == .client ? 1 : 2])
    }

    @Test(arguments: [0x0303, 0x0304] as [Int32], [Side.client, .server])
    func aMissingDirectionIsToldAndNotTheKeys(version: Int32, side: Side) throws {
        let (packets, keyLog) = try Self.connection(version)
        #expect(PacketImport(packets, keyLog: keyLog).exchanges.map(\.response?.status) == [200])
        let missing: Side = side == .client ? .server : .client
        for packets in [
            packets.filter { Self.isOf(side, $0) },
            Array(packets.dropFirst(3).filter { Self.isOf(side, $0) }),
        ] {
            let read = PacketImport(packets, keyLog: keyLog)
            #expect(read.exchanges.map(\.tunnel.reason) == [.notWhole])
            let first = try #require(read.report.losses.first?.what)
            #expect(
                first.hasSuffix(
                    "nothing of the \(missing.rawValue) is in the capture, without which no key opens it"
                )
            )
            #expect(read.report.losses.count == 1)
            #expect(read.report.counts.oneWayConnections == 1)
            #expect(read.report.counts.unreadConnections == 1)
            #expect(read.report.counts.keylessConnections == 0)
        }
    }

    /// What no key opens is no reason to look for another key log.
    @Test func cipherThatIsNotSupportedLacksNoKeys() throws {
        let (packets, keyLog) = try Self.connection(0x0303)
        let changed = packets.map { packet in
            var packet = packet
            // A record, a ServerHello, its version; behind its random the session's id and the suite.
            guard let hello = packet.bytes.firstRange(of: [0x16, 3, 3])?.lowerBound,
                packet.bytes[hello...].dropFirst(5).first == 2
            else { return packet }
            let suite = hello + 44 + Int(packet.bytes[hello + 43])
            packet.bytes.replaceSubrange(suite..<suite + 2, with: [0xc0, 0x8a])
            return packet
        }
        let read = PacketImport(changed, keyLog: keyLog)
        #expect(read.report.losses.first?.what.contains("CAMELLIA_128_GCM_SHA256 is not supported") == true)
        #expect(read.report.counts.unreadConnections == 1 && read.report.counts.keylessConnections == 0)
    }

    /// The keys are those of another time.
    @Test func whereBothDirectionsAreThereTheKeysAreMissing() throws {
        let packets = try Self.connection(0x0304).packets
        let read = PacketImport(packets, keyLog: try Self.connection(0x0304).keyLog)
        #expect(read.report.counts.oneWayConnections == 0)
        #expect(read.report.counts.keylessConnections == 1)
        #expect(read.report.losses.first?.what.contains("there is no key for it in the key log") == true)
    }

    /// The key log is of this time, and of this connection.
    @Test func halfOfItsKeysAreNamedByWhatIsMissing() throws {
        let (packets, keyLog) = try Self.connection(0x0304)
        let lines = String(decoding: keyLog, as: UTF8.self).split(separator: "\n")
        let half = lines.filter { $0.contains("HANDSHAKE") }.joined(separator: "\n")
        let read = PacketImport(packets, keyLog: Array(half.utf8))
        #expect(read.report.counts.unreadConnections == 1 && read.report.counts.keylessConnections == 0)
        let losses = read.report.losses.map(\.what)
        #expect(losses.contains { $0.contains("but not its SERVER_TRAFFIC_SECRET_0") })
        #expect(losses.contains { $0.contains("but not its CLIENT_TRAFFIC_SECRET_0") })
    }

    /// `tcpdump dst port 80`, or a route of its own for the answers.
    @Test(arguments: [Side.client, .server])
    func aMissingDirectionOfAClearConnectionIsTold(side: Side) throws {
        var made = PacketBuilder()
        let get = "GET / HTTP/1.1\r\nHost: op.example\r\n\r\n"
        let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        made.converse([
            (.client, Array(get.utf8)), (.server, Array(ok.utf8)), (.client, Array(get.utf8)),
            (.server, Array(ok.utf8)),
        ])
        #expect(PacketImport(made.packets).exchanges.map(\.response?.status) == [200, 200])
        let read = PacketImport(made.packets.filter { Self.isOf(side, $0) })
        #expect(read.report.counts.oneWayClearConnections == 1 && read.report.counts.lateConnections == 0)
        // What is not there is not the server's fault, nor the client's.
        #expect(read.exchanges.map(\.request.method) == (side == .client ? ["GET", "GET"] : []))
        #expect(read.exchanges.allSatisfy { $0.failure?.contains("in the capture") == true })
        #expect(PacketImport(made.packets).report.counts.oneWayClearConnections == 0)
    }

    /// One packet that was dropped is not a direction that is missing.
    @Test func aLostAnswerIsNoMissingDirection() {
        var made = PacketBuilder()
        made.converse([
            (.client, Array("GET / HTTP/1.1\r\nHost: op.example\r\n\r\n".utf8)),
            (.server, Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)),
        ])
        // Behind the handshake and the request.
        made.packets.remove(at: 4)
        let counts = PacketImport(made.packets).report.counts
        #expect(counts.oneWayClearConnections == 0)
    }

    /// What is missing of the client's says nothing of the server, which hung up.
    @Test func serverThatHangsUpIsSeenBehindAGapOfTheClients() throws {
        var made = PacketBuilder()
        let get = Array("GET / HTTP/1.1\r\nHost: op.example\r\n\r\n".utf8)
        made.converse([(.client, get), (.client, get)])
        var isFirst = true
        let packets = made.packets.filter { packet in
            guard Self.isOf(.client, packet), packet.bytes.count > 60, isFirst else { return true }
            isFirst = false
            return false
        }
        #expect(packets.count == made.packets.count - 1)
        let failures = PacketImport(packets).exchanges.compactMap(\.failure)
        #expect(!failures.isEmpty && failures.allSatisfy { !$0.contains("nothing of the server") })
    }

    /// The second hello, behind a HelloRetryRequest, is not needed for the keys, but what nobody asked for may have been asked for in it.
    @Test func anAnswerToNothingBehindALostHelloIsTold() throws {
        let pair = try TLSPair(.init(clientGroups: "X25519:P-521", serverGroups: "P-521"))
        try pair.handshake()
        try pair.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8), from: .server)
        var made = PacketBuilder()
        made.converse(pair.wire)
        let data = made.packets.indices.filter { made.packets[$0].bytes.count > 40 }
        let lost = data.drop { Self.isOf(.client, made.packets[$0]) }
            .drop { Self.isOf(.server, made.packets[$0]) }
            .prefix { Self.isOf(.client, made.packets[$0]) }
        #expect(!lost.isEmpty)
        for index in lost.reversed() { made.packets.remove(at: index) }
        let read = PacketImport(made.packets, keyLog: pair.keyLog)
        #expect(read.exchanges.isEmpty)
        #expect(
            read.report.losses.map(\.what) == [
                "connection 1, 10.0.0.1:50000 to 10.0.0.2:443: the request of an answer is not in the capture"
            ]
        )
    }

    /// A key log that was copied before its program had written all of it, or of which one side's lines are left.
    @Test func answersWithoutAKeyAreNotTheServersFault() throws {
        let (packets, keyLog) = try Self.connection(0x0304)
        let lines = String(decoding: keyLog, as: UTF8.self).split(separator: "\n")
        let client = lines.filter { $0.hasPrefix("CLIENT") }.joined(separator: "\n") + "\n"
        let read = PacketImport(packets, keyLog: Array(client.utf8))
        #expect(read.exchanges.map(\.request.url.text) == ["https://op.example/"])
        #expect(read.exchanges.first?.failure?.hasPrefix("the answer could not be decrypted") == true)
    }
}
