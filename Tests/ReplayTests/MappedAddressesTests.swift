import Captures
import Flows
import Replay
import TestSupport
import Testing

/// Which `--map` fits something of a recording: a provider of several hosts is mapped whole, whatever of it a login asked.
struct MappedAddressesTests {
    private static let discovery = "https://id.example/.well-known/openid-configuration"

    private static func plan() throws -> ReplayPlan {
        var builder = CaptureBuilder()
        builder.get(
            discovery,
            body: .json(
                """
                {"issuer":"https://id.example","token_endpoint":"https://id.example/token",\
                "userinfo_endpoint":"https://api.example/oidc/userinfo"}
                """
            )
        )
        builder.post(
            "https://id.example/token",
            [("grant_type", "client_credentials"), ("client_id", "svc-1"), ("client_secret", "s-Kq2vLx7T")],
            body: .json(#"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
        )
        let flows = FlowFinder.flows(in: builder.capture)
        return PlanBuilder(try #require(flows.first), siblings: flows).plan()
    }

    @Test(arguments: [
        ("https://id.example", true), ("https://api.example", true), ("https://api.example/oidc", true),
        ("https://api.example/v2", false), ("https://api.exampl", false), ("https://www.example", false),
    ])
    func hostThatMetadataNameIsOneOfTheProviders(old: String, isMoved: Bool) throws {
        let map = EndpointMap([EndpointMap.Entry(old: old, new: "http://127.0.0.1:8090/played")])
        #expect(try Self.plan().isMoved(by: map) == isMoved)
    }
}
