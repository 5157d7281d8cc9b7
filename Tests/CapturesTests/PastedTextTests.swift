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
        ("a page", "<!DOCTYPE html><html><body><pre>\(escaped(har))</pre><p>{\"log\"}</p></body></html>"),
        (
            "a page without quotes escaped",
            "<html><pre>\(har.replacing("&", with: "&amp;").replacing("<", with: "&lt;"))</pre></html>"
        ),
        (
            "a string in other JSON",
            #"{"ticket":{"id":1,"files":[{"name":"a.har","content":\#(JSONWriter.text(of: .string(har)))}]}}"#
        ),
    ]

    @Test(arguments: texts) func captureIsFound(name: String, text: String) throws {
        let capture = try CaptureReader.read(bytes: Array(text.utf8), name: "a.txt")
        #expect(capture.count == 1 && capture.losses.isEmpty, "\(name): \(capture.losses)")
        #expect(capture[0].request.url.text == "https://a.example/?a=1&b=2", "\(name)")
        #expect(capture[0].response?.body?.text == "<p class=\"é\">&amp;</p>\n```\n", "\(name)")
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
