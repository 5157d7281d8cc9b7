@testable import Captures
import Foundation
import JSON
import TestSupport
import Testing

/// Captures that somebody put into other text.
struct PastedTextTests {
    private static let har = #"""
        {
          "log": {
            "version": "1.2",
            "entries": [
              {"startedDateTime": "2026-03-04T09:54:08.356Z",
               "request": {"method": "GET", "url": "https://a.example/?a=1&b=2"},
               "response": {"status": 200, "content": {"text": "<p class=\"é\">&amp;</p>\n```\n"}}}
            ]
          }
        }
        """#

    private static func escaped(_ text: String) -> String { HTMLText.escaped(text) }

    private static let texts: [(name: String, text: String)] = [
        ("a ticket", "Here it is {see below}:\n\n```json\n\(har)\n```\n\nThanks! {\"a\":1}\n"),
        ("a fence", "```\r\n\(har.replacing("\n", with: "\r\n"))\r\n```\r\n"),
        ("a page with references", escaped(har)),
        (
            "what jq -C prints",
            "\u{1b}[1;39m" + har.replacing("\"", with: "\u{1b}[0m\"\u{1b}[34;1m") + "\u{1b}[0m\n"
        ),
        ("a part of a page", "<pre class=\"code\">\(escaped(har))</pre>\n"),
        ("a page", "<!DOCTYPE html><html><body><pre>\(escaped(har))</pre><p>{\"log\"}</p></body></html>"),
        (
            "a page without quotes escaped",
            "<html><pre>\(har.replacing("&", with: "&amp;").replacing("<", with: "&lt;"))</pre></html>"
        ),
        (
            "a page that colours it",
            "<!DOCTYPE html><html><body><table><tr><td data-line=\"1\">"
                + "<span class=\"p\">{</span>\n  <span class=\"k\">&quot;log&quot;</span>"
                + escaped(String(har.drop { $0 != ":" })).replacing(
                    "\n",
                    with: "</td></tr>\n<tr><td data-line=\"2\">"
                )
                + "</td></tr></table></body></html>"
        ),
        (
            "a script that goes on",
            "<!DOCTYPE html><script>if (1 < 2) {}</script><script type=\"a\">\nvar harOutput = \(har);\nconst view = new View(harOutput);\n</script></html>"
        ), ("a script of nothing else", "<html><script>\nload(\(har));\n</script><p>&amp;</p></html>"),
        (
            "a string in other JSON",
            #"{"ticket":{"id":1,"files":[{"name":"a.har","content":\#(JSONWriter.text(of: .string(har)))}]}}"#
        ), ("Base64 of lines", base64.enumerated().map { $0 % 76 == 75 ? "\($1)\r\n" : "\($1)" }.joined()),
        (
            "an attachment in a report of Playwright's",
            #"{"suites":[{"attachments":[{"name":"har","contentType":"application/json","body":"\#(base64)"}]}]}"#
        ),
        (
            "Base64 that PHP has escaped",
            #"{"name":"a","har":"\#(base64.replacing("/", with: "\\/").replacing("A", with: "A\\n"))"}"#
        ),
        ("a reply", "Bob wrote:\n>\n> Here it is:\n>\n\(marked("> "))\n\nThanks!\n"),
        ("a reply to a reply", "> Bob wrote:\n>> Hello,\n\(marked(">> "))\n> {\n"),
        ("a change", "--- /dev/null\n+++ b/a.har\n@@ -0,0 +1,9 @@\n\(marked("+"))\n"),
        ("comments", marked("// ").replacing("\n", with: "\r\n")),
        ("a log of several containers", "db-1   | ready\n\(marked("app-1  | "))\ndb-1   | a\n"),
        ("lines with numbers", "   8  cat a.har\n\(numbered { "\($0 < 10 ? "   " : "  ")\($0)  " })"),
        ("lines with times", numbered { "Mar 03 09:12:\($0 + 10) host app[\($0 + 10)]: " }),
        (
            "a link to it",
            #"<html><p><a href="data:application/json;base64,\#(base64)" download="a.har">HAR</a></p></html>"#
        ),
    ]

    private static let base64 = Base64.encode(har.utf8)

    private static func marked(_ mark: String) -> String {
        let end = mark.lastIndex { $0 != " " }.map { mark[...$0] } ?? ""
        return har.split(separator: "\n").map { mark + $0 }.joined(separator: "\n\(end)\n")
    }

    private static func numbered(_ mark: (Int) -> String) -> String {
        har.split(separator: "\n").enumerated().map { mark($0 + 9) + $1 }.joined(separator: "\n")
    }

    @Test(arguments: texts) func captureIsFound(name: String, text: String) throws {
        let capture = try CaptureReader.read(bytes: Array(text.utf8), name: "a.txt")
        #expect(capture.count == 1 && capture.losses.isEmpty, "\(name): \(capture.losses)")
        #expect(capture[0].request.url.text == "https://a.example/?a=1&b=2", "\(name)")
        #expect(capture[0].response?.body?.text == "<p class=\"é\">&amp;</p>\n```\n", "\(name)")
    }

    // MARK: - Behind what programs print

    private static let entry =
        #"{"startedDateTime":"2026-03-04T09:54:08.356Z","request":{"method":"GET","url":"https://a.example/"},"response":{"status":200}}"#

    private static let printed: [(name: String, text: String)] = [
        ("a log", "2026-01-01 INFO starting...\n{\"version\":1,\"log\":{\"entries\":[\(entry)]}}\n"),
        ("a prompt", "$ cat a.har\n[\(entry)]\n"),
        ("lines in brackets", "[INFO] new {a}\n[1/2] x\n[notice] y\n{\"entries\":[\(entry)]}"),
        ("lines of JSON", "{\"level\":\"info\",\"time\":1}\nstarted\n{\"time\":2}\n\(entry)\n"),
        ("a line of JSON that is cut", "a\n{\"level\":\"info\"\n[\(entry)]"),
        (
            "much text",
            String(repeating: "npm timing\n", count: 2000)
                + "{\"version\":1,\"log\":{\"entries\":[\(entry)]}}"
        ),
        ("much text, and spaces", String(repeating: "pip\r\n", count: 2000) + har),
    ]

    @Test(arguments: printed) func captureBehindLinesIsFound(name: String, text: String) throws {
        for bytes in [Array(text.utf8), Archive.gzip(Array(text.utf8))] {
            let capture = try CaptureReader.read(bytes: bytes, name: "a.log")
            #expect(capture.count == 1 && capture.losses.isEmpty, "\(name): \(capture.losses)")
            #expect(capture[0].request.url.host == "a.example", "\(name)")
        }
    }

    /// A line that may be an entry is none there, and the error is that of the file.
    @Test(arguments: [
        (
            "INFO a\n{\"time\":1,\"level\":\"info\"}\n{\"time\":2,\"request\":{\"url\":\"https://a.example/\"}}\n",
            "1:1"
        ),
        ("INFO {\n[1,2]\n{\"entries\":[]}\n", "1:1"),
        ("INFO\n{\"log\":{\"entries\":1}}\n", "1:1"),
        (String(repeating: "INFO\n", count: 2000) + "{\"a\":1}\n", "plain text"),
    ]) func linesWithoutACaptureAreRefused(text: String, words: String) throws {
        let error = try #require(throws: CaptureError.self) {
            try CaptureReader.read(bytes: Array(text.utf8), name: "a.log")
        }
        #expect("\(error)".contains(words), "\(error)")
    }

    /// Each line may begin one, and none does.
    @Test(
        .timeLimit(.minutes(1)),
        arguments: ["[", "{\"a\":", "[{\"time\":", "[1 x", "{\"time\":[", "{\"a\":\""]
    )
    func hostileLinesAreRefusedInTime(line: String) {
        let text = "x {\n" + String(repeating: line + "\n", count: 100_000)
        #expect(throws: CaptureError.self) { try CaptureReader.read(bytes: Array(text.utf8), name: "a.log") }
    }

    /// Each `"log"` may stand behind the brace of a capture, and none does; in a page behind tags, which have such names, too.
    @Test(arguments: [("x {\n", String(repeating: "x", count: 50) + " \"log\""), ("<p>", "<>\"log\">")])
    func timeGrowsWithTheNamesThatBeginNone(before: String, unit: String) {
        func seconds(_ count: Int) -> Double {
            let source = CaptureSource(bytes: Array((before + String(repeating: unit, count: count)).utf8))
            return ProcessorTime.seconds { #expect(PastedText(source) == nil) }
        }
        let few = seconds(2_000)
        // Eight times the names: linear is 8, quadratic 64.
        #expect(seconds(16_000) < 20 * max(few, 0.002))
    }

    // MARK: - Mail

    /// As mail programs write it: lines of 76 characters, each broken by a `=`.
    private static func quotedPrintable(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            var lines = [""]
            for byte in line.utf8 {
                let isPlain = byte >= 0x20 && byte < 0x7f && byte != UInt8(ascii: "=")
                let written =
                    isPlain
                    ? String(UnicodeScalar(byte))
                    : "=" + String(Int(byte) + 0x100, radix: 16).dropFirst().uppercased()
                if lines[lines.count - 1].utf8.count + written.utf8.count > 75 { lines.append("") }
                lines[lines.count - 1] += written
            }
            return lines.joined(separator: "=\r\n")
        }.joined(separator: "\r\n")
    }

    private static func base64(_ bytes: some Collection<UInt8>) -> String {
        let digits = Array(Base64.encode(bytes))
        return stride(from: 0, to: digits.count, by: 76).map {
            String(digits[$0..<min($0 + 76, digits.count)])
        }
        .joined(separator: "\r\n")
    }

    private static func mail(_ type: String, _ body: String) -> String {
        "Received: from a.example\r\n\tby b.example; Tue, 3 Mar 2026 10:00:00 +0100\r\nSubject: broken login\r\nMIME-Version: 1.0\r\n\(type)\r\n\r\n\(body)"
    }

    private static func multipart(_ encoding: String, _ body: String) -> String {
        mail(
            "Content-Type: multipart/mixed;\r\n boundary=\"=_Part 1\"",
            """
            --=_Part 1\r
            Content-Type: text/plain; charset=utf-8\r
            Content-Transfer-Encoding: quoted-printable\r
            \r
            See =7Battached=7D =E2=80=93 thanks!\r
            --=_Part 1\r
            Content-Type: application/json; name="login.har"\r
            Content-Disposition: attachment; filename="login.har"\r
            content-transfer-encoding: \(encoding)\r
            \r
            \(body)\r
            --=_Part 1--\r

