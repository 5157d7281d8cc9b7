import CZlib

/// Unpacks files of a zip archive.
struct ZipFiles {
    let source: CaptureSource
    /// What errors call the archive, and where large files are unpacked.
    let reader: ForeignReader
    let budget: UnpackingBudget

    /// A body of some size stays packed until it is asked for.
    private static let maximumBody = 64 << 20

    /// A file, and what is wrong with it.
    ///
    /// - Throws: ``CaptureError/unusableArchive(path:reason:)`` for what cannot be unpacked.
    func text(of file: ZipDirectory.File) throws(CaptureError) -> (text: ScratchText, problem: String?) {
        let text = ScratchText(folder: reader.scratch, name: reader.name)
        var checksum: UInt = crc32(0, nil, 0)
        let problem = try unpack(file) { piece throws(CaptureError) in
            checksum = crc32(checksum, piece.baseAddress, UInt32(piece.count))
            try text.append(piece)
            return true
        }
        if problem == nil, let told = file.checksum, UInt32(truncatingIfNeeded: checksum) != told {
            return (text, "its checksum does not fit: it is damaged")
        }
        return (text, problem)
    }

    /// The bytes of a file, up to a size that no body has; nil where it cannot be unpacked.
    func bytes(of file: ZipDirectory.File) -> [UInt8]? {
        var bytes: [UInt8] = []
        do throws(CaptureError) {
            _ = try unpack(file) { piece throws(CaptureError) in
                bytes.append(contentsOf: piece)
                return bytes.count < Self.maximumBody
            }
            return bytes
        } catch {
            return nil
        }
    }

    /// As many first bytes of a file as tell what it is; none where it cannot be unpacked.
    func head(of file: ZipDirectory.File) -> [UInt8] {
        var bytes: [UInt8] = []
        let budget = UnpackingBudget(packed: file.packedSize)
        _ = try? ZipFiles(source: source, reader: reader, budget: budget).unpack(file) {
            piece throws(CaptureError) in
            bytes.append(contentsOf: piece.prefix(FileKind.recognizedBytes - bytes.count))
            return bytes.count < FileKind.recognizedBytes
        }
        return bytes
    }

    /// What gives a file's bytes whenever they are asked for.
    ///
    /// `most`: no more of them, where somebody counts on that.
    func loader(of file: ZipDirectory.File, most: Int = .max) -> @Sendable () -> [UInt8]? {
        { [source, reader] in
            let budget = UnpackingBudget(packed: file.packedSize)
            let bytes = ZipFiles(source: source, reader: reader, budget: budget).bytes(of: file)
            return bytes.map { $0.count > most ? Array($0[..<most]) : $0 }
        }
    }

    /// How large a body is that a file brings, in bytes, at most: as the directory says, which a torn archive has not.
    func mostOfBody(_ file: ZipDirectory.File, isTorn: Bool) -> Int {
        guard isTorn, file.method != 0 else { return min(Self.maximumBody, file.size) }
        let most = file.packedSize.multipliedReportingOverflow(by: UnpackingBudget.mostPerByte)
        return most.overflow ? Self.maximumBody : min(Self.maximumBody, most.partialValue)
    }

    /// - Returns: what is wrong with the packed bytes.
    private func unpack(
        _ file: ZipDirectory.File,
        sink: (UnsafeBufferPointer<UInt8>) throws(CaptureError) -> Bool
    ) throws(CaptureError) -> String? {
        let name = reader.named(file.name).name
        guard !file.isEncrypted else {
            throw .unusableArchive(
                path: name,
                reason: "encrypted in the archive: unpack it with its password first"
            )
        }
        guard let range = ZipDirectory.range(of: file, in: source) else {
            throw .unusableArchive(path: name, reason: "not where the archive's directory says")
        }
        switch file.method {
        case 0:
            try budget.take(range.count, name: name)
            var position = range.lowerBound
            while position < range.upperBound {
                let window = source.bytes(at: position, count: min(256 << 10, range.upperBound - position))
                guard !window.isEmpty else { break }
                position += window.count
                guard try window.withUnsafeBufferPointer({ piece throws(CaptureError) in try sink(piece) })
                else { return nil }
            }
            return position - range.lowerBound < file.size ? "it is cut off" : nil
        case 8:
            return try DeflatedText(name: name, budget: budget).unpack(source, range, frame: .raw, sink: sink)
                .problem
        default:
            throw .unusableArchive(
                path: name,
                reason:
                    "packed by method \(file.method); stored and deflated files are read: pack it again with zip"
            )
        }
    }
}
