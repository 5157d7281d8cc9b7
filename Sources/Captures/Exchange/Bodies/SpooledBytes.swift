#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The bytes of a body that is too large for memory, in a file without a name.
///
/// The file goes with the last copy of this, or with the process.
package struct SpooledBytes: Sendable {
    /// A file that nobody else can open.
    fileprivate final class File: Sendable {
        let descriptor: Int32

        init?(in folder: String) {
            let path = "\(folder)/.authreel-body-\(UInt64.random(in: 0...UInt64.max))"
            let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { return nil }
            unlink(path)
            self.descriptor = descriptor
        }

        deinit { close(descriptor) }
    }

    private let file: File
    package private(set) var count = 0

    /// Nil where there can be no file in this folder.
    init?(in folder: String) {
        guard let file = File(in: folder) else { return nil }
        self.file = file
    }

    /// How many of the bytes there was room for; all but on a full disk.
    ///
    /// For the one that collects them: copies that were made before do not see what is added.
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var done = 0
        while done < bytes.count {
            let written = pwrite(
                file.descriptor,
                bytes.baseAddress.map { $0 + done },
                bytes.count - done,
                off_t(count + done)
            )
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { break }
            done += written
        }
        count += done
        return done
    }

    /// How many bytes are read at a time.
    private static let pieceSize = 256 << 10

    /// Hands out all bytes in order, piece by piece, until `body` has had enough.
    ///
    /// - Returns: false where the file could not be read to its end.
    @discardableResult
    package func withPieces(_ body: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
        readPieces(body) == nil
    }

    /// Does what ``withPieces(_:)`` does.
    ///
    /// - Returns: the system's number for why the file could not be read to its end; nil where it could.
    func readPieces(_ body: (UnsafeBufferPointer<UInt8>) -> Bool) -> Int32? {
        var position = 0
        let capacity = min(Self.pieceSize, max(count, 1))
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { piece in
            while position < count {
                let wanted = min(piece.count, count - position)
                let found = pread(file.descriptor, piece.baseAddress, wanted, off_t(position))
                if found < 0, errno == EINTR { continue }
                // No call has failed where the file is shorter than what was written.
                guard found > 0 else { return found == 0 ? EIO : errno }
                position += found
                guard body(UnsafeBufferPointer(rebasing: piece[..<found])) else { return nil }
            }
            return nil
        }
    }

    /// All of them in memory; nil where they could not be read.
    package var bytes: [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        let isWhole = withPieces {
            bytes.append(contentsOf: $0)
            return true
        }
        return isWhole ? bytes : nil
    }
}
