@testable import Captures
import JSON
import TestSupport
import Testing

struct ProducersTests {
    private func read(_ text: String) throws -> Capture {
        try CaptureReader.read(bytes: Array(text.utf8), name: "login.har")
    }

    private func exchange(of name: String, _ change: (String) -> String = { $0 }) throws -> Exchange {
        let sample = try #require(ProducerSample.all.first { $0.name == name })
        return try read(change(sample.har))[0]
    }

    @Test(arguments: ProducerSample.all) func everyProducersTimeAndURLAreUnderstood(_ sample: ProducerSample)
        throws
    {
        let capture = try read(sample.har)
        let exchange = capture[0]
        // Safari's redirects are missing, which is said.
        #expect(capture.losses.isEmpty == (sample.name != "WebKit Web Inspector") && capture.count == 1)
        #expect(exchange.startedAt.seconds == 1_772_618_048, "\(exchange.startedAt.rfc3339)")
        #expect(exchange.isZoneKnown)
        #expect(exchange.request.url.host == "idp.example")
        #expect(capture.logMembers["pages"]?.array?.count == 1)
    }

    @Test(arguments: ["Charles Proxy", "Firefox", "WebInspector", "Slack", "k6", "Fiddler"])
    func everyProducersBodiesAreThere(_ name: String) throws {
        let exchange = try self.exchange(of: name)
        #expect(exchange.response?.body?.text == "{}")
        if name == "Charles Proxy" {
            #expect(exchange.request.body?.text == #"{"code":"ab=cd"}"#)
        } else {
            #expect(FormBody.items(of: exchange.request.body)?.first("code") == "abcd")
        }
    }

    @Test func bodyOfHTTPToolkitThatIsNoTextIsTaken() throws {
        let exchange = try self.exchange(of: "HTTP Toolkit")
        #expect(exchange.request.body?.bytes == [0xff, 0xfe, 0, 1])
        #expect(exchange.request.body?.mediaType == "application/octet-stream")
    }

    @Test func pairsObjectsAndListsOfHeadersAreHeaders() throws {
        let exchange = try self.exchange(of: "Slack")
        #expect(exchange.request.cookie("sid") == "s1")
        #expect(exchange.response?.setCookies.map(\.name) == ["a", "b"])
        #expect(exchange.response?.status == 200)
        #expect(exchange.duration == .milliseconds(30))
    }

    @Test func headersThatAreObjectsOfOneMemberAreHeaders() throws {
        let har =
            #"{"log":{"entries":[{"request":{"method":"GET","url":"https://a.example/","headers":[{"Accept":"*/*"},{"X-A":["b","c"]},{"value":"d"},{"name":null}]},"response":{"status":200}}]}}"#
        let fields = try read(har)[0].request.headers.fields
        #expect(fields.map { "\($0.name): \($0.value)" } == ["Accept: */*", "X-A: b", "X-A: c"])
    }

    @Test func failureThatPlaywrightNamesIsNoAnswer() throws {
        let exchange = try self.exchange(of: "Playwright")
        #expect(exchange.response == nil && exchange.failure == "net::ERR_CONNECTION_REFUSED")
    }

