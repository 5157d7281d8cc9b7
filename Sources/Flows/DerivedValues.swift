import Synchronization

/// What is read out of a flow, or of a capture, once, for all that ask: fifty rules look at the same logins.
///
/// Belongs to what does not change any more; a value of each type.
package final class DerivedValues: Sendable {
    private let values = Mutex<[ObjectIdentifier: any Sendable]>([:])

    package init() {}

    /// The value of a type, made when it is asked for first.
    package func value<Value: Sendable>(_ make: () -> Value) -> Value {
        let key = ObjectIdentifier(Value.self)
        if let known = values.withLock({ $0[key] as? Value }) { return known }
        // Not under the lock: it may be made of another one.
        let made = make()
        values.withLock { $0[key] = made }
        return made
    }
}
