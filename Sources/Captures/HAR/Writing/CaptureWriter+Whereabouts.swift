#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
import Synchronization

/// What others do to the file.
extension CaptureWriter {
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

    /// Whether somebody records into a file; the lock that tells is held no longer than the question takes.
    package static func isAtWork(on path: String) -> Bool {
        // A pipe would be waited for.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
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
            guard CaptureFile.read(&last, 1, from: descriptor, at: max(0, end - 1)), last[0] != 0 else {
                return .changed
            }
            let length = file.end + CaptureFile.tail.count
            if Int(status.st_size) == length { return .inPlace }
            var tail = CaptureFile.tail
            guard Int(status.st_size) > length,
                CaptureFile.read(&tail, tail.count, from: descriptor, at: file.end),
                tail == CaptureFile.tail
            else { return .changed }
            return .extended
        }
    }

    /// Writes the tail of a file that had to be left without; nothing where it has one.
    ///
    /// - Returns: whether it has one now.
    package func mendTail() -> Bool {
        file.withLock { file in
            if file.isTorn { file.isTorn = !file.restoreTail() }
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
                guard CaptureFile.read(&block, count, from: file.descriptor, at: start - count) else {
                    return size
                }
                let zeros = block[..<count].reversed().prefix { $0 == 0 }.count
                start -= zeros
                if zeros < count { break }
            }
            guard start < end, ftruncate(file.descriptor, off_t(start)) == 0 else { return size }
            return start
        }
    }
}