    @Test(arguments: [
        (#"{"message":"connect ECONNREFUSED","code":"ECONNREFUSED"}"#, "connect ECONNREFUSED"),
        (#"{"code":"ECONNRESET"}"#, "ECONNRESET"), (#"{"code":-102}"#, "-102"), ("{}", nil), (#""""#, nil),
    ]) func failureInAnObjectIsTold(error: String, words: String?) throws {
        let har =
            #"{"log":{"entries":[{"request":{"method":"GET","url":"https://a.example/"},"response":{"status":0,"_error":\#(error)}}]}}"#
        #expect(try read(har)[0].failure == words)
        let written = try OriginalEntryTests.imported([har])["log"]?["entries"]?.array?.first
        #expect(written?["response"]?["_error"] == (try JSONParser.parse(Array(error.utf8))))
    }

    @Test func answerThatBrokeOffInCharlesHasItsReason() throws {
        let broken = try exchange(of: "Charles Proxy") { $0.replacing("COMPLETE", with: "EXCEPTION") }
        #expect(broken.failure == "Charles: exception")
        #expect(try exchange(of: "Charles Proxy").failure == nil)
    }

    @Test(arguments: [
        (#""2026-03-04T09:54:08Z""#, 1_772_618_048, true),
        (#""2026-03-04t09:54:08.123456789123z""#, 1_772_618_048, true),
        (#""2026-03-04T09:54:08""#, 1_772_618_048, false),
        (#""2026-03-04 10:54:08 +01""#, 1_772_618_048, true),
        (#""2026/3/4 9:54:08 UTC""#, 1_772_618_048, true), ("1772618048356", 1_772_618_048, true),
        (#""1772618048.356""#, 1_772_618_048, true), ("1772618048356000", 1_772_618_048, true),
        (#""/Date(1772618048356+0100)/""#, 1_772_618_048, true),
        (#""Wed, 04 Mar 2026 09:54:08 GMT""#, 1_772_618_048, true),
        (#""Wed Mar 04 2026 10:54:08 GMT+0100 (CET)""#, 1_772_618_048, true),
        (#""2026-03-04T09:54Z""#, 1_772_618_040, true), (#""20260304T095408Z""#, 1_772_618_048, true),
        (#""20260304T105408.356+0100""#, 1_772_618_048, true), (#""20260304095408""#, 1_772_618_048, false),
        (#""2026-03-04 10:54:08.356 +0100 CET""#, 1_772_618_048, true),
        (#""2026-03-04 09:54:08.356 +0000 UTC m=+0.003""#, 1_772_618_048, true),
        (#""2026-03-04 04:54:08.356 -0500 EST m=+0.003""#, 1_772_618_048, true),
        (#""2026-03-04  09:54:08""#, 1_772_618_048, false),
        (#""Wed, 04 Mar 2026 10:54:08 +01:00""#, 1_772_618_048, true),
        (#""04/Mar/2026:10:54:08 +0100""#, 1_772_618_048, true),
        (#""Mar 4, 2026 9:54:08 AM""#, 1_772_618_048, false),
        (#""Mar 4, 2026, 12:54:08\u202fPM""#, 1_772_628_848, false),
        (#"{"$date":"2026-03-04T09:54:08.356Z"}"#, 1_772_618_048, true),
        (#"{"$date":{"$numberLong":"1772618048356"}}"#, 1_772_618_048, true),
        (#"{"$numberDouble":"1772618048.356"}"#, 1_772_618_048, true),
    ]) func timesInOtherFormsAreUnderstood(text: String, seconds: Int64, isZoneKnown: Bool) throws {
        let exchange = try read(
            #"{"log":{"entries":[{"startedDateTime":\#(text),"request":{"method":"GET","url":"https://a.example/"}}]}}"#
        )[0]
        #expect(exchange.startedAt.seconds == seconds)
        #expect(exchange.isZoneKnown == isZoneKnown)
    }

    /// MongoDB's extended JSON, in its canonical form; the producer's own members stay in it.
    @Test func numbersWithTheirTypeAreNumbers() throws {
        let har =
            #"{"log":{"entries":[{"startedDateTime":"2026-03-04T09:54:08.356Z","time":{"$numberDouble":"12.5"},"connection":{"$numberInt":"443"},"_n":{"$numberInt":"7"},"timings":{"send":{"$numberInt":"1"},"wait":{"$numberDouble":"11.5"},"receive":0},"request":{"method":"GET","url":"https://a.example/","headersSize":{"$numberInt":"90"},"bodySize":{"$numberInt":"0"}},"response":{"status":{"$numberInt":"200"},"bodySize":{"$numberLong":"3"},"content":{"size":{"$numberLong":"2"},"mimeType":"text/plain","text":"ab"}}}]}}"#
        let imported = JSONWriter.text(of: try OriginalEntryTests.imported([har]))
        for text in [har, imported] {
            let exchange = try read(text)[0]
            #expect(exchange.duration == .microseconds(12500))
            #expect(exchange.timings.send == .milliseconds(1))
            #expect(exchange.timings.wait == .microseconds(11500))
            #expect(exchange.connection.id == "443" && exchange.foreign["_n"] == ["$numberInt": "7"])
            #expect(exchange.request.foreign["headersSize"] == 90 && exchange.request.body == nil)
            #expect(exchange.response?.status == 200)
            #expect(exchange.response?.body?.size == 2 && exchange.response?.body?.wireSize == 3)
        }
        let written = try JSONParser.parse(try read(har).text(ofEntry: 0) ?? [])
        #expect(written["response"]?["status"] == 200 && written["response"]?["content"]?["size"] == 2)
    }

    @Test(arguments: [
        #"{"$numberInt":"many"}"#, #"{"$numberDouble":"NaN"}"#, #"{"$numberInt":{"$numberInt":"200"}}"#,
        #"{"$numberInt":"200","x":1}"#, #"{"number":"200"}"#,
    ]) func objectThatIsNoNumberIsNone(status: String) throws {
        let exchange = try read(
            #"{"log":{"entries":[{"startedDateTime":"2026-03-04T09:54:08Z","request":{"method":"GET","url":"https://a.example/"},"response":{"status":\#(status)}}]}}"#
        )[0]
        #expect(exchange.response == nil)
    }

    @Test func timeThatIsNoneIsSaidAndKept() throws {
        let capture = try read(
            "{\"log\":{\"entries\":[\n{\"startedDateTime\":\"soon\",\"request\":{\"method\":\"GET\",\"url\":\"https://a.example/\"}}]}}"
        )
        #expect(capture.losses.map(\.line) == [2])
        #expect(capture.losses[0].what.contains("soon"))
        #expect(capture[0].foreign["_startedDateTime"] == "soon")
    }

    @Test func whatIsTheSameInEveryEntryIsToldAFewTimes() throws {
        let entries = (0..<10).map {
            "\n{\"startedDateTime\":\"soon \($0)\",\"request\":{\"method\":\"GET\",\"url\":\"https://a.example/\"}}"
        }
        let capture = try read("{\"log\":{\"entries\":[\(entries.joined(separator: ","))]}}")
        #expect(capture.losses.map(\.line) == [2, 3, 4, 11])
        #expect(capture.losses.last?.what == "7 more entries have such a startedDateTime, this is the last")
    }

    /// Lines are counted for what is told only, not for each entry that is like those.
    @Test(arguments: [
        "\"startedDateTime\":\"\",\"request\":{\"url\":\"https://a.example/\"}", "\"request\":{}",
    ])
    func timeGrowsWithTheEntriesThatLackSomething(members: String) throws {
        func seconds(_ count: Int) throws -> Double {
            let entry = "{\(members),\"comment\":\"\(String(repeating: "x", count: 4_000))\"}"
            let har =
                "{\"log\":{\"entries\":[\(Array(repeating: entry, count: count).joined(separator: ",\n"))]}}"
            var line: Int?
            let seconds = try ProcessorTime.seconds { line = try read(har).losses.last?.line }
            #expect(line == count)
            return seconds
        }
        let few = try seconds(100)
        // Eight times the entries: linear is 8, quadratic 64.
        #expect(try seconds(800) < 20 * max(few, 0.002))
    }

    // MARK: - Round trip

    /// What is written otherwise than it was read, and why.
    private static let normalised: [(path: String, producers: Set<String>, reason: String)] = [
        ("startedDateTime", ["Slack", "k6"], "the instant in a form that HAR has not"),
        ("request._content", ["HTTP Toolkit"], "stands in postData, where every reader looks for it"),
        ("request.headers", ["Slack"], "pairs become the objects that HAR wants"),
        ("response.headers", ["Slack"], "as in the request"),
        ("request.postData", ["Slack"], "a text alone becomes the object that HAR wants"),
        ("response.content", ["Slack"], "a text alone becomes the object that HAR wants"),
        ("request.postData.text", ["k6"], "HAR has no Base64 there"),
        ("request.postData._encoding", ["k6"], "HAR has no Base64 there"),
        ("response.status", ["Slack"], "a number in a text becomes the number"),
        ("response.statusText", ["Charles Proxy"], "null is an empty text"),
        ("response.redirectURL", ["Charles Proxy"], "null is an empty text"),
        ("time", ["Playwright", "Slack"], "-1 is 0 in HAR; a number in a text becomes the number"),
        ("timings.send", ["Playwright"], "-1 is not allowed by HAR"),
        ("timings.wait", ["Playwright"], "-1 is not allowed by HAR"),
        ("timings.receive", ["Playwright"], "-1 is not allowed by HAR"),
    ]

    @Test(arguments: ProducerSample.all) func nothingIsLostWhenItIsImported(_ sample: ProducerSample) throws {
        let original = try JSONParser.parse(Array(sample.entry.utf8))
        let imported = try OriginalEntryTests.imported([sample.har])
        let written = try #require(imported["log"]?["entries"]?.array?.first)
        let lost = Set(JSONDifferences.lost(of: original, in: written))
        #expect(lost == Set(Self.normalised.filter { $0.producers.contains(sample.name) }.map(\.path)))
        // It says the same as before, and a second time nothing changes at all.
        let (before, after) = (try read(sample.har)[0], try read(JSONWriter.text(of: imported))[0])
        #expect(after.request.url == before.request.url && after.startedAt == before.startedAt)
        #expect(after.request.headers == before.request.headers)
        #expect(after.request.body?.bytes == before.request.body?.bytes)
        #expect(after.response?.headers == before.response?.headers && after.failure == before.failure)
        #expect(after.response?.body?.bytes == before.response?.body?.bytes)
        let again = try OriginalEntryTests.imported([JSONWriter.text(of: imported)])
        #expect(
            JSONDifferences.lost(of: imported["log"]?["entries"] ?? .null, in: again["log"]?["entries"]) == []
        )
    }

    @Test func headersOfAnAnswerThatWasBlockedAreKept() throws {
        let entry =
            #"{"request":{"method":"GET","url":"https://a.example/"},"response":{"status":0,"statusText":"","headers":[{"name":"x","value":"1"}],"content":{"size":3,"mimeType":"text/plain","text":"abc"},"_blocked":true}}"#
        let exchange = try read("{\"log\":{\"entries\":[\(entry)]}}")[0]
        let written = try JSONParser.parse(HAREntry.text(of: exchange))
        #expect(exchange.response == nil)
        #expect(JSONDifferences.lost(of: try JSONParser.parse(Array(entry.utf8)), in: written) == [])
        #expect(written["_response"] == nil)
    }

    @Test func detailsOfHeadersCookiesAndPartsAreKept() throws {
        let entry = #"""
            {"startedDateTime":"2026-03-04T09:54:08.356000Z","request":{"method":"POST","url":"https://a.example/#x",
            "headers":[{"name":"a","value":"1","comment":"x"}],"bodySize":5,"cookies":[],"queryString":[{"name":"q","value":"1"}],
            "postData":{"mimeType":"multipart/form-data","params":[{"name":"f","fileName":"a.txt","contentType":"text/plain","value":"x"}]}},
            "response":{"status":200,"headers":[],"cookies":[{"name":"s","value":"1","_partitionKey":"k"}],"redirectURL":"/x"}}
            """#
        let exchange = try read("{\"log\":{\"entries\":[\(entry)]}}")[0]
        #expect(
            try JSONDifferences.lost(
                of: JSONParser.parse(Array(entry.utf8)),
                in: JSONParser.parse(HAREntry.text(of: exchange))
            ) == []
        )
    }

    @Test func whatIsSharedOfAnUnusualEntryIsAsWeWriteIt() throws {
        let sample = try #require(ProducerSample.all.first { $0.name == "HTTP Toolkit" })
        let text = try #require(try read(sample.har).text(ofEntry: 0))
        let entry = try JSONParser.parse(text)
        #expect(entry["request"]?["postData"]?["text"] == "//4AAQ==")
        #expect(entry["request"]?["_content"] == nil)
    }

    /// An empty text, as Chrome has it of an answer without a body, is none of ours.
    @Test(arguments: ["2026-03-04T09:54:08.356Z", "2026-03-04T10:54:08+01:00"])
    func timeOfAnUnusualEntryIsSpelledAsItWas(time: String) throws {
        let har =
            #"{"log":{"entries":[{"startedDateTime":"\#(time)","request":{"method":"GET","url":"https://a.example/"},"#
            + #""response":{"status":204,"content":{"size":0,"mimeType":"","text":""}}}]}}"#
        let capture = try read(har)
        let entry = try JSONParser.parse(#require(capture.text(ofEntry: 0)))
        #expect(entry["startedDateTime"]?.string == time)
        #expect(entry["request"]?["url"] == "https://a.example/" && entry["response"]?["status"] != nil)
    }
}
