internal import Captures
internal import NIOConcurrencyHelpers
internal import NIOCore

/// Through which every exchange goes into the file before the last bytes of its answer go to the client.
///
/// `record` returns when the entries are in the file, and runs on the event loop: the bytes are written after
/// it on the same thread, so that nothing can overtake. When it fails the user is told once; traffic goes on.
final class ResponseGate: Sendable {
    private let record: @Sendable ([Exchange]) throws -> Void
    private let notify: @Sendable (ProxyNotice) -> Void
    private let hasFailed = NIOLockedValueBox(false)
    private let batches = NIOLockedValueBox<[ObjectIdentifier: NIOLoopBound<EntryBatch>]>([:])

    init(
        record: @escaping @Sendable ([Exchange]) throws -> Void,
        notify: @escaping @Sendable (ProxyNotice) -> Void
    ) {
        self.record = record
        self.notify = notify
    }

    /// What becomes complete on this event loop; to be called on it.
    func batch(of loop: any EventLoop) -> EntryBatch {
        batches.withLockedValue { batches in
            if let known = batches[ObjectIdentifier(loop)] { return known }
            let batch = NIOLoopBound(EntryBatch(gate: self, loop: loop), eventLoop: loop)
            batches[ObjectIdentifier(loop)] = batch
            return batch
        }
        .value
    }

    /// Returns when the exchanges are in the file, or cannot be.
    func keep(_ exchanges: [Exchange]) {
        guard !exchanges.isEmpty else { return }
        do {
            try record(exchanges)
        } catch {
            let isFirst = hasFailed.withLockedValue { failed in
                defer { failed = true }
                return !failed
            }
            if isFirst { notify(.recordingFailed(reason: "\(error)")) }
        }
    }
}
