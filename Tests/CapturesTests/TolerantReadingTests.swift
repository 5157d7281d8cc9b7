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

    // Its type is written down: with it left to be found out, the literal takes the compiler ten seconds.
    private static let otherFiles: [(bytes: [UInt8], what: String)] = [
        ([0x89, 0x50, 0x4e, 0x47, 13, 10], "a PNG image"),
        (Array("snoop\0\0\0\0\0\0\u{2}".utf8), "a packet capture of Solaris' snoop"),
        (Array("GMBU\0\u{2}".utf8), "a packet capture of Microsoft's Network Monitor"),
        (Array("ObserverPktBufferVersion=15.00".utf8), "a packet capture of Observer"),
        (Array("TR\0d\0\0".utf8), "a packet capture of HP-UX' nettl"),
        (Array("\u{7f}ver\0".utf8), "a packet capture of OmniPeek"),
        ([0xaa, 0xaa, 0xaa, 0xaa, 8, 0], "a packet capture of 5Views"),
        ([0x01, 0x10, 0x4c, 0, 0x01, 0x05], "a packet capture of LANalyzer"),
        (Array("<!DOCTYPE html><p>".utf8), "an HTML page"),
        ([0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0], "a packet capture"),
        (Array("%PDF-1.7".utf8), "a PDF document"), ([4, 0x22, 0x4d, 0x18, 0x64, 0x40], "LZ4 data"),
        (Array("# made by x\nCLIENT_RANDOM 00ff 11AA\n".utf8), "a TLS key log"),
        (Array("SERVER_TRAFFIC_SECRET_0 00ff 11aa\r\nx".utf8), "a TLS key log"),
        (Array("00:00:01.5 IP 1.2.3.4.5 > 5.6.7.8.80: Flags [P.]".utf8), "what tcpdump prints"),
        (Array("2026-11-21 00:00:01.5 IP6 ::1.5 > ::1.80: Flags".utf8), "what tcpdump prints"),
        (Array(#"{"info":{},"item":[]}"#.utf8), "a Postman collection"),
        (Array(#"{"openapi":"3.0","paths":{}}"#.utf8), "an OpenAPI description"),
        (Array(#"{"a":1,"b":2}"#.utf8), "JSON, but no HAR"),
        (Array("<items burpVersion=\"2\">".utf8), "items of Burp's"),
        (Array("<log/>".utf8), "an XML document"), ([0xa1, 0xb2, 0xcd, 0x34], "a packet capture"),
    ]

    @Test(arguments: otherFiles) func whatIsNoCaptureIsNamed(bytes: [UInt8], what: String) throws {
        let error = try #require(throws: CaptureError.self) {
            try CaptureReader.read(bytes: bytes, name: "x")
        }
        guard case .notCapture(_, let looksLike, let advice) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(looksLike.hasPrefix(what) && !advice.isEmpty, "\(looksLike)")
    }

    private static let saved: [(bytes: [UInt8], what: String, advice: String)] = [
        (
            [0xac, 0xed, 0, 5, 0x73, 0x72, 0, 0x1c] + Array("com.xk72.charles.model.Session".utf8),
            "a Charles session", "in Charles: File, Export Session"
        ), ([0xac, 0xed, 0, 5, 0x74, 0], "serialized objects of Java", "a HAR file"),
        (
            [0, 0, 1, 0, 0x90, 0, 0, 0] + [UInt8](repeating: 0, count: 64) + Array("{".utf8),
            "an event trace of Windows", "etl2pcapng FILE"
        ), (Array("bplist00\u{1}".utf8), "a binary property list", "a HAR file"),
        (
            Array("<?xml version=\"1.0\"?>\n<pdml version=\"0\">".utf8), "what tshark prints of packets",
            "authreel import"
        ),
        (
            Array(#"[{"_index":"packets","_type":"doc","_source":{"layers":{}}}]"#.utf8),
            "what tshark prints of packets", "authreel import"
        ),
        (
            Array(#"{"collection":{"info":{}},"run":{"executions":[]}}"#.utf8), "a report of Newman's",
            "-- newman run"
        ), (Array("SQLite format 3\0".utf8), "an SQLite database", "in the app, Share"),
        (
            Array(#"{"fileVersion":"0.9.99","flipperReleaseRevision":"a","clients":[]}"#.utf8),
            "an export of Flipper's", "authreel record"
        ), (Array(#"{"__meta__":{"httpie":"3.2.2"},"cookies":[]}"#.utf8), "a session of HTTPie's", "-- http"),
        (Array(#"{"http_interactions":[],"recorded_with":"VCR"}"#.utf8), "a cassette of VCR", "-- COMMAND"),
        (
            Array(#"[{"actor":{},"eventType":"user.session.start","published":"2026-03-04"}]"#.utf8),
            "Okta's System Log", "a HAR"
        ), (Array(#"[{"date":"2026-03-04","type":"f","client_id":"a"}]"#.utf8), "a log of Auth0's", "a HAR"),
        (
            Array(#"[{"id":"1","createdDateTime":"2026-03-04","userPrincipalName":"a@b"}]"#.utf8),
            "Entra's sign-in log", "a HAR"
        ),
        (
            Array("<?xml version=\"1.0\"?><log><version>1.1</version><creator><name>x</name></creator>".utf8),
            "a network log of Internet Explorer's", "a HAR file"
        ),
    ]

    @Test(arguments: saved.indices) func formOfAProgramsOwnHasItsWayOut(row: Int) throws {
        let (bytes, what, advice) = Self.saved[row]
        let error = try #require(throws: CaptureError.self) {
            try CaptureReader.read(bytes: bytes, name: "x")
        }
        guard case .notCapture(_, let looksLike, let told) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(looksLike.hasPrefix(what) && told.contains(advice), "\(looksLike): \(told)")
    }

    private static let known: [(text: String, what: String)] = [
        ("eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UifQ.c2ln\n", "a token"),
        (
            "* Trying 127.0.0.1:443...\n> GET /a?b HTTP/1.1\n> Host: a\n>\n",
            "what curl -v prints"
        ),
        ("< HTTP/2 200\r\n", "what curl -v prints"),
        (
            #"10.0.0.1 - ada [27/Nov/2026:18:00:00 +0000] "GET /a?b HTTP/1.1" 302 0 "-" "x""#,
            "a web server's access log"
        ),
        (
            "== Info: Connected\n=> Send header, 9 bytes (0x9)\n0000: GET / HTTP/1.1\n",
            "what curl --trace writes"
        ), ("WARC/1.0\r\nWARC-Type: warcinfo\r\n", "an archive of pages (WARC)"),
        ("==== 1 ==========\nGET https://a.example/ HTTP/1.1\n\n{}", "messages of ZAP's"),
        (
            #"{"title":"login","steps":[{"type":"navigate","url":"https://a.example/"}]}"#,
            "a recording of DevTools' recorder"
        ), (#"{"resourceSpans":[{"scopeSpans":[]}]}"#, "traces of OpenTelemetry"),
        ("curl 'https://a.example/token' \\\n --data-raw 'a=b'\n", "a request that was copied"),
        ("fetch(\"https://a.example/token\", {\n  \"method\": \"POST\"\n});", "a request that was copied"),
        ("POST /token HTTP/1.1\r\nHost: a.example\r\n\r\na=b", "an HTTP message"),
        ("HTTP/1.1 400 Bad Request\r\n\r\n{\"error\":\"invalid_grant\"}", "an HTTP message"),
        ("### token\nPOST https://a.example/token\n\na=b\n", "an HTTP message"),
        ("---\nhttp_interactions:\n- request:\n    method: post\n", "a cassette of VCR"),
        ("interactions:\n- request:\n    body: '{}'\n", "a cassette of VCR"),
        ("<?xml version=\"1.0\"?>\n<testResults version=\"1.2\">\n", "results of JMeter's"),
        ("timeStamp,elapsed,label,responseCode\n1774430120000,41,Token,401\n", "results of JMeter's"),
        (#"{"type":"Metric","data":{},"metric":"http_reqs"}"#, "results of k6's"),
        (#"[{"timestamp":"x","httpRequest":{},"httpResponse":{}}]"#, "what MockServer was asked"),
        (#"{"insertId":"x","httpRequest":{"status":401}}"#, "JSON, but no HAR: an object with \"insertId\""),
        (String(repeating: "\0", count: 9000), "nothing but zeros"),
        (
            #"{"id":"x","name":"a","collection_id":"b","folder_id":0,"environment_id":"0","results":[]}"#,
            "a run that Postman exported"
        ),
        (
            "From: <Saved by Blink>\nSnapshot-Content-Location: https://a.example/\nMIME-Version: 1.0\n\n<p>",
            "a page that was saved"
        ),
        (
            "2026-03-04 10:54:08,356 WARN [org.keycloak.events] (x) type=\"LOGIN_ERROR\", realmId=\"{x}\"\n",
            "a log of Keycloak's"
        ),
    ]

    @Test(arguments: known.indices) func textThatIsKnownIsNamed(row: Int) throws {
        let (text, what) = Self.known[row]
        let error = try #require(throws: CaptureError.self) {
            try CaptureReader.read(bytes: Array(text.utf8), name: "x")
        }
        #expect("\(error)".contains("this looks like \(what)"), "\(error)")
    }

    @Test(arguments: [
        ("-----BEGIN PRIVATE KEY-----\nMIIEvQ", "a private key"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl", "a private key"),
        ("-----BEGIN CERTIFICATE-----\nMIIB", "a certificate"),
        ("login/" + String(repeating: "\0", count: 251) + "ustar\0", "a tar archive"),
        (
            "sysdiagnose_2026.03.04/" + String(repeating: "\0", count: 234) + "ustar\0",
            "a sysdiagnose of an Apple device"
        ),
        (
            "10:54:08 App[42] CFNetwork Diagnostics [3:45] 10:54:08.123 {\n  Protocol Enqueue: x\n} [3:45]\n",
            "what CFNetwork logs"
        ),
        ("Tue 10:00 the login failed\n", "plain text"),
    ]) func textThatIsNoCaptureIsNamed(text: String, what: String) throws {
        let error = try #require(throws: CaptureError.self) {
            try CaptureReader.read(bytes: Array(text.utf8), name: "x")
        }
        #expect("\(error)".contains("this looks like \(what)"), "\(error)")
    }
}
