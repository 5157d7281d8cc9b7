import Captures
import Foundation
import TestSupport
import Testing
import Wire

@testable import Packets

/// Several captures read as one.
struct MergedPacketFilesTests {
    private static func read(_ files: [[UInt8]]) throws -> (log: PacketLog, losses: [[PacketLoss]]) {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let paths = files.indices.map { folder.file("\($0).pcap") }
        for (path, bytes) in zip(paths, files) { try Data(bytes).write(to: URL(filePath: path)) }
        var log = PacketLog()
        let losses = try MergedPacketFiles.read(paths, into: &log) { _ in }
        return (log, losses)
    }

    private static let made: [MadePacket] = {
        var made = PacketBuilder()
        made.converse([(.client, Array("ask".utf8)), (.server, Array("answer".utf8))])
        return made.packets
    }()

    @Test func packetsComeInTheOrderOfTheirTimes() throws {
        let parts = (0..<3).map { part in
            Self.made.enumerated().filter { $0.offset * 5 % 3 == part }.map(\.element)
        }
        let (log, losses) = try Self.read([
            CaptureFileBuilder.pcap(parts[0]), CaptureFileBuilder.pcapng(parts[1]),
            CaptureFileBuilder.pcap(parts[2], isBig: true),
        ])
        #expect(log.packets.map(\.bytes) == Self.made.map(\.bytes))
        #expect(log.packets.map(\.time) == Self.made.map(\.time))
        #expect(log.numbers == Array(1...Self.made.count))
        #expect(losses == [[], [], []])
    }

    @Test func packetsOfAFileKeepTheirOrder() throws {
        var first = Self.made
        first.swapAt(1, 2)
        let (log, _) = try Self.read([CaptureFileBuilder.pcap(first), CaptureFileBuilder.pcap([])])
        #expect(log.packets.map(\.bytes) == first.map(\.bytes))
    }

    @Test func aFileThatBreaksOffIsToldOf() throws {
        let whole = CaptureFileBuilder.pcap(Array(Self.made.prefix(2)))
        let (log, losses) = try Self.read([
            Array(whole.dropLast(5)), CaptureFileBuilder.pcap(Array(Self.made.dropFirst(2))),
        ])
        #expect(log.numbers.count == Self.made.count - 1)
        #expect(losses.map(\.count) == [1, 0])
    }
}
