import Captures
import Provider
import Testing

/// Values are replaced wherever they stand, and nowhere else.
struct SubstitutionTests {
    private static let old = "https://app.example/cb?x=a b"
    private static let new = "https://new.example/c?y=c/d"

    @Test(
        arguments: [
            { $0 }, { PercentEncoding.encode($0) }, { PercentEncoding.encode(PercentEncoding.encode($0)) },
            { PercentEncoding.encode(PercentEncoding.encode(PercentEncoding.encode($0))) },
            { PercentEncoding.encode($0).split(separator: "%20").joined(separator: "+") },
            { $0.split(separator: "/", omittingEmptySubsequences: false).joined(separator: "\\/") },
        ] as [@Sendable (String) -> String]
    )
    func findsAValueInEveryEncoding(_ encode: @Sendable (String) -> String) {
        let substitution = Substitution([(old: Self.old, new: Self.new)])
        #expect(substitution.applied(to: "<\(encode(Self.old))>") == "<\(encode(Self.new))>")
    }

    @Test func escapesAsTheTextDoes() {
        let substitution = Substitution([(old: "a=1&b=2", new: "a=3&b=4")])
        #expect(substitution.applied(to: "?a=1&amp;b=2") == "?a=3&amp;b=4")
        #expect(substitution.applied(to: "\"a\\u003d1\\u0026b\\u003d2\"") == "\"a\\u003d3\\u0026b\\u003d4\"")
    }

    @Test func longestComesFirst() {
        let substitution = Substitution([(old: "abcdef", new: "1"), (old: "abcdefghi", new: "2")])
        #expect(substitution.applied(to: "abcdefghi abcdef") == "2 1")
    }

    @Test func shortValueHasToStandAlone() {
        let substitution = Substitution([(old: "state1", new: "other")])
        #expect(substitution.applied(to: "mystate1 state12 state1") == "mystate1 state12 other")
        // The digits of an escape are not part of a word.
        #expect(substitution.applied(to: "x%3Dstate1%26 y\\u003dstate1") == "x%3Dother%26 y\\u003dother")
    }

    @Test func tooShortValuesAreLeftAlone() {
        #expect(Substitution([(old: "shop", new: "other")]).applied(to: "shop") == "shop")
    }

    @Test(
        arguments: [
            ("https://id.example/x", "http://mock/x"),
            ("https://id.example.evil/x", "https://id.example.evil/x"),
            ("https://id.example:8443/x", "https://id.example:8443/x"),
            ("https%3A%2F%2Fid.example%2Fx", "http%3A%2F%2Fmock%2Fx"),
            ("https%3A%2F%2Fid.example%3A8443", "https%3A%2F%2Fid.example%3A8443"),
            ("\"https:\\/\\/id.example\\/\"", "\"http:\\/\\/mock\\/\""),
        ]
    )
    func addressEndsWhereItsHostDoes(text: String, expected: String) {
        let addresses = AddressMap([.init(old: "https://id.example", new: "http://mock")])
        #expect(Substitution([], addresses: addresses).applied(to: text) == expected)
    }
}
