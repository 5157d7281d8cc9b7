/// What planning has to know of a machine; nothing here changes it.
package protocol TrustMachine {
    var isRoot: Bool { get }
    /// The user's home folder; nil where there is none.
    var home: String? { get }
    /// `XDG_DATA_HOME`, where it is set.
    var dataHome: String? { get }
    /// `JAVA_HOME`, where it is set.
    var javaHome: String? { get }

    /// What a path leads to, links followed; nil where it leads nowhere.
    func kind(of path: String) -> FileKind?
    /// The bytes of a file; nil where it cannot be read.
    func contents(of path: String) -> [UInt8]?
    /// The names in a folder, sorted; none where it cannot be read.
    func names(in folder: String) -> [String]
    /// What a symbolic link says; nil where it is none.
    func linkTarget(of path: String) -> String?
    /// The path without any link in it; nil where it leads nowhere.
    func realPath(of path: String) -> String?
    /// Whether this user may write to it.
    func isWritable(_ path: String) -> Bool
    /// How a tool is called: by its bare name where `PATH` has it, by its path in the system's own folders
    /// otherwise; nil where it is missing.
    func command(for tool: String) -> String?
    /// What a command that changes nothing says; nil where it cannot be started.
    func output(of command: [String]) -> ToolOutput?
}

/// What a path leads to.
package enum FileKind: Sendable, Hashable {
    case file
    case folder
    case other
}

/// What a finished command left.
package struct ToolOutput: Sendable, Hashable {
    package var status: Int32
    /// Standard output and standard error.
    package var text: String

    package init(status: Int32, text: String) {
        self.status = status
        self.text = text
    }
}

extension TrustMachine {
    func isFolder(_ path: String) -> Bool { kind(of: path) == .folder }
    func isFile(_ path: String) -> Bool { kind(of: path) == .file }

    /// The folders that have to be made for `folder` to exist, outermost first.
    func missingFolders(of folder: String) -> [String] {
        var missing: [String] = []
        var path = folder[...]
        while !path.isEmpty, kind(of: String(path)) == nil {
            missing.insert(String(path), at: 0)
            path = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        }
        return missing
    }
}
