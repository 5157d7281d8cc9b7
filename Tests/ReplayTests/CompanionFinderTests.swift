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

    /// Many flows of one session are planned in lines that grow as they do.
    @Test(arguments: [(40, 40), (200, 64)]) func ofALongSessionItsEndsAreDriven(calls: Int, driven: Int)
        throws
    {
        let provider = "https://id.example"
        let cookie = "sid=session-1-0123456789"
        var capture = CaptureBuilder()
        // The first of them is who set the cookie.
        for number in 0..<calls {
            capture.post(
                "\(provider)/settings/\(number)",
                [("a", "1")],
                headers: number == 0 ? [] : [("Cookie", cookie)],
                answer: number == 0 ? [("Set-Cookie", cookie)] : [],
                body: .html("<p>Done</p>")
            )
        }
        let login = capture.redirect(
            "\(provider)/authorize?response_type=code&client_id=shop&state=st-4Xr8LmPq2Kt",
            to: "https://shop.example/cb?code=code-1-0123456789&state=st-4Xr8LmPq2Kt",
            headers: [("Cookie", cookie)]
        )
        let flows = FlowFinder.flows(in: capture.capture)
        let flow = try #require(flows.first { $0.exchanges.contains(login) })
        let origin = try #require(RecordedURL(provider + "/").origin)
        let found = CompanionFinder(
            flow,
            origins: [origin],
            index: PlanningIndex(flows),
            drivenBefore: []
        ).companions(of: [login], userCodes: [])
        #expect(found.count == driven)
        #expect(found.first == 0 && found.last == calls - 1)
    }
}
