import Testing
import TestSupport

@testable import Captures

/// Many files of which some are the same: these are compared once, and what comes of it is what comes of comparing all.
struct EqualCapturesTests {
    private static func file(_ number: Int, ahead: Double = 0) throws -> Capture {
        var sightings = Sightings(ahead: ahead)
        for index in 0..<4 {
            sightings.add(
                "/authorize?state=state-\(number)-\(index)-Zq34",
                at: Double(index) * 10,
                status: 302
            )
            sightings.callback(number * 10 + index, at: Double(index) * 10 + 3)
        }
        let bytes = sightings.exchanges.map { String(decoding: HAREntry.text(of: $0), as: UTF8.self) }
        let text = "{\"log\":{\"version\":\"1.2\",\"entries\":[\n\(bytes.joined(separator: ",\n"))\n]}}"
        return try CaptureReader.read(bytes: Array(text.utf8), name: "\(number)")
    }

    private static func pairs(_ captures: [Capture]) -> SightingPairs {
        SightingPairs(captures, captures.map { CaptureMarks($0) })
    }

    @Test func filesAreEqualWhereTheirEntriesAre() throws {
        let captures = try [Self.file(1), Self.file(2), Self.file(1), Self.file(1, ahead: 5), Self.file(2)]
        #expect(EqualCaptures.firsts(captures, captures.map { CaptureMarks($0) }) == [0, 1, 0, 3, 1])
        // What was not read from a file has no text to be compared.
        let made = captures.map { capture in Capture(capture.indices.map { capture[$0] }) }
        #expect(EqualCaptures.firsts(made, made.map { CaptureMarks($0) }) == [0, 1, 2, 3, 4])
    }

    @Test func equalFilesAreComparedOnce() throws {
        let one = try (0..<8).map { _ in try Self.file(1) }
        let pairs = Self.pairs(one)
        #expect(pairs.compared == 1 && pairs.clocks.count == 28)
        #expect(pairs.groups.all.map(\.count).sorted() == Array(repeating: 8, count: 8))
        // Of two kinds that take turns, each with itself and, in either order, with the other.
        let two = try (0..<8).map { try Self.file($0 % 2) }
        #expect(Self.pairs(two).compared == 4)
        let others = try (0..<5).map { try Self.file($0) }
        #expect(Self.pairs(others).compared == 10)
    }

    @Test func equalFilesComeToWhatOthersWould() throws {
        let read = try [1, 1, 2, 1, 2].enumerated().map { try Self.file($1, ahead: $0 == 2 ? 3 : 0) }
        let made = read.map { capture in Capture(capture.indices.map { capture[$0] }) }
        let (pairs, others) = (Self.pairs(read), Self.pairs(made))
        #expect(pairs.compared < others.compared)
        #expect(Set(pairs.groups.all) == Set(others.groups.all))
        #expect(pairs.undecided == others.undecided)
        #expect(pairs.clocks.map(\.offset) == others.clocks.map(\.offset))
    }

    /// Every two of the files say which of their entries are one: of twice as many four times as much is said, and not looked at
    /// more often than that.
    @Test func groupsOfManyFilesAreAsQuickAsTheirPairs() {
        func seconds(_ count: Int) -> Double {
            (0..<3).map { _ in
                ProcessorTime.seconds {
                    var groups = SightingGroups(counts: [Int](repeating: 4, count: count))
                    for second in 0..<count {
                        for first in 0..<second {
                            for entry in 0..<4 {
                                groups.join(
                                    SightingGroups.Place(file: first, entry: entry),
                                    SightingGroups.Place(file: second, entry: entry)
                                )
                            }
                        }
                    }
                    #expect(groups.all.count == 4)
                }
            }.min() ?? 0
        }
        let (small, large) = (seconds(50), seconds(200))
        // Sixteen times the pairs; with the files of each group looked at for each pair it would be 64.
        #expect(large < 36 * small, "\(small) s and \(large) s")
    }
}
