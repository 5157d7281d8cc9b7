import Captures
import TestSupport
import Testing

@testable import Flows

/// Overlapping exports put together: entries that stand there twice.
struct RepeatedEntriesTests {
    private func exchange(_ seconds: Int64 = 10, _ nanoseconds: Int = 123_000_000, _ body: String = "x")
        -> Exchange
    {
        var exchange = Exchange(
            startedAt: Timestamp(seconds: seconds) + .nanoseconds(nanoseconds),
            duration: .milliseconds(30),
            request: RecordedRequest(method: "GET", url: RecordedURL("https://idp.example/a")),
            response: RecordedResponse(status: 200)
        )
        exchange.response?.body = Body(text: body, mediaType: "text/html")
        return exchange
    }

    private func kept(_ exchanges: [Exchange]) -> [Int: Int] {
        RepeatedEntries.kept(in: Capture(exchanges), order: Array(exchanges.indices))
    }

    @Test func equalEntriesAreOne() {
        #expect(kept([exchange(), exchange(), exchange()]) == [1: 0, 2: 0])
        #expect(kept([exchange(), exchange(11)]).isEmpty)
        #expect(kept([exchange(), exchange(10, 123_000_000, "y")]).isEmpty)
    }

    /// Burp's whole seconds, and entries without a time.
    @Test func momentsThatAreNotKnownSayNothing() {
        #expect(kept([exchange(10, 0), exchange(10, 0)]).isEmpty)
        #expect(kept([exchange(0, 0), exchange(0, 0), exchange()]).isEmpty)
        var instant = exchange()
        instant.duration = .zero
        #expect(kept([instant, instant]).isEmpty)
    }

    /// Pulse writes each call twice, with whole seconds and the time that it took to the nanosecond.
    @Test func wholeSecondsCountWhereWhatItTookIsFine() {
        var (first, second, other) = (exchange(10, 0), exchange(10, 0), exchange(10, 0))
        first.duration = .microseconds(30_417)
        second.duration = first.duration
        other.duration = .microseconds(30_418)
        #expect(kept([first, second, other]) == [1: 0])
        // Two of a kind in one second take as long to a tenth of a millisecond now and then.
        first.duration = .microseconds(30_400)
        #expect(kept([first, first]).isEmpty)
    }

    @Test func momentOfAFineClockMayBeAWholeSecond() {
        #expect(kept([exchange(9), exchange(10, 0), exchange(10, 0)]) == [2: 1])
    }

    @Test func loginThatStandsThereTwiceIsOne() throws {
        let path = "captures/user-agent/redirect-loop.har"
        let capture = try CaptureReader.read(bytes: Fixtures.bytes(path), name: path)
        let exchanges = capture.indices.map { capture[$0] }
        let twice = Capture(exchanges.flatMap { [$0, $0] })
        #expect(FlowFinder.flows(in: twice).map(\.ending) == FlowFinder.flows(in: capture).map(\.ending))
    }
}