            """
        )
    }

    private static let mails: [(name: String, text: String)] = [
        (
            "in its text",
            mail(
                "Content-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable",
                "Here:\r\n\r\n" + quotedPrintable(har) + "\r\n"
            )
        ),
        ("as it is", mail("Content-Type: text/plain", "Here:\r\n\r\n\(har)\r\n")),
        ("attached, quoted", multipart("Quoted-Printable", quotedPrintable(har))),
        ("attached, in Base64", multipart("base64", base64(har.utf8))),
        (
            "attached, in UTF-16",
            multipart("base64", base64(har.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }))
        ),
    ]

    /// As a mailbox has it, without the `=` that some programs leave out, and forwarded as a message of its own.
    private static let oddMails: [(name: String, text: String)] = [
        (
            "in a mailbox",
            "From a@b.example Tue Mar  3 10:00:00 2026\r\n" + multipart("base64", base64(har.utf8))
        ),
        (
            "without the last characters",
            multipart("base64", base64((har + "  ").utf8).replacing("=", with: ""))
        ),
        (
            "forwarded",
            mail(
                "Content-Type: multipart/mixed; boundary=outer",
                "--outer\r\nContent-Type: message/rfc822\r\n\r\n"
                    + multipart("base64", base64(har.utf8)) + "\r\n--outer--\r\n"
            )
        ),
    ]

    @Test func allThatIsAttachedIsRead() throws {
        let other = Self.har.replacing("a.example", with: "b.example")
        let text = Self.multipart("base64", Self.base64(Self.har.utf8)).replacing(
            "--=_Part 1--",
            with:
                "--=_Part 1\r\nContent-Transfer-Encoding: base64\r\n\r\n\(Self.base64(other.utf8))\r\n--=_Part 1--"
        )
        let capture = try CaptureReader.read(bytes: Array(text.utf8), name: "a.eml")
        #expect(capture.indices.map { capture[$0].request.url.host } == ["a.example", "b.example"])
    }

    /// Made to keep a reader busy.
    @Test(.timeLimit(.minutes(1))) func hostileMailIsRefusedInTime() throws {
        let fields = (0..<20_000).map { "Content-Type: multipart/mixed; boundary=b\($0)\r\n" }.joined()
        let folded = "Subject: a\r\n" + String(repeating: " b\r\n", count: 500_000)
        let lines = String(repeating: "--x\r\n", count: 100_000)
        for text in [fields + "\r\n" + lines, folded + "\r\n" + lines] {
            #expect(throws: CaptureError.self) {
                try CaptureReader.read(bytes: Array(("MIME-Version: 1.0\r\n" + text).utf8), name: "a.eml")
            }
        }
    }

    @Test(arguments: mails + oddMails) func captureIsFoundInMail(name: String, text: String) throws {
        let capture = try CaptureReader.read(bytes: Array(text.utf8), name: "a.eml")
        #expect(capture.count == 1 && capture.losses.isEmpty, "\(name): \(capture.losses)")
        #expect(capture[0].request.url.text == "https://a.example/?a=1&b=2", "\(name)")
        #expect(capture[0].response?.body?.text == "<p class=\"é\">&amp;</p>\n```\n", "\(name)")
    }

    @Test func mailWithoutOneSaysWhatToDo() throws {
        let text = Self.multipart("base64", Self.base64("nothing".utf8))
        let error = try #require(throws: CaptureError.self) {
            try CaptureReader.read(bytes: Array(text.utf8), name: "a.eml")
        }
        #expect("\(error)".contains("a mail"), "\(error)")
        guard case .notCapture(_, _, let advice) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(advice.contains("attached"), "\(advice)")
    }

    @Test func whatStandsBehindIsSaid() throws {
        let text = "const har = \(Self.har);\nmodule.exports = har;\n"
        let capture = try CaptureReader.read(bytes: Array(text.utf8), name: "a.js")
        #expect(capture.count == 1 && capture.losses.count == 1, "\(capture.losses)")
    }

    /// What a file is else is told as ever.
    @Test func documentThatOnlyNamesALogIsNamedForWhatItIs() throws {
        let text = #"{"info":{},"item":[{"log":{"level":1}},{ "log": 2 }]}"#
        let error = try #require(throws: CaptureError.self) {
            try CaptureReader.read(bytes: Array(text.utf8), name: "a.json")
        }
        #expect("\(error)".contains("a Postman collection"), "\(error)")
    }

    /// References and characters that the end of a window cuts.
    @Test func largePageIsRead() throws {
        let text = String(repeating: "é\"&", count: 100_000)
        let har = Self.har.replacing(
            "&amp;</p>",
            with: JSONWriter.text(of: .string(text)).dropFirst().dropLast()
        )
        let page = "<html>\(Self.escaped(har))</html>"
        let capture = try CaptureReader.read(bytes: Array(page.utf8), name: "a.html")
        #expect(capture[0].response?.body?.text?.contains(text) == true)
    }

    @Test(arguments: [
        "<html><p>log in</p></html>", "no {\"log\" here", "{\"log\": 1", "{\"a\":\"\\\"log\\\"\"}",
        "{&quot;log&quot;",
    ]) func whatHoldsNoneIsRefused(text: String) {
        #expect(throws: CaptureError.self) { try CaptureReader.read(bytes: Array(text.utf8), name: "a.txt") }
    }
}
