import JSON
import TestSupport
import Testing

/// The string is the one that the parser finds.
struct JSONLookupTests {
    private func found(_ text: String, _ path: [StaticString] = ["a", "b"]) -> String? {
        JSONLookup.string(at: path, in: Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        (#"{"a":{"b":"x"}}"#, "x"),
        (#" { "z" : [1,{"b":"n\"o"}] , "a" : { "c" : -1.5e3 , "b" : "y" , "d" : true } } "#, "y"),
        (#"{"a":{"b":"q\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"}}"#, "q\"\\/\u{8}\u{c}\n\r\té😀"),
        // Lone halves of a pair, as the parser reads them.
        (#"{"a":{"b":"\ud83dx"}}"#, "\u{fffd}x"),
        // Of several the last.
        (#"{"a":{"b":"x"},"a":{"b":"y","b":"z"}}"#, "z"),
        (#"{"a":{"b":""}}"#, ""),
    ])
    func stringIsFound(text: String, expected: String) throws {
        #expect(found(text) == expected)
        #expect(try JSONParser.parse(text.utf8)["a"]?["b"]?.string == expected)
    }

    @Test(arguments: [
        "", "[]", "{", "{}", #"{"a":{}}"#, #"{"a":"b"}"#, #"{"a":{"b":1}}"#, #"{"a":{"b":{"b":"x"}}}"#,
        #"{"a":{"b":"x"},"a":{}}"#, #"{"\u0061":{"b":"x"}}"#, #"{"a":{"b":"x"#, #"{"a":{"b":"\q"}}"#,
    ])
    func whereThereIsNoneNothingIsFound(text: String) { #expect(found(text) == nil) }

    @Test func bytesThatAreNoTextAreReplacedAsTheParserDoes() throws {
        let text = Array(#"{"a":{"b":"x"#.utf8) + [0xff, 0xc3] + Array(#"y"}}"#.utf8)
        let expected = try JSONParser.parse(text)["a"]?["b"]?.string
        #expect(JSONLookup.string(at: ["a", "b"], in: text) == expected.map { Array($0.utf8) })
    }

    @Test func agreesWithTheParserOnWhateverItReads() throws {
        var random = SeededGenerator(seed: 8259)
        var strings = 0
        for _ in 0..<500 {
            let rest = Self.object(&random, depth: 0).dropFirst()
            let text =
                #"{ "c" : \#(Self.object(&random, depth: 1)) , "a" : \#(Self.object(&random, depth: 1))"#
                + (rest == "  }" ? "" : " ,") + rest
            let expected = try JSONParser.parse(text.utf8)["a"]?["b"]?.string
            guard let found = found(text) else { continue }
            strings += 1
            #expect(found == expected, "\(text)")
            // Cut anywhere it is another text, or none.
            _ = self.found(String(text.prefix(text.count / 2)))
        }
        #expect(strings > 20)
    }

    private static func object(_ random: inout SeededGenerator, depth: Int) -> String {
        let members = (0..<Int.random(in: 0...4, using: &random)).map { _ in
            let name = ["a", "b", "b"].randomElement(using: &random) ?? ""
            let value =
                switch Int.random(in: 0...9, using: &random) {
                case 0...2 where depth < 3: object(&random, depth: depth + 1)
                case 3: #"[1,{"a":"]"},"}"]"#
                case 4: "-1.5e3"
                default: #""x\"\u00e9\n""#
                }
            return "\"\(name)\" : \(value)"
        }
        return "{ \(members.joined(separator: " , ")) }"
    }
}
