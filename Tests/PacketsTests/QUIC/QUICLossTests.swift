import Captures
@testable import Packets
import TestSupport
import Testing
import Wire

/// What is missing, damaged or does not fit, of a QUIC connection, is told, and costs no more than it has to.
struct QUICLossTests {
    private typealias Speaker = QUICSpeaker
    private typealias Turn = QUICImportTests.Turn

    private static func losses(_ read: PacketImport) -> [String] { read.report.losses.map(\.description) }

    // MARK: - Keys

    /// The key log has the connection, and other secrets: those of another run, or a line that was changed.
    @Test(arguments: ["SECRET", "TRAFFIC_SECRET_0"]) func wrongKeysAreTold(label: String) throws {
        var speaker = Speaker()
        let wrong = String(decoding: Speaker.keyLog(), as: UTF8.self).split(separator: "\n").map { line in
            var words = line.split(separator: " ").map(String.init)
            if words[0].contains(label) { words[2] = String(repeating: "ab", count: 32) }
            return words.joined(separator: " ") + "\n"
        }
        let read = QUICImportTests.read(
            QUICImportTests.login(&speaker),
            keyLog: Array(wrong.joined().utf8)
        )
        let exchange = try #require(read.exchanges.first)
        #expect(read.exchanges.count == 1 && exchange.tunnel.reason == .noKeys)
        #expect(exchange.request.url.authority == "idp.example")
        #expect(read.report.counts.unreadConnections == 1)
        #expect(
            Self.losses(read).contains {
                $0.contains("to idp.example:443: the keys that the key log has for it do not open what the")
            }
        )
    }

    /// Only what one side sends does not open.
    @Test func wrongKeysOfOneSideAreTheFailure() throws {
        var speaker = Speaker()
        let wrong = String(decoding: Speaker.keyLog(), as: UTF8.self).split(separator: "\n").map { line in
            line.hasPrefix("SERVER_TRAFFIC")
                ? line.prefix(line.count - 64) + String(repeating: "ab", count: 32) + "\n" : line + "\n"
        }
        let turns = QUICImportTests.login(&speaker)
        let read = QUICImportTests.read(turns, keyLog: Array(wrong.joined().utf8))
        let reason = "the keys that the key log has for it do not open what the server sent"
        #expect(read.exchanges.count == 2)
        #expect(read.exchanges.allSatisfy { $0.failure?.contains("not be decrypted: \(reason)") == true })
        #expect(Self.losses(read).contains { $0.contains(reason) })
    }

    @Test func damagedPacketsAreCounted() {
        var speaker = Speaker()
        var turns = QUICImportTests.login(&speaker)
        turns[4].datagram[20] ^= 1
        let read = QUICImportTests.read(turns)
        #expect(
            Self.losses(read).contains {
                $0.contains("1 of the packets that the server sent could not be decrypted")
            }
        )
    }

    // MARK: - Datagrams

    /// A capture on the machine that sends sees several datagrams as one, which its network card takes apart.
    @Test(arguments: [[], [0xc1, 0xc2, 0xc3, 0xc4]]) func segmentsOfOneDatagramAreTakenApart(id: [UInt8]) {
        var speaker = Speaker()
        speaker.clientID = id
        var turns = speaker.handshake()
        let text = String(repeating: "answer ", count: 900)
        let (asked, answered) = (QUICImportTests.request("/a"), QUICImportTests.answer(text))
        turns.append(speaker.application(.client, Speaker.stream(0, asked, ends: true)))
        for burst in stride(from: 0, to: answered.count, by: 3600) {
            var datagram: [UInt8] = []
            for start in stride(from: burst, to: min(answered.count, burst + 3600), by: 1200) {
                let end = min(answered.count, start + 1200, burst + 3600)
                let frame = Speaker.stream(0, answered[start..<end], at: start, ends: end == answered.count)
                // All but the last are of one size.
                let filling = [UInt8](repeating: 0, count: end < answered.count ? 1220 - frame.count : 0)
                datagram += speaker.application(.server, frame + filling).1
            }
            turns.append((.server, datagram))
        }
        let read = QUICImportTests.read(turns)
        #expect(QUICImportTests.said(read.exchanges) == ["GET https://idp.example/a 200 \(text)"])
        #expect(read.report.losses.isEmpty)
    }

    /// Tries to take datagrams apart that do not open whatever is tried cost so much and no more.
    @Test func datagramsOfNobodyAreNotTriedForEver() {
        var speaker = Speaker()
        var turns = speaker.handshake()
        var random = SeededGenerator(seed: 7)
        let junk = (0..<60_000).map { _ in UInt8.random(in: 0...255, using: &random) & 0x7f }
        for _ in 0..<300 { turns.append((.server, [0x40] + junk)) }
        turns += [
            speaker.application(.client, Speaker.stream(0, QUICImportTests.request("/a"), ends: true)),
            speaker.application(.server, Speaker.stream(0, QUICImportTests.answer("x"), ends: true)),
        ]
        let start = ContinuousClock.now
        let read = QUICImportTests.read(turns)
        #expect(QUICImportTests.said(read.exchanges) == ["GET https://idp.example/a 200 x"])
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    /// Where both ends agree on that, the bit that all packets have says nothing (RFC 9287).
    @Test(arguments: [[], [0xc1, 0xc2, 0xc3, 0xc4]]) func packetsMayLackTheFixedBit(id: [UInt8]) {
        var speaker = Speaker()
        speaker.clientID = id
        let handshake = speaker.handshake()
        speaker.hasFixedBit = false
        let turns = handshake + QUICImportTests.login(&speaker).dropFirst(3)
        #expect(QUICImportTests.said(QUICImportTests.read(turns).exchanges) == QUICImportTests.loginSaid)
    }

    /// The client's address may change though the server has nothing to call it by, as with Chromium.
    @Test func clientsWithoutAnIDMayMove() {
        var speaker = Speaker()
        let turns = QUICImportTests.login(&speaker)
        var packets = QUICImportTests.packets(Array(turns.prefix(3)))
        for (side, datagram) in turns.dropFirst(3) {
            packets.append(.datagram(side, datagram, at: PacketBuilder.start, clientPort: 61_234))
        }
        let read = PacketImport(packets, keyLog: Speaker.keyLog())
        #expect(QUICImportTests.said(read.exchanges) == QUICImportTests.loginSaid)
    }

    @Test func versionsThatAServerNamesAreNoStray() {
        var speaker = Speaker()
        let first = speaker.first(Speaker.crypto(Speaker.clientHello()))
        let versions: [UInt8] = [
            0x8a, 0, 0, 0, 0, 0, 8, 0x83, 0x94, 0xc8, 0xf0, 0x3e, 0x51, 0x57, 0x08, 0, 0, 0, 1,
        ]
        let read = QUICImportTests.read([(.client, first), (.server, versions)])
        #expect(Self.losses(read).isEmpty)
    }

    // MARK: - Streams

    /// One packet less in a large answer is that answer's loss, and nobody else's.
    @Test func gapOfALargeAnswerEndsThatAnswerOnly() {
        var speaker = Speaker()
        var turns = speaker.handshake()
        let large = QUICImportTests.answer(String(repeating: "x", count: 17 << 20))
        turns.append(
            speaker.application(
                .client,
                Speaker.stream(0, QUICImportTests.request("/large"), ends: true)
            )
        )
        for (number, start) in stride(from: 0, to: large.count, by: 60_000).enumerated() where number != 3 {
            let piece = large[start..<min(large.count, start + 60_000)]
            turns.append(speaker.application(.server, Speaker.stream(0, piece, at: start)))
        }
        turns.append(
            speaker.application(
                .client,
                Speaker.stream(4, QUICImportTests.request("/login"), ends: true)
            )
        )
        turns.append(
            speaker.application(.server, Speaker.stream(4, QUICImportTests.answer("in"), ends: true))
        )
        let exchanges = QUICImportTests.read(turns).exchanges
        #expect(exchanges.map(\.request.url.path) == ["/large", "/login"])
        #expect(
            exchanges.map(\.failure) == ["packets with a part of it are not in the capture", nil]
        )
        #expect(exchanges.last?.response?.body?.text == "in")
    }

    /// The packet with the request is not in the capture, or the one with the server's settings, by which a table is read.
    @Test func whatIsMissingInFrontOfAnAnswerIsTold() {
        var speaker = Speaker()
        var turns = QUICImportTests.login(&speaker)
        turns.remove(at: 3)
        let read = QUICImportTests.read(turns)
        #expect(
            read.exchanges.map(\.failure) == [
                "its request is not in the capture", "its request is not in the capture",
            ]
        )
        #expect(read.exchanges.map { $0.response?.status } == [200, 200])
        #expect(Self.losses(read).contains { $0.contains("with them the URLs of 2 requests are not known") })
    }

    /// The last bytes come again with the word that they are the last.
    @Test func endMayComeWithBytesThatWereThere() {
        var speaker = Speaker()
        var turns = speaker.handshake()
        let answer = QUICImportTests.answer("whole")
        turns += [
            speaker.application(.client, Speaker.stream(0, QUICImportTests.request("/a"), ends: true)),
            speaker.application(.server, Speaker.stream(0, answer)),
            speaker.application(
                .server,
                Speaker.stream(0, answer.suffix(3), at: answer.count - 3, ends: true)
            ),
            speaker.application(.client, Speaker.close(0x100, ofApplication: true)),
        ]
        let exchanges = QUICImportTests.read(turns).exchanges
        #expect(exchanges.map(\.failure) == [nil] && exchanges[0].response?.body?.text == "whole")
    }

    /// A server that needs no more of an upload has the client break it off, and goes on with its answer (RFC 9114, section 4.1).
    @Test func answerGoesOnBehindAnUploadThatWasBrokenOff() {
        var speaker = Speaker()
        let answer = QUICImportTests.answer("enough")
        let (stop, reset): ([UInt8], [UInt8]) = ([5, 0, 0x41, 0], [4, 0, 0x41, 0x0c, 0x10])
        func failures(_ last: [Turn]) -> [String?] {
            QUICImportTests.read(last).exchanges.map(\.failure)
        }
        var turns = speaker.handshake()
        turns += [
            speaker.application(.client, Speaker.stream(0, QUICImportTests.request("/upload"))),
            speaker.application(.server, stop + Speaker.stream(0, answer.prefix(8))),
            speaker.application(.client, reset),
        ]
        let rest = speaker.application(.server, Speaker.stream(0, answer.dropFirst(8), at: 8, ends: true))
        #expect(failures(turns + [rest]) == [nil])
        // A client that wants no answer either says so, too.
        let givenUp = speaker.application(.client, [5, 0, 0x41, 0x0c])
        #expect(
            failures(turns + [givenUp]) == [
                "the client gave the request up before the answer was complete (H3_REQUEST_CANCELLED)"
            ]
        )
    }

    // MARK: - What the server says before there is an exchange

    @Test func refusalsAreFailures() {
        var speaker = Speaker()
        let first = speaker.first(Speaker.crypto(Speaker.clientHello()))
        let refused = speaker.packet(.initial, .server, Speaker.close(2, "busy"))
        let read = QUICImportTests.read([(.client, first), (.server, refused)])
        #expect(read.exchanges.map(\.failure) == ["connection refused (CONNECTION_REFUSED: busy)"])
        #expect(read.exchanges.first?.request.url.text == "https://idp.example/")
        var other = Speaker()
        let close =
            other.handshake().prefix(2) + [
                (Side.server, other.packet(.handshake, .server, Speaker.close(10)))
            ]
        #expect(
            QUICImportTests.read(Array(close)).exchanges.map(\.failure) == [
                "server TLS handshake failed: the server closed the QUIC connection (PROTOCOL_VIOLATION)"
            ]
        )
    }

    /// The other direction may go by another interface.
    @Test func oneWayCapturesAreTold() {
        var speaker = Speaker()
        let turns = QUICImportTests.login(&speaker).filter { $0.side == .client }
        let read = QUICImportTests.read(turns)
        #expect(read.report.counts.oneWayConnections == 1 && read.report.counts.unreadConnections == 1)
        #expect(read.exchanges.map(\.request.url.text) == ["https://idp.example/"])
        #expect(Self.losses(read).contains { $0.contains("nothing of the server is in the capture") })
        // A client that nobody answered goes on over TCP.
        let unanswered = QUICImportTests.read(Array(turns.prefix(1)))
        #expect(unanswered.exchanges.isEmpty && unanswered.report.losses.isEmpty)
    }

    // MARK: - Many

    /// Beginnings that nobody answers make room for each other before a login has to.
    @Test func beginningsOfNobodyDoNotPushALoginOut() {
        var speaker = Speaker()
        let turns = QUICImportTests.login(&speaker)
        var packets = QUICImportTests.packets(Array(turns.prefix(3)))
        for number in 0..<4200 {
            var other = Speaker()
            other.initialID = [9, 9, 9, 9] + UInt32(number).bigEndianBytes
            packets.append(
                .datagram(.client, other.first([1]), at: PacketBuilder.start + .seconds(1), clientPort: 1)
            )
        }
        packets += QUICImportTests.packets(Array(turns.dropFirst(3)))
        let read = PacketImport(packets, keyLog: Speaker.keyLog())
        #expect(QUICImportTests.said(read.exchanges) == QUICImportTests.loginSaid)
    }

    /// Those that were answered make room where all were, and the one that was silent longest does first.
    @Test func connectionThatWasSilentLongestMakesRoom() {
        var packets: [MadePacket] = []
        for number in 0..<4097 {
            var speaker = Speaker()
            speaker.initialID = [9, 9, 9, 9] + UInt32(number).bigEndianBytes
            speaker.serverID = [8] + UInt32(number).bigEndianBytes
            let time = PacketBuilder.start + .milliseconds(Int64(number))
            for (side, datagram) in speaker.handshake().prefix(2) {
                let port = UInt16(20_000 + number)
                packets.append(.datagram(side, datagram, at: time, clientPort: port))
            }
            // The first one is used once more, so that the second was silent longest.
            if number == 4095 { packets.append(MadePacket(bytes: packets[0].bytes, time: time)) }
        }
        let exchanges = PacketExchanges(
            maximumBodyBytes: 1 << 20,
            budget: RecordingBudget(bytes: 1 << 30),
            heldForKeys: 1 << 20
        )
        var decoder = PacketDecoder(into: exchanges)
        for (index, packet) in packets.enumerated() { decoder.give(packet, number: index + 1) }
        #expect(decoder.sink.takeFinished().map(\.connection.id) == ["u2"])
    }

    /// What makes room is not searched for among all that there are.
    @Test func timeOfABeginningDoesNotGrowWithTheConnections() {
        let datagrams = (0..<4800).map { number in
            var other = Speaker()
            other.initialID = [9, 9, 9, 9] + UInt32(number).bigEndianBytes
            return other.first([1])
        }
        let reading = PacketReading(
            maximumBodyBytes: 1 << 20,
            spoolFolder: nil,
            budget: RecordingBudget(bytes: 1 << 30),
            heldForKeys: 0,
            heldForKeysInAll: 0
        )
        let server = Endpoint(address: [10, 0, 0, 2], port: 443)
        var connections = QUICConnections()
        func seconds(_ numbers: Range<Int>) -> Double {
            ProcessorTime.seconds {
                for number in numbers {
                    let client = Endpoint(address: [10, 0, 0, 1], port: UInt16(20_000 + number))
                    let isTaken = datagrams[number].withUnsafeBytes {
                        connections.receive($0, from: client, to: server, at: PacketBuilder.start, reading)
                    }
                    #expect(isTaken)
                }
            }
        }
        let few = seconds(0..<400)
        _ = seconds(400..<4400)
        // From 4096 on each takes the place of another; with a search among them it took more than six times as long.
        #expect(seconds(4400..<4800) < 3 * max(few, 0.002))
    }
}
