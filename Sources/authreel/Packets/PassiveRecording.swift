import ArgumentParser
import Captures
import Foundation
import Packets
import Reports

/// A recording of what passes an interface, from the first line to the last.
struct PassiveRecording {
    let interface: String
    let filter: String?
    let keyLog: String?
    /// What the user called the capture, which is there afterwards then, whatever came; nil for a dated name.
    let path: String?
    let maximumBodyBytes: Int
    let detail: TrafficDetail
    /// Runs meanwhile; nil for none.
    var command: CommandLauncher?

    /// Records until it is interrupted, or the command has ended.
    ///
    /// - Throws: ``CommandFailure`` where there is nothing to record from or into; `ExitCode` with the command's status where that
    ///   is not 0, and with 1 where exchanges are missing from the file.
    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let live = try open()
        let user = RecordingUser(environment)
        let keyLog =
            keyLog ?? command.flatMap { _ in environment["SSLKEYLOGFILE"].flatMap { $0.isEmpty ? nil : $0 } }
        var follower = try keyLog.map { path in
            try KeyLogFollower(path: path, owner: user.identity.map { ($0.user, $0.group) })
        }
        // Whose file it is: that of who called sudo, who may read it afterwards; otherwise the superuser's.
        if user.isCaller { try user.takeOver() }
        // Keys that nobody asked for are gone with the recording.
        let folder = try command != nil && keyLog == nil && user.canRemove ? RunFolder() : nil
        defer { folder?.remove() }
        if let folder { follower = try KeyLogFollower(path: folder.file("keys.log"), owner: nil) }
        let writer = try path.map(CaptureOpening.open) ?? CaptureOpening.make(at: SystemClock.now)
        defer { if path == nil { writer.takeBack() } }
        // Is looked at when the rights to open it are gone.
        let descriptor = user.canRemove ? -1 : Foundation.open(writer.path, O_RDONLY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        // Before anybody is told of it: who stops us then, stops us cleanly.
        let signals = Interruption.signals()
        tellOfBeginning(in: writer, hasKeys: follower != nil)
        // What root starts runs as root, whatever the recorder goes on as.
        let child = try command.map {
            try RecordedCommand($0, environment: environment, keyLog: keyLog ?? folder?.file("keys.log"))
        }
        if !user.isCaller { try user.takeOver() }
        HeapSettings.setForRecording()
        let isWhole = try await record(
            live,
            keyLog: follower,
            into: writer,
            readable: descriptor >= 0 ? descriptor : nil,
            beside: child,
            until: signals
        )
        // A command that failed has the first word.
        if let child, child.status != 0 { throw ExitCode(child.status) }
        if !isWhole { throw ExitCode(ExitStatus.negative.rawValue) }
    }

    /// Writes what comes, and says at the end what came.
    ///
    /// - Returns: whether all of it is in the file.
    private func record(
        _ live: LiveInterface,
        keyLog: KeyLogFollower?,
        into writer: CaptureWriter,
        readable: Int32?,
        beside child: RecordedCommand?,
        until signals: AsyncStream<Int32>
    ) async throws -> Bool {
        let capture = SteadyCapture(
            writer,
            version: Authreel.version,
            clock: { SystemClock.now },
            tell: CaptureTeller.tell
        )
        let view = view(of: writer, capture, readable: readable)
        let inspection = CaptureInspection(of: capture)
        let recorder = PacketRecorder(
            live,
            keyLog: keyLog,
            maximumBodyBytes: maximumBodyBytes,
            spoolFolder: Self.spoolFolder(of: writer.path)
        ) { exchanges in
            capture.append(exchanges)
            view.recorded(exchanges)
        }
        // Cancelled behind the recording, which throws nothing on its way there.
        let watcher = Task { await view.run() }
        let result = await Self.run(recorder, beside: child, until: signals)
        inspection.end()
        capture.inspect(isLast: true)
        let summary = view.finish()
        watcher.cancel()
        let report = try report(of: result, capture, writer)
        tell(report, summary, capture, isGone: path == nil && writer.takeBack())
        return capture.missing == nil
    }

