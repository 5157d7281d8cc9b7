import Foundation

/// Replays that a signal ends with what was driven until then.
enum EndableReplay {
    private enum Event<Result: Sendable>: Sendable {
        case done(Result)
        case interrupted(Int32?)
    }

    /// Runs replays to their end, or until a signal of ``Interruption``; the next of them ends the program at once.
    ///
    /// - Parameter body: gives what there is when its task is cancelled.
    /// - Returns: what it gave, and the number of the signal that ended it; nil for none.
    /// - Throws: what `body` throws.
    static func run<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws
        -> (result: Result, signal: Int32?)
    {
        let signals = Interruption.signals()
        return try await withThrowingTaskGroup(of: Event<Result>.self) { group in
            group.addTask { .done(try await body()) }
            group.addTask {
                for await number in signals { return .interrupted(number) }
                return .interrupted(nil)
            }
            var signal: Int32?
            while let event = try await group.next() {
                switch event {
                case .done(let result):
                    group.cancelAll()
                    return (result, signal)
                case .interrupted(let number):
                    signal = number
                    Interruption.letGo()
                    PipedBrowser.endAll()
                    group.cancelAll()
                }
            }
            throw CancellationError()
        }
    }
}
