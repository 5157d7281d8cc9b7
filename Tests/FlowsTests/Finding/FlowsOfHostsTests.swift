import Captures
import Flows
import TestSupport
import Testing

/// What failed at a host of several flows.
struct FlowsOfHostsTests {
    private let failed = Exchange(
        startedAt: Timestamp(seconds: 0),
        request: RecordedRequest(method: "GET", url: RecordedURL("https://idp.example/status")),
        failure: "net::ERR_CONNECTION_REFUSED"
    )

    /// The first one takes what came before all of them.
    @Test func connectionGoesWithTheFlowThatBeganLastBeforeIt() {
        var capture = CaptureBuilder()
        var places = [capture.add(failed)]
        for name in ["one", "two", "three"] {
            ShopLogin(name).whole(&capture)
            places.append(capture.add(failed))
        }
        let found = capture.flows
        #expect(found.count == 3)
        #expect(
            found.map { flow in places.filter(flow.exchanges.contains) } == [
                Array(places[..<2]), [places[2]], [places[3]],
            ]
        )
    }
}
