import Captures
import Foundation
import Synchronization

/// A file that is written under a name of its own beside the one that it gets when it is whole.
///
/// Whatever happens meanwhile (an error, Ctrl-C), nothing is left of it; only a death without notice leaves it under its own
/// name. What is there already under the other name is never replaced.
final class UnfinishedFile {
    /// Nobody but its owner reads it.
    let path: String

    /// Files that are to be removed when a signal ends the program.
    private static let open = Mutex<Set<String>>([])
    private static let signals: Void = {
        let signals = Interruption.signals()
        // Has no parent: it goes on for as long as the program does, beside commands that wait for nothing.
        Task.detached {
            for await number in signals {
                if Interruption.isLeftToOthers(number) {
                    StandardError.note(
                        "what has come is imported when the pipe ends; Ctrl-C again leaves nothing"
                    )
                    continue
                }
                open.withLock { paths in
                    for path in paths { unlink(path) }
                    // Nothing is begun and nothing finished from here on.
                    end(by: number)
                }
            }
        }
    }()

    /// Ends the program as the signal does by itself; threads that wait for events have it blocked.
    private static func end(by number: Int32) -> Never {
        signal(number, SIG_DFL)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(number)
        _exit(128 + number)
    }

    /// Chooses a free name.
    ///
    /// - Parameter target: the name it gets in the end; nil for a file that stays where temporary files are.
    init(for target: String?) {
        _ = Self.signals
        let folder =
            target.map { URL(filePath: $0).deletingLastPathComponent().path }
            ?? FileManager.default.temporaryDirectory.path
        let path = "\(folder)/.authreel-import-\(UInt64.random(in: 0...UInt64.max)).har"
        Self.open.withLock { _ = $0.insert(path) }
        self.path = path
    }

    deinit { remove() }

    /// Gives the file its name.
    ///
    /// - Throws: ``CommandFailure`` when there is a file of this name, or the file system refuses; nothing is left then.
    func finish(as target: String) throws {
        let number = Self.open.withLock { paths -> Int32 in
            var number: Int32 = link(path, target) == 0 ? 0 : errno
            if [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK].contains(number) {
                number = Self.rename(path, to: target)
            }
            unlink(path)
            paths.remove(path)
            return number
        }
        guard number != EEXIST else { throw OutputFile.exists(target) }
        guard number == 0 else { throw OutputFile.unfinished(target, number.systemReason) }
    }

    /// For file systems without hard links: the name is taken first, then the file put there.
    private static func rename(_ path: String, to target: String) -> Int32 {
        let descriptor = Foundation.open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return errno }
        close(descriptor)
        guard Foundation.rename(path, target) != 0 else { return 0 }
        let number = errno
        unlink(target)
        return number
    }

    /// Takes the name away; what has the file open goes on reading it.
    func remove() {
        Self.open.withLock { paths in
            if paths.remove(path) != nil { unlink(path) }
        }
    }
}
