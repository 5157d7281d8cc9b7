import Captures
import JSON
import TestSupport
import Testing

@testable import Reports

/// What is looked for in captures, which hold whatever strangers sent.
struct ViewerSearchTests {
    private static func found(_ pattern: String, in text: String) -> String? {
        CaselessPattern(pattern).firstRange(in: text.unicodeScalars).map {
            String(text.unicodeScalars[$0])
        }
    }

    @Test(arguments: [
        ("abc", "xABcx", "ABc"), ("É", "née", "é"), ("aab", "aaab", "aab"), ("abab", "abacabab", "abab"),
        ("e", "\u{e9}e\u{301}", "e"), ("i", "İi", "i"), ("", "abc", nil), ("abc", "ab", nil),
        ("k", "\u{212a}", "\u{212a}"),
    ])
    func caseMakesNoDifference(_ pattern: String, _ text: String, _ expected: String?) {
        #expect(Self.found(pattern, in: text) == expected)
    }

    /// Beyond whose end a search of Foundation's found them.
    @Test(arguments: ["André\u{0}", "André\u{fffd}\u{0}", "\u{0}", "é\u{0}\u{0}"])
    func nothingIsFoundBeyondTheEnd(_ pattern: String) {
        for text in ["André", "x=André", "André\u{fffd}", ""] {
            #expect(Self.found(pattern, in: text) == nil)
        }
        #expect(Self.found(pattern, in: "André\u{fffd}\u{0}\u{0}André\u{0}é\u{0}\u{0}") == pattern)
    }

    @Test func whatSurroundsAHitIsCut() throws {
        var capture = CaptureBuilder()
        let around = String(repeating: "é", count: 60)
        capture.get(
            "https://a.example/",
            body: Body(text: around + "Needle" + around, mediaType: "text/plain")
        )
        let viewed = ViewerCapture(ReportBuilder.report(on: capture.capture, named: "one"))
        let hit = try #require(ViewerSearch.hits(of: "nEEDLE", in: [viewed])["hits"]?.array?.first)
        #expect(hit["match"] == "Needle" && hit["where"] == "response.body" && hit["exchange"] == 0)
        let cut = String(around.prefix(40))
        #expect(hit["before"]?.string == "…\(cut)" && hit["after"]?.string == "\(cut)…")
    }

    /// A host is no secret; the header fields of which nobody knows, and user information, may be.
    @Test(arguments: [
        ("shop.exam", "url", "https://", "ple/cart", true),
        ("cart?", "url", "https://ann:pw@shop.example/", "a=1", false),
        ("page/9", "request", "X-Trace: ", "", false), ("Firefox", "request", "User-Agent: ", "", true),
        ("no such", "response.body", "", " item", true),
    ])
    func whatHidesNothingIsSaidToBeOpen(
        _ query: String,
        _ place: String,
        _ before: String,
        _ after: String,
        _ isOpen: Bool
    ) throws {
        var capture = CaptureBuilder()
        capture.get(
            "https://ann:pw@shop.example/cart?a=1",
            headers: [("User-Agent", "Firefox"), ("X-Trace", "page/9")],
            body: Body(text: "no such item", mediaType: "text/plain")
        )
        let viewed = ViewerCapture(ReportBuilder.report(on: capture.capture, named: "one"))
        let hit = try #require(ViewerSearch.hits(of: query, in: [viewed])["hits"]?.array?.first)
        #expect(hit["where"]?.string == place && (hit["open"] == true) == isOpen, "\(hit)")
        #expect(hit["before"]?.string == before && hit["after"]?.string == after, "\(hit)")
    }
}
