/// How often secrets may be tried on connections that nothing tells the keys of, over all of them: most may have no key at all.
///
/// No connection takes all there is. Those to one server mostly have keys, or have none, as an app's to its database: of these the first
/// costs most.
struct TrialPool {
    private static let mostServers = 4096
    private static let leastShare = 64

    private var left: Int
    /// Of one connection.
    private let mostOfOne: Int
    /// By server: of how many connections to it nothing was found that is theirs, since one that had something.
    private var ownerless: [String: Int] = [:]

    /// `trials`: of all connections; `mostOfOne`: those that one can have use of.
    init(_ trials: Int, mostOfOne: Int = .max) {
        left = trials
        self.mostOfOne = mostOfOne
    }

    /// Whether any are left.
    var isOpen: Bool { left > 0 }

    /// As many as a connection may take.
    func share(of server: String) -> Int {
        guard isOpen else { return 0 }
        return max(Self.leastShare, min(mostOfOne, left / 16) >> min(6, ownerless[server] ?? 0))
    }

    /// So many were needed.
    mutating func take(_ count: Int) { left -= count }

    /// Nothing was found that is a connection's own.
    mutating func foundNothing(of server: String) {
        guard ownerless.count < Self.mostServers || ownerless[server] != nil else { return }
        ownerless[server, default: 0] += 1
    }

    /// What is a connection's own was found.
    mutating func foundOwner(of server: String) { ownerless[server] = nil }
}
