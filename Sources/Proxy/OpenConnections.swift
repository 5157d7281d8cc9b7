internal import NIOConcurrencyHelpers
internal import NIOCore

/// The clients' connections that are open, up to a limit.
///
/// Those that have not said what they want yet are the cheapest to open and the least to lose: where they are more than half
/// of all that are allowed, the oldest gives way, so that whoever opens many and is silent keeps nobody else out.
final class OpenConnections: Sendable {
    private struct State {
        var count = 0
        var channels: [ObjectIdentifier: any Channel] = [:]
        /// Silent ones by their number, which grows with time.
        var silent: [ObjectIdentifier: Int] = [:]
        /// Silent ones in the order of time; some may have spoken or gone since.
        var queue: [(number: Int, id: ObjectIdentifier)] = []
        var hasToldOfLimit = false
    }

    /// What to do with a connection that has just been accepted.
    enum Admission {
        case open
        /// Another one is to be closed for it.
        case closing(any Channel)
        /// There are as many as are allowed, and all are in use.
        case refused(isFirst: Bool)
    }

    private let limit: Int
    private let state = NIOLockedValueBox(State())

    init(limit: Int) { self.limit = limit }

    func add(_ channel: any Channel) -> Admission {
        let id = ObjectIdentifier(channel)
        let admission = state.withLockedValue { state -> Admission in
            guard state.channels.count < limit else {
                defer { state.hasToldOfLimit = true }
                return .refused(isFirst: !state.hasToldOfLimit)
            }
            state.channels[id] = channel
            state.count += 1
            state.silent[id] = state.count
            state.queue.append((state.count, id))
            if state.queue.count > 4 * limit {
                state.queue.removeAll { state.silent[$0.id] != $0.number }
            }
            guard state.silent.count > max(1, limit / 2) else { return .open }
            while let oldest = state.queue.first {
                state.queue.removeFirst()
                guard state.silent[oldest.id] == oldest.number else { continue }
                state.silent.removeValue(forKey: oldest.id)
                if let channel = state.channels[oldest.id] { return .closing(channel) }
            }
            return .open
        }
        if case .refused = admission { return admission }
        channel.closeFuture.whenComplete { [state] _ in
            state.withLockedValue {
                $0.channels.removeValue(forKey: id)
                $0.silent.removeValue(forKey: id)
            }
        }
        return admission
    }

    /// The client has said what it wants.
    func spoke(_ channel: any Channel) {
        state.withLockedValue { state in
            state.silent.removeValue(forKey: ObjectIdentifier(channel))
            if state.silent.isEmpty { state.queue = [] }
        }
    }

    /// The number of a new connection in this recording.
    func nextID() -> String {
        numbers.withLockedValue { number in
            number += 1
            return String(number)
        }
    }

    private let numbers = NIOLockedValueBox(0)

    var all: [any Channel] { state.withLockedValue { Array($0.channels.values) } }
}
