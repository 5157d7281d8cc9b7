extension Sequence {
    /// The first element of each key, in their order.
    package func eachOnce<Key: Hashable>(by key: (Element) -> Key) -> [Element] {
        var met: Set<Key> = []
        return filter { met.insert(key($0)).inserted }
    }
}

extension Sequence where Element: Hashable {
    /// Each element once, where it is met first.
    package func eachOnce() -> [Element] { eachOnce { $0 } }
}
