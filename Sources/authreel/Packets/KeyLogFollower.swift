import Captures
import Foundation
import Packets

/// Reads a key log while others write to it.
final class KeyLogFollower {
    private let path: String
    private var descriptor: Int32
    /// Whether it is a file, and no pipe or terminal.
    private let isFile: Bool
    private var offset = 0
    /// The last bytes in front of `offset`, by which it shows that the file was written anew.
    private var last: [UInt8] = []
    private var text = KeyLogFile.GrowingText()

    /// Bytes of ``last``: of most lines these are some of the secret.
    private static let lastSize = 64

    /// Opens the file, and makes it where it is not there yet: who writes to it may be another user than who reads.
    ///
    /// - Parameters:
    ///   - path: what `SSLKEYLOGFILE` is for the programs that are recorded.
    ///   - owner: who shall be able to write to it, where it is made.
    /// - Throws: ``CommandFailure``.
    init(path: String, owner: (user: UInt32, group: UInt32)?) throws {
        var descriptor = Self.open(path)
        if descriptor < 0, errno == ENOENT {
            descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if descriptor >= 0, let owner { fchown(descriptor, owner.user, owner.group) }
        }
        let reason = descriptor < 0 ? "cannot be read: \(errno.systemReason)" : nil
        let kind = Self.status(of: descriptor).map { $0.st_mode & S_IFMT }
        if kind == S_IFDIR { close(descriptor) }
        guard reason == nil, kind != S_IFDIR else {
            throw CommandFailure(
                .noInput,
                "\(path) \(reason ?? "is a folder")",
                hint: "name the file that the programs write as SSLKEYLOGFILE"
            )
        }
        self.path = path
        self.descriptor = descriptor
        isFile = kind == S_IFREG
    }

    deinit { close(descriptor) }

    /// What was written since the last call, in one byte a character; empty where nothing was.
    ///
    /// A file that was begun anew, or that another one has taken the place of, is read from its beginning.
    func news() -> [UInt8] {
        guard isFile else { return text.text(Self.bytes(Self.mostOfPipe) { read(descriptor, $0, $1) }) }
        if wasBegunAnew { return beginning() }
        let news = next()
        if news.isEmpty, let other = replacement {
            close(descriptor)
            descriptor = other
            return beginning()
        }
        return text.text(news)
    }

    private static let mostOfPipe = 1 << 16
    private static let mostOfFile = 1 << 20

    /// `read`: fills up to so many bytes, and says how many these are.
    private static func bytes(_ most: Int, _ read: (UnsafeMutableRawPointer, Int) -> Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
            count = buffer.baseAddress.map { max(0, read($0, most)) } ?? 0
        }
    }

    /// The file's next bytes; empty at its end.
    private func next() -> [UInt8] {
        let size = Self.status(of: descriptor).map { Int($0.st_size) } ?? 0
        guard size > offset else { return [] }
        let news = Self.bytes(min(size - offset, Self.mostOfFile)) {
            pread(descriptor, $0, $1, off_t(offset))
        }
        offset += news.count
        last = Array((last + news.suffix(Self.lastSize)).suffix(Self.lastSize))
        return news
    }

    /// Whether what was read is not in the file any more.
    private var wasBegunAnew: Bool {
        guard !last.isEmpty else { return false }
        var there = [UInt8](repeating: 0, count: last.count)
        let place = off_t(offset - last.count)
        let count = there.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, place) }
        return count >= 0 && there.prefix(count) != last[...]
    }

    /// What the file begins with, behind the end of the line that had begun before.
    private func beginning() -> [UInt8] {
        offset = 0
        last = []
        text = KeyLogFile.GrowingText()
        return [0x0a] + text.text(next())
    }

    /// The file that is called so now, opened, where that is another one.
    private var replacement: Int32? {
        var named = stat()
        guard stat(path, &named) == 0, named.st_mode & S_IFMT == S_IFREG,
            let own = Self.status(of: descriptor), (named.st_dev, named.st_ino) != (own.st_dev, own.st_ino)
        else { return nil }
        let other = Self.open(path)
        return other < 0 ? nil : other
    }

    /// A pipe is not waited for until somebody writes into it.
    private static func open(_ path: String) -> Int32 {
        Foundation.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    }

    private static func status(of descriptor: Int32) -> stat? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status : nil
    }
}
