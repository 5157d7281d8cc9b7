import Foundation
import Synchronization

/// Something that is made after it is needed.
final class Late<Value: Sendable>: Sendable {
    private let box = Mutex<Value?>(nil)
    private let isGivenUp = Atomic(false)

    var value: Value? { box.withLock { $0 } }

    /// The value as soon as it is set; nil where it is not within seconds, or nobody waits for it any more.
    func awaited() -> Value? {
        for _ in 0..<1000 {
            if let value { return value }
            if isGivenUp.load(ordering: .relaxed) { return nil }
            Thread.sleep(forTimeInterval: 0.01)
        }
        return nil
    }

    /// Nothing will come.
    func giveUp() { isGivenUp.store(true, ordering: .relaxed) }

    func set(_ value: Value) { box.withLock { $0 = value } }
}
