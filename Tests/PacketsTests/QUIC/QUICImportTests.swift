import Captures
import Foundation
import LibCrypto
@testable import Packets
import TestSupport
import Testing
import Wire

/// HTTP/3 out of packets: what the datagrams of a connection become.
struct QUICImportTests {
    typealias Speaker = QUICSpeaker
    typealias Turn = (side: Side, datagram: [UInt8])

    /// HEADERS of `GET https://idp.example/NAME`, by the static table, and of an answer with a body.
    static func request(_ path: String) -> [UInt8] {
        let section =
            [0, 0, 0xd1, 0xd7, 0x50, UInt8("idp.example".utf8.count)] + Array("idp.example".utf8) + [
                0x51, UInt8(path.utf8.count),
            ] + Array(path.utf8)
        return [1, UInt8(section.count)] + section
    }

    static func answer(_ text: String) -> [UInt8] {
        [1, 3, 0, 0, 0xd9, 0] + QUICInteger.bytes(of: text.utf8.count) + Array(text.utf8)
    }

    static func packets(_ turns: [Turn]) -> [MadePacket] {
        turns.enumerated().map { index, turn in
            .datagram(turn.side, turn.datagram, at: PacketBuilder.start + .milliseconds(Int64(index)))
        }
    }

    static func read(_ turns: [Turn], keyLog: [UInt8] = Speaker.keyLog()) -> PacketImport {
        PacketImport(packets(turns), keyLog: keyLog)
    }

    static func said(_ exchanges: [Exchange]) -> [String] {
        exchanges.map {
            "\($0.request.method) \($0.request.url.text) \($0.response?.status ?? 0) \($0.response?.body?.text ?? "")"
        }
    }

    /// A handshake, two requests and their answers.
    static func login(_ speaker: inout Speaker) -> [Turn] {
        speaker.handshake() + [
            speaker.application(
                .client,
                Speaker.stream(0, request("/one"), ends: true)
                    + Speaker.stream(4, request("/two"), ends: true)
            ),
            speaker.application(.server, Speaker.stream(4, answer("2"), ends: true)),
            speaker.application(.server, Speaker.stream(0, answer("1"), ends: true)),
        ]
    }

    static let loginSaid = ["GET https://idp.example/two 200 2", "GET https://idp.example/one 200 1"]

    @Test func requestsAndAnswersAreRead() throws {
        for version in QUICVersion.all {
            var speaker = Speaker()
            speaker.version = version
            let read = Self.read(Self.login(&speaker))
            #expect(Self.said(read.exchanges) == Self.loginSaid)
            let exchange = try #require(read.exchanges.last)
            #expect(exchange.request.httpVersion == "HTTP/3" && exchange.malformations.isEmpty)
            #expect(exchange.connection.serverName == "idp.example" && exchange.connection.alpn == "h3")
            #expect(exchange.connection.serverTLSVersion == "TLSv1.3")
            #expect(exchange.connection.serverAddress == "10.0.0.2:443")
            #expect(exchange.startedAt == PacketBuilder.start + .milliseconds(3))
            #expect(read.report.counts.connections == 1 && read.report.losses.isEmpty)
        }
    }

    // MARK: - What the network does

