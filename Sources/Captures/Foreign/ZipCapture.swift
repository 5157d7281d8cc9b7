import CZlib
import JSON

/// Reads the captures in a zip archive: HARs, Playwright's HAR with its bodies beside it, and its traces.
struct ZipCapture {
    let source: CaptureSource
    let directory: ZipDirectory
    let reader: ForeignReader
    let budget: UnpackingBudget

    /// What holds a capture, best first; where there is one of a kind, those behind it are not looked at.
    private static let endings = [
        [".har", ".har.gz"], [".network"],
        [".json", ".json.gz", ".jsonl", ".ndjson", ".mitm", ".flow", ".flows"],
    ]

    func read() throws(CaptureError) -> Capture {
        let files = directory.files.filter { !$0.name.hasSuffix("/") && !$0.name.hasPrefix("__MACOSX/") }
        let named = Self.endings.lazy.map { endings in
            files.filter { file in endings.contains { file.name.lowercased().hasSuffix($0) } }
        }.first { !$0.isEmpty }
        let chosen = named ?? (files.count == 1 ? files : [])
        guard !chosen.isEmpty else {
            throw .notCapture(
                path: reader.name,
                looksLike: "a zip archive without a HAR file in it",
                advice: "put the .har files into it, or name them one by one"
            )
        }
        var parts: [Capture] = []
        var losses: [Capture.Loss] = []
        var firstError: CaptureError?
        if let problem = directory.problem { losses.append(Capture.Loss(offset: 0, line: 1, what: problem)) }
        for file in chosen {
            do throws(CaptureError) {
                let unpacked = try text(of: file)
                var capture = try reader.named(file.name).read(
                    unpacked.text.source(),
                    depth: 1,
                    budget: budget
                )
                if let problem = unpacked.problem {
                    capture.losses.append(Capture.Loss(offset: 0, line: 1, what: problem))
                }
                for index in capture.losses.indices {
                    capture.losses[index].what = "\(file.name): \(capture.losses[index].what)"
                }
                attach(to: &capture, beside: file.name)
                parts.append(capture)
            } catch {
                if case .inputOutput = error { throw error }
                firstError = firstError ?? error
                losses.append(Capture.Loss(offset: file.offset, line: 1, what: "\(error)"))
            }
        }
        guard !parts.isEmpty else {
            throw firstError ?? .unusableArchive(path: reader.name, reason: "it is empty")
        }
        var joined = Capture(joining: parts)
        joined.losses += losses
        return joined
    }

    /// - Throws: ``CaptureError/unusableArchive(path:reason:)`` for what cannot be unpacked.
    private func text(of file: ZipDirectory.File) throws(CaptureError) -> (
        text: ScratchText, problem: String?
    ) {
        let text = ScratchText(folder: reader.scratch, name: reader.name)
        var checksum: UInt = crc32(0, nil, 0)
        let problem = try unpack(file) { piece throws(CaptureError) in
            checksum = crc32(checksum, piece.baseAddress, UInt32(piece.count))
            try text.append(piece)
            return true
        }
        if problem == nil, UInt32(truncatingIfNeeded: checksum) != file.checksum {
            return (text, "its checksum does not fit: it is damaged")
        }
        return (text, problem)
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
                _ = try window.withUnsafeBufferPointer { piece throws(CaptureError) in try sink(piece) }
                position += window.count
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

    // MARK: - Bodies in files of their own

    /// A body of some size stays packed until it is asked for.
    private static let maximumBody = 64 << 20

    /// Playwright: `_file` beside the HAR, `_sha1` under `resources` beside a trace.
    private func attach(to capture: inout Capture, beside name: String) {
        let folder = name.utf8.lastIndex(of: 0x2f).map { String(name[...$0]) } ?? ""
        var files: [String: ZipDirectory.File] = [:]
        for file in directory.files { files[file.name] = file }
        capture.attachBodies { told in
            let names = [
                told["_file"]?.string.map { folder + $0 },
                told["_sha1"]?.string.map { "\(folder)resources/\($0)" },
            ]
            guard let file = names.lazy.compactMap({ $0.flatMap { files[$0] } }).first else { return nil }
            return { [source, directory, reader] in
                let budget = UnpackingBudget(packed: file.packedSize)
                return ZipCapture(source: source, directory: directory, reader: reader, budget: budget).bytes(
                    of: file
                )
            }
        }
    }

    private func bytes(of file: ZipDirectory.File) -> [UInt8]? {
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
}
