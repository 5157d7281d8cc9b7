import Captures
import Flows

/// The exchanges of each file that an import was made of, in the order of time.
struct FileOrders: Sendable {
    private var byFile: [String: [Int]] = [:]

    init(of index: CaptureIndex) {
        for exchange in index.order {
            for file in Set(index.capture[exchange].provenance.seen.map(\.file)) {
                byFile[file, default: []].append(exchange)
            }
        }
    }

    func orders(of seen: [Provenance.Sighting]) -> [[Int]] {
        Set(seen.map(\.file)).compactMap { byFile[$0] }
    }
}
