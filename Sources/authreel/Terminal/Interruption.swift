import Foundation
import Synchronization

/// SIGINT, SIGTERM and SIGHUP, as events.
enum Interruption {
    /// Takes the signals over at once; each that arrives is handed on.
    ///
    /// A SIGHUP that was ignored when we were started (`nohup`) stays so.
    static func signals() -> AsyncStream<Int32> {
        let (stream, continuation) = AsyncStream<Int32>.makeStream()
        for number in [SIGINT, SIGTERM, SIGHUP] {
            let before = signal(number, SIG_IGN)
            if number == SIGHUP, isIgnoring(before) { continue }
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { continuation.yield(number) }
            source.resume()
            sources.withLock { $0.append(Source(source: source)) }
        }
        return stream
    }

    /// From now on each of the signals ends the program at once, as it would without us.
    static func letGo() {
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
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
