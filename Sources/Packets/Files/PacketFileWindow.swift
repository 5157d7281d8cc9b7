import Captures

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The bytes of a capture file from front to back, unpacked where it is packed, in a window that moves over them.
///
/// Nothing of the file is mapped: a mapped file that becomes shorter kills its reader.
final class PacketFileWindow {
    private static let usualSize = 1 << 20
    /// What a packed file may become: so many bytes, and so many more for each of its own.
    ///
    /// Captures are packed a hundredfold at best; gzip does a thousandfold at most, but zstd thirty times as much.
    private static let mostUnpacked = (bytes: 256 << 20, ofEach: 1024)

    let path: String
    /// Whether the file can be read a second time.
    let isRegular: Bool
    /// Bytes on the disk at the time of opening; nil for a pipe.
    let size: Int?

    /// Where the first byte of ``bytes`` stands in the (unpacked) file.
    private(set) var offset = 0
    private let descriptor: Int32
    /// Where the file is read from next.
    private var position = 0
    private var isAtEnd = false
    private let progress: (Int, Int?) -> Void

    private var buffer: UnsafeMutableRawBufferPointer
    private var begin = 0
    private var end = 0

    /// Nil where the file is not packed, or in a way that cannot be undone.
    private(set) var packing: PacketFilePacking?
    private var unpacker: (any ContentDecoder)?
    private var packed: UnsafeMutableRawBufferPointer?
    private var packedBegin = 0
    private var packedEnd = 0
    /// Whether a member or frame has ended, so that another may begin.
    private var isBetweenMembers = false
    /// Whether more may come out of what was unpacked last, without more bytes of the file.
    private var mayHoldMore = false
    /// What was wrong with the packing, told by whoever reads.
    private(set) var packingFault: String?

