import Flows
import Synchronization

/// Pages of which it is known that they refuse nothing: of a sign-in page many rules want to hear that.
final class QuietPages: Sendable {
    private let pages = Mutex<Set<Int>>([])

    func contains(_ exchange: Int) -> Bool { pages.withLock { $0.contains(exchange) } }

    func insert(_ exchange: Int) { _ = pages.withLock { $0.insert(exchange) } }
}

extension CaptureIndex {
    var quietPages: QuietPages { derived.value { QuietPages() } }
}
