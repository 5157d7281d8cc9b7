import Captures
import Flows
import Replay
import Reports
import TestSupport
import Testing

/// What is said of a replay before it is driven.
struct PlanReportTests {
    private static let token = "https://id.example/index.php?route=oauth/token"

    /// An endpoint's URL may have a query, by which alone the run knows where it is (RFC 6749, section 3.2).
    @Test(arguments: ["https://staging.example/token", "https://staging.example/?route=oauth/token"])
    func addressOfAnEndpointIsTheOneThatIsDriven(driven: String) throws {
        var capture = CaptureBuilder()
        capture.post(
            Self.token,
            [("grant_type", "client_credentials"), ("client_id", "svc"), ("client_secret", "a-secret")],
            body: .json(#"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
        )
        let flow = try #require(FlowFinder.flows(in: capture.capture).first)
        let plan = PlanBuilder(flow, siblings: [flow]).plan()
        let map = EndpointMap([EndpointMap.Entry(old: Self.token, new: driven)])
        let text = PlanText.text(of: plan, map: map, given: [], style: .plain)
        #expect(text.contains("POST \(driven)\n"))
        #expect(PlanJSON.text(of: [(plan, map)], given: []).contains("\"\(driven)\""))
    }
}
