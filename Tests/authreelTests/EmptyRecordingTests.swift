import Testing

@testable import authreel

/// What is said at the end of a recording into which nothing came.
struct EmptyRecordingTests {
    @Test func pageThatNobodyServedIsNamed() {
        let words = EmptyRecording(unserved: "localhost:3999", failed: nil).reason
        #expect(words.contains("nothing listened on localhost:3999"))
        #expect(!words.contains("use the proxy"))
    }

    @Test func clientIsAskedForWhereNothingElseIsKnown() {
        let words = EmptyRecording(unserved: nil, failed: nil).reason
        #expect(words.contains("does the client use the proxy"))
    }

    /// `npm start` in a folder without a package: it has said so itself.
    @Test func commandThatFailedIsWhatIsLookedAt() {
        for (unserved, end) in [(nil, "status 3"), ("localhost:3999", "nothing listened on localhost:3999")] {
            let words = EmptyRecording(unserved: unserved, failed: 3).reason
            #expect(words.contains("the command ended with status 3") && words.hasSuffix(end))
            let hint = EmptyRecording(unserved: unserved, failed: 3, startsBrowser: unserved != nil).wayOut
            #expect(hint?.hasPrefix("what the command printed says why") == true)
        }
    }

    /// What was started is no advice.
    @Test(
        arguments: [
            (nil, false, " record --browser https://app.example/ starts"),
            (nil, true, "the browser that was started asked for nothing"),
            ("localhost:3999", true, "the command behind --"),
        ] as [(String?, Bool, String)]
    )
    func wayOutIsOneThatWasNotTaken(unserved: String?, startsBrowser: Bool, words: String) {
        let hint = EmptyRecording(unserved: unserved, startsBrowser: startsBrowser).wayOut ?? ""
        #expect(hint.contains(words))
        #expect(hint.contains("--browser https") == (unserved == nil && !startsBrowser))
    }

    /// Who has found the recorder needs no way to it.
    @Test func recorderThatWasFoundHasNoWayOut() {
        #expect(EmptyRecording(hasSeenClients: true).wayOut == nil)
        #expect(EmptyRecording(hasRefused: true).wayOut == nil)
    }
}