    /// Packets are sent anew with other numbers; what comes twice or late changes nothing.
    @Test(arguments: 0..<60) func orderRepetitionAndLossDoNotMatter(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var speaker = Speaker()
        let handshake = speaker.handshake()
        let (asked, answered) = (Self.request("/a"), Self.answer(String(repeating: "answer ", count: 300)))
        var turns: [Turn] = []
        for (side, bytes) in [(Side.client, asked), (.server, answered)] {
            var pieces = stride(from: 0, to: bytes.count, by: 90).map { $0..<min(bytes.count, $0 + 90) }
            // Once lost, once more sent as it was, in whatever order.
            pieces += pieces.filter { _ in Bool.random(using: &random) }
            for range in pieces.shuffled(using: &random) {
                let frame = Speaker.stream(
                    0,
                    bytes[range],
                    at: range.lowerBound,
                    ends: range.upperBound == bytes.count
                )
                let turn = speaker.application(side, [1, 0, 0] + frame)
                turns.append(turn)
                if Int.random(in: 0..<4, using: &random) == 0 { turns.append(turn) }
            }
        }
        let all = handshake + (seed % 2 == 0 ? turns : turns.shuffled(using: &random))
        #expect(
            Self.said(Self.read(all).exchanges) == [
                "GET https://idp.example/a 200 \(String(repeating: "answer ", count: 300))"
            ]
        )
    }

    @Test func helloMayComeInPiecesAndSeveralPacketsInOneDatagram() {
        for size in [20, 50, 100] {
            var speaker = Speaker()
            let hello = Speaker.clientHello()
            var pieces = stride(from: 0, to: hello.count, by: size).map {
                Speaker.crypto(hello[$0..<min(hello.count, $0 + size)], at: $0)
            }
            pieces.reverse()
            pieces.insert(pieces[0], at: 0)
            // Chromium mixes up the pieces, with PING and PADDING between them.
            let first = speaker.first(pieces.prefix(2).joined(separator: [1, 0, 0]).map(\.self))
            let second = speaker.packet(.initial, .client, pieces.dropFirst(2).flatMap(\.self))
            var rest = Speaker()
            rest.clientID = speaker.clientID
            _ = rest.first([])
            _ = rest.packet(.initial, .client, [])
            let turns = [(Side.client, first), (.client, second)] + Self.login(&rest).dropFirst()
            #expect(Self.said(Self.read(turns).exchanges) == Self.loginSaid, "\(size)")
        }
    }

    /// Packets that overtake the server's hello wait for it.
    @Test func packetsBeforeTheirKeysWait() {
        var speaker = Speaker()
        let hello = (Side.client, speaker.first(Speaker.crypto(Speaker.clientHello())))
        let answer = (Side.server, speaker.packet(.initial, .server, Speaker.crypto(Speaker.serverHello)))
        let rest = speaker.packet(
            .handshake,
            .server,
            Speaker.crypto(Speaker.encryptedExtensions() + Speaker.finished)
        )
        let finished = (Side.client, speaker.packet(.handshake, .client, Speaker.crypto(Speaker.finished)))
        let early = speaker.application(.server, Speaker.stream(3, [0, 4, 0]))
        let asked = speaker.application(.client, Speaker.stream(0, Self.request("/a"), ends: true))
        let answered = speaker.application(.server, Speaker.stream(0, Self.answer("x"), ends: true))
        let read = Self.read([hello, (.server, rest), early, answer, finished, asked, answered])
        #expect(Self.said(read.exchanges) == ["GET https://idp.example/a 200 x"])
        #expect(read.exchanges.first?.connection.alpn == "h3")
    }

    @Test func keysMayComeAfterThePackets() {
        var speaker = Speaker()
        var exchanges = PacketExchanges(
            maximumBodyBytes: 1 << 20,
            budget: RecordingBudget(bytes: 1 << 30),
            heldForKeys: 1 << 20
        )
        var decoder = PacketDecoder(into: exchanges)
        for (index, packet) in Self.packets(Self.login(&speaker)).enumerated() {
            decoder.give(packet, number: index + 1)
        }
        #expect(exchanges.takeFinished().isEmpty)
        exchanges.add(keyLog: Speaker.keyLog())
        decoder.sink.keysAdded(at: PacketBuilder.start)
        #expect(Self.said(decoder.sink.takeFinished()) == Self.loginSaid)
    }

    /// Both ends may renew their keys (RFC 9001, section 6); packets that were overtaken have the old ones.
    @Test func renewedKeysAreFollowed() {
        var speaker = Speaker()
        var turns = speaker.handshake()
        for generation in 0..<5 {
            let id = 8 * generation
            let late = speaker.application(
                .client,
                Speaker.stream(id, Self.request("/\(generation)"), ends: true),
                generation: generation
            )
            let next = speaker.application(
                .client,
                Speaker.stream(id + 4, Self.request("/\(generation)b"), ends: true),
                generation: generation + 1
            )
            let answers = [id, id + 4].map {
                speaker.application(
                    .server,
                    Speaker.stream($0, Self.answer("\($0)"), ends: true),
                    generation: generation
                )
            }
            turns += [next, late] + answers
        }
        let read = Self.read(turns)
        #expect(read.exchanges.count == 10 && read.exchanges.allSatisfy { $0.response?.status == 200 })
    }

    /// The server may have the client begin again at another ID (RFC 9000, section 8.1.2); some say another hello then.
    @Test func retryIsFollowed() {
        for token in [[UInt8](), Array("token".utf8)] {
            var speaker = Speaker()
            let first = speaker.first(Speaker.crypto(Speaker.clientHello(server: "first.example")))
            let retried: [UInt8] = [9, 9, 9, 9, 9, 9, 9, 9]
            let retry =
                [0xf0] + speaker.version.number.bigEndianBytes + [0, UInt8(retried.count)] + retried + token
                + [UInt8](repeating: 0xaa, count: 16)
            speaker.initialID = retried
            let turns = [(Side.client, first), (.server, retry)] + Self.login(&speaker)
            let read = Self.read(turns)
            #expect(Self.said(read.exchanges) == Self.loginSaid)
            #expect(read.exchanges.first?.connection.serverName == "idp.example")
            #expect(read.report.counts.connections == 1)
        }
    }

    /// A key log may have the secrets of what comes behind the handshake only.
    @Test func secretsOfTheHandshakeAreNotNeeded() {
        var speaker = Speaker()
        let turns = Self.login(&speaker)
        let read = Self.read(turns, keyLog: Speaker.keyLog { $0.hasSuffix("TRAFFIC_SECRET_0") })
        #expect(Self.said(read.exchanges) == Self.loginSaid)
    }

    // MARK: - Which connection it is

    /// The client's address may change; what the server calls itself tells whose packets they are (RFC 9000, section 9).
    @Test func clientsMayMove() {
        var speaker = Speaker()
        speaker.clientID = [0xc1, 0xc2, 0xc3, 0xc4]
        let turns = Self.login(&speaker)
        var packets = Self.packets(Array(turns.prefix(3)))
        for (side, datagram) in turns.dropFirst(3) {
            packets.append(.datagram(side, datagram, at: PacketBuilder.start, clientPort: 61_234))
        }
        let read = PacketImport(packets, keyLog: Speaker.keyLog())
        #expect(Self.said(read.exchanges) == Self.loginSaid && read.report.counts.connections == 1)
    }

    @Test func connectionsOfOneAddressAreToldApart() {
        var (one, other) = (Speaker(), Speaker())
        other.initialID = [8, 7, 6, 5, 4, 3, 2, 1]
        (one.clientID, one.serverID) = ([1, 1, 1, 1], [1, 1, 1, 2])
        (other.clientID, other.serverID) = ([2, 2, 2, 1], [2, 2, 2, 2])
        let turns = zip(Self.login(&one), Self.login(&other)).flatMap { [$0, $1] }
        let read = Self.read(turns)
        #expect(Self.said(read.exchanges).sorted() == (Self.loginSaid + Self.loginSaid).sorted())
        #expect(Set(read.exchanges.map(\.connection.id)) == ["u1", "u2"])
    }

    /// Also that of a tunnel (GUE), whose packets begin alike.
    @Test(arguments: [8443, 6080] as [UInt16]) func otherPortsAreReadAsWell(port: UInt16) {
        var speaker = Speaker()
        let packets = Self.login(&speaker).map { MadePacket.datagram($0, $1, serverPort: port) }
        #expect(Self.said(PacketImport(packets, keyLog: Speaker.keyLog()).exchanges) == Self.loginSaid)
    }

    // MARK: - What cannot be read

    @Test func withoutKeysItIsOneEntry() throws {
        var speaker = Speaker()
        let turns = Self.login(&speaker)
        let read = Self.read(turns, keyLog: [])
        let exchange = try #require(read.exchanges.first)
        #expect(read.exchanges.count == 1)
        #expect(exchange.request.method == "CONNECT" && exchange.request.url.authority == "idp.example")
        #expect(exchange.tunnel.reason == .noKeys)
        let bytes = { (side: Side) in turns.filter { $0.side == side }.reduce(0) { $0 + $1.datagram.count } }
        #expect(
            exchange.tunnel.sentBytes == bytes(.client) && exchange.tunnel.receivedBytes == bytes(.server)
        )
        #expect(exchange.duration == .milliseconds(5))
        // It has offered nothing else, and the server went on.
        #expect(exchange.connection.alpn == "h3")
        #expect(
            read.report.counts.adviceOnQUIC?.hasPrefix("1 connection that could not be read speaks QUIC")
                == true
        )
        #expect(Self.read(turns).report.counts.adviceOnQUIC == nil)
        // That there is no key at all is said of all connections in one.
        #expect(read.report.losses.isEmpty && read.report.counts.keylessConnections == 1)
        let ofOthers = String(decoding: Speaker.keyLog(), as: UTF8.self).replacingOccurrences(
            of: Speaker.random.hex,
            with: String(repeating: "17", count: 32)
        )
        #expect(
            Self.read(turns, keyLog: Array(ofOthers.utf8)).report.losses.map(\.description).contains {
                $0.contains("connection u1 (QUIC)") && $0.contains("there is no key for it in the key log")
            }
        )
    }

    @Test func otherProtocolsAreCounted() {
        var speaker = Speaker()
        var turns = speaker.handshake("doq")
        turns.append(speaker.application(.client, Speaker.stream(0, Array("query".utf8), ends: true)))
        let read = Self.read(turns)
        #expect(read.exchanges.isEmpty && read.report.counts.otherConnections == 1)
    }

    @Test func alertsAreFailuresInTheirWords() {
        for (side, code, words) in [
            (Side.client, 0x130, "certificate verify failed: the client sent the TLS alert unknown_ca"),
            (
                .server, 0x178,
                "server TLS handshake failed: the server sent the TLS alert no_application_protocol"
            ),
        ] {
            var speaker = Speaker()
            let handshake = speaker.handshake()
            let close = speaker.packet(.handshake, side, Speaker.close(code, "bad certificate"))
            let read = Self.read(handshake.prefix(2) + [(side, close)])
            #expect(read.exchanges.map(\.failure) == [words])
            #expect(read.exchanges.first?.request.url.text == "https://idp.example/")
        }
    }

    @Test func whatIsUnderWayWhenAConnectionClosesSaysWhy() {
        var speaker = Speaker()
        var turns = speaker.handshake()
        turns.append(speaker.application(.client, Speaker.stream(0, Self.request("/a"), ends: true)))
        turns.append(speaker.application(.server, Speaker.close(0x102, "oh\u{7} no", ofApplication: true)))
        let failures = Self.read(turns).exchanges.map(\.failure)
        #expect(failures == ["the server closed the connection (H3_INTERNAL_ERROR: oh no)"])
        turns.removeLast()
        #expect(
            Self.read(turns).exchanges.map(\.failure) == ["the capture ends before the answer was complete"]
        )
        turns.append(speaker.application(.server, Speaker.stream(0, Self.answer("x"), at: 5, ends: true)))
        #expect(
            Self.read(turns).exchanges.map(\.failure) == ["packets with a part of it are not in the capture"]
        )
    }

    @Test func beginningsThatAreMissingAreTold() {
        var speaker = Speaker()
        let rest = Array(Self.login(&speaker).dropFirst(3))
        let read = PacketImport(Self.packets(rest), keyLog: Speaker.keyLog())
        #expect(read.exchanges.isEmpty)
        var log = PacketDecoder(into: StreamLog())
        for (index, packet) in Self.packets(rest).enumerated() { log.give(packet, number: index + 1) }
        log.finish()
        #expect(
            log.losses.map(\.description) == [
                "packet 1: 3 packets to or from UDP port 443 are of no connection whose beginning is in the capture: HTTP/3"
                    + " is read from its first packet on, in versions 1 and 2 of QUIC"
            ]
        )
    }

    @Test func aTunnelIsTold() {
        var speaker = Speaker()
        // CONNECT by the static table, and an authority.
        let section = [0, 0, 0xcf, 0x50, 14] + Array("op.example:443".utf8)
        let turns =
            speaker.handshake() + [
                speaker.application(.client, Speaker.stream(0, [1, UInt8(section.count)] + section)),
                speaker.application(.server, Speaker.stream(0, [1, 3, 0, 0, 0xd9])),
            ]
        let read = Self.read(turns)
        #expect(read.exchanges.map(\.upgradedTo) == ["tunnel"])
        #expect(
            read.report.losses.map(\.what) == [
                "connection u1 (QUIC), 10.0.0.1:50000 to idp.example:443: what goes through a tunnel in it (CONNECT) is not read"
            ]
        )
    }

    // MARK: - Hostile

    @Test(arguments: 0..<100) func damageDoesNoHarm(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var speaker = Speaker()
        var turns = Self.login(&speaker)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let turn = Int.random(in: turns.indices, using: &random)
            let count = turns[turn].datagram.count
            guard count > 0 else { continue }
            if Bool.random(using: &random) {
                turns[turn].datagram[Int.random(in: 0..<count, using: &random)] ^= UInt8.random(
                    in: 1...255,
                    using: &random
                )
            } else {
                turns[turn].datagram = Array(
                    turns[turn].datagram.prefix(Int.random(in: 0..<count, using: &random))
                )
            }
        }
        // What is damaged does not open; what is left is told as it is.
        for said in Self.said(Self.read(turns).exchanges) where !said.hasPrefix("CONNECT") {
            #expect(Self.loginSaid.contains(said) || said.hasSuffix(" 0 ") || said.contains(" 200 "))
        }
    }

    /// Payloads that nobody would send, under good keys.
    @Test(arguments: 0..<100) func anyFramesDoNoHarm(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var speaker = Speaker()
        var turns = speaker.handshake()
        for _ in 0..<8 {
            var frames: [UInt8] = []
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                let bytes = (0..<Int.random(in: 0...30, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                switch Int.random(in: 0..<4, using: &random) {
                case 0: frames += bytes
                case 1:
                    frames += Speaker.stream(
                        Int.random(in: 0..<12, using: &random),
                        bytes,
                        at: Int.random(in: 0..<20, using: &random)
                    )
                case 2: frames += Speaker.crypto(bytes, at: Int.random(in: 0..<20, using: &random))
                default:
                    frames += Speaker.stream(
                        Int.random(in: 0..<4, using: &random),
                        Self.request("/\(seed)"),
                        ends: Bool.random(using: &random)
                    )
                }
            }
            turns.append(speaker.application(Bool.random(using: &random) ? .client : .server, frames))
        }
        _ = Self.read(turns)
    }

    /// Offsets that are far ahead, in ever new pieces, are held up to a limit; the rest of the connection is read.
    @Test func whatWaitsIsBounded() {
        var speaker = Speaker()
        var turns = speaker.handshake()
        let one = Self.request("/a")
        turns.append(speaker.application(.client, Speaker.stream(0, one)))
        for number in 0..<800 {
            let frames = (0..<50).flatMap {
                Speaker.stream(0, [1], at: VariableInteger.largest / 2 - 2 * (50 * number + $0))
            }
            turns.append(speaker.application(.client, frames))
        }
        turns.append(speaker.application(.client, Speaker.stream(4, Self.request("/b"), ends: true)))
        turns.append(speaker.application(.server, Speaker.stream(4, Self.answer("b"), ends: true)))
        let exchanges = Self.read(turns).exchanges
        #expect(
            exchanges.map(\.failure) == ["packets with a part of it are not in the capture", nil]
                && Self.said(exchanges).last == "GET https://idp.example/b 200 b"
        )
    }
}
