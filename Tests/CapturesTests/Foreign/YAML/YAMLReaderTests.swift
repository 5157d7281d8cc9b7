import JSON
import TestSupport
import Testing

@testable import Captures

/// The part of YAML in which libraries write what programs hand them.
struct YAMLReaderTests {
    private static func read(_ text: String) -> (elements: [JSONValue], problems: [YAMLReader.Problem]) {
        var reader = YAMLReader(Array(text.utf8), at: 0)
        var elements: [JSONValue] = []
        var problems: [YAMLReader.Problem] = []
        reader.elements {
            elements.append($0)
            return true
        } fail: {
            problems.append($0)
        }
        return (elements, problems)
    }

    private static let values: [(String, JSONValue)] = [
        ("abc", "abc"), ("a: b", ["a": "b"]),
        ("a:\n    b: c\n    d:\n  e:", ["a": ["b": "c", "d": .null], "e": .null]),
        ("a:\n  - b\n  - c", ["a": ["b", "c"]]), ("a:\n    - - b\n    -", ["a": [["b"], .null]]),
        ("a: https://op.example/?b=c#d", ["a": "https://op.example/?b=c#d"]), ("a: b # no part", ["a": "b"]),
        ("12", 12), ("007", "007"), ("1.5", "1.5"), ("true", true), ("~", .null), ("'12'", "12"),
        ("a b\n  c\n\n  d", "a b c\nd"), ("'it''s\n  a\n\n  b '", "it's a\nb "),
        (#""\t\x41\u00e4\U0001F600\"\\\/""#, "\tAä😀\"\\/"), ("\"a\\\n  \\ b\\t\n  c\"", "a b\t c"),
        ("|\n  a\n   b\n\n  c\n\n", "a\n b\n\nc\n"), ("|-\n  a\n  b\n", "a\nb"), ("|+\n  a\n\n", "a\n\n\n"),
        (">-\n  a\n  b\n\n  c\n", "a b\nc"), ("|2-\n    a\n   b\n", "  a\n b"),
        ("{a: 'b', c: [d, \"e\"], \"f\": }", ["a": "b", "c": ["d", "e"], "f": .null]), ("[]", []),
        ("{}", JSONValue.object(JSONObject())),
        ("{a: b,\n  c: d}", ["a": "b", "c": "d"]), ("!binary |-\n  aGk\n  =", ["base64": "aGk="]),
        ("!!python/unicode 'a'", "a"), ("!ruby/object:X\n  a: b", ["a": "b"]),
        ("a: &1 x\n  b: *1\n  'c d': y", ["a": "x", "b": "x", "c d": "y"]),
        ("{a: !!python/unicode 'b', c: !!binary \"aGk=\"}", ["a": "b", "c": ["base64": "aGk="]]),
        ("[&1 a, *1, &2 !!binary aGk=, *2]", ["a", "a", ["base64": "aGk="], ["base64": "aGk="]]),
        ("{a: b c\n    d\n\n    e,\n  f: g\n  }", ["a": "b c d\ne", "f": "g"]),
        ("[a b\n  c, d:e\n  f]", ["a b c", "d:e f"]),
    ]

    @Test(arguments: values.indices) func valuesAreRead(row: Int) {
        let (text, value) = Self.values[row]
        for text in ["- \(text)\n- end\n", "- \(text)\n- end".replacing("\n", with: "\r\n")] {
            let (elements, problems) = Self.read(text)
            #expect(elements == [value, "end"], "\(text)")
            #expect(problems.isEmpty, "\(text): \(problems)")
        }
    }

    /// What is behind one that cannot be read is read.
    @Test(arguments: [
        "*unknown", "a: *b", "a: 'b", "a: b\n    c: d", "'a' b", "[a", "{a: b", "\"\\q\"", "|x\n  a",
        "a: &1 [b]\n  c: *1",
        "a: [b]]", "{[a]: b}",
    ]) func elementThatIsRefusedIsTold(text: String) {
        let (elements, problems) = Self.read("- one\n- \(text)\n- end\n")
        #expect(problems.count >= 1 && elements.first == "one", "\(elements)")
        #expect(elements.last == "end", "\(elements)")
    }

    /// A few bytes may stand for as many as somebody likes.
    @Test func aliasesAreBounded() {
        let text = String(repeating: "a", count: 1 << 20)
        let (elements, problems) = Self.read("- &a \(text)\n" + String(repeating: "- *a\n", count: 100))
        #expect(elements.count == 65 && problems.count == 36)
    }

    @Test func listEndsWhereSomethingElseBegins() {
        for end in ["version: 1\n", "---\n- c\n", "...\n"] {
            let (elements, problems) = Self.read("# of tests\n- a\n\n- b\n\(end)")
            #expect(elements == ["a", "b"] && problems.isEmpty)
        }
        #expect(Self.read("a: b\n").elements.isEmpty)
    }

    @Test(.timeLimit(.minutes(1))) func hostileTextsTakeNoQuadraticTime() {
        for line in [
            "- ", "- a\n", "- - ", "- {", "- [", "a: ", "- a:\n  - b\n", "- '", "- \"\\", "- |\n",
            "- a: &a x\n", "- *a\n",
            "- a\n b\n", "-\n\n", "- [a, {b: ", "- [a\n", "- [!a &b ", "- [a\n  b\n",
        ] {
            #expect(Self.read("- one\n" + String(repeating: line, count: 20_000)).elements.first == "one")
        }
    }
}
