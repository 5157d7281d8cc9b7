import Captures
import Testing
import Wire

@testable import Proxy

/// What the order of two ends says of an answer that does not come.
struct TeeEndsTests {
    private static let start = Timestamp(seconds: 1_790_000_000)

    @Test func whoBreaksFirstIsTheReason() {
        let ends = TeeEnds()
        #expect(ends.loss(by: .server, "broken") == "broken")
        #expect(ends.loss(by: .client, "broken") == "broken")
        #expect(ends.loss(byGoing: .server) == AnswerLoss.serverEnded)
        #expect(ends.loss(byGoing: .client) == AnswerLoss.clientLeft)
    }

    @Test func whatBreaksBehindTheProvidersEndIsNoReason() {
        var ends = TeeEnds()
        ends.serverEnded()
        #expect(ends.loss(by: .client, "broken") == TeeEnds.unanswered)
        #expect(ends.loss(by: .server, "broken") == TeeEnds.unanswered)
    }

    @Test func clientThatEndedItsHalfHadGone() {
        var ends = TeeEnds()
        ends.clientEnded(at: Self.start)
        #expect(ends.loss(by: .client, "broken") == AnswerLoss.clientLeft)
        #expect(ends.loss(by: .server, "broken") == "broken")
        // Its end was sent on, and the provider's is the answer to that.
        #expect(ends.loss(byGoing: .server) == nil)
    }

    @Test func clientIsHeardThatWasSentAPartOfAnAnswerBehindItsEnd() {
        var ends = TeeEnds()
        #expect(ends.isClientStillHeard(speakingHTTP2: false) && ends.abandonedAt == nil)
        ends.serverSent(at: Self.start)
        ends.answerWentOn()
        ends.clientEnded(at: Self.start + .seconds(1))
        #expect(!ends.isClientStillHeard(speakingHTTP2: false))
        #expect(ends.abandonedAt == Self.start + .seconds(1))
        ends.serverSent(at: Self.start + .seconds(2))
        #expect(ends.isClientStillHeard(speakingHTTP2: false))
        // With HTTP/2 what came may have been anything.
        #expect(!ends.isClientStillHeard(speakingHTTP2: true))
        #expect(ends.abandonedAt == Self.start + .seconds(2))
        ends.answerIsWhole()
        #expect(!ends.isClientStillHeard(speakingHTTP2: false))
    }
}
