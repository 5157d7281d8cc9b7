internal import Captures

/// Reads several captures as one, packet by packet in the order of their times: those of two interfaces, or of the two
/// directions that a tap gives.
///
/// Within a file the packets keep their order, whatever their times.
struct MergedPacketFiles {
    /// A file, one packet ahead.
    private struct Source {
        var reader: PacketFileReader
        var next = NextPacket()

        /// Goes to the packet behind the one at hand.
        mutating func advance() throws(PacketError) {
            next.packet = nil
            while next.packet == nil, try reader.step(into: &next) {}
        }
    }

    /// Keeps what a reader gives; it is there up to the reader's next step.
    private struct NextPacket: PacketSink {
        var packet: Packet?

        mutating func receive(_ packet: Packet) { self.packet = packet }

        /// Those are read before the packets: see ``PacketFile/keyLogs(in:)``.
        mutating func receiveKeyLog(_ lines: UnsafeRawBufferPointer) {}
    }

    /// The bytes that were read of each file, and that it has.
    private final class Progress {
        var done: [Int]
        var total: [Int]

        init(_ count: Int) {
            done = Array(repeating: 0, count: count)
            total = done
        }

        var share: Double { Double(done.reduce(0, +)) / Double(max(1, total.reduce(0, +))) }
    }

    private var sources: [Source] = []

    /// Gives every packet of the files to a sink, numbered over all of them; keys that stand between them are passed over.
    ///
    /// - Parameters:
    ///   - paths: the files.
    ///   - sink: takes the packets.
    ///   - progress: is told how much is done, from 0 to 1.
    /// - Returns: what could not be read of each file, in the order of `paths`.
    /// - Throws: ``PacketError`` where one of them cannot be read.
    static func read<Sink: PacketSink>(
        _ paths: [String],
        into sink: inout Sink,
        progress: (Double) -> Void
    ) throws(PacketError) -> [[PacketLoss]] {
        // No reader outlives the call of the closure.
        let result = withoutActuallyEscaping(progress) { progress in
            Result { () throws(PacketError) in
                var files = try MergedPacketFiles(paths, progress: progress)
                try files.read(into: &sink)
                return files.sources.map(\.reader.losses)
            }
        }
        return try result.get()
    }

    private init(_ paths: [String], progress: @escaping (Double) -> Void) throws(PacketError) {
        let all = Progress(paths.count)
        for (index, path) in paths.enumerated() {
            let reader = try PacketFileReader(path: path) { done, total in
                (all.done[index], all.total[index]) = (done, total ?? done)
                progress(all.share)
            }
            sources.append(Source(reader: reader))
        }
        for index in sources.indices { try sources[index].advance() }
    }

    private mutating func read<Sink: PacketSink>(into sink: inout Sink) throws(PacketError) {
        var number = 0
        while let index = earliest, var packet = sources[index].next.packet {
            number += 1
            packet.number = number
            sink.receive(packet)
            try sources[index].advance()
        }
    }

    /// Whose packet is next: of several of one time that of the first file.
    private var earliest: Int? {
        var found: (index: Int, time: Timestamp)?
        for index in sources.indices {
            guard let time = sources[index].next.packet?.time, found.map({ time < $0.time }) ?? true else {
                continue
            }
            found = (index, time)
        }
        return found?.index
    }
}
