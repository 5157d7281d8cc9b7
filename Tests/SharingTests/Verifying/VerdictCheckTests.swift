import Captures
import JSON
import Testing

@testable import Sharing

/// What counts as another story.
struct VerdictCheckTests {
    /// Differences between two stories, told in one document each.
    private static func differences(
        _ original: JSONValue,
        _ shared: JSONValue,
        entries: [Int] = [0, 1, 2, 3]
    ) -> [String] {
        var stories = [original, shared]
        let check = VerdictCheck { _ in [stories.removeFirst()] }
        let told = check.original(all: Capture([]))
        #expect(told.entries.isEmpty)
        return check.differences(told, Capture([])).map(\.place)
    }

    @Test(
        arguments: [
            // Values of their own are stand-ins.
            (["value": "abcdefgh"], ["value": "zyxwvuts"]),
            (["note": #"the state is "abc" and not "abd""#], ["note": #"the state is "xyz" and not "xyw""#]),
            (
                ["note": "unknown q7Zr2LkX9vTb4WmN8cYp1HsJ here"],
                ["note": "unknown w3Qp8NfK1cUa6XzM5tBs0JgY here"]
            ),
            (["claims": ["sub": "alice"]], ["claims": ["sub": "mcmww"]]),
            (["note": "unknown user kiravel9"], ["note": "unknown user ovsqwib4"]),
            (
                ["repeated_parameters": ["state": ["abc", "xyz"]]],
                ["repeated_parameters": ["state": ["qrs", "nop"]]]
            ),
            // Each kind of character is listed once, and two may have the same stand-in.
            (["note": "2 are not allowed: U+00FC, U+00DF"], ["note": "2 are not allowed: U+00E8"]),
        ] as [(JSONValue, JSONValue)]
    )
    func valuesAreNoDifference(original: JSONValue, shared: JSONValue) {
        #expect(Self.differences(original, shared).isEmpty)
    }

    @Test(
        arguments: [
            (["rule": "state-mismatch"], ["rule": "nonce-mismatch"], "rule"),
            (["findings": [1, 2]], ["findings": [1]], "findings"),
            (
                ["findings": [["rule": "a"], ["rule": "b"]]], ["findings": [["rule": "a"], ["rule": "c"]]],
                "findings[1].rule"
            ),
            (
                ["note": #"differs at character 7 of "abc""#], ["note": #"differs at character 8 of "xyz""#],
                "note"
            ),
            (["note": "not allowed: U+00FC"], ["note": "not allowed: line end"], "note"),
            (["outcome": "success"], [:], "outcome"), (["count": 3], ["count": 4], "count"),
            (["note": "unknown user kiravel9"], ["note": "unknown user kiravel99"], "note"),
            (["note": "unknown user kiravel9"], ["note": "unknown user ovsq4wib"], "note"),
            (["note": "the user"], ["note": "the name"], "note"),
            (["note": "not allowed: U+00FC"], ["note": "not allowed: tab"], "note"),
            (["claims": ["sub": "alice"]], ["claims": [:]], ""),
            (["isSure": true], ["isSure": false], "isSure"),
        ] as [(JSONValue, JSONValue, String)]
    )
    func otherWordsAreADifference(original: JSONValue, shared: JSONValue, place: String) {
        let found = Self.differences(original, shared)
        #expect(place.isEmpty ? found.count == 1 : found == [place])
    }

    /// Entries that were left out change the numbers of those behind them.
    @Test func numbersOfEntriesAreMapped() {
        let exchanges = (0..<4).map { number in
            Exchange(
                startedAt: Timestamp(seconds: 1_774_084_500 + Int64(number)),
                request: RecordedRequest(method: "GET", url: RecordedURL("https://h\(number).example/"))
            )
        }
        let capture = Capture(exchanges)
        // Told of the whole, of the part that is kept, and of what was shared.
        var stories: [JSONValue] = [
            ["findings": [["exchange": 1], ["exchange": 3]]],
            ["findings": [["exchange": 0], ["exchange": 1]]],
            ["findings": [["exchange": 0], ["exchange": 1]]],
            ["findings": [["exchange": 0], ["exchange": 0]]],
        ]
        let check = VerdictCheck { _ in [stories.removeFirst()] }
        let told = check.original(capture, flows: [3])
        #expect(told.entries == [1, 3])
        #expect(check.differences(told, capture).isEmpty)
        #expect(check.differences(told, capture).map(\.place) == ["findings[1].exchange"])
    }
}
