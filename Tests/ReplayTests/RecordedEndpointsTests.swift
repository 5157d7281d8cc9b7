import Captures
import Flows
import Replay
import TestSupport
import Testing

/// Where a flow's endpoints were, by its own requests.
struct RecordedEndpointsTests {
    /// Cognito carries the request's parameters on to its page to sign in at.
    @Test func signInPageWithTheRequestsParametersIsNotTheEndpoint() throws {
        let query =
            "client_id=shop&response_type=code&redirect_uri=https%3A%2F%2Fshop.example%2Fcb&state=state-1-abcdefgh"
        var capture = CaptureBuilder()
        capture.redirect(
            "https://id.example/oauth2/authorize?\(query)",
            to: "https://id.example/login?\(query)"
        )
        capture.get(
            "https://id.example/login?\(query)",
            body: .html("<form method=post><input name=user></form>")
        )
        let flow = try #require(FlowFinder.flows(in: Capture(capture.exchanges)).first)
        #expect(RecordedEndpoints.of(flow)["authorization_endpoint"] == "https://id.example/oauth2/authorize")
    }
}
