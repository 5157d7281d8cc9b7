import TestSupport
import Testing

@testable import Sharing

/// Documents of XML among the words of a log.
struct EmbeddedMarkupTests {
    private static func documents(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        return EmbeddedMarkup.beside([], in: bytes[...]).map {
            String(decoding: bytes[$0.range], as: UTF8.self)
        }
    }

    @Test(arguments: [
        ("got <a xmlns=\"x\"><b>c</b></a> from", ["<a xmlns=\"x\"><b>c</b></a>"]),
        (
            "1 <a xmlns=\"x\">c</a> 2 <a xmlns=\"x\">d</a> 3",
            ["<a xmlns=\"x\">c</a>", "<a xmlns=\"x\">d</a>"]
        ),
        // Cut at the end of a line; another end of that name stands before it.
        ("</a> <a xmlns=\"x\">c\n<b>", ["<a xmlns=\"x\">c"]),
        ("<a>c</a> xmlns", []), ("xmlns <a", []),
    ])
    func documentIsReadToItsEnd(text: String, documents: [String]) {
        #expect(Self.documents(text) == documents)
    }

    /// One without an end is not looked for through all of a log.
    @Test func timeGrowsWithTheDocumentsThatDoNotEnd() {
        func seconds(_ count: Int) -> Double {
            let text = Array(String(repeating: "<a xmlns=\"x\">\n", count: count).utf8)
            return ProcessorTime.seconds { _ = EmbeddedMarkup.beside([], in: text[...]) }
        }
        let small = seconds(1_000)
        // Sixteen times the text: linear is 16, quadratic 256.
        #expect(seconds(16_000) < 50 * max(small, 0.004))
    }
}
