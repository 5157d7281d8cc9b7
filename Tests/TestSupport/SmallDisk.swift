internal import Foundation

/// A file system of a few kilobytes, so that a disk is really full; mounting it takes root's rights on Linux.
package struct SmallDisk: Sendable {
    package let path: String
    private let folder: TemporaryFolder

    /// Whether there can be one.
    package static let isPossible: Bool = {
        guard let disk = try? SmallDisk(kilobytes: 16) else { return false }
        disk.remove()
        return true
    }()

    package init(kilobytes: Int) throws {
        folder = try TemporaryFolder()
        path = folder.path
        let options = ["-t", "tmpfs", "-o", "size=\(kilobytes)k,mode=0700", "tmpfs", path]
        let result = try Program.run(options, executable: "/usr/bin/mount")
        guard result.status == 0 else {
            folder.remove()
            throw RecorderProcess.Failure("mount: \(result.errors)")
        }
    }

    package func file(_ name: String) -> String { path + "/" + name }

    /// Fills it, but for so many bytes.
    ///
    /// `name`: of the file that takes the room.
    package func fill(sparing bytes: Int = 0, as name: String = "ballast") throws {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { throw RecorderProcess.Failure("statvfs") }
        let count = max(0, Int(status.f_bavail) * Int(status.f_bsize) - bytes)
        try Data(repeating: 0x78, count: count).write(to: URL(filePath: file(name)))
    }

    /// Lets nobody write to it any more.
    package func makeReadOnly() throws {
        let result = try Program.run(["-o", "remount,ro", path], executable: "/usr/bin/mount")
        guard result.status == 0 else { throw RecorderProcess.Failure("mount: \(result.errors)") }
    }

    package func remove() {
        _ = try? Program.run(["-l", path], executable: "/usr/bin/umount")
        folder.remove()
    }
}
