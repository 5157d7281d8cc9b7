import Captures
import Testing

/// Captures that came through programs for mail and texts, which break lines and change marks.
struct WrappedTextTests {
    private static let body = "<p>" + (1...60).map { "word\($0)" }.joined(separator: " ") + " &amp; ä</p>"
    private static let har =
        #"{"log": {"version": "1.2", "entries": [{"startedDateTime": "2026-03-04T09:54:08.356Z", "request": {"method": "GET", "url": "https://a.example/?a=1&b=2"}, "#
        + #""response": {"status": 200, "content": {"mimeType": "text/html", "text": "\#(body)"}}}]}}"#

    /// Lines of so many characters, of which the last one may have fewer.
    private static func cut(_ text: String, at width: Int) -> String {
        text.enumerated().map { $0 > 0 && $0.isMultiple(of: width) ? "\n\($1)" : "\($1)" }.joined()
    }

    /// Lines of whole words.
    private static func filled(_ text: String, to width: Int) -> String {
        var lines = [""]
        for word in text.split(separator: " ") {
            let line = lines[lines.count - 1]
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(String(word))
            } else {
                lines[lines.count - 1] = line.isEmpty ? String(word) : "\(line) \(word)"
            }
        }
        return lines.joined(separator: "\n")
    }

    private static let quotedPrintable =
        cut(har, at: 70).replacing("=", with: "=3D").replacing("ä", with: "=C3=A4").replacing(
            "\n",
            with: "=\r\n"
        )

    private static let texts: [(name: String, text: String)] = [
        ("a width", cut(har, at: 80)), ("a width, and what was said before", "See:\n\n\(cut(har, at: 60))\n"),
        ("lines of Windows", cut(har, at: 80).replacing("\n", with: "\r\n")),
        ("words", filled(har, to: 72)), ("quoted-printable", quotedPrintable),
        ("quotation marks of a program for texts", curly(har)),
    ]

    private static func curly(_ text: String) -> String {
        var isOpen = false
        return text.map { character in
            guard character == "\"" else { return "\(character)" }
            isOpen.toggle()
            return isOpen ? "\u{201c}" : "\u{201d}"
        }.joined()
    }

    @Test(arguments: texts) func textIsAsItWasSent(name: String, text: String) throws {
        let capture = try CaptureReader.read(bytes: Array(text.utf8), name: "a.txt")
        #expect(capture.count == 1 && capture.losses.isEmpty, "\(name): \(capture.losses)")
        #expect(capture[0].request.url.text == "https://a.example/?a=1&b=2", "\(name)")
        #expect(capture[0].response?.body?.text == Self.body, "\(name)")
    }

    /// What is looked at ends within a line, wherever that is.
    @Test(arguments: [0, 10, 20, 30])
    func wordsOfALargeTextAreJoined(shift: Int) throws {
        let word = String(repeating: "w", count: 40)
        let body =
            String(repeating: "s", count: 66) + (shift > 0 ? " " + String(repeating: "s", count: shift) : "")
            + String(repeating: " \(word)", count: 8000)
        let text = Self.filled(Self.har.replacing(Self.body, with: body), to: 72)
        let capture = try CaptureReader.read(bytes: Array(text.utf8), name: "a.txt")
        #expect(capture[0].response?.body?.text == body)
    }

    /// A logger that does not escape line ends has them where the text has them.
    @Test func linesOfABodyStay() throws {
        let certificate =
            "-----BEGIN CERTIFICATE-----\n" + Self.cut(String(repeating: "M", count: 500), at: 64)
        let indented = ["request", "response", "content", "text"].reduce(Self.har) {
            $0.replacing(", \"\($1)\"", with: ",\n\"\($1)\"")
        }.replacing(Self.body, with: certificate)
        let told = try CaptureReader.read(bytes: Array(indented.utf8), name: "a.har")
        #expect(told[0].response?.body?.text == certificate)
        let body = "<html>\n<p>one line that is longer than the others are</p>\n<p>two</p>\n</html>\n"
        let text = Self.har.replacing(Self.body, with: body)
        let capture = try CaptureReader.read(bytes: Array(text.utf8), name: "a.har")
        #expect(capture[0].response?.body?.text == body)
    }

    /// A mark of a text within a capture that has its own stays as it is.
    @Test func marksOfATextStay() throws {
        let body = "he said \u{201c}log\u{201d}, and left"
        let text = Self.har.replacing(Self.body, with: body)
        #expect(
            try CaptureReader.read(bytes: Array(text.utf8), name: "a.har")[0].response?.body?.text == body
        )
        let said = "he said \u{201c}no\u{201d}, and left"
        let behind =
            "[today] this \u{201c}log\u{201d} is of today:\n\n" + Self.har.replacing(Self.body, with: said)
        let told = try CaptureReader.read(bytes: Array(behind.utf8), name: "a.txt")
        #expect(told[0].response?.body?.text == said)
        let turned = Self.curly(Self.har).replacing(Self.body, with: "he said \u{201c}no\u{201d} and left")
        let capture = try CaptureReader.read(bytes: Array(turned.utf8), name: "a.txt")
        #expect(capture[0].response?.body?.text == "he said \u{201c}no\u{201d} and left")
    }
}
