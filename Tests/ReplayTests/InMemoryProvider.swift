import Captures
import LibCrypto
import Replay
import Synchronization

extension FlowDriver.Environment {
    /// A provider in memory, by a clock of its own: each answer takes three milliseconds, and nobody really waits.
    static func inMemory(
        _ respond: @escaping @Sendable (RecordedRequest, Timestamp) -> RecordedResponse
    ) -> FlowDriver.Environment {
        let time = Clock()
        return FlowDriver.Environment(
            send: { request in
                let started = time.now
                let now = time.pass(.milliseconds(3))
                return Exchange(
                    startedAt: started,
                    duration: now - started,
                    request: request,
                    response: respond(request, now)
                )
            },
            clock: { time.now },
            sleep: { _ = time.pass($0) },
            random: { SecureRandom.bytes($0) }
        )
    }

    private final class Clock: Sendable {
        private let time = Mutex(Timestamp(seconds: 1_790_000_000))

        var now: Timestamp { time.withLock { $0 } }

        /// - Returns: the time afterwards.
        func pass(_ duration: Duration) -> Timestamp {
            time.withLock { time in
                time = time + duration
                return time
            }
        }
    }
}
