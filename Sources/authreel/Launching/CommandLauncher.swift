import Captures
import Foundation

/// A command whose runtimes find the proxy and trust it, for one recording.
struct CommandLauncher {
    /// As it was typed.
    let name: String
    let path: String
    private let arguments: [String]

    /// Looks the command up; nothing is started.
    ///
    /// Throws ``CommandFailure`` with the statuses of a shell: 127 when there is no such command, 126 when it cannot be run.
    init(_ words: [String], searchPath: String) throws {
        name = words.first ?? ""
        arguments = Array(words.dropFirst())
        switch ProgramPath.lookup(name, searchPath: searchPath) {
        case .found(let path): self.path = path
        case .notFound:
            throw CommandFailure(
                .noSuchCommand,
                "no such command: \(name)",
                hint: name.contains(" ")
                    ? "give command and arguments as words of their own: -- \(name)"
                    : "what is after -- is a program with its arguments; a shell's line needs -- sh -c '…'"
            )
        case .unusable(let reason):
            throw CommandFailure(
                .cannotInvoke,
                reason,
                hint: "what is after -- is a program; a script that is none begins with its shell: "
                    + "-- sh \(ShellWord.quoted(name))"
            )
        }
    }

    /// Starts it with the variables of ``CommandEnvironment``.
    func start(environment: [String: String]) throws -> ChildProcess {
        try ChildProcess(path: path, name: name, arguments: arguments, environment: environment)
    }

    /// Go leaves loopback out of every proxy, and nothing from outside changes that: whether to say so.
    var isMadeByGo: Bool {
        if (name as NSString).lastPathComponent == "go" { return true }
        guard let handle = FileHandle(forReadingAtPath: path), let bytes = try? handle.read(upToCount: 4096),
            bytes.starts(with: [0x7f, 0x45, 0x4c, 0x46])
        else { return false }
        // The note of Go's linker: length of the name, length of the build id, kind 4, name.
        let kindAndName = Data([4, 0, 0, 0]) + Data("Go\0\0".utf8)
        guard let found = bytes.range(of: kindAndName), found.lowerBound >= bytes.startIndex + 8 else {
            return false
        }
        return bytes[(found.lowerBound - 8)..<(found.lowerBound - 4)] == Data([4, 0, 0, 0])
    }
}
