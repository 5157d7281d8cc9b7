#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
package import JSON
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

    /// Whether there was no such file before.
    private let isMadeHere: Bool

    /// Looked after in an extension, too.
    let file: Mutex<CaptureFile>
    /// What a name has to lead to; nil where the file system gives no numbers that stay.
    let identity: FileIdentity?

    /// Opens the file for appending, or makes it (mode 0600).
    ///
    /// - Parameters:
    ///   - path: a capture of ours, an empty file, or a name that is free.
    ///   - version: of the program, for `log.creator`.
    /// - Throws: ``CaptureError``; a file of another producer is left as it is, one that another process records into, and
    ///   one that could not be read afterwards, likewise.
    package convenience init(path: String, version: String) throws(CaptureError) {
        var isNew = true
        var descriptor = CaptureFile.openNew(path)
        if descriptor < 0, errno == EEXIST {
            isNew = false
            descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        }
        guard descriptor >= 0 else { throw CaptureFile.lastError(path) }
        do {
            let (file, mending) = try CaptureFile.prepare(descriptor, path: path, version: version)
            self.init(path: path, file: file, mending: mending, isMadeHere: isNew)
        } catch {
            close(descriptor)
            // Nobody needs the beginning of a file, from a disk without room for it.
            if isNew { unlink(path) }
            throw error
        }
    }

    /// Makes the file (mode 0600), with members of `log` that others wrote.
    ///
    /// - Parameters:
    ///   - path: a name that is free.
    ///   - version: of the program, for `log.creator`.
    ///   - logMembers: stand behind `creator`; a `version`, `creator` or `entries` among them is left out.
    /// - Throws: ``CaptureError/inputOutput(path:reason:)``; there is no such file then, or it is another's.
    package convenience init(newAt path: String, version: String, logMembers: JSONObject) throws(CaptureError)
    {
        let descriptor = CaptureFile.openNew(path)
        guard descriptor >= 0 else { throw CaptureFile.lastError(path) }
        do {
            let (file, mending) = try CaptureFile.prepare(
                descriptor,
                path: path,
                version: version,
                members: logMembers
            )
            self.init(path: path, file: file, mending: mending, isMadeHere: true)
        } catch {
            close(descriptor)
            unlink(path)
            throw error
        }
    }

    private init(path: String, file: CaptureFile, mending: Mending, isMadeHere: Bool = false) {
        CaptureFile.publishOwner(file.descriptor)
        self.path = path
        self.isMadeHere = isMadeHere
        self.mending = mending
        identity = FileIdentity.stable(of: file.descriptor, at: path)
        self.file = Mutex(file)
    }

    deinit { file.withLock { _ = close($0.descriptor) } }

    /// Writes the exchanges behind those that are there, in one positioned write.
    ///
    /// - Throws: ``CaptureError/inputOutput(path:reason:)``; the file then is as it was, or torn behind its last whole entry.
    ///
    /// `original`: what one of the exchanges was read from, by its index; what it says besides is kept.
    package func append(_ exchanges: [Exchange], original: ((Int) -> OriginalEntry?)? = nil)
        throws(CaptureError)
    {
        var facts = FactsText()
        try append(EncodedEntries(exchanges, &facts, original: original))
    }

    /// Writes entries behind those that are there, in one positioned write; bodies in files piece by piece.
    ///
    /// - Throws: as ``append(_:)-([Exchange])``.
    package func append(_ entries: EncodedEntries) throws(CaptureError) {
        guard entries.count > 0 else { return }
        let failure: CaptureError? = file.withLock { file in
            do throws(CaptureFile.Trouble) {
                file.end += try file.write(entries) - CaptureFile.tail.count
            } catch {
                file.isTorn = !file.restoreTail()
                return error.error(at: path)
            }
            file.entries += entries.count
            file.isEmpty = false
            file.isTorn = false
            return nil
        }
        if let failure { throw failure }
    }

    /// Removes the file again where it was made here and holds no entry: what it was made for did not begin.
    ///
    /// A file that was there before stays, and so does whatever else has its name by now.
    /// - Returns: whether it is gone.
    @discardableResult
    package func takeBack() -> Bool {
        guard isMadeHere else { return false }
        return file.withLock { file in
            guard file.entries == 0, FileIdentity.stable(of: file.descriptor, at: path) != nil else {
                return false
            }
            return unlink(path) == 0
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
        let descriptor = CaptureFile.openNew(path)
        guard descriptor >= 0 else { throw CaptureFile.lastError(path) }
        let copy = CaptureFile(
            descriptor: descriptor,
            end: file.end,
            isEmpty: file.isEmpty,
            entries: file.entries
        )
        guard CaptureFile.takeLock(descriptor),
            CaptureFile.copy(file.end, from: file.descriptor, to: descriptor),
            CaptureFile.write(CaptureFile.tail[...], to: descriptor, at: file.end)
        else {
            let error = CaptureFile.lastError(path)
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
        guard descriptor >= 0 else { throw CaptureFile.lastError(path) }
        do {
            let (file, mending) = try CaptureFile.prepare(descriptor, path: path, version: version)
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

    package var position: Position { file.withLock { Position(entries: $0.entries, offset: $0.end) } }
}
