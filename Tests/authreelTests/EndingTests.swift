import Synchronization
import Testing

@testable import authreel

/// What is ended behind what used it.
struct EndingTests {
    private struct Failure: Error {}

    @Test func endComesBehindWhateverComes() async throws {
        let order = Mutex<[String]>([])
        let result = try await ending(with: { order.withLock { $0.append("end") } }) {
            order.withLock { $0.append("body") }
            return 7
        }
        #expect(result == 7 && order.withLock { $0 } == ["body", "end"])
        await #expect(throws: Failure.self) {
            try await ending(with: { order.withLock { $0.append("end") } }) { throw Failure() }
        }
        #expect(order.withLock { $0 } == ["body", "end", "end"])
    }
}
