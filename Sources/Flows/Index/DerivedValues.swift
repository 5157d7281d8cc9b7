import Synchronization

/// What is read out of a flow, or of a capture, once, for all that ask: fifty rules look at the same logins.
///
/// Belongs to what does not change any more; a value of each type.
package final class DerivedValues: Sendable {
    private final class Made<Value: Sendable>: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    /// A ``Made`` of the type that is its key.
    private let values = Mutex<[ObjectIdentifier: any AnyObject & Sendable]>([:])

    package init() {}

    /// The value of a type, made when it is asked for first.
    package func value<Value: Sendable>(_ make: () -> Value) -> Value {
        let key = ObjectIdentifier(Value.self)
        if let known = values.withLock({ $0[key] }) {
            // Asking what it is would cost more than finding it.
            return unsafeDowncast(known, to: Made<Value>.self).value
        }
        // Not under the lock: it may be made of another one.
        let made = make()
        values.withLock { $0[key] = Made(made) }
        return made
    }
}
