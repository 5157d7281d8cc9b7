import Testing

@testable import Sharing

struct WrappedTokensTests {
    /// A secret that is read of a file ends with a line break, and may end with padding.
    @Test(arguments: [
        ("q7Zr2LkX=\nMq03", true), ("q7Zr2LkX=\r\nMq03", true), ("q7Zr2LkX=\n", false),
        ("q7Zr2LkX=\r\n", false), ("q7Zr2LkX\nMq03", false), ("=\n", false), ("", false),
    ])
    func softBreakHasTextBehindIt(text: String, isOne: Bool) {
        #expect(WrappedTokens.isSoftlyBroken(text) == isOne)
    }
}
