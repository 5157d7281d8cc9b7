import JSON
import TestSupport
import Testing

@testable import Captures

/// What was just written is the same as what is read out of the file.
struct WrittenCaptureTests {
    private func exchange(_ number: Int, _ content: Body.Content, mediaType: String = "text/html") -> Exchange
    {
        Exchange(
            startedAt: Timestamp(seconds: 1_780_000_000 + Int64(number)),
            duration: .milliseconds(12),
            request: RecordedRequest(
                method: "POST",
                url: RecordedURL("https://idp.example/\(number)?state=\u{e9}"),
                headers: HeaderFields([("User-Agent", "a browser with a long name")]),
                body: Body(text: "code=\(number)", mediaType: FormBody.mediaType)
            ),
            response: RecordedResponse(status: 200, body: Body(content: content, mediaType: mediaType))
        )
    }

    @Test func isAsItIsReadFromTheFile() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("login.har")
        let page = Array(String(repeating: "<p>\u{e9}\"\\\n</p>", count: 3000).utf8)
        var spooled = try #require(SpooledBytes(in: folder.path))
        #expect(page.withUnsafeBufferPointer { spooled.append($0) } == page.count)
        let image = (0..<40_000).map { UInt8(truncatingIfNeeded: $0) }
        var exchanges = (0..<150).map { exchange($0, .bytes(Array("ok \($0)".utf8))) }
        exchanges[3] = exchange(3, .bytes(page))
        exchanges[64] = exchange(64, .spooled(spooled))
        exchanges[65] = exchange(65, .spooled(spooled))
        exchanges[66] = exchange(66, .bytes(image), mediaType: "image/png")
        exchanges[149] = exchange(149, .bytes(page))
        var capture = try WrittenCapture(newAt: path, version: "1", logMembers: ["_note": "\u{e9}"])
        // In groups of all sizes.
        for group in [0..<1, 1..<1, 1..<70, 70..<150] { try capture.append(Array(exchanges[group])) }
        let written = try capture.finish()
        let read = try CaptureReader.read(path: path)
        try #require(written.count == 150 && read.count == 150)
        #expect(written.logMembers["_note"] == read.logMembers["_note"])
        for index in written.indices {
            #expect(written[index].request.url == read[index].request.url)
            #expect(written[index].request.body?.bytes == read[index].request.body?.bytes)
            #expect(written[index].response?.body?.bytes == read[index].response?.body?.bytes, "\(index)")
            #expect(written.text(ofEntry: index) == read.text(ofEntry: index), "\(index)")
            #expect(written.line(ofEntry: index) == read.line(ofEntry: index))
        }
        #expect(written[3].response?.body?.bytes == page && written[64].response?.body?.bytes == page)
        #expect(written[66].response?.body?.bytes == image)
    }

    @Test func largeBodiesAreNotHeld() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var capture = try WrittenCapture(newAt: folder.file("login.har"), version: "1", logMembers: [:])
        let page = [UInt8](repeating: 0x61, count: HAREntry.eagerBodyLimit + 1)
        try capture.append([exchange(0, .bytes(page)), exchange(1, .bytes(Array(page.dropLast())))])
        let written = try capture.finish()
        let isHeld = written.indices.map { index in
            if case .bytes = written[index].response?.body?.content { true } else { false }
        }
        #expect(isHeld == [false, true])
        #expect(written[0].response?.body?.hasBytes == true)
    }

    /// How long a body is said to be is a stranger's word.
    @Test func sizesThatCannotBeAreWrittenAsTheyAreSaid() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var capture = try WrittenCapture(newAt: folder.file("login.har"), version: "1", logMembers: [:])
        var large = exchange(0, .bytes([0x78]))
        large.request.body?.wireSize = .max
        large.response?.body?.wireSize = 1
        try capture.append([large, large])
        #expect(try capture.finish().count == 2)
    }

    @Test func bodiesThatWereReadLastAreHeldUpToALimit() {
        let bodies = RecentBodies(limit: 100)
        var reads: [Int] = []
        func read(_ number: Int, _ size: Int = 40) {
            let key = RecentBodies.Key(offset: number, number: 0)
            let bytes = bodies.bytes(key) {
                reads.append(number)
                return [UInt8](repeating: UInt8(number), count: size)
            }
            #expect(bytes == [UInt8](repeating: UInt8(number), count: size))
        }
        for number in [1, 2, 1, 3, 1, 2] { read(number) }
        // The third pushed out the second, which was used before the first.
        #expect(reads == [1, 2, 3, 2])
        reads = []
        for _ in 0..<2 { read(9, 101) }
        #expect(reads == [9, 9])
    }
}