    /// Opens a file, a pipe or, as `-`, standard input.
    ///
    /// `progress`: called whenever more was read, with the bytes of the file that were, and ``size``.
    init(path: String, progress: @escaping (_ done: Int, _ total: Int?) -> Void = { _, _ in })
        throws(PacketError)
    {
        let descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw errno == ENOENT || errno == ENOTDIR
                ? .noSuchFile(path: path) : .cannotBeRead(path: path, reason: Self.systemReason)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
            let reason = status.st_mode & S_IFMT == S_IFDIR ? "is a folder" : Self.systemReason
            close(descriptor)
            throw .cannotBeRead(path: path, reason: reason)
        }
        self.path = path
        self.descriptor = descriptor
        self.progress = progress
        isRegular = status.st_mode & S_IFMT == S_IFREG
        size = isRegular ? Int(status.st_size) : nil
        let room = size.map { min(Self.usualSize, max(4096, $0)) } ?? Self.usualSize
        buffer = .allocate(byteCount: room, alignment: 16)
        _ = try need(4)
        if let packing = PacketFilePacking(bytes) { try beginUnpacking(packing) }
    }

    deinit {
        close(descriptor)
        buffer.deallocate()
        packed?.deallocate()
    }

    private static var systemReason: String { errno.systemReason }

    /// What is in the window from ``offset`` on; there until the window moves.
    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[begin..<end])
    }

    /// Makes so many bytes be in the window.
    ///
    /// - Returns: false where the file ends before; what there is then is in the window.
    @inline(__always)
    func need(_ count: Int) throws(PacketError) -> Bool {
        if end - begin >= count { return true }
        return try fill(count)
    }

    /// Whether the file may have so many bytes from ``offset`` on: not known of a pipe, nor of what is unpacked.
    func has(_ count: Int) -> Bool {
        guard unpacker == nil, let size else { return true }
        return offset + count <= size
    }

    /// Moves on by bytes that are in the window.
    @inline(__always)
    func advance(_ count: Int) {
        begin += count
        offset += count
    }

    /// Moves on by any number of bytes.
    ///
    /// - Returns: the bytes that the file has fewer than that.
    func skip(_ count: Int) throws(PacketError) -> Int {
        var left = count
        while true {
            let here = min(left, end - begin)
            advance(here)
            left -= here
            if left > Self.usualSize, unpacker == nil, let size {
                let far = min(left, max(0, size - position))
                position += far
                offset += far
                left -= far
            }
            if left == 0 { return 0 }
            guard try need(1) else { return left }
        }
    }

    // MARK: - Reading

    @inline(never)
    private func fill(_ count: Int) throws(PacketError) -> Bool {
        guard !isAtEnd else { return false }
        let held = end - begin
        // Twice what is asked for: no more is moved than was passed since, also where every few bytes ask for as much again.
        if 2 * count > buffer.count {
            let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * count, alignment: 16)
            larger.copyMemory(from: bytes)
            buffer.deallocate()
            buffer = larger
            begin = 0
            end = held
        } else if held == 0 || begin + count > buffer.count {
            if begin > 0, held > 0 { buffer.copyMemory(from: bytes) }
            begin = 0
            end = held
        }
        while end - begin < count {
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[end...])
            let found = unpacker == nil ? try read(into: room) : try unpack(into: room)
            guard found > 0 else {
                isAtEnd = true
                return false
            }
            end += found
        }
        return true
    }

    private func read(into room: UnsafeMutableRawBufferPointer) throws(PacketError) -> Int {
        while true {
            let found =
                isRegular
                ? pread(descriptor, room.baseAddress, room.count, off_t(position))
                : Self.readOn(descriptor, room)
            if found < 0, errno == EINTR { continue }
            guard found >= 0 else { throw .cannotBeRead(path: path, reason: Self.systemReason) }
            position += found
            progress(position, size)
            return found
        }
    }

    private static func readOn(_ descriptor: Int32, _ room: UnsafeMutableRawBufferPointer) -> Int {
        #if canImport(Glibc)
        Glibc.read(descriptor, room.baseAddress, room.count)
        #elseif canImport(Musl)
        Musl.read(descriptor, room.baseAddress, room.count)
        #else
        Darwin.read(descriptor, room.baseAddress, room.count)
        #endif
    }

    // MARK: - Packing

    private func beginUnpacking(_ packing: PacketFilePacking) throws(PacketError) {
        guard let unpacker = packing.decoder else {
            // Without the library it is what it is.
            if packing == .zstandard { return }
            throw .cannotBeRead(path: path, reason: "no memory for unpacking it")
        }
        // What was read to see what it is goes with the rest.
        packed = buffer
        packedEnd = end
        buffer = .allocate(byteCount: Self.usualSize, alignment: 16)
        begin = 0
        end = 0
        isAtEnd = false
        self.packing = packing
        self.unpacker = unpacker
    }

    private func unpack(into room: UnsafeMutableRawBufferPointer) throws(PacketError) -> Int {
        guard var unpacker, let packed, let packing, packingFault == nil else { return 0 }
        guard offset + end - begin <= Self.mostUnpacked.bytes + position * Self.mostUnpacked.ofEach else {
            packingFault =
                "the \(packing.words) file becomes more than \(Self.mostUnpacked.ofEach) times as large: it is not read any further"
            return 0
        }
        let output = room.assumingMemoryBound(to: UInt8.self)
        while true {
            if packedBegin == packedEnd, !mayHoldMore {
                packedBegin = 0
                packedEnd = try read(into: packed)
                if packedEnd == 0 {
                    if !isBetweenMembers { packingFault = "the \(packing.words) file breaks off" }
                    return 0
                }
            }
            if isBetweenMembers {
                guard unpacker.restart() else { return 0 }
                isBetweenMembers = false
            }
            let input = UnsafeRawBufferPointer(rebasing: packed[packedBegin..<packedEnd])
            let (used, filled, step) = unpacker.step(input.assumingMemoryBound(to: UInt8.self), into: output)
            packedBegin += used
            mayHoldMore = if case .goesOn = step { true } else { false }
            switch step {
            case .ended: isBetweenMembers = true
            case .goesOn where used > 0 || filled > 0: break
            case .needsInput: break
            case .goesOn, .failed:
                packingFault =
                    "the \(packing.words) file is damaged at its byte \(position - packedEnd + packedBegin)"
            }
            if filled > 0 || packingFault != nil { return filled }
        }
    }
}
