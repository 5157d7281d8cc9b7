import Foundation
import Proxy

/// Finding programs the way a shell does.
enum ProgramPath {
    /// What a name leads to.
    enum Lookup: Equatable {
        case found(String)
        case notFound
        /// It is there and cannot be run; why.
        case unusable(String)
    }

    /// The search path of an environment; of one that has none that of most systems.
    static func searchPath(_ environment: [String: String]) -> String {
        environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
    }

    /// Looks a command up.
    ///
    /// - Parameters:
    ///   - name: with a slash a path, else searched for.
    ///   - searchPath: folders between colons, as in `PATH`; an empty one is the current folder.
    /// - Returns: the first that can be run, else why there is none.
    static func lookup(_ name: String, searchPath: String) -> Lookup {
        guard !name.isEmpty else { return .notFound }
        if name.contains("/") { return verdict(name) }
        var unusable: Lookup?
        for folder in searchPath.split(separator: ":", omittingEmptySubsequences: false) {
            switch verdict((folder.isEmpty ? "." : String(folder)) + "/" + name) {
            case .found(let path): return .found(path)
            case .notFound: continue
            case .unusable(let reason): unusable = unusable ?? .unusable(reason)
            }
        }
        return unusable ?? .notFound
    }

    private static func verdict(_ path: String) -> Lookup {
        switch FileKind(at: path) {
        case nil: .notFound
        case .folder: .unusable("\(path) is a folder")
        case .file, .other: access(path, X_OK) == 0 ? .found(path) : .unusable("\(path) is not executable")
        }
    }
}
