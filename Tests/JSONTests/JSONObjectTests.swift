import JSON
import Testing

struct JSONObjectTests {
    @Test func settingReplacesAllOfTheNameInPlace() {
        var object = JSONObject([("a", 1), ("b", 2), ("a", 3)])
        object["a"] = 4
        #expect(object.members.map(\.name) == ["a", "b"])
        #expect(object["a"] == 4)
        object["a"] = nil
        #expect(object.members.map(\.name) == ["b"])
        object["c"] = "x"
        #expect(object.members.map(\.name) == ["b", "c"])
    }

    @Test(
        arguments: [
            ("7", 7), ("7.0", 7), ("7e0", 7), ("-1", -1), ("7.5", nil), ("1e400", nil),
            ("9007199254740993.0", nil),
        ] as [(String, Int64?)]
    )
    func integersWhateverTheirSpelling(text: String, expected: Int64?) {
        #expect(JSONNumber(text: text).int == expected)
    }
}
