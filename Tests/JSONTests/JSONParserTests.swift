import JSON
import TestSupport
import Testing

struct JSONParserTests {
    private func parse(_ text: String) throws(JSONError) -> JSONValue { try JSONParser.parse(text.utf8) }

    @Test func keepsOrderDuplicatesAndTheSpellingOfNumbers() throws {
        let value = try parse(#"{"b":1.0,"a":1e2,"b":-0,"c":12345678901234567890}"#)
        #expect(value.object?.members.map(\.name) == ["b", "a", "b", "c"])
        #expect(
            value.object?.members.compactMap { $0.value.number?.text } == [
                "1.0", "1e2", "-0", "12345678901234567890",
            ]
        )
        #expect(value.object?.duplicateNames == ["b"])
        // As most parsers read it: the last one counts.
        #expect(value["b"]?.number?.text == "-0")
        #expect(value["a"]?.int == 100)
        #expect(value["c"]?.int == nil)
    }

    /// Strings are looked through in blocks: what ends a block may stand anywhere.
    @Test func stringsAreReadWhereverTheirEscapesStand() throws {
        let specials = [
            (#"\n"#, "\n"), (#"\""#, "\""), (#"\\"#, "\\"), (#"\ud83d\ude00"#, "😀"),
            ("\u{7f}\u{e9}", "\u{7f}\u{e9}"),
        ]
        for (written, meant) in specials {
            for before in 0..<20 {
                for after in 0..<20 {
                    let (head, tail) = (
                        String(repeating: "h", count: before), String(repeating: "t", count: after)
                    )
                    let text = head + written + tail + written
                    #expect(try parse("\"\(text)\"") == .string(head + meant + tail + meant))
                    #expect(try parse("[\"\(text)\",1]").array?.first == .string(head + meant + tail + meant))
                }
            }
        }
        for place in 0..<20 {
            let head = String(repeating: "h", count: place)
            #expect(throws: JSONError.self) { try parse("\"\(head)\u{1f}tttttttttt\"") }
            #expect(throws: JSONError.self) { try parse("\"\(head)\\ntt\u{1f}tttttttttt\"") }
            #expect(throws: JSONError.self) { try parse("\"\(head)\\") }
            #expect(throws: JSONError.self) { try parse("\"\(head)\\\"") }
        }
    }

    @Test func namesAreTwiceThereByTheirBytes() throws {
        let value = try JSONParser.parse(
            Array("{\"\u{e9}\":1,\"e\u{301}\":2,\"a\":3,\"b\":4,\"b\":5,\"a\":6,\"a\":7}".utf8)
        )
        // The first two look the same, and are not (RFC 8259, section 8.3).
        #expect(value.object?.duplicateNames == ["b", "a"])
    }

    /// A token can have a million of them.
    @Test(.timeLimit(.minutes(1))) func manyNamesThatAreTwiceThereAreFoundInTime() {
        let names = (0..<60_000).map { "name \($0)" }
        let object = JSONObject((names + names).map { ($0, .null) })
        #expect(object.duplicateNames == names)
    }

    @Test(arguments: [
        (#""\u00e9\n\/\"""#, "é\n/\""), (#""\ud83d\ude00""#, "😀"), (#""\ud83dx""#, "\u{fffd}x"),
        (#""\ude00""#, "\u{fffd}"), (#""\ud83d\u0041""#, "\u{fffd}A"), (#""\u0000""#, "\0"),
    ])
    func escapesAreUndone(text: String, expected: String) throws {
        #expect(try parse(text) == .string(expected))
    }

    @Test func invalidUTF8BecomesTheReplacementCharacter() throws {
        #expect(try JSONParser.parse([0x22, 0x61, 0xff, 0x62, 0x22]) == .string("a\u{fffd}b"))
    }

    @Test(arguments: [
        ("", 1, 1, "a JSON value"), ("{", 1, 2, "a member name in quotes"), ("[1,]", 1, 4, "a JSON value"),
        ("{\n  \"a\" 1}", 2, 7, "a colon"), ("[1\n2]", 2, 1, "a comma or ]"), ("tru", 1, 1, "true"),
        ("01", 1, 2, "the end of the text"),
        ("\"a", 1, 1, "a closing quote"), ("-", 1, 2, "a digit"), ("1.", 1, 3, "a digit"),
        ("\"\\x\"", 1, 3, "one of"),
        ("\"a\u{1}\"", 1, 3, "an escape instead of a control character"),
        ("{} x", 1, 4, "the end of the text"), ("NaN", 1, 1, "a JSON value"),
    ])
    func errorsNameTheirPlace(text: String, line: Int, column: Int, expected: String) throws {
        let error = try #require(throws: JSONError.self) { try parse(text) }
        #expect(error.line == line && error.column == column, "\(error)")
        #expect(error.expected.hasPrefix(expected), "\(error)")
    }

    @Test func nestingIsBounded() throws {
        let deepest =
            String(repeating: "[", count: JSONParser.maximumDepth)
            + String(repeating: "]", count: JSONParser.maximumDepth)
        #expect(throws: Never.self) { try parse(deepest) }
        #expect(throws: JSONError.self) { try parse("[" + deepest + "]") }
        let hostile = String(repeating: "[", count: 1_000_000)
        let error = try #require(throws: JSONError.self) { try parse(hostile) }
        #expect(error.expected.contains("levels of nesting"))
    }

    @Test(arguments: [
        #"{"a":[1,2.50,{"b":null}],"c":"\\ \" / é 😀","d":true,"a":false}"#, "[]", "{}", "\"\"", "-1.5e-7",
    ])
    func writingGivesBackWhatWasRead(text: String) throws {
        #expect(JSONWriter.text(of: try parse(text)) == text)
        let indented = JSONWriter.text(of: try parse(text), indented: true)
        #expect(try parse(indented) == parse(text))
    }

    @Test func whatScriptsAndLinesTripOverIsEscaped() throws {
        let text = "a\u{2028}b\u{2029}c\u{7f}\r\u{0}"
        let written = JSONWriter.text(of: .string(text))
        #expect(written == #""a\u2028b\u2029c\u007f\r\u0000""#)
        #expect(try parse(written) == .string(text))
    }

    @Test func hostileTextsAreReadOrRefusedButNeverTrap() {
        var random = SeededGenerator(seed: 8259)
        var accepted = 0
        for _ in 0..<20_000 {
            let bytes = random.hostileBytes(
                Int.random(in: 0...40, using: &random),
                among: Array("{}[]\",:\\u0123456789abtruefalsn -.e".utf8)
            )
            guard let value = try? JSONParser.parse(bytes) else { continue }
            accepted += 1
            #expect((try? JSONParser.parse(JSONWriter.bytes(of: value))) == value)
        }
        #expect(accepted > 0)
    }
}
