import Captures
import Foundation
import Packets

/// Reads an interface on a thread of its own, and hands over the exchanges that it sees.
///
/// `@unchecked Sendable`: what changes is used by its own thread only, and by others when that has ended.
final class PacketRecorder: @unchecked Sendable {
    private let live: LiveInterface
    private let flag = LiveInterface.StopFlag()
    private var sink: Sink

    /// What waits for keys, of each direction of a connection.
    private static let heldForKeys = 1 << 20
    /// Bytes that all connections together hold of messages that are not complete.
    private static let budget = 256 << 20

    /// - Parameters:
    ///   - live: open.
    ///   - keyLog: is followed; nil where nothing is to be deciphered.
    ///   - maximumBodyBytes: how much of a body is kept.
    ///   - spoolFolder: where large bodies wait.
    ///   - recorded: is handed the exchanges, on the recorder's thread.
    init(
        _ live: LiveInterface,
        keyLog: KeyLogFollower?,
        maximumBodyBytes: Int,
        spoolFolder: String?,
        recorded: @escaping ([Exchange]) -> Void
    ) {
        self.live = live
        var exchanges = PacketExchanges(
            maximumBodyBytes: maximumBodyBytes,
            spoolFolder: spoolFolder,
            budget: RecordingBudget(bytes: Self.budget),
            heldForKeys: keyLog == nil ? 0 : Self.heldForKeys
        )
        if let keyLog { exchanges.followKeyLog { keyLog.news() } }
        sink = Sink(
            decoder: PacketDecoder(into: exchanges),
            keys: keyLog,
            recorded: recorded
        )
    }

    /// Reads until ``stop()``.
    ///
    /// - Returns: what was read, and what could not be.
    /// - Throws: `LiveInterfaceError` where the interface goes away; what was recorded before is handed over.
    func run() async throws -> PacketImportReport {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { [self] in
                let result = Result { () throws(LiveInterfaceError) in
                    try live.read(into: &sink, until: flag) { $0.pause() }
                }
                sink.finish()
                continuation.resume(with: result.map { self.report }.mapError { $0 as any Error })
            }
        }
    }

    func stop() { flag.set() }

    private var report: PacketImportReport {
        var report = sink.decoder.sink.report
        report.counts.packets = sink.packets
        report.losses = live.losses + sink.decoder.losses + report.losses
        return report
    }

    private struct Sink: PacketSink {
        var decoder: PacketDecoder<PacketExchanges>
        let keys: KeyLogFollower?
        let recorded: ([Exchange]) -> Void
        var packets = 0
        private var now = Timestamp(nanoseconds: 0)

        init(
            decoder: PacketDecoder<PacketExchanges>,
            keys: KeyLogFollower?,
            recorded: @escaping ([Exchange]) -> Void
        ) {
            self.decoder = decoder
            self.keys = keys
            self.recorded = recorded
        }

        mutating func receive(_ packet: Packet) {
            packets += 1
            now = packet.time
            // Under load there is no pause.
            if packets % 64 == 0 { lookForKeys() }
            decoder.receive(packet)
            handOver()
        }

        mutating func receiveKeyLog(_ lines: UnsafeRawBufferPointer) {}

        /// Keys mostly come a moment after the packets that they open.
        mutating func lookForKeys() {
            let news = keys?.news() ?? []
            guard !news.isEmpty || decoder.sink.hasNewKeys else { return }
            decoder.sink.add(keyLog: news)
            decoder.sink.keysAdded(at: now)
            handOver()
        }

        /// No packet waits.
        mutating func pause() {
            lookForKeys()
            decoder.timePassed(until: SystemClock.now)
            handOver()
        }

        mutating func finish() {
            lookForKeys()
            decoder.finish()
            handOver()
        }

        private mutating func handOver() {
            let exchanges = decoder.sink.takeFinished()
            if !exchanges.isEmpty { recorded(exchanges) }
        }
    }
}
