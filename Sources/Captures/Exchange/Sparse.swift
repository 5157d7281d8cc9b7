/// A value that can say that nothing is known.
package protocol Blank: Sendable, Hashable {
    init()
}

/// A value that most exchanges have nothing of: on the heap, and nowhere where nothing is known.
@propertyWrapper package struct Sparse<Value: Blank>: Sendable {
    /// Shared, and never changed.
    private final class Box: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var box: Box?

    /// The same for values that were copied from one another; nil where nothing is known.
    var identity: ObjectIdentifier? { box.map(ObjectIdentifier.init) }

    package init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    package var wrappedValue: Value {
        get { box?.value ?? Value() }
        set { box = newValue == Value() ? nil : Box(newValue) }
    }
}
