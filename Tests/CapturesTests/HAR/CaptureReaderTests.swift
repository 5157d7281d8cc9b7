import Captures
import Foundation
import JSON
import TestSupport
import Testing

struct CaptureReaderTests {
    private func read(_ text: String) throws -> Capture {
        try CaptureReader.read(bytes: Array(text.utf8), name: "login.har")
    }

    private static func entry(_ members: String) -> String {
        #"{"log":{"version":"1.2","entries":[{\#(members)}]}}"#
    }

    @Test(arguments: [
        ("hello", "login.har: this looks like plain text"), ("", "login.har: this looks like an empty file"),
        ("[1]", "login.har:1:1: expected"),
        ("{\"log\":\n  {\"entries\": 7}}", "login.har:2:15: expected"),
        (#"{"log":{"entries":[7]}}"#, "login.har:1:20: expected an entry"),
        (#"{"log":{"entries":[{"a":tru}]}}"#, "login.har:1:25: expected true"),
        (#"{"log":{"version":"1.2"},"entries":7}"#, "expected a member \"entries\""),
        (#"{"log":{"version":"1.2"}}"#, "expected a member \"entries\""),
    ])
    func whatIsNoHARIsNamedWithItsPlace(text: String, message: String) throws {
        let error = try #require(throws: CaptureError.self) { try read(text) }
        #expect("\(error)".contains(message), "\(error)")
    }

    /// Between writes a capture of ours is whole: who opens it, and reads when more is there, has lost nothing.
    @Test func captureThatIsBeingWrittenIsNotTorn() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("login.har")
        let writer = try CaptureWriter(path: path, version: "1.0")
        func exchange(_ number: Int) -> Exchange {
            Exchange(
                startedAt: Timestamp(seconds: 1_780_000_000 + Int64(number)),
                request: RecordedRequest(method: "GET", url: RecordedURL("https://a.example/\(number)")),
                response: RecordedResponse(status: 200)
            )
        }
        for number in 0..<3 { try writer.append([exchange(number)]) }
        let source = try CaptureSource(path: path)
        try writer.append([exchange(3)])
        let capture = try CaptureReader.read(source, name: path)
        #expect(capture.count == 3 && capture.losses.isEmpty, "\(capture.losses)")
        // The same bytes in a file that does not grow are torn.
        let torn = try CaptureReader.read(bytes: source.bytes(at: 0, count: source.size), name: path)
        #expect(torn.count == 3 && torn.losses.count == 1)
    }

    /// How far a file that is cut off goes is said in words that fit the number.
    @Test(arguments: [
        (0, "no whole one is before it"), (1, "the one before it is whole"), (2, "the 2 before it are whole"),
    ])
    func whatIsBeforeACutIsCounted(whole: Int, words: String) throws {
        let entry =
            #"{"startedDateTime":"2026-03-04T09:54:08.356000Z","time":1,"request":{"method":"GET","url":"https://a.example/"},"response":{"status":200}}"#
        let entries = Array(repeating: entry, count: whole) + [String(entry.prefix(70))]
        let capture = try read(#"{"log":{"version":"1.2","entries":["# + entries.joined(separator: ","))
        #expect(capture.count == whole)
        #expect(
            capture.losses.map(\.what) == ["entry \(whole) is cut off after 70 bytes; \(words)"],
            "\(capture.losses)"
        )
    }

    @Test func missingFileAndFolderAreToldApart() throws {
        #expect(throws: CaptureError.noSuchFile(path: "/nowhere/a.har")) {
            try CaptureReader.read(path: "/nowhere/a.har")
        }
        let error = try #require(throws: CaptureError.self) { try CaptureReader.read(path: "/tmp") }
        #expect("\(error)".contains("/tmp"), "\(error)")
    }

    @Test func byteOrderMarkWhiteSpaceAndEscapedNamesAreNoObstacle() throws {
        let text =
            "\u{feff} {\"log\" : { \"\\u0065ntries\" : [ {\"request\":{\"url\":\"https://a.example/\"}} ] } }\n"
        let capture = try read(text)
        #expect(capture.count == 1)
        #expect(capture[0].request.url.text == "https://a.example/")
        #expect(capture.losses.isEmpty)
    }

    @Test func wordsThatLookLikeEntriesInsideStringsAreNoEntries() throws {
        let text =
            #"{"comment":"\"entries\":[{}]","log":{"pages":[{"entries":[1,2,3]}],"entries":[],"comment":"}]"}}"#
        let capture = try read(text)
        #expect(capture.count == 0)
        #expect(capture.logMembers["pages"] != nil)
        #expect(capture.logMembers["comment"] == "}]")
    }

    @Test(arguments: ["0", "-1", "null", "\"\"", "\"error\"", "1e400", "99"])
    func statusThatIsNoneMeansNoAnswer(
        status: String
    ) throws {
        let capture = try read(
            Self.entry(
                #""request":{"method":"GET","url":"https://a.example/"},"response":{"status":\#(status)},"_error":"net::ERR_FAILED""#
            )
        )
        #expect(capture[0].response == nil)
        #expect(capture[0].failure == "net::ERR_FAILED")
    }

    @Test(arguments: [
        (
            #""postData":{"mimeType":"application/x-www-form-urlencoded","text":"code=a%2Fb&state=x+y"}"#,
            ["a/b", "x y"]
        ),
        (
            #""postData":{"mimeType":"application/x-www-form-urlencoded","params":[{"name":"code","value":"a/b"},{"name":"state","value":"x y"}]}"#,
            ["a/b", "x y"]
        ),
        (
            #""postData":{"mimeType":"application/x-www-form-urlencoded","text":"code=t&state=t","params":[{"name":"code","value":"p"}]}"#,
            ["t", "t"]
        ),
        (
            #""postData":{"mimeType":"application/x-www-form-urlencoded","text":"Y29kZT1hJnN0YXRlPWI=","encoding":"base64"}"#,
            ["a", "b"]
        ),
    ])
    func formsAreReadAsEachProducerWritesThem(body: String, expected: [String]) throws {
        let capture = try read(
            Self.entry(#""request":{"method":"POST","url":"https://a.example/t",\#(body)}"#)
        )
        let items = try #require(FormBody.items(of: capture[0].request.body))
        #expect([items.first("code"), items.first("state")] == expected)
    }

    @Test func cookieHeaderCountsBeforeTheArray() throws {
        let capture = try read(
            Self.entry(
                #""request":{"method":"GET","url":"https://a.example/","headers":[{"name":"cookie","value":"a=1; b=\"2\""}],"cookies":[{"name":"c","value":"3"}]}"#
            )
        )
        #expect(capture[0].request.cookies.map(\.name) == ["a", "b"])
        #expect(capture[0].request.cookie("b") == "\"2\"")
    }

    @Test func foldedSetCookieFieldsAreSeveralCookies() throws {
        let value = #"a=1; Path=/; Secure\nb=2; SameSite=Lax; Max-Age=60"#
        let capture = try read(
            Self.entry(
                #""request":{},"response":{"status":200,"headers":[{"name":"Set-Cookie","value":"\#(value)"}]}"#
            )
        )
        let cookies = capture[0].response?.setCookies ?? []
        #expect(cookies.map(\.name) == ["a", "b"])
        #expect(cookies[0].isSecure && cookies[1].sameSite == "Lax" && cookies[1].maxAge == 60)
    }

    @Test func largeBodyStaysInTheFileAndIsThereWhenAskedFor() throws {
        let text = String(repeating: "x", count: 100_000) + "é"
        let json = Self.entry(
            #""request":{},"response":{"status":200,"content":{"mimeType":"text/plain","text":"\#(text)"}}"#
        )
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("a.har")
        try Data(json.utf8).write(to: URL(filePath: path))
        let capture = try CaptureReader.read(path: path)
        guard case .deferred = capture[0].response?.body?.content else {
            Issue.record("the body was read at once")
            return
        }
        #expect(capture[0].response?.body?.text == text)
        // The file is gone and shorter now: an answer, not a crash.
        try Data("{}".utf8).write(to: URL(filePath: path))
        _ = capture[0].response?.body?.bytes
    }

    @Test(arguments: [
        "Tests/../captures/healthy/web-code-flow.har", "captures/token-request/pkce-verifier-mismatch.har",
    ])
    func everyCutOfAFileReadsAsFarAsItsEntriesAreWhole(path: String) throws {
        let bytes = try Fixtures.bytes(path)
        let whole = try CaptureReader.read(bytes: bytes, name: path)
        var last = 0
        for cut in Array(stride(from: 0, to: bytes.count, by: 17)) + [bytes.count] {
            guard let capture = try? CaptureReader.read(bytes: Array(bytes[..<cut]), name: path) else {
                #expect(last == 0, "a longer cut reads worse")
                continue
            }
            #expect(capture.count >= last)
            last = capture.count
            #expect(cut >= bytes.count - 1 || !capture.losses.isEmpty, "cut at \(cut): the loss is not named")
            for index in capture.indices { #expect(capture[index].request.url == whole[index].request.url) }
        }
        #expect(last == whole.count)
    }

    @Test func hostileFilesNeverTrap() {
        var random = SeededGenerator(seed: 12)
        for _ in 0..<5000 {
            let bytes = random.hostileBytes(
                Int.random(in: 0...80, using: &random),
                among: Array(#"{}[]",:\ 1entrislog"#.utf8)
            )
            _ = try? CaptureReader.read(bytes: bytes, name: "x")
            let framed = Array(#"{"log":{"entries":["#.utf8) + bytes
            _ = try? CaptureReader.read(bytes: framed, name: "x")
        }
    }
}
