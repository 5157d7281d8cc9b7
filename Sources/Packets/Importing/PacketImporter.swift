package import Captures
internal import Wire

/// Reads the logins out of a packet capture.
package struct PacketImporter {
    /// pcap or pcapng.
    private let paths: [String]
    /// Whether the packets of several are read in the order of their times; else each file goes on with the one before.
    private let areOfOneTime: Bool
    /// Files with the keys of its TLS (NSS key log); those inside a pcapng are taken besides.
    package var keyLogs: [String] = []
    /// Lines of key logs that stand elsewhere, as those of ``PacketFile/keyLogs(in:)``.
    package var secrets: [[UInt8]] = []
    /// How much of a body is kept.
    package var maximumBodyBytes: Int
    /// Where large bodies wait until their entries are written; nil for the folder of temporary files.
    package var spoolFolder: String?

    /// Bytes that all connections together hold of messages that are not complete.
    private static let budget = 256 << 20

    /// The files of one packet capture.
    package init(_ paths: [String], areOfOneTime: Bool, maximumBodyBytes: Int) {
        self.paths = paths
        self.areOfOneTime = areOfOneTime
        self.maximumBodyBytes = maximumBodyBytes
    }

    /// Appends the exchanges of the packets to a capture, in the order in which they ended.
    ///
    /// What a client said to a proxy, and the proxy to the server, may both be in the packets, on one machine always are:
    /// they are the same exchanges, seen twice, and stand there twice.
    ///
    /// `progress`: is told how much is done, from 0 to 1.
    /// - Returns: what was read, and what could not be; and the capture, which is whole.
    /// - Throws: ``PacketError`` where the packets cannot be read, `CaptureError` where a key log cannot be, or the capture
    ///   cannot be written.
    package func write(to capture: WrittenCapture, progress: (Double) -> Void) throws -> (
        capture: Capture, report: PacketImportReport
    ) {
        var exchanges = PacketExchanges(
            maximumBodyBytes: maximumBodyBytes,
            spoolFolder: spoolFolder,
            budget: RecordingBudget(bytes: Self.budget)
        )
        for keyLog in keyLogs { try add(keyLog: keyLog, to: &exchanges) }
        // Keys may stand behind the packets that they open.
        for path in paths { Self.add(try PacketFile.keyLogs(in: path), to: &exchanges) }
        Self.add(secrets, to: &exchanges)
        var sink = ImportSink(into: exchanges, capture: capture)
        let losses =
            areOfOneTime
            ? try MergedPacketFiles.read(paths, into: &sink, progress: progress)
            : try read(into: &sink, progress: progress)
        return try sink.finish(
            paths.count == 1
                ? losses[0]
                : zip(paths, losses).flatMap { path, losses in
                    losses.map { PacketLoss(what: "\(path): \($0)") }
                }
        )
    }

    /// Reads one file behind the other.
    ///
    /// - Returns: what could not be read of each.
    private func read(
        into sink: inout ImportSink,
        progress: (Double) -> Void
    ) throws(PacketError) -> [[PacketLoss]] {
        var losses: [[PacketLoss]] = []
        for (index, path) in paths.enumerated() {
            sink.beginFile()
            losses.append(
                try PacketFile.read(path: path, into: &sink) { done, total in
                    guard let total, total > 0 else { return }
                    progress((Double(index) + Double(done) / Double(total)) / Double(paths.count))
                }
            )
        }
        return losses
    }

    private static func add(_ keyLogs: [[UInt8]], to exchanges: inout PacketExchanges) {
        for lines in keyLogs {
            exchanges.add(keyLog: lines)
            exchanges.endKeyLog()
        }
    }

    /// A key log larger than this is looked up, and not held.
    private static let largestHeldKeyLog = 8 << 20

    private func add(keyLog path: String, to exchanges: inout PacketExchanges) throws(CaptureError) {
        let source = try CaptureSource(path: path, scratch: spoolFolder ?? CaptureReader.defaultScratch)
        var offset = 0
        let reread: @Sendable (Int, Int) -> [UInt8] = { source.bytes(at: $0, count: $1) }
        exchanges.add(
            keyLogFile: path == "-" ? "standard input" : path,
            rereading: source.size > Self.largestHeldKeyLog ? reread : nil
        ) {
            guard offset < source.size else { return [] }
            let window = source.bytes(at: offset, count: 1 << 20)
            offset += window.count
            return window
        }
    }
}

/// Decodes packets and writes the exchanges that become complete with each.
private struct ImportSink: PacketSink {
    private var decoder: PacketDecoder<PacketExchanges>
    private var capture: WrittenCapture
    private var packets = 0
    /// Packets are numbered over all files.
    private var numberBefore = 0
    private var lastNumber = 0
    /// Why nothing more is written.
    private var failure: CaptureError?

    init(into exchanges: PacketExchanges, capture: WrittenCapture) {
        decoder = PacketDecoder(into: exchanges)
        self.capture = capture
    }

    /// The packets that come next are of another file.
    mutating func beginFile() { numberBefore = lastNumber }

    mutating func receive(_ packet: Packet) {
        packets += 1
        guard failure == nil else { return }
        var packet = packet
        packet.number += numberBefore
        lastNumber = packet.number
        decoder.receive(packet)
        write(decoder.sink.takeFinished())
    }

    /// They have been read before the packets.
    mutating func receiveKeyLog(_ lines: UnsafeRawBufferPointer) {}

    private mutating func write(_ exchanges: [Exchange]) {
        guard !exchanges.isEmpty else { return }
        do {
            try capture.append(exchanges)
        } catch {
            failure = error
        }
    }

    /// Tells the connections that the capture ends, and writes what waits.
    ///
    /// - Parameter losses: what could not be read of the file.
    /// - Returns: the capture, and what was read and could not be.
    /// - Throws: where the exchanges cannot be written.
    mutating func finish(_ losses: [PacketLoss]) throws(CaptureError) -> (Capture, PacketImportReport) {
        decoder.finish()
        write(decoder.sink.takeFinished())
        if let failure { throw failure }
        let capture = try capture.finish()
        var report = decoder.sink.report
        report.counts.packets = packets
        report.losses = losses + decoder.losses + report.losses
        return (capture, report)
    }
}
