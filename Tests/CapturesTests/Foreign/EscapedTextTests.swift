@testable import Captures
import Testing

/// Captures that were percent-encoded as a whole.
struct EscapedTextTests {
    private static let text = "é\"+% &\n"

    /// `more`: of the body of its second entry, besides.
    private static func har(more: String = "") -> String {
        let body = #"é\"+% &\n"# + more
        return #"{"log":{"entries":[\#(entry(0, body: ""))\#n,\#(entry(1, body: body))]}}"#
    }

    private static func entry(_ number: Int, body: String) -> String {
        #"{"startedDateTime":"2026-03-04T09:54:0\#(number).000Z","request":{"method":"GET","url":"https://a.example/\#(number)?a=%2F%25"},"response":{"status":200,"content":{"mimeType":"text/plain","text":"\#(body)"}}}"#
    }

    /// Of `encodeURI` and `escape`, which leave more as it is.
    private static let leftByScripts = [";/?:@&=+$,#-_.!~*'()", "@*_+-./"]

    private static func encoded(_ text: String, leaving: (UInt8) -> Bool) -> String {
        text.utf8.map {
            $0.isASCIILetter || $0.isASCIIDigit || leaving($0)
                ? String(UnicodeScalar($0)) : PercentEncoding.encode(String(decoding: [$0], as: UTF8.self))
        }.joined()
    }

    private static let forms: [(name: String, text: String)] = [
        ("all of it", PercentEncoding.encode(har())),
        ("in small letters", PercentEncoding.encodeLowercase(har())),
        ("as a form's", PercentEncoding.encode(har(), spaceIsPlus: true)),
        ("behind blanks", "\u{feff}\n " + PercentEncoding.encode("\n " + har())),
        ("a link", "data:text/json;charset=utf-8," + PercentEncoding.encode(har())),
        (
            "a list",
            PercentEncoding.encode("[" + entry(0, body: "") + "," + entry(1, body: #"é\"+% &\n"#) + "]")
        ),
    ]

    private func read(_ text: String) throws -> Capture {
        try CaptureReader.read(bytes: Array(text.utf8), name: "login.har")
    }

    @Test(arguments: forms) func theTextIsRead(name: String, text: String) throws {
        let capture = try read(text)
        #expect(capture.indices.map { capture[$0].request.url.path } == ["/0", "/1"], "\(name)")
        #expect(capture[1].request.url.queryItems.first("a") == "/%", "\(name)")
        #expect(capture[1].response?.body?.text == Self.text, "\(name)")
        #expect(capture.losses.isEmpty, "\(name)")
    }

    /// A plus sign that stays may be left so by who does not encode colons, or slashes, either.
    @Test(arguments: leftByScripts) func plusSignsOfScriptsAreNoSpaces(left: String) throws {
        let left = Set(left.utf8)
        // Each character by itself, so that none is half of another.
        let text = Self.har().map { character in
            character.isASCII
                ? Self.encoded(String(character)) { left.contains($0) }
                : PercentEncoding.encode(String(character))
        }.joined()
        #expect(text.contains("//a.example") && text.contains("+"))
        #expect(try read(text)[1].response?.body?.text == Self.text)
    }

    /// What is read at once may end anywhere in an escape.
    @Test(arguments: 0..<6) func longTextsAreReadInPieces(shift: Int) throws {
        let more = String(repeating: "a", count: shift) + String(repeating: "é", count: 100_000)
        let text = PercentEncoding.encode(Self.har(more: more))
        #expect(try read(text)[1].response?.body?.text == Self.text + more)
    }

    @Test(arguments: [
        "%7B%22log%22", "%5B1%5D", "%7Bx%7D", "data:,%7Bx", "%", "data:%7B%22", "%7B%22a%22%3A1%7D",
    ])
    func whatHoldsNoCaptureIsNone(text: String) throws {
        #expect(throws: CaptureError.self) { try read(text) }
    }
}
