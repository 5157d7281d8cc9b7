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
        let descriptor: Int32
        /// Where the tail begins.
        var end: Int
        var isEmpty: Bool
        var entries: Int
        /// Whether the tail is not there, since not even that could be written.
        var isTorn = false
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
    /// What a name has to lead to; nil where the file system gives no numbers that stay.
    private let identity: FileIdentity?
    static let tail = Array("\n]}}\n".utf8)

    /// Opens the file for appending, or makes it (mode 0600).
    ///
    /// - Parameters:
    ///   - path: a capture of ours, an empty file, or a name that is free.
    ///   - version: of the program, for `log.creator`.
    /// - Throws: ``CaptureError``; a file of another producer is left as it is, one that another process records into, and
    ///   one that could not be read afterwards, likewise.
    package convenience init(path: String, version: String) throws(CaptureError) {
        var isNew = true
        var descriptor = Self.openNew(path)
        if descriptor < 0, errno == EEXIST {
            isNew = false
            descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        }
        guard descriptor >= 0 else { throw Self.systemError(path) }
        do {
            let (file, mending) = try Self.prepare(descriptor, path: path, version: version)
            self.init(path: path, file: file, mending: mending)
        } catch {
            close(descriptor)
            // Nobody needs the beginning of a file, from a disk without room for it.
            if isNew { unlink(path) }
            throw error
        }
    }

    private init(path: String, file: File, mending: Mending) {
        Self.publishOwner(file.descriptor)
        self.path = path
        self.mending = mending
        identity = FileIdentity.stable(of: file.descriptor, at: path)
        self.file = Mutex(file)
    }

    deinit { file.withLock { _ = close($0.descriptor) } }

    private static func openNew(_ path: String) -> Int32 {
        open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    }

    /// Writes the exchanges behind those that are there, in one positioned write.
    ///
    /// - Throws: ``CaptureError/inputOutput(path:reason:)``; the file then is as it was, or torn behind its last whole entry.
    package func append(_ exchanges: [Exchange]) throws(CaptureError) {
        var facts = FactsText()
        try append(EncodedEntries(exchanges, &facts))
    }

    /// Writes entries behind those that are there, in one positioned write; bodies in files piece by piece.
    ///
    /// - Throws: as ``append(_:)-([Exchange])``.
    package func append(_ entries: EncodedEntries) throws(CaptureError) {
        guard entries.count > 0 else { return }
        let failure: CaptureError? = file.withLock { file in
            guard let length = Self.write(entries, to: file) else {
                let error = Self.systemError(path)
                file.isTorn = !Self.restoreTail(of: file)
                return error
            }
            file.end += length - Self.tail.count
            file.entries += entries.count
            file.isEmpty = false
            file.isTorn = false
            return nil
        }
        if let failure { throw failure }
    }

    /// Returns how many bytes they took; nil when that failed.
    private static func write(_ entries: EncodedEntries, to file: File) -> Int? {
        // The first entry of all has no comma before it.
        var rest = entries.bytes[(file.isEmpty ? 1 : 0)...]
        var length = 0
        for text in entries.spooled {
            let piece = rest.prefix(upTo: text.place)
            guard write(piece, to: file.descriptor, at: file.end + length) else { return nil }
            length += piece.count
            rest = rest[text.place...]
            let isWritten = text.withPieces { piece in
                defer { length += piece.count }
                return write(piece[...], to: file.descriptor, at: file.end + length)
            }
            guard isWritten else { return nil }
        }
        guard write(rest, to: file.descriptor, at: file.end + length) else { return nil }
        return length + rest.count
    }

    /// Takes back a write that failed, on a full disk mostly, so that the file is whole again.
    ///
    /// Cut off first, then overwritten: a death in between leaves a torn entry, which is mended, and no bytes behind the
    /// tail. The blocks of the tail are never given back to a disk that has no others.
    private static func restoreTail(of file: File) -> Bool {
        let isCut = ftruncate(file.descriptor, off_t(file.end + tail.count)) == 0
        return write(tail[...], to: file.descriptor, at: file.end) && isCut
    }

    // MARK: - What others do to the file

    /// Where the file is that was opened.
    package enum Whereabouts: Sendable, Equatable {
        /// Where it was.
        case inPlace
        /// Its name is free: it was deleted or moved.
        case gone
        /// Its name leads to another file.
        case replaced
        /// It is where it was, with something behind its end.
        case extended
        /// It is where it was, and does not hold any more what was written.
        case changed
    }

    /// Looks whether the file is still what was opened; a few system calls, so nothing to do for every entry.
    ///
    /// - Parameter end: up to where the file was in order when it was looked at before.
    /// - Returns: what is to be seen of it.
    package func whereabouts(inOrderUpTo end: Int) -> Whereabouts {
        let descriptor = file.withLock(\.descriptor)
        var status = stat()
        if let identity {
            if lstat(path, &status) == 0 {
                if FileIdentity(status) != identity { return .replaced }
            } else if errno == ENOENT || errno == ENOTDIR {
                return .gone
            }
        }
        guard fstat(descriptor, &status) == 0 else { return .inPlace }
        return file.withLock { file in
            // Entries may have come since, so that its length is asked for again.
            guard !file.isTorn, fstat(descriptor, &status) == 0 else { return .inPlace }
            // Where it was cut, and written to since, there is a hole; what we write has no zero in it.
            var last: [UInt8] = [0]
            guard Self.read(&last, 1, from: descriptor, at: max(0, end - 1)), last[0] != 0 else {
                return .changed
            }
            let length = file.end + Self.tail.count
            if Int(status.st_size) == length { return .inPlace }
            var tail = Self.tail
            guard Int(status.st_size) > length, Self.read(&tail, tail.count, from: descriptor, at: file.end),
                tail == Self.tail
            else { return .changed }
            return .extended
        }
    }

    /// Writes the tail of a file that had to be left without; nothing where it has one.
    ///
    /// - Returns: whether it has one now.
    package func mendTail() -> Bool {
        file.withLock { file in
            if file.isTorn { file.isTorn = !Self.restoreTail(of: file) }
            return !file.isTorn
        }
    }

    /// Takes away what was written into a file that had been cut short before, and so stands behind a hole.
    ///
    /// The other program's bytes stay as they are. Nothing more is to be written to the file after this.
    ///
    /// - Parameter end: up to where the file was known to be whole.
    /// - Returns: how long it is now.
    package func retreat(toHoleBefore end: Int) -> Int {
        file.withLock { file in
            var status = stat()
            guard fstat(file.descriptor, &status) == 0 else { return 0 }
            let size = Int(status.st_size)
            guard size > end, end > 0 else { return size }
            // What we write has no zero in it.
            var start = end
            var block = [UInt8](repeating: 0, count: 65_536)
            while start > 0 {
                let count = min(block.count, start)
                guard Self.read(&block, count, from: file.descriptor, at: start - count) else { return size }
                let zeros = block[..<count].reversed().prefix { $0 == 0 }.count
                start -= zeros
                if zeros < count { break }
            }
            guard start < end, ftruncate(file.descriptor, off_t(start)) == 0 else { return size }
            return start
        }
    }

    /// Up to where the file is filled with entries.
    package var end: Int { file.withLock(\.end) }

    /// Writes all that the file holds to a new one, which is written on from then on.
    ///
    /// The old file may have lost its name: its descriptor leads to it as long as it is open.
    ///
    /// - Parameter path: a name that is free; a file that has it is left alone.
    /// - Returns: the writer of the new one; nothing may be appended to the old one meanwhile.
    /// - Throws: ``CaptureError/inputOutput(path:reason:)``; there is no such file then.
    package func copied(to path: String) throws(CaptureError) -> CaptureWriter {
        let file = file.withLock { $0 }
        let descriptor = Self.openNew(path)
        guard descriptor >= 0 else { throw Self.systemError(path) }
        var copy = File(
            descriptor: descriptor,
            end: file.end,
            isEmpty: file.isEmpty,
            entries: file.entries
        )
        copy.isTorn = false
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0,
            Self.copy(file.end, from: file.descriptor, to: descriptor),
            Self.write(Self.tail[...], to: descriptor, at: file.end)
        else {
            let error = Self.systemError(path)
            close(descriptor)
            unlink(path)
            throw error
        }
        return CaptureWriter(path: path, file: copy, mending: mending)
    }

    /// Begins the file anew, which another program has emptied; nothing may be appended to this one any more.
    ///
    /// - Parameter version: of the program, for `log.creator`.
    /// - Returns: the writer from now on.
    /// - Throws: ``CaptureError/inputOutput(path:reason:)``.
    package func emptied(version: String) throws(CaptureError) -> CaptureWriter {
        let descriptor = fcntl(file.withLock(\.descriptor), F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { throw Self.systemError(path) }
        do {
            let (file, mending) = try Self.prepare(descriptor, path: path, version: version)
            return CaptureWriter(path: path, file: file, mending: mending)
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// How many bytes there is still room for; nil where the file system does not tell.
    package var freeBytes: Int? {
        var status = statvfs()
        guard fstatvfs(file.withLock(\.descriptor), &status) == 0, status.f_blocks > 0 else { return nil }
        let (bytes, isOver) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return isOver ? nil : Int(clamping: bytes)
    }

    private static func copy(_ count: Int, from source: Int32, to target: Int32) -> Bool {
        var done = 0
        var block = [UInt8](repeating: 0, count: 1 << 20)
        while done < count {
            let size = min(block.count, count - done)
            guard read(&block, size, from: source, at: done),
                write(block[..<size], to: target, at: done)
            else { return false }
            done += size
        }
        return true
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
            guard write((head + tail)[...], to: descriptor, at: 0) else { throw systemError(path) }
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
                if found.kind == .entry { try CaptureReader.check(found) }
                guard found.kind == .member("creator") else { return }
                producer = (try? JSONParser.parse(found.bytes))?["name"]?.string ?? ""
            }
        } catch let problem as EntryScanner.Problem where producer == "authreel" {
            // What is recorded into a file that nobody can read would be lost with it.
            throw CaptureReader.notHAR(problem.offset, problem.expected, source, path)
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
            guard ftruncate(descriptor, off_t(end)) == 0, write(tail[...], to: descriptor, at: end) else {
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
        // A program that is just being started holds what we have open, for a moment.
        for _ in 0..<5 {
            guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return }
            usleep(10_000)
        }
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

    private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32, at offset: Int) -> Bool {
        var written = 0
        while written < bytes.count {
            let count = bytes.dropFirst(written).withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset + written))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                if count == 0 { errno = EIO }
                return false
            }
            written += count
        }
        return true
    }

    /// Fills the beginning of a block.
    private static func read(_ block: inout [UInt8], _ size: Int, from descriptor: Int32, at offset: Int)
        -> Bool
    {
        var done = 0
        while done < size {
            let count = block.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress?.advanced(by: done), size - done, off_t(offset + done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                // Shorter than it was.
                if count == 0 { errno = EIO }
                return false
            }
            done += count
        }
        return true
    }

    private static func systemError(_ path: String) -> CaptureError {
        errno == ELOOP
            ? .inputOutput(path: path, reason: "is a symbolic link")
            : .inputOutput(path: path, reason: String(cString: strerror(errno)))
    }
}
