/// Archives whose end is missing, and with it their directory.
extension ZipDirectory {
    /// The files as they stand one behind the other, each behind a header of its own (APPNOTE, section 4.3.7); nil where not even
    /// the first has one.
    init?(torn source: CaptureSource) {
        var files: [File] = []
        var position = 0
        while files.count < Self.maximumFiles, let (file, next) = Self.localFile(in: source, at: position) {
            files.append(file)
            position = next
        }
        guard !files.isEmpty else { return nil }
        self.init(
            files: files,
            problem: "the archive is cut off, or still being downloaded: what stands before that is read",
            isTorn: true
        )
    }

    private static let localHeader: [UInt8] = [0x50, 0x4b, 3, 4]
    private static let centralHeader: [UInt8] = [0x50, 0x4b, 1, 2]
    private static let descriptor: [UInt8] = [0x50, 0x4b, 7, 8]
    private static let windowSize = 256 << 10

    private static func localFile(in source: CaptureSource, at start: Int) -> (File, next: Int)? {
        let header = source.bytes(at: start, count: 30)
        guard header.count == 30, header.starts(with: localHeader) else { return nil }
        let nameLength = Int(header.little16(26))
        let content = start + 30 + nameLength + Int(header.little16(28))
        guard content <= source.size else { return nil }
        let flags = header.little16(6)
        var file = File(
            name: String(decoding: source.bytes(at: start + 30, count: nameLength), as: UTF8.self),
            method: header.little16(8),
            isEncrypted: flags & 1 == 1,
            checksum: header.little32(14),
            packedSize: Int(header.little32(18)),
            size: Int(header.little32(22)),
            offset: start
        )
        // Who does not know the sizes before writes them behind (section 4.3.9), or into the extra field.
        guard flags & 8 != 0 && file.packedSize == 0 || file.packedSize == 0xffff_ffff else {
            return (file, content + file.packedSize)
        }
        let next = nextHeader(in: source, from: content)
        // The sizes may be torn themselves.
        let base = max(content, next - 40)
        let tail = source.bytes(at: base, count: next - base)
        let sizes = ByteSearch.index(of: descriptor, in: tail)
        (file.packedSize, file.checksum) = ((sizes.map { base + $0 } ?? next) - content, nil)
        if let sizes, sizes + 8 <= tail.count { file.checksum = tail.little32(sizes + 4) }
        file.size = file.packedSize
        return (file, next)
    }

    /// Where the next header begins; at the end of what is there where none does.
    private static func nextHeader(in source: CaptureSource, from start: Int) -> Int {
        var position = start
        // An archive may have very many small files.
        var size = 4 << 10
        while position < source.size {
            let window = source.bytes(at: position, count: size)
            var place = 0
            while let found = ByteSearch.index(of: [0x50, 0x4b], in: window, from: place) {
                let sign = window[found...].prefix(4)
                if sign.elementsEqual(localHeader) || sign.elementsEqual(centralHeader) {
                    return position + found
                }
                place = found + 2
            }
            // A header may begin in this window, and go on in the next.
            guard window.count == size else { break }
            position += window.count - 3
            size = min(2 * size, windowSize)
        }
        return source.size
    }
}
