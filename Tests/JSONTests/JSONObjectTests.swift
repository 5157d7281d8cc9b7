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

    @Test func tableFindsWhatTheObjectDoes() {
        let object = JSONObject([("a", 1), ("b", 2), ("a", 3)])
        var indexed = IndexedJSONObject(object)
        #expect(["a", "b", "c"].allSatisfy { indexed[$0] == object[$0] } && indexed.object == object)
        indexed.append(JSONObject.Member(name: "c", value: 4))
        indexed.set("b", 5)
        indexed.set("d", 6)
        #expect(indexed.object == JSONObject([("a", 1), ("b", 5), ("a", 3), ("c", 4), ("d", 6)]))
        #expect(indexed["c"] == 4 && indexed["d"] == 6)
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
