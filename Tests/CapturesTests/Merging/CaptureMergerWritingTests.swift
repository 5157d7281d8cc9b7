import TestSupport
import Testing

@testable import Captures

/// A merged capture on its way into a file.
struct CaptureMergerWritingTests {
    @Test func moreThanIsHeldAtATimeIsWrittenInOrder() throws {
        let (browser, server) = CaptureMergerTests().pair(ahead: 0, 40)
        let merger = CaptureMerger(browser, server)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("merged.har")
        var written: [Int] = []
        let writer = try CaptureWriter(newAt: path, version: "1.0", logMembers: merger.logMembers)
        _ = try merger.write(to: writer) { written.append($0) }
        let capture = try CaptureReader.read(path: path)
        #expect(merger.count > 64 && capture.count == merger.count)
        #expect(written == Array(stride(from: 63, to: merger.count, by: 64)))
        #expect(
            (0..<merger.count).allSatisfy {
                capture[$0].request.url.text == merger.exchange(at: $0).request.url.text
            }
        )
    }
}
