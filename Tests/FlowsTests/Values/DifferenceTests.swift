import Testing

@testable import Flows

struct DifferenceTests {
    static let rows: [(expected: String, seen: String, note: String)] = [
        ("https://a.example/cb", "https://a.example/cb/", "a \"/\" too many at the end"),
        ("https://a.example/cb/", "https://a.example/cb", "the \"/\" at the end is missing"),
        (
            "http://localhost:8080/cb", "http://127.0.0.1:8080/cb",
            "host 127.0.0.1 instead of localhost: both are this machine, but not the same string"
        ),
        ("https://a.example/cb", "http://a.example/cb", "scheme http instead of https"),
        ("http://a.example:3000/cb", "http://a.example:3001/cb", "port 3001 instead of 3000"),
        (
            "https://a.example/cb", "https://a.example/CB",
            "differs in upper and lower case only, from character 19 on"
        ),
        (
            "https://a.example/cb", "https://a.example/auth/cb",
            "path: differs from character 2 on: \"auth/cb\" instead of \"cb\""
        ),
        ("https://a.example/cb", "https://a.example/cb?code=1&state=2", "still carries code, state"),
        ("https://a.example/cb?tenant=a", "https://a.example/cb?tenant=b", "query differs in tenant"),
        ("https://a.example/cb?a=1", "https://a.example/cb?b=1", "query differs in a, b"),
        (
            "https://a.example/cb?a=1&b=2", "https://a.example/cb?b=2&a=1",
            "query differs in the order of its parameters"
        ),
        ("https://a.example/cb?a=b%20c", "https://a.example/cb?a=b+c", "query differs in how it is encoded"),
        ("a b/c", "a%20b%2Fc", "percent-encoded once too often"),
        ("a/b", "a%252Fb", "percent-encoded twice too often"),
        ("a%2Fb", "a/b", "percent-decoded once too often"),
        ("a%252Fb", "a/b", "percent-decoded twice too often"),
        ("a+b", "a b", "\"+\" was read as a space"),
        ("a+b%2Fc", "a b/c", "form-decoded once too often: \"+\" became a space"),
        ("a b", "a+b", "a space came back as \"+\""),
        ("abc=", "abc", "the \"=\" at the end are missing"),
        ("abc", "abc==", "padded with \"=\""),
        ("a-b_c", "a+b/c", "the other Base64 alphabet"),
        ("abc", "abc\n", "white space around it"),
        ("abcdefgh", "abcd", "cut off after 4 of 8 characters"),
        ("abcd", "abcdefgh", "4 characters too many at the end"),
        ("abcd", "abcd5", "1 character too many at the end"),
        ("abcd", "", "empty"),
        ("abcd", "abxy", "differs from character 3 on: \"xy\" instead of \"cd\""),
        ("abcd", "abcd\u{200b}", "has U+200B, which cannot be seen, from character 5 on"),
        ("ab\u{feff}cd", "abcd", "lacks U+FEFF, which cannot be seen, from character 3 on"),
        (
            "https://a.example/caf\u{e9}", "https://a.example/cafe\u{301}",
            "the same text in another Unicode normal form, from character 22 on"
        ),
        (
            "caf\u{e9}", "cafe\u{301}/",
            "differs from character 4 on: \"e\u{301}/\" instead of \"\u{e9}\"; the first of them is U+0065 instead of U+00E9"
        ),
        (
            "a b", "a\u{a0}b",
            "differs from character 2 on: \"\u{a0}b\" instead of \" b\"; the first of them is U+00A0 instead of U+0020"
        ),
        (
            "abcd", "\u{430}bcd",
            "differs from character 1 on: \"\u{430}bcd\" instead of \"abcd\"; the first of them is U+0430 instead of U+0061"
        ),
    ]

    @Test(arguments: rows) func findsTheSmallestExplanation(
        _ row: (expected: String, seen: String, note: String)
    ) {
        #expect(Difference.note(expected: row.expected, seen: row.seen) == row.note)
    }

    @Test func showsNothingOfASecret() {
        let note = Difference.note(expected: "tiger-tiger-burning", seen: "tiger-lily", isSecret: true)
        #expect(note == "differs from character 7 on; 10 characters, 19 expected")
    }

    @Test(arguments: [
        "%", "%zz", "\u{301}", "\r\n", "://", "http://[::1", "a\u{0}b", String(repeating: "%25", count: 5000),
    ])
    func survivesAnything(text: String) {
        #expect(!Difference.note(expected: "https://a.example/cb", seen: text).isEmpty)
        #expect(!Difference.note(expected: text, seen: "https://a.example/cb").isEmpty)
    }
}
