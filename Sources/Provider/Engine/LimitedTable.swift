/// A dictionary that forgets its oldest entry when it is full.
struct LimitedTable<Value: Sendable>: Sendable {
    private var values: [String: Value] = [:]
    /// In the order of arrival, with those that were removed meanwhile.
    private var order: [String] = []
    private var dropped = 0
    private let limit: Int

    init(limit: Int = 10_000) { self.limit = limit }

    subscript(key: String) -> Value? {
        get { values[key] }
        set {
            guard let newValue else {
                values[key] = nil
                return
            }
            if values.updateValue(newValue, forKey: key) == nil { order.append(key) }
            while values.count > limit || order.count - dropped > limit * 2 { dropOldest() }
        }
    }

    /// The newest first.
    var newestFirst: some Sequence<(key: String, value: Value)> {
        order[dropped...].reversed().lazy.compactMap { key in values[key].map { (key, $0) } }
    }

    var newest: (key: String, value: Value)? { newestFirst.first { _ in true } }

    /// Removes what fails a condition.
    mutating func removeAll(where condition: (Value) -> Bool) {
        for (key, value) in values where condition(value) { values[key] = nil }
    }

    private mutating func dropOldest() {
        guard dropped < order.count else { return }
        values[order[dropped]] = nil
        dropped += 1
        // Moved together once in a while, not each time.
        if dropped > 1024, dropped * 2 > order.count {
            order.removeFirst(dropped)
            dropped = 0
        }
    }
}
