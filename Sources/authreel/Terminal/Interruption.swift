import Foundation
import Synchronization

/// SIGINT, SIGTERM, SIGHUP and SIGQUIT, as events.
enum Interruption {
    /// Takes the signals over at once; each that arrives is handed on.
    ///
    /// A SIGHUP that was ignored when we were started (`nohup`) stays so, and a SIGQUIT (`&` in a script).
    static func signals() -> AsyncStream<Int32> {
        let (stream, continuation) = AsyncStream<Int32>.makeStream()
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
            let before = signal(number, SIG_IGN)
            if [SIGHUP, SIGQUIT].contains(number), isIgnoring(before) { continue }
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { continuation.yield(number) }
            source.resume()
            sources.withLock { $0.append(Source(source: source)) }
        }
        return stream
    }

    /// Whether a SIGINT ends what comes through a pipe, and not yet us.
    private static let isPatient = Mutex(false)

    /// Runs `body`, which reads a pipe to its end: the first Ctrl-C is for the program that writes it.
    static func whilePatient<Result>(_ body: () throws -> Result) rethrows -> Result {
        isPatient.withLock { $0 = true }
        defer { isPatient.withLock { $0 = false } }
        return try body()
    }

    /// Whether a signal that has come is left to the program that writes the pipe; the next one is not.
    static func isLeftToOthers(_ number: Int32) -> Bool {
        number == SIGINT
            && isPatient.withLock { isPatient in
                defer { isPatient = false }
                return isPatient
            }
    }

    /// From now on each of the signals ends the program at once, as it would without us.
    static func letGo() {
        for number in [SIGINT, SIGTERM, SIGQUIT] { signal(number, SIG_DFL) }
    }

    /// Sources end when nobody holds them.
    private static let sources = Mutex<[Source]>([])

    /// `@unchecked Sendable`: held, and not used any more.
    private struct Source: @unchecked Sendable {
        let source: any DispatchSourceSignal
    }

    /// Functions of C cannot be compared.
    private static func isIgnoring(_ handler: sig_t?) -> Bool {
        unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