    private func view(of writer: CaptureWriter, _ capture: SteadyCapture, readable: Int32?) -> LiveView {
        let view = LiveView(
            writer: writer,
            readable: readable,
            detail: detail,
            tellsHalves: false,
            half: Halves().half
        )
        view.follow { capture.position }
        return view
    }

    /// What came, or where that is which came before it failed.
    private func report(
        of result: Result<PacketImportReport, any Error>,
        _ capture: SteadyCapture,
        _ writer: CaptureWriter
    ) throws -> PacketImportReport {
        do { return try result.get() } catch {
            let isThere = path != nil || capture.position.entries > 0
            throw CommandFailure(
                .unavailable,
                "\(error)",
                hint: isThere ? "what was recorded before is in \(writer.path)" : nil
            )
        }
    }

    /// Records until a signal that the command leaves to us, or the command's end.
    private static func run(
        _ recorder: PacketRecorder,
        beside child: RecordedCommand?,
        until signals: AsyncStream<Int32>
    ) async -> Result<PacketImportReport, any Error> {
        let listener = Task {
            for await signal in signals {
                let fromTerminal = RecordingSession.isFromTerminal(signal)
                if child?.interrupted(signal, fromTerminal: fromTerminal) != true { recorder.stop() }
            }
        }
        defer { listener.cancel() }
        child?.whenEnded(recorder.stop)
        do { return .success(try await recorder.run()) } catch { return .failure(error) }
    }

    private func tellOfBeginning(in writer: CaptureWriter, hasKeys: Bool) {
        StandardError.note("recording into \(writer.path)")
        if !hasKeys { StandardError.note("what is in TLS stays closed: --keylog FILE names the keys") }
        StandardError.line("capturing on \(interface)" + (filter.map { ", \($0)" } ?? ""))
    }

    private func open() throws -> LiveInterface {
        var options = LiveInterface.Options()
        options.filter = filter
        options.program = Invocation.file
        do throws(LiveInterfaceError) {
            return try LiveInterface(interface, options)
        } catch {
            let status: ExitStatus =
                switch error {
                case .filter, .noSuchInterface: .usage
                case .notPermitted, .notUp, .failed: .unavailable
                }
            throw CommandFailure(status, error.description, hint: error.hint)
        }
    }

    /// Beside the capture, as long as we may write there.
    private static func spoolFolder(of path: String) -> String {
        let folder = URL(filePath: path).deletingLastPathComponent().path
        return access(folder, W_OK) == 0 ? folder : FileManager.default.temporaryDirectory.path
    }

    /// `isGone`: nothing came, and no capture is left.
    private func tell(
        _ report: PacketImportReport,
        _ summary: [String],
        _ capture: SteadyCapture,
        isGone: Bool
    ) {
        for loss in report.losses.prefix(Self.mostLosses) { StandardError.warn("\(loss)") }
        let further = report.losses.count - Self.mostLosses + report.furtherLosses
        if further > 0 { StandardError.warn("\(further) more places could not be read") }
        let counts = report.counts
        let recorded =
            isGone
            ? "\(CaptureTeller.nothing);" : "\(counts.exchanges.counted("exchange")) recorded, from"
        StandardError.note(
            "\(capture.path): \(recorded) \(counts.packets.counted("packet")) of "
                + counts.connections.counted("connection")
                + (counts.unreadConnections > 0 ? "; \(counts.unreadConnections) could not be read" : "")
        )
        for line in summary { StandardError.line(line) }
        if counts.exchanges > counts.unreadConnections {
            StandardError.note("next: \(Invocation.command("diagnose", capture.path))")
        } else if counts.packets == 0 {
            StandardError.note("no packet came: is it the right interface, and does the filter fit?")
        } else if counts.unreadConnections > 0 {
            StandardError.note(
                "to read what is in TLS: SSLKEYLOGFILE=keys.log for the program, and --keylog keys.log"
            )
        }
        if let advice = counts.adviceOnQUIC { StandardError.note(advice) }
        if let missing = capture.missing { CaptureTeller.tellOfMissing(missing, in: capture.path) }
    }

    private static let mostLosses = 20
}
