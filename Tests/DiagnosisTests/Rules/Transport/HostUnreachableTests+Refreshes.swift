import Captures
import Diagnosis
import Flows
import Testing

extension HostUnreachableTests {
    /// A session goes on for as long as its refreshes do, or the tokens it has.
    @Test(arguments: [
        ("net::ERR_NAME_NOT_RESOLVED", false, true), ("net::ERR_NAME_NOT_RESOLVED", true, false),
        ("net::ERR_ABORTED", false, false),
    ])
    func refreshThatReachedNobodyEndsTheSession(words: String, isFollowed: Bool, fires: Bool) throws {
        var recording = try Recording("refresh/refresh-subject-changed.near-miss")
        let index = try #require(recording.exchanges.indices.last)
        let answered = recording.exchanges[index]
        recording.exchanges[index].response = nil
        recording.exchanges[index].failure = words
        if isFollowed {
            var again = answered
            again.startedAt = answered.endedAt + .seconds(1)
            recording.exchanges.append(again)
        }
        #expect((recording.finding("host-unreachable")?.severity == .error) == fires)
        #expect(recording.outcomes == [fires ? .failure : .success])
    }
}
