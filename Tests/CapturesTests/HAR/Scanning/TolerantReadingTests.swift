@testable import Captures
import Foundation
import JSON
import TestSupport
import Testing

/// HAR that is not quite HAR.
struct TolerantReadingTests {
    private static func entry(_ number: Int) -> String {
        #"{"startedDateTime":"2026-03-04T09:54:0\#(number).000Z","request":{"method":"GET","url":"https://a.example/\#(number)"},"response":{"status":200}}"#
    }

    private static let three = (0..<3).map(entry).joined(separator: ",\n")

    private func read(_ text: String) throws -> Capture {
        try CaptureReader.read(bytes: Array(text.utf8), name: "login.har")
    }

    private static let readable: [(name: String, text: String)] = [
        ("comma behind the last", "{\"log\":{\"entries\":[\(three),],}}"),
        ("commas missing", "{\"log\":{\"entries\":[\(three.replacing(",\n", with: "\n"))]}}"),
        (
            "NaN and Infinity",
            "{\"log\":{\"entries\":[\(three.replacing("200", with: "200,\"x\":NaN,\"y\":-Infinity"))]}}"
        ),
        ("comments", "// saved by hand\n{\"log\":{/* a */\"entries\":[\(three)]}} // end"),
        ("single quotes", "{'log':{'entries':[\(three)]}}"), ("bare names", "{log:{entries:[\(three)]}}"),
        ("numbers as C writes them", "{\"log\":{\"entries\":[\(three.replacing("200", with: "+0200"))]}}"),
        (
            "control characters and escapes",
            "{\"log\":{\"entries\":[\(three.replacing("GET\"", with: "GET\",\"x\":\"\t\\x41\""))]}}"
        ),
        ("NUL bytes before it", String(repeating: "\0", count: 16) + "{\"log\":{\"entries\":[\(three)]}}"),
        (
            "NUL bytes between entries",
            "{\"log\":{\"entries\":[\(three.replacing(",\n", with: ",\0\0\0"))]}}"
        ),
        ("entries alone", "{\"entries\":[\(three)]}"),
        ("entries before log's members", "{\"log\":{\"entries\":[\(three)],\"version\":\"1.2\"}}"),
        ("a list of entries", "[\(three)]"), ("an entry a line", three.replacing(",\n", with: "\n")),
        (
            "a list of captures",
            "[{\"log\":{\"entries\":[\(entry(0))]}},{\"log\":{\"entries\":[\(entry(1)),\(entry(2))]}}]"
        ),
        (
            "captures one behind the other",
            "{\"log\":{\"entries\":[\(entry(0))]}}\n{\"log\":{\"entries\":[\(entry(1)),\(entry(2))]}}"
        ),
        ("two logs", "{\"log\":{\"entries\":[\(entry(0))]},\"log\":{\"entries\":[\(entry(1)),\(entry(2))]}}"),
        ("logs in a list", "{\"log\":[{\"entries\":[\(entry(0))]},{\"entries\":[\(entry(1)),\(entry(2))]}]}"),
        ("entries twice", "{\"log\":{\"entries\":[\(entry(0))],\"entries\":[\(entry(1)),\(entry(2))]}}"),
        (
            "entries under numbers",
            "{\"log\":{\"entries\":{\"0\":\(entry(0)),\"2\":\(entry(1)),\"7\":\(entry(2))}}}"
        ),
        (
            "an entry that is no list",
            "[" + (0..<3).map { "{\"log\":{\"entries\":\(entry($0))}}" }.joined(separator: ",") + "]"
        ),
        ("wrapped", "{\"data\":{\"har\":{\"log\":{\"entries\":[\(three)]}}}}"),
        ("an answer of JSON:API", "{\"data\":{\"attributes\":{\"har\":{\"log\":{\"entries\":[\(three)]}}}}}"),
        ("captures of several pages", "{\"pages\":1,\"hars\":[{\"log\":{\"entries\":[\(three)]}}]}"),
        (
            "a capture for each request",
            "["
                + (0..<3).map {
                    "{\"_id\":\"\($0)\",\"request\":{\"log\":{\"entries\":[\(entry($0))]}},\"group\":{}}"
                }.joined(separator: ",") + "]"
        ), ("an argument of a call", "onInputData({\"log\":{\"entries\":[\(three)]}});\n"),
        ("a log that is the list of entries", "{\"log\":[\(three)]}"),
        (
            "a list of times beside it",
            "{\"data\":[{\"Time\":1},{\"Time\":2}],\"har\":{\"log\":{\"entries\":[\(three)]}},}"
        ),
        ("entries under a name of one's own", "{\"requests\":[\(three)]}"),
        (
            "a trace of Playwright's",
            (0..<3).map { "{\"type\":\"resource-snapshot\",\"snapshot\":\(entry($0))}" }.joined(
                separator: "\n"
            )
        ),
    ]

    @Test(arguments: readable) func whatIsNearlyHARIsRead(name: String, text: String) throws {
        let capture = try read(text)
        #expect(capture.indices.map { capture[$0].request.url.path } == ["/0", "/1", "/2"], "\(name)")
        #expect(capture.indices.allSatisfy { capture[$0].response?.status == 200 }, "\(name)")
        #expect(capture.losses.isEmpty, "\(name): \(capture.losses)")
        for index in capture.indices {
            #expect(throws: Never.self) { try JSONParser.parse(capture.text(ofEntry: index) ?? []) }
        }
    }

    @Test(arguments: ["", "\"entries\":[],", "\"version\":\"1.2\","])
    func entriesInPagesAreThoseOfTheLog(before: String) throws {
        let page = { (id: String, entries: String) in
            "{\"id\":\"\(id)\",\"title\":\"t\",\"entries\":[\(entries)],\"_own\":1}"
        }
        let pages = [
            page("p1", Self.entry(0)), page("p2", [Self.entry(1), Self.entry(2)].joined(separator: ",")),
        ]
        let har = "{\"log\":{\(before)\"pages\":[\(pages.joined(separator: ",")),7],\"comment\":\"c\"}}"
        let imported = JSONWriter.text(of: try OriginalEntryTests.imported([har]))
        for text in [har, imported] {
            let capture = try read(text)
            #expect(capture.indices.map { capture[$0].request.url.path } == ["/0", "/1", "/2"])
            #expect(capture.indices.map { capture[$0].foreign["pageref"]?.string } == ["p1", "p2", "p2"])
            #expect(capture.losses.isEmpty && capture.logMembers["comment"] == "c")
            let own = ["id": "p1", "title": "t", "_own": 1] as JSONValue
            #expect(capture.logMembers["pages"]?.array?.first == own)
        }
    }

    @Test func fileThatBreaksOffInAPageKeepsWhatIsWhole() throws {
        let capture = try read(
            #"{"log":{"pages":[{"id":"p1","entries":[\#(Self.entry(0)),{"startedDateTime":""#
        )
        #expect(capture.count == 1 && capture.losses.count == 1 && capture.isCutShort)
        #expect(capture.logMembers["pages"] == [["id": "p1"]])
    }

    @Test func pagesWithoutEntriesAreNoCapture() {
        #expect(throws: CaptureError.self) { try read("{\"log\":{\"pages\":[{\"id\":\"p1\"}]}}") }
    }

    @Test func textThatWasEncodedTwiceIsRead() throws {
        let har = "{\"log\":{\"comment\":\"é 😀 \\u20ac \\\"q\\\" \\\\\",\"entries\":[\(Self.three)]}}"
        for escapes in [[:], ["é": "\\u00e9", "😀": "\\uD83D\\ude00", "/": "\\/"]] as [[String: String]] {
            var text = JSONWriter.text(of: .string(har))
            for (plain, escape) in escapes { text = text.replacing(plain, with: escape) }
            let capture = try read(" " + text + "\n")
            #expect(capture.count == 3 && capture.losses.isEmpty)
            #expect(capture.logMembers["comment"] == #"é 😀 € "q" \"#)
        }
    }

    @Test func listsThatAreNoEntriesAreNone() {
        for text in [
            #"{"items":[{"time":1,"request":"x"},{"request":{"url":"https://a.example/"}}]}"#,
            #"{"item":[{"request":{"url":{"raw":"https://a.example/"},"method":"GET"},"response":[]}]}"#,
            // Lines of a log, documents of a database, what was asked of a model, a file of a Proxyman log.
            "{\"time\":\"2026-03-04T09:54:08Z\",\"msg\":\"a\"}\n{\"time\":\"2026-03-04T09:54:09Z\",\"msg\":\"b\"}\n",
            #"[{"_id":"1","date":"2026-03-04T09:54:08Z","type":"f"}]"#,
            #"{"request":{"model":"a"},"response":{"choices":[]}}"#, #"{"response":"a"}"#,
            #"{"response":{"status":{"code":200}},"request":{"fullPath":"https://a.example/"}}"#,
            // WireMock's mappings.
            #"{"request":{"method":"POST","url":"/oauth/token"},"response":{"status":200,"body":"{}"}}"#,
            #"{"mappings":[{"request":{"method":"GET","url":"/jwks"},"response":{"status":200}}],"meta":{}}"#,
        ] {
            #expect(throws: CaptureError.self, "\(text)") { try read(text) }
        }
    }

    /// Logs within the entries of logs, as deep as a stranger's file may have them.
    @Test func entriesThatAreObjectsHoldNoFurtherOnes() throws {
        let beginning = #"{"log":{"entries":"#
        #expect(throws: CaptureError.self) { try read(String(repeating: beginning, count: 100_000)) }
        let inner = "\(beginning){\"0\":{\"log\":{\"entries\":[\(Self.three)]}}}}}"
        #expect(try read(inner).count == 3)
    }

    /// Of an entry a part may be all that there is.
    @Test(arguments: [
        #"{"request":{"url":"https://a.example/"}}"#, #"{"response":{"status":200},"request":{}}"#,
        #"{"time":1,"startedDateTime":"2026-03-04T09:54:08Z"}"#,
        #"{"request":{"url":"/token","headers":{"Host":"idp.example"}},"response":{"status":200}}"#,
        #"{"startedDateTime":"2026-03-04T09:54:08Z","request":{"url":"/token"}}"#,
    ]) func entryThatHasLittleIsOne(text: String) throws {
        for text in [text, "[\(text)]", "\(text)\n\(text)"] { #expect(try read(text).count > 0, "\(text)") }
    }

    @Test func membersOfFurtherLogsAreKeptApart() throws {
        let capture = try read(
            "[{\"log\":{\"creator\":{\"name\":\"A\"},\"entries\":[\(Self.entry(0))]}},{\"log\":{\"creator\":{\"name\":\"B\"},\"entries\":[]}}]"
        )
        #expect(capture.creator.name == "A")
        #expect(capture.logMembers["_otherLogs"]?.array?.first?["creator"]?["name"] == "B")
    }

    private static let besideLoss =
        "what stands beside \"log\" is not kept from \"b\" on: it has more than 4 MB"

    /// What wraps a log is kept; too much of it is not held, since JSON that is no HAR may have nothing else.
    @Test func membersBesideTheLogAreKept() throws {
        let text = "{\"token\":[1],\"log\":{\"entries\":[\(Self.entry(0))]},\"value\":null}"
        #expect(try read(text).logMembers["_besideLog"] == ["token": [1], "value": nil])
        let imported = JSONWriter.text(of: try OriginalEntryTests.imported([text]))
        #expect(try read(imported).logMembers["_besideLog"] == ["token": [1], "value": nil])
        let long = String(repeating: "x", count: EntryScanner.mostBeside)
        let log = "\"log\":{\"entries\":[\(Self.entry(0))]}"
        let capture = try read("{\"a\":1,\"b\":\"\(long)\",\n\(log),\"c\":1}")
        #expect(capture.logMembers["_besideLog"] == ["a": 1])
        #expect(capture.losses.map(\.what) == [Self.besideLoss])
    }

    @Test func membersThatWerePutBesideAWrittenLogJoinThoseInIt() throws {
        let log = "{\"_besideLog\":{\"a\":1},\"entries\":[\(Self.entry(0))]}"
        #expect(try read("{\"log\":\(log),\"b\":2}").logMembers["_besideLog"] == ["a": 1, "b": 2])
    }

    @Test func membersBesideTheLogAreKeptUpToALimitForAll() throws {
        let half = String(repeating: "x", count: EntryScanner.mostBeside / 2)
        let log = "{\"entries\":[\(Self.entry(0))]}"
        let capture = try read("{\"a\":\"\(half)\",\n\"log\":\(log),\"b\":\"\(half)\",\"c\":1}")
        #expect(capture.logMembers["_besideLog"]?.object?.members.map(\.name) == ["a"])
        #expect(capture.losses.map(\.what) == [Self.besideLoss])
    }

    @Test(arguments: ["\n    ", ""]) func entryThatIsDamagedIsSaidAndTheOthersAreRead(indent: String) throws {
        var entries = (0..<5).map { indent + Self.entry($0) }
        entries[1] = entries[1].replacing("\"GET\"", with: "\"GE\"T\"")
        entries[3] = entries[3].replacing("\"response\":{", with: "\"response\":")
        let capture = try read("{\"log\":{\"entries\":[\(entries.joined(separator: ","))]}}")
        #expect(capture.indices.map { capture[$0].request.url.path } == ["/0", "/2", "/4"])
        #expect(capture.losses.map(\.line) == (indent.isEmpty ? [1, 1] : [3, 5]), "\(capture.losses)")
    }

    /// There is no entry -1 to look behind.
    @Test func whatIsDamagedBeforeTheFirstEntryIsSaidToBeTheFirst() throws {
        var entries = (0..<5).map { "\n" + Self.entry($0) }
        for index in [0, 1, 3] { entries[index] = entries[index].replacing("\"GET\"", with: "\"GE\"T\"") }
        let capture = try read("{\"log\":{\"entries\":[\(entries.joined(separator: ","))]}}")
        #expect(capture.indices.map { capture[$0].request.url.path } == ["/2", "/4"])
        let losses = capture.losses.map(\.what)
        #expect(losses.count == 3, "\(losses)")
        for (loss, words) in zip(
            losses,
            ["the first entry is not read", "an entry before entry 0 is", "an entry behind entry 0 is"]
        ) {
            #expect(loss.hasPrefix(words), "\(losses)")
        }
        for torn in ["{\"log\":{\"entries\":[", "// by hand\n{\"log\":{\"entries\":["] {
            let losses = try read(torn).losses.map(\.what)
            #expect(
                losses == ["the file breaks off behind the beginning of the entries; no entry is lost"]
            )
        }
    }

    @Test func quoteThatIsMissingCostsNoMoreThanItsEntry() throws {
        var entries = (0..<5).map { "\n" + Self.entry($0) }
        entries[2] = entries[2].replacing("https://a.example/2\"", with: "https://a.example/2")
        let capture = try read("{\"log\":{\"entries\":[\(entries.joined(separator: ","))]}}")
        #expect(capture.indices.map { capture[$0].request.url.path } == ["/0", "/1", "/3", "/4"])
        #expect(capture.losses.count == 1 && capture.losses[0].line == 4, "\(capture.losses)")
    }

    @Test func whatStandsBetweenAndBehindEntriesIsSaid() throws {
        let capture = try read("{\"log\":{\"entries\":[\(Self.entry(0)),null,\n7,\(Self.entry(1))]}}\nbye")
        #expect(capture.count == 2)
        #expect(capture.losses.map(\.line) == [1, 2, 3], "\(capture.losses)")
    }

    @Test(arguments: [true, false], [true, false]) func utf16IsRead(isBigEndian: Bool, hasMark: Bool) throws {
        let text = "{\"log\":{\"entries\":[\(Self.entry(0).replacing("GET\"", with: "GET\",\"x\":\"é😀\""))]}}"
        let bytes = ((hasMark ? [0xfeff] : []) + Array(text.utf16)).flatMap {
            isBigEndian ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)]
        }
        let capture = try CaptureReader.read(bytes: bytes, name: "a.har")
        #expect(capture[0].request.foreign["x"] == "é😀")
    }

    @Test(arguments: [
        ("{\"log\":{\"entries\":[\(three)]}}\nThanks!\n", false),
        ("module.exports = {\"log\":{\"entries\":[\(three)]}};\nnext();\n", false),
        ("\(entry(0))\n\(entry(1))\nThanks!\n\(entry(2))\n", true),
    ]) func textBehindAWholeCaptureCutsNothingOff(text: String, isCut: Bool) throws {
        let capture = try read(text)
        #expect(capture.count >= 2 && capture.losses.count == 1, "\(capture.losses)")
        #expect(capture.isCutShort == isCut, "\(capture.losses)")
    }

    @Test func hostileTextCostsLittle() throws {
        let many = 200_000
        for text in [
            String(repeating: "{\"a\":", count: many), String(repeating: "[", count: many),
            "{\"log\":{\"entries\":[" + String(repeating: "{\"a\":x},", count: many),
            "{\"log\":{\"entries\":[" + String(repeating: "{\"a\":\"", count: many),
            "{\"log\":{\"entries\":[" + String(repeating: "{\"log\":", count: many),
        ] {
            let clock = ContinuousClock()
            let took = clock.measure { _ = try? read(text) }
            #expect(took < .seconds(60))
        }
    }

    /// What decides how a file is read looks at its beginning only.
    @Test func valueThatIsVeryLongIsNotReadToKnowWhatTheFileIs() {
        let text = "{\"a\":\"" + String(repeating: "x", count: 2 << 20) + "\",\"method\":1,\"params\":{}}"
        let sketch = JSONSketch(CaptureSource(bytes: Array(text.utf8)))
        #expect(sketch.names == ["a"] && !sketch.looksLikeEvents)
    }
}
