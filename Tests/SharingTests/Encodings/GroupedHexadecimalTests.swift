import TestSupport
import Testing

@testable import Sharing

/// Secrets in hexadecimal with something between the digits.
struct GroupedHexadecimalTests {
    private static let secret = "q7Zr2LkX9vTb4WmN8cYp1HsJ"

    private static func grouped(_ text: String, _ size: Int, _ mark: String, isUppercase: Bool = false)
        -> String
    {
        let digits = text.utf8.map { byte in
            let hexadecimal = String(byte, radix: 16, uppercase: isUppercase)
            return hexadecimal.count < 2 ? "0" + hexadecimal : hexadecimal
        }.joined()
        var groups: [Substring] = []
        var rest = digits[...]
        while !rest.isEmpty {
            groups.append(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        return groups.joined(separator: mark)
    }

    @Test(arguments: [
        (2, ":", false), (2, ":", true), (2, " ", false), (4, " ", false), (2, "-", true), (2, ",", false),
        (2, ", 0x", true),
    ])
    func knownSecretIsReplacedInGroups(size: Int, mark: String, isUppercase: Bool) {
        var found = FoundSecrets()
        found.values = [Self.secret: .token]
        let standIns = StandIns.fixed(found)
        let other = standIns.standIn(for: Self.secret)
        func written(_ text: String) -> String {
            "key \(mark.hasSuffix("x") ? "0x" : "")\(Self.grouped(text, size, mark, isUppercase: isUppercase)), then"
        }
        let swept = standIns.sweeper.sweeping(Array(written(Self.secret).utf8))
        #expect(swept.map { String(decoding: $0, as: UTF8.self) } == written(other))
    }

    @Test(arguments: [
        // Of an interface, of both sizes, with two marks, without any, and words.
        "d4:22:e0:d6:aa:12", "7137 5a72 32 4c6b 5839 7654 6234", "71:37:5a 72:32:4c:6b:58 39:76:54:62",
        "71375a72324c6b58397654623457", "bed deaf", "", "a", "a1", "a1:", ":a1",
    ])
    func otherTextHasNoRun(text: String) {
        #expect(GroupedHexadecimal.runs(in: Array(text.utf8)).isEmpty)
    }

    @Test func runEndsWhereTheMarkChanges() {
        let text = "x 71:37:5a:72:32:4c:6b:58:39:76:54:62 34"
        let runs = GroupedHexadecimal.runs(in: Array(text.utf8))
        #expect(runs.count == 1 && runs.first?.count == 24 && runs.first?.first == 2)
    }

    @Test(arguments: ["a1:b2 ", "a1b2"])
    func timeGrowsWithTheText(words: String) {
        func seconds(_ count: Int) -> Double {
            let text = Array((String(repeating: words, count: count) + "x").utf8)
            return ProcessorTime.seconds { _ = GroupedHexadecimal.runs(in: text) }
        }
        let small = seconds(1_000)
        // Sixteen times the text: linear is 16, quadratic 256.
        #expect(seconds(16_000) < 50 * max(small, 0.004))
    }
}
