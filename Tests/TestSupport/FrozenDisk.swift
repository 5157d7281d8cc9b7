internal import Foundation

/// A file system that takes no writes for a while: who writes waits, as on a network share that has gone.
///
/// Made in a file; mounting and freezing it takes root's rights on Linux, and loop devices.
package final class FrozenDisk: Sendable {
    private let folder: TemporaryFolder
    private let path: String

    /// Whether there can be one.
    package static let isPossible: Bool = {
        guard let disk = try? FrozenDisk() else { return false }
        defer { disk.remove() }
        return (try? disk.freeze()) != nil
    }()

    package init() throws {
        folder = try TemporaryFolder()
        path = folder.file("disk")
        do {
            try Data(count: 8 << 20).write(to: URL(filePath: folder.file("image")))
            try Self.run("/usr/sbin/mkfs.ext4", ["-q", "-m", "0", folder.file("image")])
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            try Self.run("/usr/bin/mount", ["-o", "loop", folder.file("image"), path])
        } catch {
            folder.remove()
            throw error
        }
    }

    package func file(_ name: String) -> String { path + "/" + name }

    /// From now on writes wait; not for longer than twenty seconds, should nobody thaw it.
    package func freeze() throws {
        let rescue = Process()
        rescue.executableURL = URL(filePath: "/bin/sh")
        rescue.arguments = ["-c", "sleep 20; fsfreeze -u \"$0\" 2>/dev/null", path]
        rescue.standardInput = FileHandle.nullDevice
        rescue.standardOutput = FileHandle.nullDevice
        rescue.standardError = FileHandle.nullDevice
        try rescue.run()
        try Self.run("/usr/sbin/fsfreeze", ["-f", path])
    }

    package func thaw() throws { try Self.run("/usr/sbin/fsfreeze", ["-u", path]) }

    package func remove() {
        try? thaw()
        try? Self.run("/usr/bin/umount", ["-l", path])
        folder.remove()
    }

    private static func run(_ program: String, _ arguments: [String]) throws {
        let result = try Program.run(arguments, executable: program)
        guard result.status == 0 else { throw RecorderProcess.Failure("\(program): \(result.errors)") }
    }
}
