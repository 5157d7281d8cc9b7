import Captures
import TestSupport
import Testing

/// Entries that do not say when, or what.
struct HalfToldTimesTests {
    private static func capture(_ entries: [String]) throws -> Capture {
        let text = #"{"log":{"entries":[\#(entries.joined(separator: ","))]}}"#
        return try CaptureReader.read(bytes: Array(text.utf8), name: "login.har")
    }

    private static func entry(_ start: String, _ path: String) -> String {
        let request = #""request":{"method":"GET","url":"https://a.example\#(path)"}"#
        return #"{"startedDateTime":\#(start),\#(request),"response":{"status":200}}"#
    }

    /// Otherwise a login would fall into two, half a century apart.
    @Test func anUnknownTimeIsThatOfTheEntryBefore() throws {
        let capture = try Self.capture([
            Self.entry(#""2026-03-04T09:54:08Z""#, "/1"), Self.entry(#""garbage""#, "/2"),
            Self.entry("null", "/3"),
            Self.entry(#""2026-03-04T09:54:10Z""#, "/4"),
        ])
        let times = capture.indices.map { capture[$0].startedAt.rfc3339 }
        #expect(
            times == [
                "2026-03-04T09:54:08.000000Z", "2026-03-04T09:54:08.000000Z", "2026-03-04T09:54:08.000000Z",
                "2026-03-04T09:54:10.000000Z",
            ]
        )
        #expect(
            capture.losses.map(\.what) == [
                #"entry 1: its startedDateTime is no time that is known: "garbage"; it stands where the entry before it does"#
            ]
        )
    }

    /// Of mails, of Java, and with a zone's letters.
    @Test(arguments: [
        "Wed, 04 Mar 2026 11:54:08 GMT+0200", "Wed, 04 Mar 2026 11:54:08 +0200",
        "Wed, 04 Mar 2026 04:54:08 EST",
        "Wed, 04 Mar 2026 09:54:08 GMT", "2026-03-04T11:54:08+02:00[Europe/Berlin]",
        "2026-03-04T09:54:08Z[UTC]",
        "2026-03-04 04:54:08 EST", "2026-03-04T04:54:08\u{2212}05:00",
    ])
    func timeOfAnotherSpellingIsTheSame(text: String) throws {
        let capture = try Self.capture([Self.entry("\"\(text)\"", "/1")])
        #expect(capture[0].startedAt.rfc3339 == "2026-03-04T09:54:08.000000Z")
        #expect(capture.losses.isEmpty)
    }

    /// A number of 64 bits has a little less than what it was written as.
    @Test(arguments: ["1772618048.123", "1772618048123", "1772618048123000", #""1772618048.123""#])
    func timeSinceTheEpochIsThatOfItsDigits(number: String) throws {
        let capture = try Self.capture([Self.entry(number, "/1")])
        #expect(capture[0].startedAt.rfc3339 == "2026-03-04T09:54:08.123000Z")
    }

    @Test(arguments: ["null", #"{"method":"POST","url":""}"#, #"{"method":"POST"}"#])
    func aRequestWithoutItsURLIsTold(request: String) throws {
        let entry =
            #"{"startedDateTime":"2026-03-04T09:54:08Z","request":\#(request),"response":{"status":200}}"#
        let losses = try Self.capture([entry]).losses.map(\.what)
        #expect(losses == ["entry 0: its request has no url, so that nothing tells what was asked"])
    }

    @Test func anEntryThatIsSkippedIsNotCalledWhole() throws {
        let good = Self.entry(#""2026-03-04T09:54:08Z""#, "/1")
        let text = #"{"log":{"entries":[\#(good),{"startedDateTime": <oops> }"#
        let capture = try CaptureReader.read(bytes: Array(text.utf8), name: "login.har")
        #expect(!capture.losses.isEmpty)
        #expect(!capture.losses.contains { $0.what.contains("no entry is lost") }, "\(capture.losses)")
    }
}
