import Testing

@testable import authreel

/// What is said at the end of a recording into which nothing came.
struct RecordingTellerTests {
    @Test func pageThatNobodyServedIsNamed() {
        let words = RecordingTeller.whyNothing(
            hasSeenClients: false,
            hasRefused: false,
            unserved: "localhost:3999",
            failed: nil
        )
        #expect(words.contains("nothing listened on localhost:3999"))
        #expect(!words.contains("use the proxy"))
    }

    @Test func clientIsAskedForWhereNothingElseIsKnown() {
        let words = RecordingTeller.whyNothing(
            hasSeenClients: false,
            hasRefused: false,
            unserved: nil,
            failed: nil
        )
        #expect(words.contains("does the client use the proxy"))
    }

    /// `npm start` in a folder without a package: it has said so itself.
    @Test func commandThatFailedIsWhatIsLookedAt() {
        for (unserved, end) in [(nil, "status 3"), ("localhost:3999", "nothing listened on localhost:3999")] {
            let words = RecordingTeller.whyNothing(
                hasSeenClients: false,
                hasRefused: false,
                unserved: unserved,
                failed: 3
            )
            #expect(words.contains("the command ended with status 3") && words.hasSuffix(end))
            let hint = RecordingTeller.wayOut(unserved: unserved, failed: 3, startsBrowser: unserved != nil)
            #expect(hint.hasPrefix("what the command printed says why"))
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
        let hint = RecordingTeller.wayOut(unserved: unserved, failed: nil, startsBrowser: startsBrowser)
        #expect(hint.contains(words))
        #expect(hint.contains("--browser https") == (unserved == nil && !startsBrowser))
    }

    /// Port 1 is nobody's; who is cancelled has not been answered.
    @Test func waitThatIsGivenUpNamesTheAddress() async {
        let wait = Task { await PageServer.wait(for: "http://127.0.0.1:1/", within: .seconds(60)) }
        wait.cancel()
        #expect(await wait.value == "127.0.0.1:1")
        #expect(await PageServer.wait(for: "https://shop.example/", within: .seconds(60)) == nil)
    }
}
