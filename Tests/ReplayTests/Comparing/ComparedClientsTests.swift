import Captures
import Flows
import OAuth
import Replay
import TestSupport
import Testing

/// Clients that are registered anew in each run, and read at an address of their own (RFC 7592).
struct ComparedClientsTests {
    private func flow(of client: String, token: String, at path: String = "/register/") throws -> Flow {
        let uri = "https://idp.example\(path)\(client)"
        let information = """
            {"client_id":"\(client)","registration_client_uri":"\(uri)","registration_access_token":"\(token)",\
            "redirect_uris":["https://shop.example/cb"]}
            """
        var registration = RecordedRequest(
            method: "POST",
            url: RecordedURL("https://idp.example/register")
        )
        registration.body = .json(#"{"redirect_uris":["https://shop.example/cb"]}"#)
        var read = RecordedRequest(method: "GET", url: RecordedURL(uri))
        read.headers.append("Authorization", "Bearer \(token)")
        var capture = CaptureBuilder()
        for request in [registration, read] {
            let response = RecordedResponse(
                status: 200,
                headers: HeaderFields([("Content-Type", "application/json")]),
                body: .json(information)
            )
            capture.add(
                Exchange(startedAt: Timestamp(seconds: 0), request: request, response: response)
            )
        }
        return try #require(FlowFinder.flows(in: capture.capture).first)
    }

    @Test func addressOfAnotherClientIsNoDifference() throws {
        let difference = FlowDifference(
            try flow(of: "shop-7Hq2vLx7TzB4nWm8", token: "reg-5Jq2vLx7TzB4nWm8RdYc"),
            try flow(of: "shop-9Kq2vLx7RdYc4nWm", token: "reg-8Kq2vLx7TzB4nWm8RdYc")
        )
        let step = try #require(difference.steps.first { $0.kind == .clientReadRequest })
        #expect(step.expected == 1 && step.seen == 1)
        #expect(!step.differences.contains { $0.place.part == .requestURL })
    }

    /// The name of the client in it is the provider's word, in the path or in a query.
    @Test func addressOfAnotherShapeIsNoDifference() throws {
        let difference = FlowDifference(
            try flow(of: "shop-7Hq2vLx7TzB4nWm8", token: "reg-5Jq2vLx7TzB4nWm8RdYc"),
            try flow(
                of: "shop-9Kq2vLx7RdYc4nWm",
                token: "reg-8Kq2vLx7TzB4nWm8RdYc",
                at: "/register?v=2&client_id="
            )
        )
        let step = try #require(difference.steps.first { $0.kind == .clientReadRequest })
        #expect(step.expected == 1 && step.seen == 1)
        let told = step.differences.filter { $0.weight == .difference && $0.place.part != .responseBody }
        #expect(told.isEmpty, "\(told)")
    }
}
