/// A value that its copies share until one of them is changed.
///
/// For what has many members and is handed on far more often than changed: a copy costs one reference.
@propertyWrapper
package struct Shared<Value: Sendable>: Sendable {
    /// `@unchecked Sendable`: changed only where nobody else has it.
    private final class Storage: @unchecked Sendable {
        @exclusivity(unchecked) var value: Value

        init(_ value: Value) { self.value = value }
    }

    private var storage: Storage

    package init(wrappedValue: Value) { storage = Storage(wrappedValue) }

    package var wrappedValue: Value {
        _read { yield storage.value }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
            yield &storage.value
        }
    }
}
