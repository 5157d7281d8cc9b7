import Foundation

/// How many files and connections this process may have open.
enum DescriptorLimit {
    /// Asks for as many as two for each connection take, and some.
    ///
    /// - Parameter connections: of clients, as many as are wanted.
    /// - Returns: as many as there is room for, where the system allows less.
    static func raise(for connections: Int) -> Int {
        let wanted = rlim_t(connections) * 2 + 256
        var limit = rlimit()
        guard getrlimit(Self.descriptors, &limit) == 0, limit.rlim_cur < wanted else { return connections }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        _ = setrlimit(Self.descriptors, &limit)
        guard getrlimit(Self.descriptors, &limit) == 0, limit.rlim_cur < wanted else { return connections }
        return room(within: Int(limit.rlim_cur))
    }

    /// How many connections of clients there is room for, each with one to a provider.
    ///
    /// `descriptors`: that the process may have. A quarter of few of them is left for the rest of it, which has some twenty at the
    /// beginning.
    static func room(within descriptors: Int) -> Int {
        let others = min(256, max(32, descriptors / 4))
        return max(1, (descriptors - others) / 2)
    }

    #if canImport(Glibc)
    private static let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    private static let descriptors = RLIMIT_NOFILE
    #endif
}
