import Captures
import Flows
import OAuth
import TestSupport
import Testing

/// A device without a browser, and what its user does in one (RFC 8628).
struct DeviceFlowTests {
    private static let browser = [("User-Agent", "Mozilla/5.0")]

    private func authorize(
        _ capture: inout CaptureBuilder,
        _ userCode: String = "WDJB-MJHT",
        _ deviceCode: String = "device-code-of-the-first-one"
    ) {
        capture.post(
            "https://idp.example/device_authorization",
            [("client_id", "tv"), ("scope", "openid")],
            body: .json(
                """
                {"device_code":"\(deviceCode)","user_code":"\(userCode)","expires_in":600,\
                "verification_uri":"https://idp.example/device","interval":1}
                """
            )
        )
    }

    private func poll(
        _ capture: inout CaptureBuilder,
        _ status: Int,
        _ answer: String,
        _ deviceCode: String = "device-code-of-the-first-one"
    ) {
        capture.post(
            "https://idp.example/token",
            [
                ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
                ("client_id", "tv"), ("device_code", deviceCode),
            ],
            status,
            body: .json(answer)
        )
    }

    private let tokens = #"{"access_token":"access-of-the-device-01","token_type":"Bearer"}"#

    /// The page for the code, the sign-in, and the code.
    private func confirm(_ capture: inout CaptureBuilder, _ userCode: String = "WDJB-MJHT") {
        capture.redirect("https://idp.example/device", to: "/login?next=/device", headers: Self.browser)
        capture.get("https://idp.example/login?next=/device", headers: Self.browser, body: .html("Sign in"))
        capture.post(
            "https://idp.example/login",
            [("user", "alice"), ("password", "wonderland")],
            302,
            headers: Self.browser,
            answer: [("Location", "/device")]
        )
        capture.get("https://idp.example/device", headers: Self.browser, body: .html("Enter the code"))
        capture.post(
            "https://idp.example/device",
            [("user_code", userCode)],
            headers: Self.browser,
            body: .html("Done")
        )
    }

    /// By what it is answered, at whatever path, and by GET as well (Microsoft's of old).
    @Test(
        arguments: [
            ("POST", "/device", nil),
            ("GET", "/devices", "response_type=code&redirect_uri=http%3A%2F%2Flocalhost"),
        ] as [(String, String, String?)]
    )
    func deviceAuthorizationIsKnownByItsAnswer(method: String, path: String, query: String?) throws {
        var capture = CaptureBuilder()
        let answer = """
            {"device_code":"device-code-of-the-first-one","user_code":"WDJB-MJHT","expires_in":600,\
            "verification_uri":"https://idp.example/activate"}
            """
        let url = "https://idp.example\(path)"
        if method == "GET" {
            capture.get("\(url)?client_id=tv&scope=openid&\(query ?? "")", body: .json(answer))
        } else {
            capture.post(url, [("client_id", "tv"), ("scope", "openid")], body: .json(answer))
        }
        poll(&capture, 200, tokens)
        let flows = capture.flows
        #expect(flows.map(\.ending) == [.success])
        #expect(flows.first?.steps.map(\.kind) == [.deviceAuthorizationRequest, .tokenRequest])
        #expect(
            flows.first?.links.contains { $0.name == "device_code" && $0.origin.place.exchange == 0 } == true
        )
    }

    @Test(arguments: [
        ("/device", #"{"error":"invalid_client"}"#, 1), ("/device", "{}", 0),
        ("/login", #"{"error":"no"}"#, 0), ("/v1/devices", #"{"error":"forbidden"}"#, 0),
    ])
    func refusedDeviceAuthorizationIsKnownByItsErrorAndPath(path: String, answer: String, count: Int) {
        var capture = CaptureBuilder()
        capture.post("https://idp.example\(path)", [("client_id", "tv")], 401, body: .json(answer))
        #expect(capture.flows.count == count)
    }

    @Test func pagesWhereTheCodeIsConfirmedAreOfTheFlow() throws {
        var capture = CaptureBuilder()
        authorize(&capture)
        confirm(&capture)
        poll(&capture, 200, tokens)
        // Afterwards the user goes elsewhere at the provider.
        capture.get("https://idp.example/account", headers: Self.browser, body: .html("Hello"))
        let flow = try #require(capture.flows.first)
        #expect(capture.flows.count == 1 && flow.ending == .success)
        #expect(flow.exchanges == [0, 1, 2, 3, 4, 5, 6])
        #expect(
            flow.steps.map(\.kind).dropFirst().dropLast() == [
                .userInteraction, .userInteraction, .userInteraction, .userInteraction, .userInteraction,
            ]
        )
        let link = try #require(flow.links.first { $0.name == "user_code" })
        #expect(link.origin.place.exchange == 0 && link.uses.map(\.place.exchange) == [5])
    }

    @Test func codeTellsWhichOfTwoDevicesIsMeant() {
        var capture = CaptureBuilder()
        authorize(&capture)
        authorize(&capture, "XQPZ-KLMN", "device-code-of-the-second-one")
        capture.get(
            "https://idp.example/device?user_code=WDJB-MJHT",
            headers: Self.browser,
            body: .html("Is this your device?")
        )
        poll(&capture, 200, tokens)
        capture.get(
            "https://idp.example/device/confirm/XQPZ-KLMN",
            headers: Self.browser,
            body: .html("Is this your device?")
        )
        #expect(capture.flows.map(\.exchanges) == [[0, 2, 3], [1, 4]])
    }

    @Test func pagesOfAProviderAreOfNoFlowBeforeTheCodeIsAskedFor() {
        var capture = CaptureBuilder()
        authorize(&capture)
        capture.get("https://idp.example/account", headers: Self.browser, body: .html("Hello"))
        poll(&capture, 400, #"{"error":"authorization_pending"}"#)
        #expect(capture.flows.map(\.exchanges) == [[0, 2]])
        #expect(capture.flows.map(\.ending) == [.incomplete])
    }

    @Test(arguments: [
        (400, #"{"error":"invalid_request"}"#), (500, "<h1>Server Error</h1>"),
        (200, #"{"error":"device_flow_disabled"}"#),
    ])
    func deviceThatIsGivenNoCodeIsAFailure(status: Int, answer: String) {
        var capture = CaptureBuilder()
        capture.post(
            "https://idp.example/device_authorization",
            [("client_id", "tv"), ("scope", "openid")],
            status,
            body: .json(answer)
        )
        #expect(capture.flows.map(\.ending) == [.failure])
    }
}
