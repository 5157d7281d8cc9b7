import TestSupport
import Testing

@testable import Sharing

/// Secrets in base 85.
struct ASCII85TextTests {
    private static func decoded(_ text: String) -> [String] {
        ASCII85Text.all(in: Array(text.utf8)).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test(arguments: [
        ("x <~9jqo^BlbD-~> y", ["Man is d"]), ("<~9jqo^Bl~>", ["Man i"]), ("<~z9jn~>", ["\0\0\0\0Ma"]),
        ("<~9jqo^~> <~9jqo^~>", ["Man ", "Man "]), ("<~ <~9jqo^~>", ["Man "]), ("<~~>", [""]),
        // No number of 32 bits, a digit alone, other characters, and what does not end.
        ("<~uuuuu~>", []), ("<~9jqo^B~>", []), ("<~9jqo ^~>", []), ("<~9jqo^", []), ("~>", []), ("<~>", []),
        ("", []),
    ])
    func textIsDecoded(text: String, told: [String]) { #expect(Self.decoded(text) == told) }

    @Test func otherBytesHaveAsManyDigits() throws {
        let text = try #require(ASCII85Text.all(in: Array("<~9jqo^BlbD-~>".utf8)).first)
        let other = try #require(text.encoding(Array("Man at d".utf8)))
        #expect(other.starts(with: "9jqo^".utf8) && other.count == 10)
        #expect(Self.decoded("<~\(String(decoding: other, as: UTF8.self))~>") == ["Man at d"])
        #expect(text.encoding(Array("Man".utf8)) == nil)
    }

    @Test func knownSecretIsReplaced() throws {
        let secret = "q7Zr2LkX9vTb4WmN8cYp1HsJ"
        var found = FoundSecrets()
        found.values = [secret: .token]
        let standIns = StandIns.fixed(found)
        // `key q7Zr…`
        let text = "x <~CLqc6EAq'A1/)Ic3HeA21fnNh3+H*10h?@X~> y"
        #expect(Self.decoded(text) == ["key \(secret)"])
        let swept = try #require(standIns.sweeper.sweeping(Array(text.utf8)))
        #expect(swept.count == text.utf8.count)
        #expect(
            Self.decoded(String(decoding: swept, as: UTF8.self)) == ["key \(standIns.standIn(for: secret))"]
        )
    }

    @Test func timeGrowsWithTheMarks() {
        func seconds(_ count: Int) -> Double {
            let text = Array((String(repeating: "<~", count: count) + "~>").utf8)
            return ProcessorTime.seconds { _ = ASCII85Text.all(in: text) }
        }
        let small = seconds(1_000)
        // Sixteen times the text: linear is 16, quadratic 256.
        #expect(seconds(16_000) < 50 * max(small, 0.004))
    }
}
