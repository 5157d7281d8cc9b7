import Foundation

/// The descriptors that whoever started us gave us besides the first three: a child gets those, and none of ours.
///
/// NIO's sockets are not closed by `exec`: a command that outlives us would go on listening on the proxy's port.
enum InheritedDescriptors {
    /// Has to be asked for before anything is opened.
    static let all: Set<Int32> = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? []
        return Set(names.compactMap(Int32.init).filter { $0 > STDERR_FILENO && fcntl($0, F_GETFD) >= 0 })
    }()

    #if canImport(Darwin)
    typealias Actions = posix_spawn_file_actions_t?
    #else
    typealias Actions = posix_spawn_file_actions_t
    #endif

    /// Lets a child have them, and closes everything else.
    ///
    /// `given`: those that were made for this child.
    static func passOn(_ actions: inout Actions, besides given: Set<Int32> = []) {
        #if canImport(Darwin)
        // With POSIX_SPAWN_CLOEXEC_DEFAULT.
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] + all.union(given) {
            posix_spawn_file_actions_addinherit_np(&actions, descriptor)
        }
        #else
        let kept = all.union(given)
        let last = kept.max() ?? STDERR_FILENO
        // Closing one that is not open is no error.
        for descriptor in STDERR_FILENO + 1..<max(last, STDERR_FILENO + 1) where !kept.contains(descriptor) {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        closeFrom(last + 1, &actions)
        #endif
    }

    #if !canImport(Darwin)
    /// glibc 2.34 has a function for it, which its headers show to C alone.
    private static func closeFrom(_ first: Int32, _ actions: inout Actions) {
        typealias CloseFrom = @convention(c) (UnsafeMutablePointer<Actions>, CInt) -> CInt
        if let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") {
            _ = unsafeBitCast(symbol, to: CloseFrom.self)(&actions, first)
            return
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? []
        for descriptor in names.compactMap(Int32.init) where descriptor >= first {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
    }
    #endif
}
