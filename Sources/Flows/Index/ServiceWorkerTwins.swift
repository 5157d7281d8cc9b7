import Captures
import JSON

/// Requests that a browser exports twice: as the page made them, and as the page's service worker passed them on.
///
/// Only the worker's went over the network. Chrome, Edge and what is made of them mark the page's with `_fetchedViaServiceWorker`
/// in its `response` (Service Workers, section 4.5).
enum ServiceWorkerTwins {
    /// How many entries a worker may begin before it passes a request on.
    private static let reach = 200

    /// The page's entries by their index, each with the worker's.
    ///
    /// `order`: the entries by time.
    static func passedOn(in capture: Capture, order: [Int]) -> [Int: Int] {
        var passedOn: [Int: Int] = [:]
        var taken: Set<Int> = []
        for (place, index) in order.enumerated() where isFetchedViaWorker(capture[index]) {
            let page = capture[index]
            for other in order[(place + 1)...].prefix(reach) {
                let worker = capture[other]
                guard worker.startedAt <= page.endedAt else { break }
                guard !taken.contains(other), !isFetchedViaWorker(worker), isSame(page, worker)
                else {
                    continue
                }
                taken.insert(other)
                passedOn[index] = other
                break
            }
        }
        return passedOn
    }

    private static func isFetchedViaWorker(_ exchange: Exchange) -> Bool {
        exchange.response?.foreign["_fetchedViaServiceWorker"] == .bool(true)
    }

    /// A worker may also answer out of its cache, or with something else: those are two.
    private static func isSame(_ page: Exchange, _ worker: Exchange) -> Bool {
        page.request.method == worker.request.method && page.request.url.text == worker.request.url.text
            && page.response?.status == worker.response?.status
            && page.request.body?.bytes == worker.request.body?.bytes
    }
}
