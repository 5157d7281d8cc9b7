import Captures
import TestSupport

/// A merged capture in a file, as `import` writes it.
struct MergedFile {
    private let folder: TemporaryFolder
    private var path: String { folder.file("merged.har") }

    init(_ merger: CaptureMerger) throws {
        folder = try TemporaryFolder()
        let writer = try CaptureWriter(newAt: path, version: "1.0", logMembers: merger.logMembers)
        try writer.append((0..<merger.count).map { merger.exchange(at: $0) })
    }

    func read() throws -> Capture { try CaptureReader.read(path: path) }

    func remove() { folder.remove() }
}
