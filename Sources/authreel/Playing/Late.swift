import Synchronization

/// Something that is made after it is needed.
final class Late<Value: Sendable>: Sendable {
    private let box = Mutex<Value?>(nil)

    var value: Value? { box.withLock { $0 } }

    func set(_ value: Value) { box.withLock { $0 = value } }
}
