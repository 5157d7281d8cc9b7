import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import TestSupport
import Testing

/// Logins that a user confirms on a device of their own (OpenID Connect CIBA), judged as those of devices are.
struct BackchannelAuthenticationTests {
    private static let pending = (400, #"{"error":"authorization_pending"}"#)
    private static let tokens = (200, #"{"access_token":"at-7Hq2vLx7TzB4nWm8","token_type":"Bearer"}"#)

    private static func refusal(_ error: String) -> (Int, String) { (400, #"{"error":"\#(error)"}"#) }

    /// Asked at an address of no convention, and polled; with seconds between the requests, and what the provider states
    /// (`,"interval":2`).
    private func login(every gap: Int64, interval: String = "", _ polls: [(Int, String)]) -> Recording {
        var capture = CaptureBuilder()
        capture.step = gap
        capture.post(
            "https://id.harbour.example/ask",
            [("client_id", "till"), ("scope", "openid"), ("login_hint", "alice")],
            body: .json(#"{"auth_req_id":"1c266114-a1be-4252-8ad1","expires_in":120\#(interval)}"#)
        )
        for (status, answer) in polls {
            capture.post(
                "https://id.harbour.example/token",
                [
                    ("grant_type", "urn:openid:params:grant-type:ciba"), ("client_id", "till"),
                    ("auth_req_id", "1c266114-a1be-4252-8ad1"),
                ],
                status,
                body: .json(answer)
            )
        }
        return Recording(capture.exchanges)
    }

    @Test func requestAndPollsAreStepsOfOneFlow() throws {
        let recording = login(every: 5, [Self.pending, Self.tokens])
        let flow = try #require(recording.flows.first)
        #expect(recording.flows.count == 1)
        #expect(
            flow.steps.map(\.kind) == [.backchannelAuthenticationRequest, .tokenRequest, .tokenRequest]
        )
        let link = try #require(flow.links.first { $0.name == "auth_req_id" })
        #expect(link.origin.place.exchange == 0)
        #expect(link.uses.map(\.place.exchange) == [1, 2])
        #expect(recording.outcomes == [.success])
        #expect(recording.findings.allSatisfy { $0.severity == .note })
    }

    @Test(
        arguments: [
            (5, "", false), (2, "", true), (2, #","interval":2"#, false), (1, #","interval":2"#, true),
        ] as [(Int64, String, Bool)]
    )
    func pollsFasterThanTheIntervalAreTold(gap: Int64, interval: String, isTold: Bool) {
        let recording = login(every: gap, interval: interval, [Self.pending, Self.pending, Self.tokens])
        let finding = recording.finding("device-polling-too-fast")
        #expect((finding?.severity == .warning) == isTold)
        #expect(recording.outcomes == [.success])
    }

    /// A client that is told when the user has answered asks at once (section 10.2); before that it keeps the interval (section 7.3).
    @Test(arguments: [true, false], [true, false])
    func whoIsNotifiedNeedNotWait(isNotified: Bool, isReady: Bool) {
        let polls = [Self.pending, isReady ? Self.tokens : Self.pending]
        let recording = login(every: 1, polls).editing { exchange in
            guard isNotified, exchange.request.url.path == "/ask" else { return }
            exchange.request.body = Body(
                text: "client_id=till&scope=openid&login_hint=alice&client_notification_token=8d67dc78",
                mediaType: FormBody.mediaType
            )
        }
        #expect((recording.finding("device-polling-too-fast") == nil) == (isNotified && isReady))
    }

    @Test func slowDownThatIsNotHeededIsTheCauseOfTheRefusal() {
        let recording = login(
            every: 5,
            [Self.pending, Self.refusal("slow_down"), Self.pending, Self.refusal("invalid_request")]
        )
        #expect(recording.finding("device-polling-too-fast")?.severity == .error)
        #expect(recording.outcomes == [.failure])
    }

    @Test func requestThatRanOutIsToldWithoutItsValue() throws {
        let recording = login(every: 60, [Self.pending, Self.pending, Self.refusal("expired_token")])
        let finding = try #require(recording.finding("device-code-expired"))
        #expect(finding.isPrimary)
        #expect(finding.title.contains("own device"))
        #expect(
            finding.places == [
                "0 response.body expires_in", "3 request.body auth_req_id", "3 response.body error",
            ]
        )
        #expect(!finding.evidence.contains { $0.value.contains("1c266114-a1be-4252-8ad1") })
    }

    @Test(arguments: [("access_denied", "user-cancelled"), ("transaction_failed", "token-endpoint-error")])
    func otherEndsAreToldAsTheyAre(error: String, rule: String) {
        let recording = login(every: 5, [Self.pending, Self.refusal(error)])
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.finding("device-polling-too-fast") == nil)
    }

    /// At addresses that providers have for it: Auth0's, Okta's, Keycloak's.
    @Test(arguments: [
        "/bc-authorize", "/oauth2/v1/bc/authorize", "/realms/r/protocol/openid-connect/ext/ciba/auth",
    ])
    func requestThatIsRefusedIsAFlowOfItsOwn(path: String) throws {
        var capture = CaptureBuilder()
        capture.post(
            "https://id.harbour.example" + path,
            [("client_id", "till"), ("scope", "openid"), ("login_hint", "nobody")],
            400,
            body: .json(#"{"error":"unknown_user_id"}"#)
        )
        let recording = Recording(capture.exchanges)
        let flow = try #require(recording.flows.first)
        #expect(flow.steps.map(\.kind) == [.backchannelAuthenticationRequest])
        #expect(recording.outcomes == [.failure])
        let finding = try #require(recording.finding("authorization-error"))
        #expect(finding.isPrimary)
        #expect(finding.places == ["0 response.body error", "0 request.body login_hint"])
        #expect(finding.fix.contains("no user of that hint"))
    }
}
