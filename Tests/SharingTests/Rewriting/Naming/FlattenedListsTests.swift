import Testing

@testable import Sharing

/// Lists in which objects say where the values of their members stand.
struct FlattenedListsTests {
    private static func told(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        return ScriptSlots.slots(in: bytes[...]).filter { !$0.isNumber && !$0.name.isEmpty }
            .map { "\($0.name)=\(String(decoding: bytes[$0.range], as: UTF8.self))" }
    }

    @Test(arguments: [
        (#"[{"user":1},{"given_name":2,"theme":3},"Kira","dark"]"#, ["given_name=Kira"]),
        (#"{"nodes":[{"data":[{"user":1},{"given_name":2},"Kira"]}]}"#, ["given_name=Kira"]),
        (#"[["ShallowReactive",1],{"state":2},{"username":3,"at":-1},"kira7",null]"#, ["username=kira7"]),
        (#"[{"_1":2},"given_name","Kira"]"#, ["given_name=Kira"]),
        (#"[{"_1":2,"_3":1.5},"family_name",{"_4":5},true,"given_name","Ki\"ra"]"#, [#"given_name=Ki\"ra"#]),
        (#"{"refs":{},"objs":[{"given_name":"1"},"Kira"]}"#, ["given_name=Kira"]),
        (#"{"objs":[{"given_name":"1"},{"x":"Ki"}],"b":{},"c":"d"}"#, ["x=Ki", "c=d"]),
        // Numbers that are none of places.
        (#"{"list":[{"given_name":"1"},{"x":"Ki"}],"b":{},"c":"d"}"#, ["given_name=1", "x=Ki", "c=d"]),
        (#"[{"theme":1},"dark"]"#, []), (#"[{"given_name":7},"Kira"]"#, []),
        (#"[{"given_name":99999999},"Kira"]"#, []), (#"[{"given_name":-1},"Kira"]"#, []),
        (#"[{"_9":1},"Kira"]"#, []), (#"[{"given_name":1},[2],"Kira"]"#, []),
        (#"{"given_name":1},"Kira""#, []), (#"[{"given_name":1},"Kira"#, []), (#"]}],{},""#, []),
    ])
    func valuesAreCalledByTheirMembers(text: String, told: [String]) {
        #expect(Self.told(text) == told)
    }

    /// What is a place is no number of anybody's.
    @Test(arguments: [
        (#"[{"user":1},{"phone":2},"+49 151 2345"]"#, []),
        (#"[{"user":1},[{"user":7},"a"]]"#, ["user=1", "user=7"]),
    ])
    func placesAreNoValues(text: String, numbers: [String]) {
        let bytes = Array(text.utf8)
        let told = ScriptSlots.slots(in: bytes[...]).filter { $0.isNumber && !$0.name.isEmpty }
        #expect(told.map { "\($0.name)=\(String(decoding: bytes[$0.range], as: UTF8.self))" } == numbers)
    }

    @Test func deepListsAreReadInLinearTime() {
        let text = String(repeating: #"[{"given_name":1},"a","#, count: 20_000)
        #expect(Self.told(text).isEmpty)
    }
}
