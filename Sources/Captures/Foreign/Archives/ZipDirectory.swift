/// The files of a zip archive, by its central directory (APPNOTE, sections 4.3.12 to 4.3.16).
///
/// Names are names: nothing is ever written under them.
struct ZipDirectory {
    struct File {
        var name: String
        /// 0 stored, 8 deflated.
        var method: UInt16
        var isEncrypted: Bool
        /// Nil where the archive does not tell it.
        var checksum: UInt32?
        var packedSize: Int
        var size: Int
        /// Of the local header.
        var offset: Int
    }

    let files: [File]
    /// Nil where the directory is whole.
    let problem: String?
    /// Whether the archive ends before its time.
    var isTorn = false

    /// More files no capture has.
    static let maximumFiles = 200_000
    private static let maximumDirectory = 64 << 20

    init(files: [File], problem: String?, isTorn: Bool) {
        (self.files, self.problem, self.isTorn) = (files, problem, isTorn)
    }

    /// Nil where there is no directory that can be read.
    init?(_ source: CaptureSource) {
        guard let end = Self.end(in: source) else { return nil }
        let size = min(end.size, Self.maximumDirectory, max(0, source.size - end.offset))
        let bytes = source.bytes(at: end.offset, count: size)
        var files: [File] = []
        var position = 0
        while files.count < min(end.count, Self.maximumFiles),
            let (file, next) = Self.file(in: bytes, at: position, shift: end.shift)
        {
            files.append(file)
            position = next
        }
        self.files = files
        problem =
            files.count < end.count
            ? "the zip directory has \(files.count) readable files of \(end.count)" : nil
    }

    /// Where the bytes of a file lie; nil where its local header is not there.
    static func range(of file: File, in source: CaptureSource) -> Range<Int>? {
        let header = source.bytes(at: file.offset, count: 30)
        guard header.count == 30, header.starts(with: [0x50, 0x4b, 3, 4]) else { return nil }
        let start = file.offset + 30 + Int(header.little16(26)) + Int(header.little16(28))
        guard start <= source.size else { return nil }
        return start..<(start + min(file.packedSize, source.size - start))
    }

    private struct End {
        var count: Int
        var size: Int
        var offset: Int
        /// Bytes before the archive, of a program that unpacks itself.
        var shift: Int
    }

    private static func end(in source: CaptureSource) -> End? {
        let tailSize = min(source.size, 65_557)
        let base = source.size - tailSize
        let tail = source.bytes(at: base, count: tailSize)
        guard tail.count >= 22 else { return nil }
        for start in stride(from: tail.count - 22, through: 0, by: -1)
        where tail[start] == 0x50 && tail[start + 1] == 0x4b && tail[start + 2] == 5 && tail[start + 3] == 6 {
            var end = End(
                count: Int(tail.little16(start + 10)),
                size: Int(tail.little32(start + 12)),
                offset: Int(tail.little32(start + 16)),
                shift: 0
            )
            if end.count == 0xffff || end.size == 0xffff_ffff || end.offset == 0xffff_ffff,
                let large = zip64(before: base + start, source)
            {
                end = large
            }
            guard end.size <= base + start else { continue }
            let actual = base + start - end.size
            // What stands before the first local header is not counted in the offsets.
            if source.bytes(at: end.offset, count: 4) != [0x50, 0x4b, 1, 2], end.count > 0,
                source.bytes(at: actual, count: 4) == [0x50, 0x4b, 1, 2], actual >= end.offset
            {
                end.shift = actual - end.offset
                end.offset = actual
            }
            return end
        }
        return nil
    }

    private static func zip64(before end: Int, _ source: CaptureSource) -> End? {
        guard end >= 20 else { return nil }
        let locator = source.bytes(at: end - 20, count: 20)
        guard locator.starts(with: [0x50, 0x4b, 6, 7]), let offset = Int(exactly: locator.little64(8)) else {
            return nil
        }
        let record = source.bytes(at: offset, count: 56)
        guard record.count == 56, record.starts(with: [0x50, 0x4b, 6, 6]),
            let count = Int(exactly: record.little64(32)), let size = Int(exactly: record.little64(40)),
            let start = Int(exactly: record.little64(48))
        else { return nil }
        return End(count: count, size: size, offset: start, shift: 0)
    }

    private static func file(in bytes: [UInt8], at start: Int, shift: Int) -> (File, next: Int)? {
        guard start + 46 <= bytes.count, bytes[start...].starts(with: [0x50, 0x4b, 1, 2]) else { return nil }
        let nameEnd = start + 46 + Int(bytes.little16(start + 28))
        let extraEnd = nameEnd + Int(bytes.little16(start + 30))
        let next = extraEnd + Int(bytes.little16(start + 32))
        guard next <= bytes.count else { return nil }
        var sizes = [
            UInt64(bytes.little32(start + 24)), UInt64(bytes.little32(start + 20)),
            UInt64(bytes.little32(start + 42)),
        ]
        // Zip64 (section 4.5.3): only what did not fit stands in the extra field, in this order.
        var extra = nameEnd
        while extra + 4 <= extraEnd {
            let end = extra + 4 + Int(bytes.little16(extra + 2))
            guard end <= extraEnd else { break }
            if bytes.little16(extra) == 1 {
                var value = extra + 4
                for index in sizes.indices where sizes[index] == 0xffff_ffff && value + 8 <= end {
                    sizes[index] = bytes.little64(value)
                    value += 8
                }
            }
            extra = end
        }
        guard let size = Int(exactly: sizes[0]), let packed = Int(exactly: sizes[1]),
            let offset = Int(exactly: sizes[2]),
            let place = Optional(offset.addingReportingOverflow(shift)), !place.overflow,
            place.partialValue < 1 << 62
        else { return nil }
        let file = File(
            name: String(decoding: bytes[(start + 46)..<nameEnd], as: UTF8.self),
            method: bytes.little16(start + 10),
            isEncrypted: bytes.little16(start + 8) & 1 == 1,
            checksum: bytes.little32(start + 16),
            packedSize: packed,
            size: size,
            offset: place.partialValue
        )
        return (file, next)
    }
}

extension [UInt8] {
    /// Little-endian; the caller knows that the bytes are there.
    func little16(_ index: Int) -> UInt16 { UInt16(self[index]) | UInt16(self[index + 1]) << 8 }

    func little32(_ index: Int) -> UInt32 {
        UInt32(little16(index)) | UInt32(little16(index + 2)) << 16
    }

    fileprivate func little64(_ index: Int) -> UInt64 {
        UInt64(little32(index)) | UInt64(little32(index + 4)) << 32
    }
}
