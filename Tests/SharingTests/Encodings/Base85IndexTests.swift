import TestSupport
import Testing

@testable import Sharing

/// Secrets in base 85 without marks around it.
struct Base85IndexTests {
    private static let secret = "q7Zr2LkX9vTb4WmN8cYp1HsJ"

    private let standIns = {
        var found = FoundSecrets()
        found.values = [secret: .token]
        return StandIns.fixed(found)
    }()

    private static func decoded(_ text: [UInt8], _ alphabet: Base85Alphabet) -> String {
        let bytes = stride(from: 0, to: text.count, by: 5).flatMap {
            alphabet.decoded(text[$0..<min($0 + 5, text.count)]) ?? []
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Each between quotation marks, which are digits in one of them.
    @Test(arguments: [
        ("", Base85Alphabet.ascii85, #"EAq'A1/)Ic3HeA21fnNh3+H*10h?@X/c"#),
        ("key", .ascii85, #"CLqd22d15W9P[`jG#Vp-=)C\l@p*b*897BU"#),
        ("k ", .git, "YanqqT5>W>YgjpURAMw&ZB962S#U8(b4o4"),
        ("a key", .git, "VIXT|d2u&daxzS7SUGl7Vl-E6PB>#(a4|@8N-h"),
        ("key", .zeroMQ, "yH}^hh^gkSoLW-<C2R{cs8yX(v{9+9nomxQ"),
    ])
    func knownSecretIsReplaced(before: String, alphabet: Base85Alphabet, digits: String) throws {
        #expect(Self.decoded(Array(digits.utf8), alphabet) == "\(before)\(Self.secret).")
        let text = "patch: \"\(digits)\" of it"
        let sweeper = standIns.sweeper
        let swept = try #require(
            sweeper.replacingGroups(inBase85Of: Array(text.utf8), sweeper.replacingSecrets)
        )
        #expect(swept.count == text.utf8.count)
        #expect(swept.starts(with: "patch: \"".utf8))
        #expect(swept.suffix(7).elementsEqual("\" of it".utf8))
        let own = Array(swept.dropFirst(8).prefix(digits.utf8.count))
        #expect(
            Self.decoded(own, alphabet) == "\(before)\(standIns.standIn(for: Self.secret))."
        )
    }

    @Test(arguments: ["EAq'A", "EAq'B1/)Ic3HeB21fnNi3+H*20h?@X", "q7Zr2LkX9vTb4WmN", ""])
    func otherTextsStay(text: String) {
        let sweeper = standIns.sweeper
        let swept = sweeper.replacingGroups(inBase85Of: Array(text.utf8), sweeper.replacingSecrets)
        #expect(swept == nil)
    }

    /// Of what two secrets share one is met up to a digit of its own, behind which the text ends.
    @Test func textMayEndWithinAGroup() {
        var found = FoundSecrets()
        found.values = ["k7Qz91XpLm3RtV8wYb2N": .token, "91XpLm3RtV8wYc5Hd6Jk": .token]
        let index = StandIns.fixed(found).sweeper.base85
        #expect(index.runs(in: Array("Yd2APIWbspOl>n#bXGWbSz|".utf8)).allSatisfy { $0.end <= 23 })
    }

    @Test func secretsThatBeginInOneAnotherAreOneRun() {
        var found = FoundSecrets()
        found.values = [Self.secret + String(repeating: "x", count: 8_000): .token]
        let text = Array(String(repeating: "EAq'A1/)Ic3HeA21fnNh3+H*10h?@X", count: 100).utf8)
        #expect(StandIns.fixed(found).sweeper.base85.runs(in: text).map(\.groups.count) == [600])
    }

    /// More of the same secret begins within what is looked at behind its beginning.
    @Test func timeGrowsWithTheText() {
        var found = FoundSecrets()
        found.values = [Self.secret + String(repeating: "x", count: 8_000): .token]
        let sweeper = StandIns.fixed(found).sweeper
        func seconds(_ count: Int) -> Double {
            let text = Array(String(repeating: "EAq'A1/)Ic3HeA21fnNh3+H*10h?@X ", count: count).utf8)
            return ProcessorTime.seconds { _ = sweeper.base85.runs(in: text) }
        }
        let small = seconds(100)
        // Sixteen times the text: linear is 16, quadratic 256.
        #expect(seconds(1_600) < 50 * max(small, 0.004))
    }
}
