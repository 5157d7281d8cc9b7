import Captures
import Foundation
import Packets
import Wire

/// Packet captures, from the file to the bytes of TCP connections.
enum PacketTarget {
    private static let path = FileManager.default.temporaryDirectory
        .appending(path: "authreel-fuzz-\(ProcessInfo.processInfo.processIdentifier).pcap").path

    static func check(_ input: [UInt8]) throws(FuzzFinding) {
        defer { try? FileManager.default.removeItem(atPath: path) }
        do { try Data(input).write(to: URL(filePath: path)) } catch { throw FuzzFinding("\(error)") }
        var keyLogBytes = 0
        var decoder = PacketDecoder(into: StreamCounter()) { keyLogBytes += $0.count }
        let losses: [PacketLoss]
        do throws(PacketError) { losses = try PacketFile.read(path: path, into: &decoder) } catch {
            guard case .notACapture = error else { throw FuzzFinding("\(error)") }
            return
        }
        try require(PacketFile.isPacketFile(input), "what is read is no capture")
        try require(losses.count <= 102, "\(losses.count) losses")
        decoder.finish()
        _ = decoder.losses
        let counter = decoder.sink
        try require(counter.fault == nil, counter.fault ?? "")
        try require(counter.open.isEmpty, "\(counter.open.count) connections are still open")
        let found: [[UInt8]]
        do throws(PacketError) { found = try PacketFile.keyLogs(in: path) } catch {
            throw FuzzFinding("the keys of a capture that was read: \(error)")
        }
        try require(
            found.reduce(0) { $0 + $1.count } == keyLogBytes,
            "the keys alone are not those among the packets"
        )
    }
}

/// Looks at the order in which things are told.
private struct StreamCounter: TCPStreamSink {
    var open: [Int: Set<Side>] = [:]
    var fault: String?
    private var count = 0

    private mutating func check(_ condition: Bool, _ what: String) {
        if !condition, fault == nil { fault = what }
    }

    mutating func opened(_ stream: Int, _ facts: TCPStreamFacts) {
        check(stream == count, "connection \(stream) instead of \(count)")
        check(facts.client.address.count == facts.server.address.count, "addresses of two versions")
        count += 1
        open[stream] = []
    }

    mutating func established(_ stream: Int, at time: Timestamp) {
        check(open[stream] != nil, "\(stream) is established, but not open")
    }

    mutating func received(
        _ bytes: UnsafeRawBufferPointer,
        of stream: Int,
        from side: Side,
        at time: Timestamp
    ) {
        check(open[stream].map { !$0.contains(side) } ?? false, "bytes of \(stream), which has ended")
        check(bytes.count > 0, "no bytes")
    }

    mutating func lost(_ count: Int, of stream: Int, from side: Side, at time: Timestamp) {
        check(open[stream].map { !$0.contains(side) } ?? false, "a loss of \(stream), which has ended")
        check(count > 0, "\(count) bytes are lost")
    }

    mutating func ended(_ side: Side, of stream: Int, _ end: TCPStreamEnd, at time: Timestamp) {
        check(open[stream].map { !$0.contains(side) } ?? false, "\(stream) ends twice")
        open[stream]?.insert(side)
    }

    mutating func closed(_ stream: Int, at time: Timestamp) {
        check(open[stream]?.count == 2, "\(stream) is closed with an open side")
        open[stream] = nil
    }
}
