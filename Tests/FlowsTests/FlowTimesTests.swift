import Captures
import Flows
import TestSupport
import Testing

/// When a login began and ended, among metadata that is a part of every login.
struct FlowTimesTests {
    @Test func metadataOfTheLoginBeforeIsOutsideOfItsTimes() throws {
        var capture = CaptureBuilder()
        let first = ShopLogin("one").whole(&capture)
        capture.wait(14)
        let again = ShopLogin("one").discovery(&capture)
        let second = ShopLogin("two").whole(&capture)
        let flows = capture.flows
        try #require(flows.count == 2)
        let exchanges = capture.exchanges
        #expect(flows[0].exchanges.contains(again) && flows[1].exchanges.contains(first[0]))
        #expect(flows[0].began == exchanges[first[0]].startedAt)
        #expect(flows[0].ended == exchanges[try #require(first.last)].endedAt)
        // What is read between the two belongs to the second.
        #expect(flows[1].began == exchanges[again].startedAt)
        #expect(flows[1].ended == exchanges[try #require(second.last)].endedAt)
    }

    @Test func flowOfMetadataAloneHasItsTimes() {
        var capture = CaptureBuilder()
        let only = ShopLogin("one").discovery(&capture)
        #expect(capture.flows.map(\.ended) == [capture.exchanges[only].endedAt])
    }

    /// What was served tells of an earlier login as well.
    @Test(arguments: [(3600, 500, true), (172_800, 500, false), (172_800, 200, true)])
    func metadataThatFailedDaysLaterAreNoPartOfALogin(wait: Int64, status: Int, isPart: Bool) throws {
        var capture = CaptureBuilder()
        ShopLogin("one").whole(&capture)
        capture.wait(wait)
        let again =
            status == 200
            ? ShopLogin("one").discovery(&capture)
            : capture.get(
                "https://idp.example/.well-known/openid-configuration",
                status,
                headers: ShopLogin.backend
            )
        let flows = capture.flows
        #expect(flows.first?.exchanges.contains(again) == isPart)
        #expect(flows.count == (isPart ? 1 : 2))
    }
}
