import Testing
@testable import authreel

/// What somebody may have meant who mistyped a word.
struct SpellingTests {
    private let words = ["show", "share", "diagnose", "diff", "state-mismatch", "pkce-verifier-mismatch"]

    @Test(arguments: [
        ("diagnos", ["diagnose"]), ("shwo", ["show"]), ("Diagnose", ["diagnose"]), ("shar", ["share"]),
        ("pkce-verifer-mismatch", ["pkce-verifier-mismatch"]), ("diagnsoee", ["diagnose"]),
        ("frobnicate", []), ("x", []),
        ("", []),
    ])
    func aSlipInFourLettersIsForgiven(word: String, meant: [String]) {
        #expect(Spelling.near(word, in: words) == meant)
    }

    @Test func wordsThatAreAsNearAreAllTold() {
        #expect(Spelling.near("shaw", in: ["show", "share", "shaw-x", "slaw"]) == ["show", "slaw"])
        #expect(Spelling.near("a", in: []) == [])
    }
}
