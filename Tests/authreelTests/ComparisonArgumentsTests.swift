import ArgumentParser
import Testing

@testable import authreel

/// What a comparison is told to look at, and not to.
struct ComparisonArgumentsTests {
    @Test(
        arguments: [
            ([""], [], "--ignore takes a name, not ''"),
            ([], ["scope", ""], "--compare takes a name, not ''"),
            (["scope"], ["state", "scope"], "scope is both to be ignored and to be compared"),
            (["scope"], ["state"], nil),
        ] as [([String], [String], String?)]
    )
    func namesAreToldApart(ignored: [String], compared: [String], message: String?) {
        guard let message else {
            #expect(throws: Never.self) {
                try ComparisonArguments.check(ignoring: ignored, comparing: compared)
            }
            return
        }
        let failure = #expect(throws: CommandFailure.self) {
            try ComparisonArguments.check(ignoring: ignored, comparing: compared)
        }
        #expect(failure?.status == .usage && failure?.message == message && failure?.hint != nil)
    }

    /// Before anything is asked of a provider, and also where nothing is to be.
    @Test func replayChecksItsNames() async throws {
        let command = try ReplayCommand.parse(["login.har", "--plan", "--ignore", ""])
        let failure = await #expect(throws: CommandFailure.self) { try await command.run() }
        #expect(failure?.message == "--ignore takes a name, not ''")
    }
}
