import JSON
import TestSupport
import Testing

/// The walk without values accepts nothing that the parser refuses.
struct JSONCursorTests {
    private func names(_ text: String) -> [String]? {
        Array(text.utf8).withUnsafeBufferPointer { bytes in
            var cursor = JSONCursor(bytes)
            var found: [String] = []
            let isObject = cursor.members { name, cursor in
                found.append(String(decoding: name, as: UTF8.self))
                return cursor.skipValue()
            }
            return isObject && cursor.isAtEnd ? found : nil
        }
    }

    @Test func membersAreVisitedInOrder() {
        #expect(names(#" {"a":1,"b":[1,{"c":2}],"a":"x","é":null} "#) == ["a", "b", "a", "é"])
        #expect(names("{}") == [])
    }

    @Test(arguments: [
        "", "[]", "{", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a":1}x"#, #"{"a":01}"#, #"{"a\n":1}"#,
        "{'a':1}",
    ])
    func whatIsNoPlainObjectIsRefused(text: String) { #expect(names(text) == nil) }

    @Test(
        arguments: [
            ("12", 12), ("-7", -7), ("0", 0), ("123456789012345", 123_456_789_012_345),
            ("1234567890123456", nil), ("01", nil), ("1.0", nil),
            ("1e3", nil), ("-", nil), ("x", nil), ("", nil),
        ] as [(String, Int64?)]
    )
    func plainIntegers(text: String, expected: Int64?) {
        Array(text.utf8).withUnsafeBufferPointer { bytes in
            var cursor = JSONCursor(bytes)
            #expect(cursor.integer() == expected)
        }
    }

    @Test func acceptsNothingThatTheParserRefuses() {
        var random = SeededGenerator(seed: 7159)
        var accepted = 0
        for _ in 0..<30_000 {
            let bytes = random.hostileBytes(
                Int.random(in: 0...30, using: &random),
                among: Array(#"{}":,1a[]\ "#.utf8)
            )
            let text = String(decoding: [0x7b] + bytes + [0x7d], as: UTF8.self)
            guard let names = names(text) else { continue }
            accepted += 1
            #expect((try? JSONParser.parse(text.utf8))?.object?.members.map(\.name) == names, "\(text)")
        }
        #expect(accepted > 0)
    }
}
