import Captures
import Foundation
import Packets
import TestSupport

/// Keeps what a file gives.
struct PacketLog: PacketSink {
    var packets: [MadePacket] = []
    var numbers: [Int] = []
    var keyLogs: [String] = []

    mutating func receive(_ packet: Packet) {
        numbers.append(packet.number)
        packets.append(
            MadePacket(
                bytes: Array(packet.bytes),
                time: packet.time,
                linkType: packet.linkType,
                originalLength: packet.originalLength
            )
        )
    }

    mutating func receiveKeyLog(_ lines: UnsafeRawBufferPointer) {
        keyLogs.append(String(decoding: lines, as: UTF8.self))
    }

    /// Reads a file of these bytes.
    static func of(_ bytes: [UInt8]) throws -> (log: PacketLog, losses: [String]) {
        try withFile(bytes) { path in
            var log = PacketLog()
            let losses = try PacketFile.read(path: path, into: &log)
            return (log, losses.map(\.description))
        }
    }

    static func withFile<Value>(_ bytes: [UInt8], _ body: (String) throws -> Value) throws -> Value {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("made.pcap")
        try Data(bytes).write(to: URL(filePath: path))
        return try body(path)
    }
}
