import Foundation
import Synchronization

/// Waiting for SIGINT or SIGTERM.
enum Interruption {
    /// Takes over both signals at once; the function that comes back returns when one of them has arrived.
    ///
    /// A second signal ends the program as it would without us, for whoever cannot wait.
    static func waiting() -> @Sendable () async -> Void {
        let state = Mutex<State>(.waiting(nil))
        let box = Box(state: state)
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                signal(number, SIG_DFL)
                box.arrive()
            }
            source.resume()
            box.keep(source)
        }
        return { await box.wait() }
    }

    private enum State {
        case waiting(CheckedContinuation<Void, Never>?)
        case arrived
    }

    /// `@unchecked Sendable`: the sources are only added before the first signal can arrive, everything else
    /// is behind the mutex.
    private final class Box: @unchecked Sendable {
        private let state: Mutex<State>
        private var sources: [any DispatchSourceSignal] = []

        init(state: consuming Mutex<State>) { self.state = state }

        func keep(_ source: any DispatchSourceSignal) { sources.append(source) }

        func arrive() {
            let continuation = state.withLock { state in
                defer { state = .arrived }
                if case .waiting(let continuation) = state { return continuation }
                return nil
            }
            continuation?.resume()
        }

        func wait() async {
            await withCheckedContinuation { continuation in
                let hasArrived = state.withLock { state in
                    if case .arrived = state { return true }
                    state = .waiting(continuation)
                    return false
                }
                if hasArrived { continuation.resume() }
            }
        }
    }
}
