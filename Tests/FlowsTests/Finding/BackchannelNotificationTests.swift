import Captures
import Flows
import JOSE
import OAuth
import TestSupport
import Testing

/// What a provider tells a client of its own accord (OpenID Connect CIBA, sections 10.2, 10.3 and 12).
struct BackchannelNotificationTests {
    private static let request = "1c266114-a1be-4252-8ad1"
    private static let claims = "eyJpc3MiOiJodHRwczovL2lkcC5leGFtcGxlIiwiYXVkIjoidGlsbCIsInN1YiI6ImFsaWNlIn0"
    private static let idToken = "eyJhbGciOiJSUzI1NiJ9.\(claims).c2lnbmF0dXJl"

    /// A request whose client is told so much.
    private func told(
        _ members: String,
        _ asked: [(String, String)] = [],
        scheme: String = "Bearer"
    ) -> CaptureBuilder {
        var capture = CaptureBuilder()
        capture.post(
            "https://idp.example/bc-authorize",
            [("client_id", "till"), ("scope", "openid"), ("login_hint", "alice")] + asked,
            body: .json(#"{"auth_req_id":"\#(Self.request)","expires_in":120}"#)
        )
        let body = #"{"auth_req_id":"\#(Self.request)"\#(members)}"#
        capture.post(
            "https://till.example/told",
            json: body,
            204,
            headers: [("Authorization", "\(scheme) notification-token-0001")]
        )
        return capture
    }

    @Test(arguments: [
        (
            #","access_token":"access-0001","token_type":"Bearer","id_token":"\#(Self.idToken)""#,
            Outcome.success
        ),
        (#","error":"access_denied""#, .cancelled), (#","error":"transaction_failed""#, .failure),
        ("", .incomplete),
    ])
    func pushIsTheEndOfItsRequest(members: String, outcome: Outcome) {
        let flows = told(members).flows
        #expect(flows.map(\.exchanges) == [[0, 1]])
        #expect(flows.map(\.ending) == [outcome])
    }

    /// Only who brings the token that the client gave, by itself or in its request object, is the provider (sections 7.1 and 7.1.1).
    @Test(
        arguments: [
            ("client_notification_token", "notification-token-0001", "Bearer", true),
            ("client_notification_token", "notification-token-0001", "bearer", true),
            ("client_notification_token", "notification-token-0002", "Bearer", false),
            ("request", "notification-token-0001", "Bearer", true), ("state", "none", "Bearer", false),
        ]
    )
    func notificationIsAStepFromTheProviderToItsClient(
        name: String,
        token: String,
        scheme: String,
        isOfProvider: Bool
    ) throws {
        let claims = Base64URL.encode(Array(#"{"client_notification_token":"\#(token)"}"#.utf8))
        let value = name == "request" ? "eyJhbGciOiJFUzI1NiJ9.\(claims).c2lnbmF0dXJl" : token
        let push = #","access_token":"access-0001","token_type":"Bearer","id_token":"\#(Self.idToken)""#
        let capture = told(push, [(name, value)], scheme: scheme)
        let flow = try #require(capture.flows.first)
        #expect(
            flow.steps.map(\.kind)
                == [.backchannelAuthenticationRequest] + (isOfProvider ? [.clientNotification] : [])
        )
        guard isOfProvider else { return }
        let step = flow.steps[1]
        #expect(step.exchange == 1 && step.from.role == .provider && step.to.role == .backend)
        #expect(step.parameters["auth_req_id"] == Self.request)
        #expect(step.tokens.map(\.name) == ["id_token"])
    }

    @Test func clientAsksBehindAPing() {
        var capture = told("")
        capture.post(
            "https://idp.example/token",
            [
                ("grant_type", "urn:openid:params:grant-type:ciba"), ("auth_req_id", Self.request),
                ("client_id", "till"),
            ],
            body: .json(#"{"access_token":"access-0001","token_type":"Bearer"}"#)
        )
        #expect(capture.flows.map(\.exchanges) == [[0, 1, 2]])
        #expect(capture.flows.map(\.ending) == [.success])
    }
}
