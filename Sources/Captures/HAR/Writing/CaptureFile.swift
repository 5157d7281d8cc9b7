#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The open file of a capture of ours, and how far it has come: positioned reads and writes, nothing else.
struct CaptureFile: Sendable {
    /// What goes wrong while entries are written.
    enum Trouble: Error, Equatable {
        /// The system's number for why the file took no more.
        case file(Int32)
        /// The system's number for why a body that waited in another file could not be read back.
        case body(Int32)

        func error(at path: String) -> CaptureError {
            switch self {
            case .file(let number): CaptureFile.error(number, path)
            case .body(let number):
                .inputOutput(
                    path: path,
                    reason: "a body that waits in a file cannot be read back: "
                        + number.systemReason
                )
            }
        }
    }

    static let tail = Array("\n]}}\n".utf8)

    let descriptor: Int32
    /// Where the tail begins.
    var end: Int
    var isEmpty: Bool
    var entries: Int
    /// Whether the tail is not there, since not even that could be written.
    var isTorn = false

    /// A descriptor of a file that only its owner reads; below zero where the name is not free.
    static func openNew(_ path: String) -> Int32 {
        open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    }

    /// Writes entries over the tail; bodies in files piece by piece.
    ///
    /// - Returns: how many bytes they took, the new tail among them.
    func write(_ entries: EncodedEntries) throws(Trouble) -> Int {
        // The first entry of all has no comma before it.
        var rest = entries.bytes[(isEmpty ? 1 : 0)...]
        var length = 0
        for text in entries.spooled {
            let piece = rest.prefix(upTo: text.place)
            guard Self.write(piece, to: descriptor, at: end + length) else { throw .file(errno) }
            length += piece.count
            rest = rest[text.place...]
            var failure: Int32?
            let unread = text.readPieces { piece in
                if !Self.write(piece[...], to: descriptor, at: end + length) { failure = errno }
                length += piece.count
                return failure == nil
            }
            if let failure { throw .file(failure) }
            if let unread { throw .body(unread) }
        }
        guard Self.write(rest, to: descriptor, at: end + length) else { throw .file(errno) }
        return length + rest.count
    }

    /// Takes back a write that failed, on a full disk mostly, so that the file is whole again.
    ///
    /// Cut off first, then overwritten: a death in between leaves a torn entry, which is mended, and no bytes behind the
    /// tail. The blocks of the tail are never given back to a disk that has no others.
    func restoreTail() -> Bool {
        let isCut = ftruncate(descriptor, off_t(end + Self.tail.count)) == 0
        return Self.write(Self.tail[...], to: descriptor, at: end) && isCut
    }

    // MARK: - System calls

    static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32, at offset: Int) -> Bool {
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
    static func read(_ block: inout [UInt8], _ size: Int, from descriptor: Int32, at offset: Int) -> Bool {
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

    /// Copies the beginning of one file to the beginning of another.
    static func copy(_ count: Int, from source: Int32, to target: Int32) -> Bool {
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

    /// What the system says of the last call.
    static func lastError(_ path: String) -> CaptureError { error(errno, path) }

    private static func error(_ number: Int32, _ path: String) -> CaptureError {
        number == ELOOP
            ? .inputOutput(path: path, reason: "is a symbolic link")
            : .inputOutput(path: path, number: number)
    }
}
