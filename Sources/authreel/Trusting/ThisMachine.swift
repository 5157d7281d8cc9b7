import Foundation
import Proxy

/// The machine that the program runs on, as planning looks at it.
struct ThisMachine: TrustMachine {
    private let environment = ProcessInfo.processInfo.environment

    var isRoot: Bool { geteuid() == 0 }
    var home: String? { HomeFolder.path }
    var dataHome: String? { absolute(environment["XDG_DATA_HOME"]) }
    var javaHome: String? { absolute(environment["JAVA_HOME"]) }

    private func absolute(_ path: String?) -> String? { path.flatMap { $0.hasPrefix("/") ? $0 : nil } }

    func kind(of path: String) -> FileKind? { FileKind(at: path) }

    func contents(of path: String) -> [UInt8]? {
        // Neither a pipe, which would keep us waiting, nor something endless.
        guard kind(of: path) == .file, let data = try? Data(contentsOf: URL(filePath: path)) else {
            return nil
        }
        return Array(data)
    }

    func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    func linkTarget(of path: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: path)
    }

    func realPath(of path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    func isWritable(_ path: String) -> Bool { access(path, W_OK) == 0 }

    func command(for tool: String) -> String? {
        let folders = environment["PATH"].map { $0.split(separator: ":").map(String.init) } ?? []
        // An ordinary user of Debian has not all of the system's folders in PATH.
        guard let folder = (folders + Self.systemFolders).first(where: { isProgram("\($0)/\(tool)") }) else {
            return nil
        }
        // sudo looks into the system's folders only.
        let isFoundByName = folders.contains(folder) && Self.systemFolders.contains(folder)
        return isFoundByName ? tool : "\(folder)/\(tool)"
    }

    private static let systemFolders = [
        "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin",
    ]

    private func isProgram(_ path: String) -> Bool { kind(of: path) == .file && access(path, X_OK) == 0 }

    func output(of command: [String]) -> ToolOutput? { ToolRunner.output(of: command) }
}

/// The user's home folder.
enum HomeFolder {
    /// `HOME`, or what the system has for this user; nil where there is none.
    static let path: String? = {
        if let home = ProcessInfo.processInfo.environment["HOME"], home.hasPrefix("/") { return home }
        guard let entry = getpwuid(geteuid()), let folder = entry.pointee.pw_dir else { return nil }
        let home = String(cString: folder)
        return home.hasPrefix("/") && FileManager.default.fileExists(atPath: home) ? home : nil
    }()
}
