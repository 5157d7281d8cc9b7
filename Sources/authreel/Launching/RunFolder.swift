import Captures
import Foundation

/// A private folder for what one recording needs beside its capture: a browser's profile, trust files.
///
/// Removed at the end; what a killed recorder left is removed by the next one. Others may pass through it, since a command
/// may start a server of another user, and see what is made for them.
struct RunFolder: Sendable {
    let path: String
    private static let prefix = "authreel-run-"
    /// What helps where a file of it cannot be written.
    private static let room = "make room there, or have TMPDIR=DIR name another folder"

    /// Makes the folder.
    ///
    /// `parent`: where; the system's folder for temporary files, or where a confined browser may write.
    /// Throws ``CommandFailure`` when it cannot be made.
    init(in parent: String = FileManager.default.temporaryDirectory.path) throws {
        Self.removeAbandoned(in: parent)
        var template = Array(
            "\(parent.hasSuffix("/") ? parent : parent + "/")\(Self.prefix)\(getpid())-XXXXXX".utf8CString
        )
        guard mkdtemp(&template) != nil else {
            throw CommandFailure(
                .unavailable,
                "no folder for temporary files in \(parent): \(errno.systemReason)",
                hint: "TMPDIR=DIR names another one"
            )
        }
        let made = template.withUnsafeBufferPointer {
            String(decoding: $0.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        chmod(made, 0o711)
        path = made
    }

    func file(_ name: String) -> String { path + "/" + name }

    /// Writes a file of the folder.
    ///
    /// - Parameters:
    ///   - bytes: all of it.
    ///   - name: below the folder; folders on the way are made.
    ///   - isPublic: other users may read it.
    /// - Returns: the file's path.
    /// - Throws: ``CommandFailure`` when it cannot be written.
    @discardableResult
    func write(_ bytes: some Sequence<UInt8>, to name: String, isPublic: Bool = false) throws -> String {
        let file = file(name)
        let folder = (file as NSString).deletingLastPathComponent
        if !FileManager.default.fileExists(atPath: folder) {
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: isPublic ? 0o755 : 0o700]
            )
        }
        unlink(file)
        // Nobody else has it open, nor can open it, before it is known who may read it.
        let descriptor = Foundation.open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure(
                .unavailable,
                "\(file) cannot be written: \(errno.systemReason)",
                hint: Self.room
            )
        }
        defer { close(descriptor) }
        fchmod(descriptor, isPublic ? 0o644 : 0o600)
        do {
            try OutputFile.append(Array(bytes)[...], to: descriptor, named: file)
        } catch let failure as CommandFailure {
            throw CommandFailure(failure.status, failure.message, hint: Self.room)
        }
        return file
    }

    /// Removes the folder; tried for a moment, since a browser that is ending may still be writing into it.
    func remove() {
        for _ in 0..<20 {
            try? FileManager.default.removeItem(atPath: path)
            if !FileManager.default.fileExists(atPath: path) { return }
            usleep(50_000)
        }
    }

    /// Of recorders that are no longer there, our own user's only.
    private static func removeAbandoned(in parent: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        where name.hasPrefix(prefix) {
            let words = name.dropFirst(prefix.count).split(separator: "-")
            guard let owner = words.first.flatMap({ pid_t($0) }), owner != getpid(), kill(owner, 0) != 0,
                errno == ESRCH
            else { continue }
            var status = stat()
            let folder = parent + "/" + name
            guard lstat(folder, &status) == 0, status.st_uid == getuid(), status.st_mode & S_IFMT == S_IFDIR
            else {
                continue
            }
            try? FileManager.default.removeItem(atPath: folder)
        }
    }
}
