@testable import Captures
import JSON
import TestSupport
import Testing

/// Captures in what Docker keeps of a container's output.
struct ContainerLogTests {
    private static func entry(_ number: Int) -> String {
        #"{"startedDateTime":"2026-03-04T09:54:0\#(number).000Z","request":{"method":"GET","url":"https://a.example/\#(number)"},"response":{"status":200,"content":{"text":"é\"\n{"}}}"#
    }

    /// Each text as an object of its own.
    private static func log(_ texts: [String]) -> String {
        texts.map {
            #"{"log":\#(JSONWriter.text(of: .string($0))),"stream":"stdout","time":"2026-03-04T09:54:08.356Z"}\#n"#
        }.joined()
    }

    private static let har =
        "{\n\"log\": {\"version\":\"1.2\",\n\"entries\":[\n\(entry(0)),\n\(entry(1))\n]}}\n"

    private static var lines: [String] { har.split(separator: "\n").map { $0 + "\n" } }

    private func read(_ text: String) throws -> Capture {
        try CaptureReader.read(bytes: Array(text.utf8), name: "a-json.log")
    }

    private static let logs: [(name: String, text: String)] = [
        ("a line each", log(lines)), ("one line", log([har.replacing("\n", with: " ") + "\n"])),
        // Docker divides lines that are longer than 16 KB.
        ("a line in parts", log(har.replacing("\n", with: " ").map { String($0) })),
        ("an entry a line", log([entry(0) + "\n", entry(1) + "\n"])),
        ("behind other lines", log(["started\n", "{\"level\":\"info\"}\n", "listening\n"] + lines)),
        ("behind a mark and a blank", "\u{feff} " + log(lines).replacing("{\"log\":", with: "{ \"log\" : ")),
    ]

    @Test(arguments: logs) func linesAreReadAsOneText(name: String, text: String) throws {
        let capture = try read(text)
        #expect(capture.indices.map { capture[$0].request.url.path } == ["/0", "/1"], "\(name)")
        #expect(capture[1].response?.body?.text == "é\"\n{", "\(name)")
        #expect(capture.losses.isEmpty, "\(name): \(capture.losses)")
    }

    @Test func logThatBreaksOffIsSaid() throws {
        let whole = Self.log([Self.entry(0) + "\n", Self.entry(1) + "\n"])
        let capture = try read(String(whole.dropLast(100)))
        #expect(capture.count == 1 && capture.isCutShort, "\(capture.losses)")
    }

    /// As before: the objects of other programs have such a member, too.
    @Test func captureBesideALogIsRead() throws {
        let capture = try read(#"{"log":"started"}"# + "\n" + Self.har)
        #expect(capture.count == 2)
    }

    @Test(arguments: [["started\n", "{\"level\":1}\n"], ["{\"log\":\"a\"}\n"], [""], ["{\"log\":{}}"]])
    func logWithoutACaptureIsRefused(texts: [String]) throws {
        let error = try #require(throws: CaptureError.self) { try read(Self.log(texts)) }
        #expect("\(error)".contains("1:8: expected \"log\" to be an object"), "\(error)")
    }

    /// Logs in logs, and a line that never ends.
    @Test func hostileLogIsRefused() {
        var text = "x\n"
        for _ in 0..<6 { text = Self.log([text]) }
        #expect(throws: CaptureError.self) { try read(text) }
        #expect(throws: CaptureError.self) {
            try read("{\"log\":\"" + String(repeating: "{\\\"log\\\":", count: 100_000))
        }
    }
}
