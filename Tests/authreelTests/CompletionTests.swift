import ArgumentParser
import Testing

@testable import authreel

/// What the shells complete once `make install` has put the scripts into place.
struct CompletionTests {
    /// An argument without a kind of completion gets none at all, other than by the shell itself.
    @Test func filesAndFoldersAreCompleted() {
        let script = Authreel.completionScript(for: .zsh)
        let silent = script.matches(of: /:(CAPTURE|FILE|FILE\.har|FILE\.xml|DIR):'/).map {
            String($0.output.0)
        }
        #expect(silent == [])
        #expect(script.contains(":CAPTURE:_files'"))
    }

    @Test func rulesAndFaultsAreCompleted() {
        let script = Authreel.completionScript(for: .fish)
        #expect(script.contains("pkce-verifier-mismatch"))
        #expect(script.contains("userinfo-sub-mismatch"))
    }
}
