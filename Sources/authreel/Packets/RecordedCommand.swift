import Foundation
import Reports
import Synchronization

/// A program that runs while packets are recorded, and with whose end the recording ends.
///
/// It is told of no proxy; its keys go where `SSLKEYLOGFILE` says.
final class RecordedCommand: Sendable {
    private let child: ChildProcess
    private let name: String
    private let interruptions = Mutex(0)

    /// Starts it.
    ///
    /// `keyLog`: where it is to write its keys; nil where nothing is said of that.
    /// Throws ``CommandFailure`` with status 126 when the system refuses to start it.
    init(_ launcher: CommandLauncher, environment: [String: String], keyLog: String?) throws {
        name = launcher.name
        var environment = environment
        if let keyLog { environment["SSLKEYLOGFILE"] = URL(filePath: keyLog).path }
        child = try launcher.start(environment: environment)
    }

    /// Packets and keys of its last moments come a moment after it has ended.
    private static let aftermath = Duration.milliseconds(500)

    /// Calls `stop` when it has ended, and its last packets have come.
    func whenEnded(_ stop: @escaping @Sendable () -> Void) {
        // Ends with the command, which nobody else waits for.
        Task {
            _ = await child.wait()
            try? await Task.sleep(for: Self.aftermath)
            stop()
        }
    }

    /// Its exit status as a shell tells it; 0 while it runs.
    var status: Int32 { child.ending?.status ?? 0 }

    /// Hands a signal on: the first asks it to end, the next ends it; a SIGQUIT may mean something else to it.
    ///
    /// - Parameters:
    ///   - signal: that has come.
    ///   - fromTerminal: it has had the signal already.
    /// - Returns: false where it cannot be ended by us, or is over.
    func interrupted(_ signal: Int32, fromTerminal: Bool) -> Bool {
        guard child.ending == nil else { return false }
        if signal == SIGQUIT {
            if !fromTerminal { child.send(signal) }
            return true
        }
        guard kill(child.processID, 0) == 0 || errno != EPERM else {
            // It was started before the rights of root were given up.
            if fromTerminal,
                interruptions.withLock({
                    $0 += 1; return $0
                }) == 1
            {
                return true
            }
            StandardError.warn(
                "\(name.printable) goes on: it has the rights of root, which the recorder gave up"
            )
            return false
        }
        guard
            interruptions.withLock({
                $0 += 1; return $0
            }) == 1
        else {
            child.send(SIGKILL)
            return true
        }
        if !fromTerminal { child.send(signal) }
        // A signal comes to no task; this one is over with its word.
        Task {
            try? await Task.sleep(for: .seconds(2))
            if child.ending == nil {
                StandardError.note(
                    "waiting for \(name) to end; Ctrl-C once more ends it at once"
                )
            }
        }
        return true
    }
}
