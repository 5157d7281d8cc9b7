import TestSupport
import Testing

@testable import Sharing

/// Tokens that stand somewhere in a text.
struct TokensInTextsTests {
    private static let token = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ.c2ln"

    @Test(arguments: ["", ".", "..."])
    func stopsBehindATokenAreNoneOfIt(stops: String) {
        let finder = SecretFinder(options: SharingOptions())
        finder.tokens(in: Array("it is \(Self.token)\(stops) and no other".utf8))
        #expect(finder.found.tokens[Self.token] != nil)
    }

    /// The dots of a table of contents, and behind what begins as a token does.
    @Test(arguments: ["chapter", "eyJhbGciOiJub25lIn0"])
    func timeGrowsWithTheDots(before: String) {
        func seconds(_ count: Int) -> Double {
            let text = Array((before + String(repeating: ".", count: count)).utf8)
            return ProcessorTime.seconds { SecretFinder(options: SharingOptions()).tokens(in: text) }
        }
        let small = seconds(10_000)
        // Eight times the text: linear is 8, quadratic 64.
        #expect(seconds(80_000) < 30 * max(small, 0.002))
    }
}
