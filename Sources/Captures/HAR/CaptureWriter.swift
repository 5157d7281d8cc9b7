#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
import JSON
import Synchronization

/// Appends exchanges to a capture of ours, so that the file is whole JSON between writes.
///
/// The file is a head line, an entry per line, and the tail `\n]}}`. A batch is one positioned write over the
/// old tail. When
/// ``append(_:)`` returns, the entries are in the file as far as a death of the process goes; nothing is
/// synced to the disk.
///
/// Synchronous and guarded by a mutex, not an actor: the recorder calls it from the event loop that is about
/// to release the answer, and "written before released" is then the order of two lines.
package final class CaptureWriter: Sendable {
    /// What opening an existing capture found and did.
    package struct Mending: Sendable, Equatable {
        /// Entries that were there, whole.
        package var entries: Int
        /// Bytes of a torn end that were cut off; 0 where the file was whole.
        package var bytesRemoved: Int
    }

    package let path: String
    package let mending: Mending

    private struct File: Sendable {
        var descriptor: Int32
        /// Where the tail begins.
        var end: Int
        var isEmpty: Bool
        var entries: Int
        var facts = FactsText()
        /// Used for one batch after the other.
        var buffer: [UInt8] = []
    }

    /// How far the file has come.
    package struct Position: Sendable, Hashable {
        /// Entries that are in it.
        package var entries: Int
        /// Where the next one will be written.
        package var offset: Int

        package init(entries: Int, offset: Int) {
            self.entries = entries
            self.offset = offset
        }
    }

    private let file: Mutex<File>
    private static let tail = Array("\n]}}\n".utf8)

    /// Opens the file for appending, or makes it (mode 0600).
    ///
    /// - Parameters:
    ///   - path: a capture of ours, an empty file, or a name that is free.
    ///   - version: of the program, for `log.creator`.
    /// - Throws: ``CaptureError``; a file of another producer is left as it is, one that another process records into likewise.
    package init(path: String, version: String) throws(CaptureError) {
        self.path = path
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.systemError(path) }
        do {
            let (file, mending) = try Self.prepare(descriptor, path: path, version: version)
            Self.publishOwner(descriptor)
            self.file = Mutex(file)
            self.mending = mending
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit { file.withLock { _ = close($0.descriptor) } }

    /// Writes the exchanges behind those that are there, in one positioned write.
    ///
    /// - Throws: ``CaptureError/inputOutput(path:reason:)``; the file then is as it was, or torn behind its last whole entry.
    package func append(_ exchanges: [Exchange]) throws(CaptureError) {
        guard !exchanges.isEmpty else { return }
        let failure: CaptureError? = file.withLock { file in
            var bytes: [UInt8] = []
            swap(&bytes, &file.buffer)
            defer {
                // One large batch is not to be paid for ever after.
                if bytes.capacity <= 256 << 10 {
                    bytes.removeAll(keepingCapacity: true)
                    swap(&bytes, &file.buffer)
                }
            }
            for index in exchanges.indices {
                if !(file.isEmpty && bytes.isEmpty) { bytes.append(0x2c) }
                bytes.append(0x0a)
                HAREntry.append(exchanges[index], &file.facts, to: &bytes)
            }
            let grown = file.end + bytes.count
            bytes.append(contentsOf: Self.tail)
            guard Self.write(bytes, to: file.descriptor, at: file.end) else {
                let error = Self.systemError(path)
                // A full disk, mostly: what was begun goes, so that the file stays whole.
                ftruncate(file.descriptor, off_t(file.end))
                _ = Self.write(Self.tail, to: file.descriptor, at: file.end)
                return error
            }
            file.end = grown
            file.isEmpty = false
            file.entries += exchanges.count
            return nil
        }
        if let failure { throw failure }
    }

    package var position: Position { file.withLock { Position(entries: $0.entries, offset: $0.end) } }

    // MARK: - Opening

    private static func prepare(_ descriptor: Int32, path: String, version: String) throws(CaptureError) -> (
        File, Mending
    ) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw systemError(path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .inputOutput(path: path, reason: "is not a regular file")
        }
        try lock(descriptor, path: path)
        guard status.st_size > 0 else {
            fchmod(descriptor, 0o600)
            var head = Array(
                "{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\"authreel\",\"version\":".utf8
            )
            JSONWriter.append(string: version, to: &head)
            head.append(contentsOf: "},\"entries\":[".utf8)
            guard write(head + tail, to: descriptor, at: 0) else { throw systemError(path) }
            return (
                File(descriptor: descriptor, end: head.count, isEmpty: true, entries: 0),
                Mending(entries: 0, bytesRemoved: 0)
            )
        }
        return try mend(descriptor, path: path, size: Int(status.st_size))
    }

    /// Finds the last whole entry of a capture of ours, cuts off what a death left behind it, and writes the
    /// tail anew.
    private static func mend(_ descriptor: Int32, path: String, size: Int) throws(CaptureError) -> (
        File, Mending
    ) {
        let source = try CaptureSource(path: path)
        var producer = ""
        let scanner: EntryScanner
        do {
            scanner = try CaptureReader.scanEntries(source) { found in
                guard found.kind == .member("creator") else { return }
                producer = (try? JSONParser.parse(found.bytes))?["name"]?.string ?? ""
            }
        } catch {
            throw .notOurs(path: path, producer: "something else")
        }
        guard producer == "authreel", scanner.hasEntries else {
            throw .notOurs(path: path, producer: producer.isEmpty ? "something else" : producer)
        }
        let end = scanner.endOfLastEntry
        let expected = source.bytes(at: end, count: size - end)
        var removed = 0
        if expected != tail {
            // Only ours is overwritten: an entry array with members behind it was written by somebody else.
            if scanner.ending == .whole, expected.contains(where: { !" \n\r\t]}".utf8.contains($0) }) {
                throw .notOurs(path: path, producer: "authreel and changed since")
            }
            removed = scanner.ending == .whole ? 0 : size - end
            guard ftruncate(descriptor, off_t(end)) == 0, write(tail, to: descriptor, at: end) else {
                throw systemError(path)
            }
        }
        return (
            File(
                descriptor: descriptor,
                end: end,
                isEmpty: scanner.entryCount == 0,
                entries: scanner.entryCount
            ),
            Mending(entries: scanner.entryCount, bytesRemoved: removed)
        )
    }

    /// One recorder at a time; threads of this process are kept out, too.
    private static func lock(_ descriptor: Int32, path: String) throws(CaptureError) {
        guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return }
        var record = record()
        let isKnown = fcntl(descriptor, F_GETLK, &record) == 0 && record.l_type != Int16(F_UNLCK)
        throw .lockedByAnother(path: path, processID: isKnown ? record.l_pid : nil)
    }

    /// A record lock beside the first one, because it can be asked for its process.
    ///
    /// Taken last: closing any other descriptor of the file, as mending does, would give it up.
    private static func publishOwner(_ descriptor: Int32) {
        var record = record()
        _ = fcntl(descriptor, F_SETLK, &record)
    }

    private static func record() -> flock {
        var record = flock()
        record.l_type = Int16(F_WRLCK)
        record.l_whence = Int16(SEEK_SET)
        return record
    }

    // MARK: - System calls

    private static func write(_ bytes: [UInt8], to descriptor: Int32, at offset: Int) -> Bool {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset + written))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            written += count
        }
        return true
    }

    private static func systemError(_ path: String) -> CaptureError {
        errno == ELOOP
            ? .inputOutput(path: path, reason: "is a symbolic link")
            : .inputOutput(path: path, reason: String(cString: strerror(errno)))
    }
}
