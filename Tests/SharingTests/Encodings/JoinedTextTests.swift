import Testing

@testable import Sharing

/// Secrets in pieces that are too short to be met each by itself.
struct JoinedTextTests {
    private static let secret = "q7Zr2LkX9vTb4WmN-8cYp1HsJ"

    /// Where its pieces stand, `%` for each of them.
    @Test(arguments: [
        ("event: m\ndata: {\"x\": \"%\ndata: %\ndata:%\"}\n\n", [11, 6, 8]),
        ("data: %\r\ndata: %\r\ndata: %\r\n", [8, 8, 9]),
        (#"const t = "%" + "%" + '%' + "%";"#, [4, 8, 6, 7]),
        (#"["%","%","%","%","%"]"#, [5, 5, 5, 5, 5]),
        ("%-%-%-%-%", [4, 4, 8, 4, 5]), ("read it out: % % % % %", [5, 5, 5, 5, 5]),
        // With words between them that say which is which.
        ("one: %\ntwo: %\nthree: %\n", [8, 9, 8]), (#"{"part1":"%","part2":"%","p3":"%"}"#, [8, 9, 8]),
        ("1. % 2. % 3. %", [8, 9, 8]), ("% and % and % and %", [4, 4, 9, 8]),
        // Behind an escape.
        (#"{"log": "data: %\ndata: %\ndata: %"}"#, [8, 9, 8]),
    ])
    func secretIsReplacedPieceByPiece(text: String, lengths: [Int]) throws {
        var found = FoundSecrets()
        found.values = [Self.secret: .token]
        let standIns = StandIns.fixed(found)
        let filled = Self.filling(text, Self.secret, lengths)
        let swept = try #require(standIns.sweeper.sweeping(Array(filled.utf8)))
        #expect(
            String(decoding: swept, as: UTF8.self)
                == Self.filling(text, standIns.standIn(for: Self.secret), lengths)
        )
    }

    /// A password that is no longer than a piece, as a whole.
    @Test(arguments: [
        ("x = 'Tr0ub4'+\n  'dor!3x'", "x = '%'+\n  '%'", [6, 6]),
        (#"["T","r","0","u","b","4","d","o","r","!","3","x"]"#, nil, []),
        ("Tr0\u{200b}ub4\u{200b}dor!3x", "%\u{200b}%\u{200b}%", [3, 3, 6]),
    ])
    func shortPasswordIsReplacedAsAWhole(text: String, places: String?, lengths: [Int]) throws {
        let password = "Tr0ub4dor!3x"
        var found = FoundSecrets()
        found.values = [password: .password]
        let standIns = StandIns.fixed(found)
        let other = standIns.standIn(for: password)
        let swept = try #require(standIns.sweeper.replacingPieces(of: Array(text.utf8)))
        let told = String(decoding: swept, as: UTF8.self)
        if let places {
            #expect(told == Self.filling(places, other, lengths))
        } else {
            #expect(told == "[" + other.map { "\"\($0)\"" }.joined(separator: ",") + "]")
        }
        #expect(standIns.sweeper.replacingPieces(of: Array("Tr0ub4 and dor!3x".utf8)) == nil)
    }

    private static func filling(_ text: String, _ secret: String, _ lengths: [Int]) -> String {
        var rest = secret[...]
        return lengths.reduce(text) { text, length in
            defer { rest = rest.dropFirst(length) }
            return text.replacing("%", with: rest.prefix(length), maxReplacements: 1)
        }
    }

    /// What somebody chose is met word by word in any text, and so are pieces of what was drawn that say nothing.
    @Test(arguments: [
        ("river-stone-lamp-oak", "river, stone, lamp and oak; river stone lamp"),
        ("q7Zr2LkX9vTb4WmN", "q7Zr 2LkX 9vT, 4WmN"),
        ("q7Zr2LkX9vTb4WmN", "q7Zr and 2LkX and x9x and 9vTb and 4WmN"),
    ])
    func otherTextsStay(secret: String, text: String) {
        var found = FoundSecrets()
        found.values = [secret: .token]
        #expect(StandIns.fixed(found).sweeper.replacingPieces(of: Array(text.utf8)) == nil)
    }

    /// A stand-in has marks in it, too, and may have pieces in common with another secret.
    @Test func standInStays() {
        var found = FoundSecrets()
        found.values = [Self.secret: .token]
        let standIns = StandIns.fixed(found)
        let other = standIns.standIn(for: Self.secret)
        #expect(standIns.sweeper.replacingPieces(of: Array("token=\(other)".utf8)) == nil)
    }
}
