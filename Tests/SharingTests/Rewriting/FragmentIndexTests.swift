import TestSupport
import Testing

@testable import Sharing

/// Secrets and pieces of them inside of longer texts.
struct FragmentIndexTests {
    private static let secret = "q7Zr2LkX9vTb4WmN8cYp1HsJ6dGf3AeU"

    private static func matches(_ secrets: [String], _ text: String) -> [String] {
        FragmentIndex(secrets.map { Array($0.utf8) }).matches(in: Array(text.utf8)).map { match in
            let piece = String(decoding: Array(text.utf8)[match.range], as: UTF8.self)
            return "\(match.secret)+\(match.offset):\(piece)"
        }
    }

    @Test func wholeSecretsAndPiecesAreFound() {
        #expect(Self.matches([Self.secret], "x \(Self.secret) y") == ["0+0:\(Self.secret)"])
        let piece = String(Self.secret.dropFirst(5).prefix(12))
        #expect(Self.matches([Self.secret], "a\(piece)b") == ["0+5:\(piece)"])
        #expect(Self.matches([Self.secret], String(piece.dropLast())).isEmpty)
    }

    /// Any twelve bytes hold a window.
    @Test func everyPieceOfTwelveIsFound() {
        let bytes = Array(Self.secret.utf8)
        let index = FragmentIndex([bytes])
        for start in 0...(bytes.count - 12) {
            let matches = index.matches(in: [0x20] + bytes[start..<(start + 12)] + [0x20])
            #expect(matches.map(\.offset) == [start] && matches.map(\.range) == [1..<13])
        }
    }

    @Test func longestOfOverlappingWins() {
        let longer = Self.secret + "0123456789ab"
        #expect(Self.matches([Self.secret, longer], longer) == ["1+0:\(longer)"])
        #expect(Self.matches([Self.secret, Self.secret + "zz"], Self.secret + " ") == ["0+0:\(Self.secret)"])
    }

    @Test func shortSecretsAreWordsOnly() {
        #expect(Self.matches(["a1b2c3d4"], "x=a1b2c3d4&") == ["0+0:a1b2c3d4"])
        #expect(Self.matches(["a1b2c3d4"], "xa1b2c3d4").isEmpty)
        #expect(Self.matches(["a1b2c3d4"], "a1b2c3d45").isEmpty)
        // Too short to be looked for at all.
        #expect(Self.matches(["a1b2c3d"], "a1b2c3d").isEmpty)
    }

    /// Addresses of one network: more begin alike than are compared one by one, and each is a whole one all the same.
    @Test func everyOneOfManyThatAreAlikeIsFound() {
        let secrets =
            (0..<3000).map { "10.0.\($0 >> 8).\($0 & 255)" }
            + (0..<3000).map { "10.0.1\($0 >> 8 + 10).\($0 & 255)" }
        let index = FragmentIndex(secrets.map { Array($0.utf8) })
        let text = Array(secrets.joined(separator: "\n").utf8)
        let found = index.matches(in: text).map { String(decoding: text[$0.range], as: UTF8.self) }
        #expect(found == secrets.filter { $0.utf8.count >= FragmentIndex.shortestWord })
        // Between the longest that a text begins with and the text there may be any number of others.
        let nested = ["10.0.100.1000"] + (0..<200).map { "10.0.100.1000.\($0)" }
        #expect(Self.matches(nested, "x 10.0.100.1000/x").first == "0+0:10.0.100.1000")
    }

    /// Against a search that compares everything with everything.
    @Test(arguments: 0..<40)
    func agreesWithASlowSearch(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let alphabet = Array("ab01".utf8)
        func drawn(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] }
        }
        let secrets = (0..<4).map { _ in drawn(16 + Int(random.next() % 20)) }
        var text = drawn(30)
        for secret in secrets {
            let start = Int(random.next() % 4)
            text += secret[start...] + drawn(9)
        }
        let found = FragmentIndex(secrets).matches(in: text)
        for match in found {
            #expect(
                Array(text[match.range])
                    == Array(secrets[match.secret][match.offset...].prefix(match.range.count))
            )
        }
        // No twelve bytes of a secret are left that no match covers in part.
        for (index, secret) in secrets.enumerated() {
            for start in 0...(secret.count - 12) {
                let piece = Array(secret[start..<(start + 12)])
                for place in 0...(text.count - 12) where Array(text[place..<(place + 12)]) == piece {
                    let isCovered = found.contains { $0.range.overlaps(place..<(place + 12)) }
                    #expect(isCovered, "secret \(index) at \(place)")
                }
            }
        }
    }
}
