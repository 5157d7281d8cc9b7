#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
import JSON

/// Beginning a capture's file, and going on with one that is there.
extension CaptureFile {
    /// Writes the beginning of an empty file, or mends one of ours.
    ///
    /// - Parameters:
    ///   - descriptor: of the file; stays open in every case.
    ///   - path: its name.
    ///   - version: of the program, for `log.creator`.
    ///   - members: of `log`, behind `creator`; for an empty file only.
    /// - Returns: the file, locked, and what was done to it.
    /// - Throws: ``CaptureError``.
    static func prepare(
        _ descriptor: Int32,
        path: String,
        version: String,
        members: JSONObject = JSONObject()
    ) throws(CaptureError) -> (CaptureFile, CaptureWriter.Mending) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw lastError(path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .inputOutput(path: path, reason: "is not a regular file")
        }
        try lock(descriptor, path: path)
        guard status.st_size > 0 else {
            fchmod(descriptor, 0o600)
            let head = head(version: version, members: members)
            guard write((head + tail)[...], to: descriptor, at: 0) else { throw lastError(path) }
            return (
                CaptureFile(descriptor: descriptor, end: head.count, isEmpty: true, entries: 0),
                CaptureWriter.Mending(entries: 0, bytesRemoved: 0)
            )
        }
        return try mend(descriptor, path: path, size: Int(status.st_size))
    }

    /// Members of `log` that are written by us, or are the entries.
    private static let ownMembers: Set<String> = ["version", "creator", "entries"]

    /// All that stands before the first entry, on one line.
    private static func head(version: String, members: JSONObject) -> [UInt8] {
        var head = Array(
            "{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\"authreel\",\"version\":".utf8
        )
        JSONWriter.append(string: version, to: &head)
        head.append(0x7d)
        for member in members.members where !ownMembers.contains(member.name) {
            head.append(0x2c)
            JSONWriter.append(string: member.name, to: &head)
            head.append(0x3a)
            JSONWriter.append(member.value, to: &head)
        }
        // Optional, but Firefox opens no file without it.
        if members["pages"] == nil { head.append(contentsOf: ",\"pages\":[]".utf8) }
        head.append(contentsOf: ",\"entries\":[".utf8)
        return head
    }

    /// Finds the last whole entry of a capture of ours, cuts off what a death left behind it, and writes the
    /// tail anew.
    private static func mend(_ descriptor: Int32, path: String, size: Int) throws(CaptureError) -> (
        CaptureFile, CaptureWriter.Mending
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
                throw lastError(path)
            }
        }
        return (
            CaptureFile(
                descriptor: descriptor,
                end: end,
                isEmpty: scanner.entryCount == 0,
                entries: scanner.entryCount
            ),
            CaptureWriter.Mending(entries: scanner.entryCount, bytesRemoved: removed)
        )
    }

    /// Locks the file for one recorder; waits a moment for those who do not record.
    ///
    /// A program that is just being started holds what we have open, and whoever asks whether somebody records
    /// (``CaptureWriter/isAtWork(on:)``) holds a lock as long as the question takes.
    ///
    /// - Parameters:
    ///   - descriptor: of the file; stays open.
    ///   - pause: between two tries, of which there are six.
    /// - Returns: whether it is locked; where not, `errno` tells why.
    static func takeLock(_ descriptor: Int32, pause: () -> Void = { usleep(10_000) }) -> Bool {
        for _ in 0..<5 {
            guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return true }
            pause()
        }
        return flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }

    /// One recorder at a time; threads of this process are kept out, too.
    private static func lock(_ descriptor: Int32, path: String) throws(CaptureError) {
        if takeLock(descriptor) { return }
        var record = record()
        let isKnown = fcntl(descriptor, F_GETLK, &record) == 0 && record.l_type != Int16(F_UNLCK)
        throw .lockedByAnother(path: path, processID: isKnown ? record.l_pid : nil)
    }

    /// A record lock beside the first one, because it can be asked for its process.
    ///
    /// Taken last: closing any other descriptor of the file, as mending does, would give it up.
    static func publishOwner(_ descriptor: Int32) {
        var record = record()
        _ = fcntl(descriptor, F_SETLK, &record)
    }

    private static func record() -> flock {
        var record = flock()
        record.l_type = Int16(F_WRLCK)
        record.l_whence = Int16(SEEK_SET)
        return record
    }
}
