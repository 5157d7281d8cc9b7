import Captures
import Foundation
import JOSE
import JSON
import TestSupport
import Testing

@testable import Sharing

/// `--shift-times`: all by one offset, each in its form.
struct TimeShiftTests {
    /// 2026-03-21T09:15:00Z.
    private static let start: Int64 = 1_774_084_500
    /// By exactly 400 days.
    private static let shift = TimeShift(
        first: Timestamp(seconds: start),
        last: Timestamp(seconds: start + 600),
        draw: UInt64(370 * 86400)
    )

    private static func moved(_ text: String) -> String? {
        shift.shifting(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        ("2026-03-21T09:15:00Z", "2025-02-14T09:15:00Z"),
        ("2026-03-21T09:15:00.123+08:00", "2025-02-14T09:15:00.123+08:00"),
        ("at 2026-03-21 09:15:00Z.", "at 2025-02-14 09:15:00Z."), ("\"2026-03-01\"", "\"2025-01-25\""),
        ("Sat, 21 Mar 2026 09:15:00 GMT", "Fri, 14 Feb 2025 09:15:00 GMT"),
        ("sid=1; expires=Sun, 22-Mar-2026 00:00:01 GMT", "sid=1; expires=Sat, 15-Feb-2025 00:00:01 GMT"),
        (#"{"exp":1774084500,"iat":1774084500.5}"#, #"{"exp":1739524500,"iat":1739524500.5}"#),
        ("t=1774084500123&u=1774084500123456", "t=1739524500123&u=1739524500123456"),
        // As directories have it, and signatures of requests.
        ("20260309090000Z", "20250202090000Z"),
        ("x-amz-date: 20260309T090000Z", "x-amz-date: 20250202T090000Z"),
        // Leap years, and ends of years.
        ("2024-02-29T23:59:59Z", "2023-01-25T23:59:59Z"), ("2036-12-31", "2035-11-27"),
    ])
    func timeMovesInItsForm(text: String, expected: String) {
        #expect(Self.moved(text) == expected)
    }

    /// Weekdays and months of their length, case and language; zeros where there were some.
    @Test(arguments: [
        ("9 March 2026", "2 February 2025"), ("on March 9, 2026.", "on February 2, 2025."),
        ("Mon Mar 09 2026 09:00:00 GMT+0000", "Sun Feb 02 2025 09:00:00 GMT+0000"),
        ("MONDAY, 9 MARCH 2026 at 09:15", "SUNDAY, 2 FEBRUARY 2025 at 09:15"),
        ("Sat, 21 Mar 2026", "Fri, 14 Feb 2025"), ("9. März 2026", "2. Februar 2025"),
        ("9 de marzo de 2026", "2 de febrero de 2025"), ("9th of March 2026", "2nd of February 2025"),
        ("09/03/2026", "02/02/2025"), ("03/22/2026", "02/15/2025"), ("bis 9.3.2026.", "bis 2.2.2025."),
        ("2026/03/09", "2025/02/02"), ("09/Mar/2026:09:15:00 +0000", "02/Feb/2025:09:15:00 +0000"),
    ])
    func dateMovesAsPeopleWriteIt(text: String, expected: String) {
        #expect(Self.moved(text) == expected)
    }

    @Test(arguments: [
        "Thu, 01 Jan 1970 00:00:00 GMT", "Thu, 19 Nov 1981 08:52:00 GMT", "1985-04-12", "0", "3600",
        // Digits of something else.
        "x1774084500", "1774084500x", "17740845001", "+1774084500", "3.1774084500", "_1774084500_",
        "2026-13-21", "12026-03-21", "",
        // Versions, numbers, words.
        "9.3.2026.1", "1 2 3 2026", "9 apples 2026", "9 March 20267", "a9 March 2026", "10/10/2026x",
        "9 March 1985", "202603090900",
    ])
    func whatIsNoTimeOfTheCaptureStays(text: String) {
        #expect(Self.moved(text) == nil)
    }

    /// A capture whose clock stood near the epoch: times move to before it.
    @Test(arguments: [
        ("Thu, 01 Jan 1970 00:00:00 GMT", "Wed, 27 Nov 1968 00:00:00 GMT"),
        ("Mon, 05-Jan-1970 00:00:01 GMT", "Sun, 01-Dec-1968 00:00:01 GMT"),
        ("Monday, 5 January 1970", "Sunday, 1 December 1968"), ("1970-01-05", "1968-12-01"),
    ])
    func timeMovesToBeforeTheEpoch(text: String, expected: String) {
        let shift = TimeShift(
            first: Timestamp(seconds: 0),
            last: Timestamp(seconds: 3),
            draw: UInt64(370 * 86400)
        )
        #expect(shift.shifting(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) } == expected)
        #expect(shift.shifting(Array("0000086400".utf8)) == nil)
    }

    @Test func weekdaysGoOnBeforeTheEpoch() {
        let days = [-8, -7, -1, 0, 6, 7].map { Weekday.index(at: $0 * 86400) }
        #expect(days == [6, 0, 6, 0, 6, 0])
        #expect(Weekday.index(at: -1) == 6 && Weekday.index(at: -86401) == 5)
    }

    @Test func whatIsTakenStays() {
        let text = Array("a 1774084500 b 1774084501 c 1774084502".utf8)
        var moved: Set<[UInt8]> = [Array("1774084502".utf8)]
        let other = Self.shift.shifting(text, moved: &moved) { $0.lowerBound == 2 }
        #expect(other.map { String(decoding: $0, as: UTF8.self) } == "a 1774084500 b 1739524501 c 1774084502")
        #expect(moved.contains(Array("1739524501".utf8)))
    }

    /// A login whose every time moves, in tokens, too; the story stays.
    @Test(arguments: [
        "captures/healthy/web-code-flow.har", "captures/id-token/id-token-expired.har",
        "captures/healthy/refresh.har", "captures/providers/singpass.har",
        "Tests/Recordings/broken-client-secret.har",
    ])
    func captureMovesAsAWhole(path: String) throws {
        var world = try SharingWorld(path)
        world.options.shiftsTimes = true
        let shared = try world.shared()
        #expect(shared.differences.isEmpty, "\(shared.differences.prefix(3))")
        #expect(shared.capture.redaction?.hasMovedTimes == true)
        let original = try CaptureReader.read(bytes: JSONWriter.bytes(of: world.document), name: path)
        let offsets = Set(
            zip(shared.entries, shared.capture.indices).map {
                shared.capture[$1].startedAt.nanoseconds - original[$0].startedAt.nanoseconds
            }
        )
        let offset = try #require(offsets.first)
        #expect(offsets.count == 1 && offset < -29 * 86_400_000_000_000)
        // Nothing says when it was.
        let day = original[0].startedAt.rfc3339.prefix(10)
        #expect(!shared.text.contains(day))
        for number in Self.times(in: JSONWriter.text(of: world.document)) {
            #expect(!shared.text.contains(number), "\(number)")
        }
        let after = try SharingWorld(document: JSONParser.parse(shared.bytes))
        guard let before = try? JSONWebToken.parse(world.first("id_token")), before.form == .signed,
            let token = try JSONWebToken.parse(after.first("id_token"))
        else { return }
        for name in ["exp", "iat", "auth_time"] {
            guard let old = before.claims?[name]?.int else { continue }
            #expect(token.claims?[name]?.int == old + offset / 1_000_000_000)
        }
    }

    /// Runs of ten digits that begin like times of these captures.
    private static func times(in text: String) -> Set<String> {
        Set(text.matches(of: /\b17[0-9]{8}\b/).map { String($0.output) })
    }
}
