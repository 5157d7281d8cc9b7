import Captures
import Foundation
@testable import Packets
import TestSupport
import Testing
import Wire

/// What is held of packets whose keys are not there yet, in all connections together.
struct QUICWaitingTests {
    private typealias Speaker = QUICSpeaker

    private static let size = 8 << 10

    /// The packets of a connection whose hello is its own, and a large request; its keys.
    private static func connection(_ index: Int, hasServer: Bool) -> (packets: [MadePacket], keys: [UInt8]) {
        let random = UInt32(index).bigEndianBytes + Speaker.random.dropFirst(4)
        var hello = Speaker.clientHello()
        hello.replaceSubrange(6..<38, with: random)
        var speaker = Speaker()
        speaker.initialID = [0, 0, 0, 0] + UInt32(index).bigEndianBytes
        speaker.serverID = [1] + UInt32(index).bigEndianBytes
        let first = speaker.first(Speaker.crypto(hello))
        let handshake = speaker.handshake().dropFirst()
        let body = [0] + QUICInteger.bytes(of: size) + [UInt8](repeating: 0x61, count: size)
        let asked = Speaker.stream(0, QUICImportTests.request("/a") + body, ends: true)
        let turns =
            [(Side.client, first)] + (hasServer ? Array(handshake) : [])
            + [
                speaker.application(.client, asked),
                speaker.application(.server, Speaker.stream(0, QUICImportTests.answer("x"), ends: true)),
            ].filter { hasServer || $0.0 == .client }
        let start = PacketBuilder.start + .seconds(Int64(index))
        let packets = turns.enumerated().map { place, turn in
            MadePacket.datagram(
                turn.0,
                turn.1,
                at: start + .milliseconds(Int64(place)),
                clientPort: 50_000 + UInt16(index)
            )
        }
        let keys = String(decoding: Speaker.keyLog(), as: UTF8.self)
            .replacingOccurrences(of: Speaker.random.hex, with: random.hex)
        return (packets, Array(keys.utf8))
    }

    private static func listening(inAll: Int) -> PacketDecoder<PacketExchanges> {
        PacketDecoder(
            into: PacketExchanges(
                maximumBodyBytes: 1 << 20,
                budget: RecordingBudget(bytes: 1 << 30),
                heldForKeys: 1 << 20,
                heldForKeysInAll: inAll
            )
        )
    }

    /// Those that have waited longest are given up, and the others are read.
    @Test func allTogetherHoldSoMuch() {
        for (inAll, expected) in [(16 * Self.size, 8...15), (128 << 20, 40...40)] {
            var decoder = Self.listening(inAll: inAll)
            var keys: [UInt8] = []
            for index in 0..<40 {
                let connection = Self.connection(index, hasServer: true)
                for packet in connection.packets { decoder.give(packet, number: 1) }
                keys += connection.keys
            }
            decoder.sink.add(keyLog: keys)
            decoder.sink.keysAdded(at: PacketBuilder.start + .seconds(60))
            let read = decoder.sink.takeFinished().filter { $0.response != nil }
            #expect(expected.contains(read.count), "\(read.count)")
            // The last ones.
            #expect(
                read.map(\.startedAt).min().map {
                    $0 >= PacketBuilder.start + .seconds(Int64(40 - read.count))
                } == true
            )
            decoder.finish()
            #expect(decoder.sink.takeFinished().count == 40 - read.count)
        }
    }

    /// What is held of a connection whose server is not in the capture counts as well.
    @Test func thoseWithoutAServersHelloCountAsWell() {
        var decoder = Self.listening(inAll: 16 * Self.size)
        for index in 0..<40 {
            for packet in Self.connection(index, hasServer: false).packets {
                decoder.give(packet, number: 1)
            }
        }
        let late = Self.connection(40, hasServer: true)
        for packet in late.packets { decoder.give(packet, number: 1) }
        decoder.sink.add(keyLog: late.keys)
        decoder.sink.keysAdded(at: PacketBuilder.start + .seconds(60))
        #expect(decoder.sink.takeFinished().compactMap(\.response?.status) == [200])
        decoder.finish()
        #expect(decoder.sink.report.counts.oneWayConnections == 40)
    }
}
