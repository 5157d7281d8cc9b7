import Captures
import Foundation
import Packets
import Reports

/// The one place where packet captures come in.
enum PacketInput {
    /// Bytes that tell what a file is, packed ones included.
    static let headSize = 4096

    static func isPacketFile(_ head: [UInt8]) -> Bool { PacketFile.isPacketFile(head) }

    /// Writes the exchanges of a packet capture into a capture of ours.
    ///
    /// - Parameters:
    ///   - files: those of the packet capture.
    ///   - keyLogs: files with TLS secrets.
    ///   - secrets: those of the captures that are imported with it.
    ///   - capture: the new one.
    ///   - maximumBodyBytes: of a body that are kept.
    ///   - progress: is told how far it is, from 0 to 1.
    /// - Returns: the new capture, which is whole; what of the packets could not be read, with its place; and whether a part of
    ///   connections is missing that may be in another file.
    /// - Throws: ``CommandFailure``.
    static func write(
        _ files: FileGroup,
        keyLogs: [String],
        secrets: [[UInt8]] = [],
        to capture: WrittenCapture,
        maximumBodyBytes: Int,
        progress: (Double) -> Void
    ) throws -> (capture: Capture, losses: [String], lacksParts: Bool) {
        do {
            var importer = PacketImporter(
                files.paths,
                areOfOneTime: files.areOfOneTime,
                maximumBodyBytes: maximumBodyBytes
            )
            importer.keyLogs = keyLogs
            importer.secrets = secrets
            importer.spoolFolder = URL(filePath: capture.path).deletingLastPathComponent().path
            let (capture, report) = try importer.write(to: capture, progress: progress)
            let counts = report.counts
            return (
                capture,
                losses(of: report, keyLogs: keyLogs) + (counts.adviceOnQUIC.map { [$0] } ?? []),
                counts.oneWayConnections > 0 || counts.oneWayClearConnections > 0
                    || counts.lateConnections > 0
                    || counts.midStreamConnections > 0
            )
        } catch let error as PacketError {
            throw CommandFailure(error)
        } catch let error as CaptureError {
            throw CommandFailure(error)
        }
    }

    private static func losses(of report: PacketImportReport, keyLogs: [String]) -> [String] {
        var losses = report.losses.map(\.description)
        if report.furtherLosses > 0 { losses.append("\(report.furtherLosses) more places could not be read") }
        let counts = report.counts
        if losses.isEmpty, counts.packets == 0 {
            losses.append("no packet is in it: was it taken at the right interface, and did the filter fit?")
        }
        if counts.repeatedConnections > 0 {
            losses.append(
                "\(counts.repeatedConnections) of \(counts.connections) connections are in the capture twice, as where those of two places were put"
                    + " into one file: their exchanges stand here once"
            )
        }
        if counts.lateConnections > 0 {
            losses.append(
                "\(counts.lateConnections) of \(counts.connections) connections began before the capture, and nothing that"
                    + " could be read begins in them"
            )
        }
        if counts.exchanges == 0, counts.otherConnections > 0 {
            losses.append(
                "\(counts.otherConnections) of \(counts.connections) connections begin with neither TLS nor HTTP, and are not read"
            )
        }
        if counts.oneWayClearConnections > 0 {
            losses.append(
                "of \(counts.oneWayClearConnections) of \(counts.connections) connections one direction only is in the capture: the other may go"
                    + " by another interface (tcpdump -i any has all of a machine), or the filter leaves it out (port takes both, dst port one)"
            )
        }
        if counts.oneWayConnections > 0 {
            losses.append(
                "of \(counts.oneWayConnections) of \(counts.tlsConnections) TLS connections one direction only is in the capture, so"
                    + " that no keys open them: the other may go by another interface (tcpdump -i any has all of a machine)"
            )
        }
        let unread = counts.unreadConnections - counts.oneWayConnections
        if unread > 0 {
            losses.append(
                "\(unread) of \(counts.tlsConnections) TLS connections could not be read"
                    + whatKeysLack(counts, keyLogs: keyLogs)
            )
        }
        return losses
    }

    /// Why the keys that were given open no more connections.
    private static func whatKeysLack(_ counts: PacketImportReport.Counts, keyLogs: [String]) -> String {
        guard counts.keys > 0 else {
            return keyLogs.isEmpty
                ? ": --keylog FILE names the keys (SSLKEYLOGFILE of a program that took part)"
                : ", and no key was given: a key log is what SSLKEYLOGFILE makes a program write that took part"
        }
        return ", with keys of \(counts.keys.counted("connection")) at hand"
            + (counts.keylessConnections == counts.tlsConnections - counts.oneWayConnections
                ? ", none of them of this capture: the key log has to be of the time of the packets, and of a program that took part"
                : "")
    }
}

extension CommandFailure {
    init(_ error: PacketError) {
        let status: ExitStatus =
            switch error {
            case .noSuchFile, .cannotBeRead: .noInput
            case .notACapture: .dataError
            }
        self.init(status, "\(error)")
    }
}
