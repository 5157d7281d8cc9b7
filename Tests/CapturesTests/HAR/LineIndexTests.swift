import TestSupport
import Testing

@testable import Captures

struct LineIndexTests {
    /// In whatever order they are asked for, at the borders of its blocks too.
    @Test func linesAreThoseThatAreCounted() {
        var random = SeededGenerator(seed: 7)
        let text = (0..<100_000).map { _ in UInt8(Int.random(in: 0..<40, using: &random) == 0 ? 0x0a : 0x61) }
        let source = CaptureSource(bytes: text)
        let index = LineIndex(source)
        let borders = stride(from: 0, to: text.count, by: 1 << 14).flatMap { [max(0, $0 - 1), $0, $0 + 1] }
        let offsets = (0..<200).map { _ in Int.random(in: 0..<text.count, using: &random) } + borders
        for offset in offsets + [text.count - 1, text.count] {
            #expect(index.line(of: offset) == source.line(of: offset))
        }
    }

    /// Eight times as many take eight times as long, sixty-four times if each were counted from the beginning.
    @Test func timeGrowsWithTheEntries() throws {
        let body = String(repeating: "x", count: 1000)
        func seconds(_ count: Int) throws -> Double {
            let entries = (0..<count).map {
                #"{"startedDateTime":"2026-03-04T09:54:08Z","request":{"method":"GET","url":"https://a.example/\#($0)"},"response":{"status":200,"content":{"text":"\#(body)"}}}"#
            }.joined(separator: ",\n")
            let text = "{\"log\":{\"version\":\"1.2\",\"entries\":[\n\(entries)\n]}}"
            let capture = try CaptureReader.read(bytes: Array(text.utf8), name: "login.har")
            try #require(capture.count == count)
            var lines: [Int?] = []
            let time = ProcessorTime.seconds { lines = capture.indices.map { capture.line(ofEntry: $0) } }
            #expect(lines == (0..<count).map { $0 + 2 })
            return time
        }
        let few = try min(seconds(125), seconds(125), seconds(125))
        #expect(try min(seconds(1000), seconds(1000)) < 20 * few)
    }
}
