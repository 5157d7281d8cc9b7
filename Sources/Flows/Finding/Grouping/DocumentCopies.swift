import Captures

/// The documents of a capture that flows share, as often as they were read, and where redirects led to them.
struct DocumentCopies {
    private let index: CaptureIndex
    private let exchanges: [Int]
    private let owners: DocumentOwners
    /// Where a redirect led, by where it stood.
    private let followed: [Int: Int]

    init(of exchanges: [Int], _ owners: DocumentOwners, _ index: CaptureIndex) {
        self.index = index
        self.exchanges = exchanges
        self.owners = owners
        followed = exchanges.reduce(into: [:]) { list, exchange in
            if let source = index.redirectedFrom[exchange] { list[source] = exchange }
        }
    }

    /// Documents of which each would do for a login, in order of time; the groups by their first.
    var groups: [[Int]] {
        var groups: [String: [Int]] = [:]
        var order: [String] = []
        for exchange in index.inOrder(exchanges) {
            let read = read(exchange)
            guard let message = index.messages[read],
                var group = owners.group(of: message, at: read)
            else { continue }
            if read != exchange { group = "redirect to " + group }
            if groups[group] == nil { order.append(group) }
            groups[group, default: []].append(exchange)
        }
        return order.compactMap { groups[$0] }
    }

    /// The flows of documents that are too many to go with each of them; nil for fewer, and for those of no flow.
    func owners(ofMany copies: [Int]) -> [FlowBuilder]? {
        guard copies.count > Self.manyCopies, let last = copies.last.map({ read($0) }),
            let message = index.messages[last],
            let flows = owners.owners(of: message, at: last), !flows.isEmpty
        else { return nil }
        return flows
    }

    /// A client that reads the metadata before each login leaves as many of them in the capture as there are logins: of more
    /// than these a flow gets those that it may have read.
    private static let manyCopies = 16

    /// Of documents in order of time the last ones before a flow's end, and the one behind it.
    func nearest(_ copies: [Int], to flow: FlowBuilder) -> ArraySlice<Int> {
        let end = flow.exchanges.map { index.position[$0] }.max() ?? 0
        let behind = copies.partitionPoint { index.position[$0] > end }
        return copies[max(0, behind - Self.manyCopies / 2)..<min(copies.count, behind + 1)]
    }

    /// Where a client that was sent on by redirects read a document at last.
    func read(_ exchange: Int) -> Int {
        var exchange = exchange
        for _ in 0..<10 {
            guard let next = followed[exchange] else { break }
            exchange = next
        }
        return exchange
    }
}
