import Synchronization

/// The large bodies that were read last, since one question about a page follows the other.
///
/// Holds as many as fit into its limit, and the last one in any case of up to that size.
final class RecentBodies: Sendable {
    /// A body: the place of its entry in the file and which of the entry's bodies it is.
    struct Key: Hashable {
        var offset: Int
        var number: Int
    }

    private struct State {
        /// The last used last.
        var bodies: [(key: Key, bytes: [UInt8])] = []
        var size = 0
    }

    private let state = Mutex(State())
    /// In bytes of bodies.
    private let limit: Int
    private static let maximumCount = 64

    init(limit: Int = 2 << 20) { self.limit = limit }

    /// The bytes of a body, read by `load` where they are not held.
    func bytes(_ key: Key, _ load: () -> [UInt8]?) -> [UInt8]? {
        if let held = held(key) { return held }
        // Outside of the lock: another reader of the same reads it twice, and nobody waits.
        guard let bytes = load() else { return nil }
        keep(bytes, key)
        return bytes
    }

    private func held(_ key: Key) -> [UInt8]? {
        state.withLock { state in
            guard let place = state.bodies.lastIndex(where: { $0.key == key }) else { return nil }
            let body = state.bodies[place]
            if place < state.bodies.count - 1 {
                state.bodies.remove(at: place)
                state.bodies.append(body)
            }
            return body.bytes
        }
    }

    private func keep(_ bytes: [UInt8], _ key: Key) {
        guard bytes.count <= limit else { return }
        state.withLock { state in
            guard !state.bodies.contains(where: { $0.key == key }) else { return }
            state.bodies.append((key, bytes))
            state.size += bytes.count
            while state.size > limit || state.bodies.count > Self.maximumCount {
                state.size -= state.bodies.removeFirst().bytes.count
            }
        }
    }
}
