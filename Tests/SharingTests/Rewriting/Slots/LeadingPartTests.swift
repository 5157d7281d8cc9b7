import Testing

@testable import Sharing

/// What a text begins with, and what stands behind.
struct LeadingPartTests {
    /// What stands behind the document, where words do.
    @Test(arguments: [
        (#"{"a":"}\"]"}\#u{0a}see b=c"#, "see b=c"), (#"[{"a":[1]}] of them "#, "of them"),
        (#"{"a":1}, see b=c"#, ", see b=c"), (#"{"a":1} - see"#, "- see"), (#"{"a":1} (see)"#, "(see)"),
        (#"{"a":1} été"#, "été"), (#"{"a":1}, "b""#, nil), (#"{"a":1},b"#, nil), (#"{"a":1} - 1"#, nil),
        (#"{"a":1}"#, nil), (#"{"a":1}\#u{0a}{"b":2} see"#, nil), (#"[{"a":1}].map(x)"#, nil),
        (#"{"a":1});"#, nil), (#"[["a"]]\#u{0a}25\#u{0a}[["b"]]"#, nil),
        (#"{"a":1 see"#, nil), (#"{"a":"1} see"#, nil), ("[INFO] see", nil), ("", nil),
    ])
    func documentHasWordsBehind(text: String, rest: String?) {
        let bytes = Array(text.utf8)
        let slots = LeadingPart.endOfDocument(in: bytes[...]).map {
            LeadingPart.slots(behind: $0, in: bytes[...])
        }
        #expect(slots.map { Slot.told($0, text) } == rest.map { ["=\($0)"] })
    }

    /// Behind a word or a bracket, where no program has an object.
    @Test(arguments: [
        (#"login {"a":"b"} (c=d)"#, true), (#"(3) {"a":"b"} (c=d)"#, true),
        (#"{"a":1}{"b":2} (c=d) {"e":3}"#, true),
        (#"const a = {"b":1}"#, false), (#"function f() { return {"a":1} }"#, false),
        (#"f(a, {"b":1})"#, false),
        (#"x ? {"a":1} : {"b":2}"#, false), (#"{"a": {"b":1}}"#, false), (#"f() {"use strict"}"#, false),
        (#"{"a":1}\#u{0a}{"b":2}"#, false), ("", false),
    ])
    func documentStandsBesideWords(text: String, isBeside: Bool) {
        #expect(LeadingPart.isBesideDocument(Array(text.utf8)[...]) == isBeside)
    }

    /// However many there are: none is read within the one before.
    @Test(arguments: ["\n", " "]) func addressesOfAListAreReadBesideEachOther(separator: String) throws {
        let list = (0..<100).map { "https://a.example/x?b=\($0)" }.joined(separator: separator)
        let bytes = Array(list.utf8)
        let behind = LeadingPart.slots(behind: LeadingPart.endOfAddress(in: bytes[...]), in: bytes[...])
        let rest = try #require(behind.first)
        #expect(behind.count == 1 && rest.kind == (separator == "\n" ? .lines : .text))
    }
}
