import Captures
@testable import Packets
import TestSupport
import Testing
import Wire

/// Random bytes of both sides, in random segments that come in any order, twice, overlapping, or not at all.
struct TCPStreamPropertyTests {
    private struct Cut {
        var side: Side
        var from: Int
        var to: Int
    }

    /// Segments that together hold every byte of a direction but those of `lost`.
    private func cuts(
        _ side: Side,
        _ count: Int,
        losing lost: Set<Int>,
        _ generator: inout SeededGenerator
    ) -> [Cut] {
        var cuts: [Cut] = []
        var position = 0
        while position < count {
            let end = min(count, position + Int.random(in: 1...40, using: &generator))
            if !lost.contains(cuts.count) {
                cuts.append(Cut(side: side, from: position, to: end))
            } else {
                cuts.append(Cut(side: side, from: position, to: position))
            }
            position = end
        }
        for _ in 0..<cuts.count / 3 where lost.isEmpty {
            let from = Int.random(in: 0..<count, using: &generator)
            cuts.append(
                Cut(side: side, from: from, to: min(count, from + Int.random(in: 1...90, using: &generator)))
            )
        }
        return cuts
    }

    /// Mixes neighbours up.
    private func mixed(_ cuts: [Cut], by distance: Int, _ generator: inout SeededGenerator) -> [Cut] {
        let keyed = cuts.enumerated().map {
            ($0.offset + Int.random(in: 0...distance, using: &generator), $0.element)
        }
        return keyed.sorted { $0.0 < $1.0 }.map(\.1)
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func whatWasSentComesOut(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let sent: [Side: [UInt8]] = [Side.client, .server].reduce(into: [:]) { sent, side in
            let count = Int.random(in: 1...3000, using: &generator)
            sent[side] = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }
        let start: [Side: UInt32] = [
            .client: UInt32.random(in: (.max - 2000)...(.max), using: &generator),
            .server: UInt32.random(in: 0...(.max), using: &generator),
        ]
        var made = PacketBuilder()
        made.send(.client, "S", start[.client, default: 0] &- 1)
        made.send(.server, "SA", start[.server, default: 0] &- 1, start[.client, default: 0])
        made.send(.client, "A", start[.client, default: 0], start[.server, default: 0])
        var all: [Cut] = []
        for (side, bytes) in sent.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            all += cuts(side, bytes.count, losing: [], &generator)
        }
        for cut in mixed(all, by: Int(seed) * 3, &generator) {
            let bytes = sent[cut.side, default: []]
            // Nothing is acknowledged, so that nothing is given up.
            made.send(
                cut.side,
                cut.to == bytes.count ? "FPA" : "PA",
                start[cut.side, default: 0] &+ UInt32(cut.from),
                start[cut.side == .client ? .server : .client, default: 0],
                bytes[cut.from..<cut.to]
            )
        }
        let log = StreamLog.of(made.packets)
        #expect(log.faults == [])
        #expect(log.bytes.count == 1)
        for (side, bytes) in sent { #expect(log.bytes.first?[side] == bytes) }
        #expect(log.events.last == "0 closed")
        #expect(!log.events.contains { $0.hasSuffix("captureEnded") })
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func whatIsNotInTheCaptureIsLostAtItsPlace(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: 200...3000, using: &generator)
        let sent = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let lost = Set((0..<4).map { _ in Int.random(in: 1..<(count / 45), using: &generator) })
        var made = PacketBuilder()
        made.handshake()
        var expected: [UInt8?] = []
        var position = 0
        for cut in cuts(.client, count, losing: lost, &generator) where cut.from < cut.to {
            if cut.from > position { expected.append(nil) }
            expected += sent[cut.from..<cut.to].map { $0 }
            position = cut.to
            made.send(.client, "PA", 1001 + UInt32(cut.from), 5001, sent[cut.from..<cut.to])
            if seed % 2 == 0 { made.send(.server, "A", 5001, 1001 + UInt32(cut.to), [], after: 300) }
        }
        made.send(.server, "A", 5001, 1001 + UInt32(position))
        made.send(.client, "FA", 1001 + UInt32(position), 5001)
        let log = StreamLog.of(made.packets)
        #expect(log.faults == [])
        #expect(log.bytes.first?[.client] == expected)
    }

    /// Whatever comes: what is told keeps its order, and every connection ends.
    @Test(arguments: 0..<300 as Range<UInt64>)
    func anySegmentsAreToldInOrder(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let flags = ["S", "SA", "A", "PA", "PA", "PA", "FA", "R", "RA", "FPA", "SR", ""]
        let near: [UInt32] = [1000, 1001, 5000, 5001, 17_000_000, 40_000_000, 905_000_000, .max - 1]
        var reassembler = TCPStreamReassembler(into: StreamLog(), maximumConnections: 3, maximumHeld: 2000)
        var made = PacketBuilder()
        for _ in 0..<250 {
            made.client.port = UInt16(50_000 + Int.random(in: 0..<5, using: &generator))
            made.send(
                Bool.random(using: &generator) ? .client : .server,
                flags[Int.random(in: 0..<flags.count, using: &generator)],
                near[Int.random(in: 0..<near.count, using: &generator)]
                    &+ UInt32.random(in: 0..<40, using: &generator),
                near[Int.random(in: 0..<near.count, using: &generator)]
                    &+ UInt32.random(in: 0..<40, using: &generator),
                [UInt8](repeating: 7, count: max(0, Int.random(in: -30..<60, using: &generator))),
                after: Int64.random(in: -200...1500, using: &generator)
            )
            if Int.random(in: 0..<20, using: &generator) == 0 {
                reassembler.settleResets(at: made.time + .seconds(2))
            }
            reassembler.give(made.packets)
            made.packets = []
        }
        reassembler.finish()
        #expect(reassembler.sink.faults == [])
        let closed = reassembler.sink.events.filter { $0.hasSuffix(" closed") }.count
        #expect(closed == reassembler.sink.facts.count)
    }
}
