import Testing

@testable import Sharing

/// Cookies in lines and in programs' own words for them.
struct CookieFileSlotsTests {
    private static func values(_ text: String, _ slots: (ArraySlice<UInt8>) -> [Slot]) -> [String] {
        let bytes = Array(text.utf8)
        return slots(bytes[...]).map { String(decoding: bytes[$0.range], as: UTF8.self) }
    }

    @Test(arguments: [
        ("# Netscape HTTP Cookie File\nshop.example\tFALSE\t/\tFALSE\t0\tsid\tzem4K\n", ["zem4K"]),
        ("#HttpOnly_.shop.example\tTRUE\t/\tTRUE\t1790000000\tat\tzem4K", ["zem4K"]),
        // With spaces, as a paste has them.
        (
            "see:\nshop.example FALSE / FALSE 0 sid zem4K\n.shop.example  TRUE  /a  TRUE  9.5  at  zem5K",
            ["zem4K", "zem5K"]
        ),
        // As a browser's tools show them.
        ("sid\tzem4K\tshop.example\t/\tSession\t19\t✓\t\tLax\n", ["zem4K"]),
        ("at\tzem4K\t.shop.example\t/app\t2026-05-01T10:00:00.000Z\t40", ["zem4K"]),
        ("sid\tzem4K\tlocalhost\t/\tSitzung\t8", ["zem4K"]),
        (
            "sid\tzem4K\tlocalhost\t/\tセッション\t8\nat\tzem5K\ta.example\t/\tFri, 01 May 2026 10:00:00 GMT\t7",
            ["zem4K", "zem5K"]
        ),
        ("sid\tzem4K\tshop.example\t/\t5/1/2026, 10:00:00\t8 B\t✓", ["zem4K"]),
        // Lines of other kinds.
        ("sid\tzem4K\tshop.example\t/\tSession\t8 KB", []),
        ("sid\tzem4K\tshop.example\t/\tSession\t123456", []),
        ("it is TRUE that the page / the file is FALSE 0 to nine", []),
        ("shop.example FALSE page FALSE 0 sid zem4K", []),
        ("GET\t200\tshop.example\t/login\tFirefox\t512", []),
        ("2026-03-02T10:00:00Z\tPOST\tid.example\t/token\tHTTP/1.1\t400", []),
        ("10:00:00\tredirect\tid.example\t/auth\tSession\t302", []),
        ("web\tGET\tid.example\t/auth\tHIT\t302", []),
        ("web\tfrankfurt\tid.example\t/auth\t302\t1480", []),
        ("2026-03-02\t10:00\tid.example\t/a\tHIT\t12", []),
        ("a\tb\tc\td\te\tf", []), ("Name\tValue\tDomain\tPath\tExpires\tSize", []), ("\t\t\t\t\t\t\t", []),
        ("", []),
    ])
    func valuesOfLines(text: String, expected: [String]) {
        #expect(Self.values(text, CookieFileSlots.slots) == expected)
    }

    @Test(arguments: [
        ("<NSHTTPCookie\n\tversion:1\n\tname:sid\n\tvalue:zem4K\n\tdomain:shop.example\n>", ["zem4K"]),
        (#"("<NSHTTPCookie\n\tversion:1\n\tname:sid\n\tvalue:zem4K\n\tpath:/\n>")"#, ["zem4K"]),
        (
            #"<NSHTTPCookie version:0 name:"sid" value:"zem 4K" domain:"a">, <NSHTTPCookie name:"b" value:"zem5K">"#,
            ["zem 4K", "zem5K"]
        ),
        (#"{"d":"<NSHTTPCookie version:0 name:\"sid\" value:\"zem4K\" domain:\"a\">"}"#, ["zem4K"]),
        ("<RequestsCookieJar[<Cookie sid=zem4K for shop.example/>, <Cookie b=x= for a/>]>", ["zem4K", "x="]),
        ("<NSHTTPCookie version:0>, value:zem4K", []), ("<Cookie sid for a/>", []), ("<Cookie sid=zem4K", []),
        ("Cookie: sid=zem4K", []), ("<p>Cookie</p>", []), ("<NSHTTPCookie value:", []),
        ("<NSHTTPCookie value:\\", []),
    ])
    func valuesThatProgramsPrint(text: String, expected: [String]) {
        #expect(Self.values(text, PrintedCookies.slots) == expected)
    }

    @Test func whatIsPrintedIsNoPage() {
        #expect(TextKind.guessed(Array("<NSHTTPCookie version:0>".utf8)[...]) == .text)
        #expect(TextKind.guessed(Array("<Cookie sid=zem4K for a/>".utf8)[...]) == .text)
        #expect(TextKind.guessed(Array("<Cookies>a</Cookies>".utf8)[...]) == .html)
        #expect(TextKind.guessed(Array("<Cookie name=\"sid\" value=\"a\"/>".utf8)[...]) == .html)
    }

    @Test(arguments: ["<NSHTTPCookie ", "<Cookie a", "a\tb\tc\t", "TRUE "])
    func timeIsLinear(piece: String) {
        let text = Array(String(repeating: piece, count: 20_000).utf8)
        let clock = ContinuousClock()
        #expect(
            clock.measure {
                _ = CookieFileSlots.slots(in: text[...])
                _ = PrintedCookies.slots(in: text[...])
            } < .seconds(30)
        )
    }
}
