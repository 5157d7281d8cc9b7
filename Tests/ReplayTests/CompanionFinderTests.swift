import Captures
import Flows
import TestSupport
import Testing

@testable import Replay

/// What is driven besides a flow.
struct CompanionFinderTests {
    /// What brought a user code before the flow had it brought another flow's, and is not looked at.
    @Test func userCodeIsBroughtAfterItWasGivenOut() throws {
        let provider = "https://id.example"
        let device = "dev-7Hq2vLx7TzB4nWm8"
        var capture = CaptureBuilder()
        func bring(_ path: String) {
            capture.post(provider + path, [("user_code", "WDJB-MJHT")], body: .html("<p>Done</p>"))
        }
        bring("/profile")
        capture.post(
            "\(provider)/device",
            [("client_id", "tv"), ("scope", "openid")],
            body: .json(
                #"{"device_code":"\#(device)","user_code":"WDJB-MJHT","verification_uri":"\#(provider)/activate","expires_in":600}"#
            )
        )
        bring("/profile")
        bring("/activate")
        capture.post(
            "\(provider)/token",
            [
                ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", device),
                ("client_id", "tv"),
            ],
            body: .json(#"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
        )
        let flow = try #require(FlowFinder.flows(in: capture.capture).first)
        let plan = PlanBuilder(flow, siblings: [flow]).plan()
        #expect(plan.steps.map(\.exchange) == [1, 2, 3, 4])
    }
}
