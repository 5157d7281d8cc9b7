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
        return max(1, (Int(limit.rlim_cur) - 256) / 2)
    }

    #if canImport(Glibc)
    private static let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    private static let descriptors = RLIMIT_NOFILE
    #endif
}
