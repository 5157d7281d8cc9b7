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

    /// What the user is to type in, sent by the device, is of the same login.
    @Test func pollWithTheUsersCodeIsTheDevices() {
        var capture = CaptureBuilder()
        authorize(&capture)
        authorize(&capture, "QRST-VWXZ", "device-code-of-the-other")
        poll(&capture, 400, #"{"error":"invalid_grant"}"#, "WDJB-MJHT")
        #expect(capture.flows.map(\.exchanges) == [[0, 2], [1]])
    }

    /// Salesforce has a grant of its own, with the device's code as `code`, at the token endpoint alone.
    @Test func grantOfSalesforceIsADevices() throws {
        var capture = CaptureBuilder()
        let url = "https://login.salesforce.example/services/oauth2/token"
        let device = "device-code-of-the-first-one"
        capture.post(
            url,
            [("response_type", "device_code"), ("client_id", "tv"), ("scope", "api")],
            body: .json(
                """
                {"device_code":"\(device)","user_code":"E8X3QW4B","interval":5,\
                "verification_uri":"https://login.salesforce.example/setup/connect"}
                """
            )
        )
        let poll = [("grant_type", "device"), ("client_id", "tv"), ("code", device)]
        capture.post(url, poll, 400, body: .json(#"{"error":"authorization_pending"}"#))
        capture.post(url, poll, body: .json(tokens))
        let flow = try #require(capture.flows.first)
        #expect(capture.flows.count == 1 && flow.ending == .success)
        #expect(flow.tokenRequests.map(\.grantType) == [GrantType.deviceCode, GrantType.deviceCode])
        let code = try #require(flow.tokenRequests.first?.parameters.parameter("device_code"))
        #expect(code.value == device && code.place.name == "code")
    }

    /// Entra's endpoints, and Amazon's.
    @Test(arguments: [
        ("https://login.microsoftonline.com/common/oauth2", "/devicecode", "/token", "code"),
        ("https://login.microsoftonline.com/common/oauth2/v2.0", "/devicecode", "/token", "code"),
        ("https://api.amazon.com/auth/o2", "/create/codepair", "/token", "device_code"),
    ])
    func grantWithTheCodesNameIsADevices(base: String, begin: String, token: String, name: String) throws {
        var capture = CaptureBuilder()
        let device = "device-code-of-the-first-one"
        capture.post(
            base + begin,
            [("response_type", "device_code"), ("client_id", "tv"), ("scope", "profile")],
            body: .json(
                """
                {"device_code":"\(device)","user_code":"E8X3QW4B","interval":5,"expires_in":600,\
                "verification_uri":"https://tv.example/code"}
                """
            )
        )
        let poll = [("grant_type", "device_code"), ("client_id", "tv"), (name, device)]
        capture.post(base + token, poll, 400, body: .json(#"{"error":"authorization_pending"}"#))
        capture.post(base + token, poll, body: .json(tokens))
        let flow = try #require(capture.flows.first)
        #expect(capture.flows.count == 1 && flow.ending == .success)
        #expect(flow.tokenRequests.map(\.grantType) == [GrantType.deviceCode, GrantType.deviceCode])
    }

    /// What a client calls so at another provider stays what it sent.
    @Test func grantWithTheCodesNameIsNoneElsewhere() throws {
        var capture = CaptureBuilder()
        capture.post(
            "https://idp.example/token",
            [("grant_type", "device_code"), ("client_id", "tv"), ("device_code", "device-code-1")],
            400,
            body: .json(#"{"error":"unsupported_grant_type"}"#)
        )
        #expect(capture.flows.first?.tokenRequests.first?.grantType == "device_code")
    }

    /// A registration, a login on a device and a call as the AWS CLI makes them: in JSON and in camel case.
    private static func identityCenter(_ domain: String) -> CaptureBuilder {
        var capture = CaptureBuilder()
        let host = "https://oidc.eu-west-1." + domain
        func post(_ path: String, _ body: String, _ status: Int, _ answer: String) {
            capture.post(
                host + path,
                json: body,
                status,
                headers: [("User-Agent", "aws-cli/2.1.18")],
                body: .json(answer)
            )
        }
        post(
            "/client/register",
            #"{"clientName":"shop","clientType":"public","scopes":["sso:account:access"]}"#,
            200,
            #"{"clientId":"cli-1","clientSecret":"not-a-secret","clientSecretExpiresAt":1787776000}"#
        )
        post(
            "/device_authorization",
            #"{"clientId":"cli-1","clientSecret":"not-a-secret","startUrl":"https://shop.awsapps.example/start"}"#,
            200,
            """
            {"deviceCode":"device-code-of-the-first-one","userCode":"WDJB-MJHT","expiresIn":600,"interval":1,\
            "verificationUri":"https://device.sso.eu-west-1.amazonaws.com/"}
            """
        )
        let poll = """
            {"clientId":"cli-1","clientSecret":"not-a-secret","deviceCode":"device-code-of-the-first-one",\
            "grantType":"urn:ietf:params:oauth:grant-type:device_code"}
            """
        post("/token", poll, 400, #"{"error":"authorization_pending","error_description":null}"#)
        post(
            "/token",
            poll,
            200,
            #"{"accessToken":"access-of-the-device-01","tokenType":"Bearer","expiresIn":28800}"#
        )
        capture.get(
            "https://portal.sso.eu-west-1.\(domain)/federation/credentials?role_name=Dev&account_id=123456789012",
            headers: [("x-amz-sso_bearer_token", "access-of-the-device-01")],
            body: .json("{}")
        )
        return capture
    }

    /// AWS has it at the hosts of either domain.
    @Test(arguments: ["amazonaws.com", "api.aws"]) func deviceOfIdentityCenterIsOne(domain: String) throws {
        let capture = Self.identityCenter(domain)
        let flow = try #require(capture.flows.first)
        #expect(capture.flows.count == 1 && flow.ending == .success && flow.clientID == "cli-1")
        #expect(flow.tokenRequests.last?.accessToken == "access-of-the-device-01")
        #expect(flow.tokenRequests.first?.parameters.parameter("device_code")?.place.name == "deviceCode")
        #expect(flow.steps.first?.kind == .clientRegistration)
        #expect(flow.steps.last?.kind == .resourceRequest)
        #expect(flow.registrations.first?.answer.parameters["client_id"] == "cli-1")
    }

    /// Behind 308 the form is sent once more, to where it is taken.
    @Test func requestThatARedirectLedToItsEndpointIsNoFailure() {
        var capture = CaptureBuilder()
        capture.post(
            "https://www.idp.example/device_authorization",
            [("client_id", "tv"), ("scope", "openid")],
            308,
            answer: [("Location", "https://idp.example/device_authorization")]
        )
        authorize(&capture)
        poll(&capture, 200, tokens)
        let flows = capture.flows
        #expect(flows.map(\.ending) == [.success] && flows.first?.exchanges.count == 3)
        // Who knows the address by then begins anew.
        authorize(&capture, "BCDF-GHJK", "device-code-of-the-second-one")
        #expect(capture.flows.map(\.exchanges.count) == [3, 1])
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

    /// WSO2 has its user sign in by a request of its own, which it makes in the device's name.
    @Test func requestOfTheProvidersPageIsNoLogin() throws {
        var capture = CaptureBuilder()
        authorize(&capture)
        let sign = "https://idp.example/oauth2/authorize?"
        let request = [
            ("response_type", "device"), ("client_id", "tv"), ("state", "WDJB-MJHT"), ("scope", "openid"),
            ("redirect_uri", "https://idp.example/authenticationendpoint/device_success.do"),
        ]
        capture.post(
            "https://idp.example/device",
            [("user_code", "WDJB-MJHT")],
            302,
            headers: Self.browser,
            answer: [("Location", sign + FormBody.encode(request))]
        )
        capture.redirect(sign + FormBody.encode(request), to: "/login.do?key=11", headers: Self.browser)
        capture.get("https://idp.example/login.do?key=11", headers: Self.browser, body: .html("Sign in"))
        poll(&capture, 400, #"{"error":"authorization_pending"}"#)
        poll(&capture, 200, tokens)
        let flow = try #require(capture.flows.first)
        #expect(capture.flows.count == 1 && flow.ending == .success)
        #expect(flow.exchanges == [0, 1, 2, 3, 4, 5] && flow.authorizationRequests.isEmpty)
    }

    /// Which of two devices polls nobody knows, and no code lasts for longer than half an hour.
    @Test(
        arguments: [(1, 0, [[0, 1, 2]]), (1, 1900, [[0], [1, 2]]), (2, 0, [[0], [1], [2, 3]])]
            as [(Int, Int64, [[Int]])]
    )
    func pollsGoWithTheRequestWhoseAnswerWasNotSaved(count: Int, seconds: Int64, expected: [[Int]]) {
        var capture = CaptureBuilder()
        for _ in 0..<count {
            capture.post(
                "https://idp.example/device_authorization",
                [("client_id", "tv"), ("scope", "openid")],
                body: Body(content: .missing)
            )
        }
        capture.wait(seconds)
        poll(&capture, 400, #"{"error":"authorization_pending"}"#)
        poll(&capture, 200, tokens)
        #expect(capture.flows.map(\.exchanges) == expected)
    }
}
