internal import Captures
internal import NIOConcurrencyHelpers

/// Through which every exchange goes into the file before the last bytes of its answer go to the client.
///
/// `record` returns when the entries are in the file, and runs on the event loop: the bytes are written after
/// it on the same thread, so nothing has to be held and nothing can overtake. When it fails the user is told
/// once; traffic goes on.
final class ResponseGate: Sendable {
    private let record: @Sendable ([Exchange]) throws -> Void
    private let notify: @Sendable (ProxyNotice) -> Void
    private let hasFailed = NIOLockedValueBox(false)

    init(
        record: @escaping @Sendable ([Exchange]) throws -> Void,
        notify: @escaping @Sendable (ProxyNotice) -> Void
    ) {
        self.record = record
        self.notify = notify
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
