import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import TestSupport
import Testing

/// Sign-ins that an app makes itself at the API of WSO2 or Curity.
struct NativeSignInTests {
    private let title = "The provider's API refused the sign-in that the app makes itself"

    private func call(
        _ capture: inout CaptureBuilder,
        _ method: String,
        _ url: String,
        _ status: Int,
        _ answer: String,
        mediaType: String = "application/json",
        headers: [(String, String)] = [],
        sent: String = "{}"
    ) {
        capture.add(
            Exchange(
                startedAt: Timestamp(seconds: 0),
                duration: .milliseconds(20),
                request: RecordedRequest(
                    method: method,
                    url: RecordedURL(url),
                    headers: HeaderFields([("User-Agent", "okhttp/4.12.0")] + headers),
                    body: method == "POST" ? .json(sent) : nil
                ),
                response: RecordedResponse(status: status, body: Body(text: answer, mediaType: mediaType))
            )
        )
    }

    private func begun(_ status: Int, _ answer: String, path: String = "/oauth2/authorize") -> CaptureBuilder
    {
        var capture = CaptureBuilder()
        capture.post(
            "https://is.corp.example" + path,
            [
                ("client_id", "shop-app"), ("response_type", "code"), ("scope", "openid"),
                ("redirect_uri", "com.shop.app://cb"), ("state", "af0ifjsldkj"), ("response_mode", "direct"),
            ],
            status,
            headers: [("User-Agent", "okhttp/4.12.0")],
            body: .json(answer)
        )
        return capture
    }

    private static let asks = #"{"flowId":"a1","flowStatus":"INCOMPLETE","nextStep":{"authenticators":[]}}"#

    @Test(arguments: [
        (400, #"{"code":"ABA-60002","message":"Authentication failure.","description":"Concluded."}"#, true),
        (400, #"{"code":"ABA-60008","message":"Authentication flow time out."}"#, true),
        (200, #"{"flowId":"a1","flowStatus":"FAIL_INCOMPLETE","nextStep":{"authenticators":[]}}"#, false),
        (400, #"{"code":"60002","message":"Authentication failure."}"#, false),
    ])
    func tellsHowWSO2EndedIt(status: Int, answer: String, fires: Bool) {
        var capture = begun(200, Self.asks)
        call(&capture, "POST", "https://is.corp.example/oauth2/authn", status, answer)
        let recording = Recording(capture.exchanges)
        #expect((recording.finding("authorization-error")?.title == title) == fires)
        #expect(recording.outcomes == [fires ? .failure : .incomplete])
        #expect(recording.flows.map(\.provider) == [.wso2])
    }

    /// Codes of which it is known what is set where.
    @Test(arguments: [("ABA-60007", "app-native authentication"), ("ABA-60002", "Go by the")])
    func saysWhatIsSetWhere(code: String, fix: String) throws {
        let answer = #"{"code":"\#(code)","message":"Authentication failure."}"#
        let finding = try #require(
            Recording(begun(400, answer).exchanges).finding("authorization-error")
        )
        #expect(finding.title == title && finding.fix.contains(fix))
        #expect(finding.evidence.last?.value == "\(code): Authentication failure.")
    }

    /// The answer to the authorization request, in the body of one that went well.
    @Test(arguments: [
        (#""error":"authentication.api.based.unsupported.authenticator","error_description":"x""#, true),
        (#""error":"unsupported.step""#, true),
        (#""error":"access_denied","error_description":"User denied the consent""#, false),
        (#""code":"021AbcDefGhi","state":"af0ifjsldkj""#, false),
    ])
    func tellsTheErrorThatWSO2AnswersWith(answer: String, fires: Bool) {
        let data = #"{"flowStatus":"SUCCESS_COMPLETED","authData":{\#(answer)}}"#
        for isFirst in [true, false] {
            var capture = begun(200, isFirst ? data : Self.asks)
            if !isFirst { call(&capture, "POST", "https://is.corp.example/oauth2/authn", 200, data) }
            let recording = Recording(capture.exchanges)
            #expect((recording.finding("authorization-error")?.title == title) == fires)
            #expect(recording.outcomes.contains(.failure) == fires)
            #expect(recording.outcomes.contains(.cancelled) == answer.contains("access_denied"))
        }
    }

    /// What no browser answers by itself is a refusal, and so is a request for a nonce that nobody answered.
    @Test(arguments: [
        ("DPoP algs=\"ES256\"", true), ("Bearer", true), ("Negotiate", false), ("Basic realm=\"x\"", false),
        ("DPoP error=\"use_dpop_nonce\"", true), ("Bearer realm=\"x\", Negotiate", false),
        ("Bearer realm=\"x\", DPoP algs=\"ES256\"", true), ("Bearer realm=\"x\",\tNegotiate\r", false),
    ])
    func tellsAChallengeFromARefusal(challenge: String, fires: Bool) {
        let problem = #"{"type":"https://curity.se/problems/authentication-required","title":"No token"}"#
        let recording = Recording(begun(401, problem, path: "/oauth/v2/oauth-authorize").exchanges).editing {
            $0.response?.headers.append("WWW-Authenticate", challenge)
        }
        #expect((recording.finding("authorization-error") != nil) == fires)
        #expect(recording.outcomes == [fires ? .failure : .incomplete])
    }

    private static let password =
        #"{"flowId":"a1","selectedAuthenticator":{"params":{"password":"hunter2"}}}"#

    /// A wrong password that may be typed once more, as in a form: the user was not let in, and went.
    @Test(arguments: [
        ("/oauth2/authorize", "/oauth2/authn"), ("/oauth2/authorize/", "/oauth2/authn"),
        ("/t/corp.example/oauth2/authorize", "/t/corp.example/oauth2/authn"),
    ])
    func leftAfterAWrongPasswordAtWSO2(path: String, steps: String) throws {
        var capture = begun(200, Self.asks, path: path)
        call(
            &capture,
            "POST",
            "https://is.corp.example" + steps,
            200,
            #"{"flowId":"a1","flowStatus":"FAIL_INCOMPLETE","nextStep":{"messages":[{"type":"ERROR","message":"Login failed."}]}}"#,
            sent: Self.password
        )
        let recording = Recording(capture.exchanges)
        let finding = try #require(recording.finding("login-abandoned"))
        #expect(finding.isPrimary && finding.severity == .note)
        #expect(finding.title == "The provider did not let the user in, and the login ended there")
        #expect(
            finding.places == ["1 request.url ", "1 response.body message", "- request.body credentials"]
        )
        #expect(finding.evidence.map(\.value).suffix(2) == ["Login failed.", "posted once"])
        #expect(recording.outcomes == [.incomplete])
        #expect(recording.flows.map(\.provider) == [.wso2])
    }

    @Test func leftAtAStepThatNobodyAnswered() throws {
        let recording = Recording(begun(200, Self.asks).exchanges)
        let finding = try #require(recording.finding("login-abandoned"))
        #expect(finding.title == "The sign-in that the app makes itself was begun and never completed")
        #expect(finding.places == ["0 request.url ", "- request.body credentials"])
        #expect(finding.evidence.last?.value == "never posted")
    }

    /// The second try went well.
    @Test func saysNothingOfASignInThatWentOn() {
        var capture = begun(200, Self.asks)
        let address = "https://is.corp.example/oauth2/authn"
        call(
            &capture,
            "POST",
            address,
            200,
            #"{"flowId":"a1","flowStatus":"FAIL_INCOMPLETE"}"#,
            sent: Self.password
        )
        call(
            &capture,
            "POST",
            address,
            200,
            #"{"flowStatus":"SUCCESS_COMPLETED","authData":{"code":"021AbcDefGhi"}}"#,
            sent: Self.password
        )
        #expect(Recording(capture.exchanges).finding("login-abandoned") == nil)
        capture.post(
            "https://is.corp.example/oauth2/token",
            [
                ("grant_type", "authorization_code"), ("code", "021AbcDefGhi"), ("client_id", "shop-app"),
                ("redirect_uri", "com.shop.app://cb"),
            ],
            body: .json(#"{"access_token":"not-a-token","token_type":"Bearer","expires_in":299}"#)
        )
        let recording = Recording(capture.exchanges)
        #expect(recording.finding("login-abandoned") == nil)
        #expect(recording.outcomes == [.success])
    }

    @Test func knowsAnAppThatWSO2DoesNotKnow() {
        let answer =
            #"{"code":"ABA-60005","message":"No.","description":"Unable to find application for clientId shop-app in tenant domain corp."}"#
        let recording = Recording(begun(400, answer).exchanges)
        #expect(recording.finding("client-id-unknown")?.isPrimary == true)
        #expect(recording.finding("authorization-error") == nil)
    }

    /// The token that proves the app opens nothing: its calls are steps of the login.
    @Test(
        arguments: [
            (
                "too-many-attempts", #""title":"Too many attempts""#, "too-many-attempts: Too many attempts",
                nil
            ),
            (
                "error-authorization-response",
                #""properties":{"error":"invalid_scope","error_description":"No such scope"}"#,
                "invalid_scope: No such scope", nil
            ),
            (
                "error-authorization-response",
                #""properties":{"error":"access_denied","error_description":"The user denied the consent"}"#,
                nil, nil
            ),
            (
                "error-authorization-response",
                #""properties":{"error":"access_denied","error_description":"The account is blocked"}"#,
                "access_denied: The account is blocked", nil
            ),
            (
                "incorrect-credentials", #""title":"Incorrect credentials""#, nil,
                "incorrect-credentials: Incorrect credentials"
            ), ("invalid-input", #""title":"Invalid input""#, nil, "invalid-input: Invalid input"),
        ] as [(String, String, String?, String?)]
    )
    func tellsHowCurityEndedIt(problem: String, members: String, told: String?, again: String?) {
        let haapi = [
            ("Accept", "*/*"), ("Accept", "application/vnd.auth+json"),
            ("Authorization", "Bearer not-a-haapi-token"),
        ]
        var capture = CaptureBuilder()
        capture.post(
            Self.haapiHost + "/oauth/v2/oauth-token",
            [("grant_type", "client_credentials"), ("client_id", "shop-app")],
            body: .json(#"{"access_token":"not-a-haapi-token","token_type":"Bearer","expires_in":299}"#)
        )
        answerForm(&capture, problem, members, headers: haapi)
        let recording = Recording(capture.exchanges)
        #expect(recording.flows.map(\.exchanges) == [[0], [1, 2]])
        let finding = recording.finding("authorization-error")
        #expect(finding?.evidence.first?.value == told)
        if told != nil { #expect(finding?.title == title) }
        let left = recording.finding("login-abandoned")
        #expect(left?.evidence.dropFirst().first?.value == again)
        #expect(left == nil || left?.isPrimary == true)
        let isCancelled = members.contains("access_denied") && told == nil
        #expect((recording.finding("user-cancelled")?.isPrimary == true) == isCancelled)
        #expect(
            recording.outcomes == [
                .success, told != nil ? .failure : isCancelled ? .cancelled : .incomplete,
            ]
        )
    }

    private static let haapiHost = "https://idsvr.corp.example"
    private static let haapiRequest =
        haapiHost
        + "/oauth/v2/oauth-authorize?client_id=shop-app&response_type=code&redirect_uri=com.shop.app%3A%2Fcb&scope=openid&state=af0ifjsldkj"

    /// Curity's first step by HAAPI, and what it answers to its form.
    private func answerForm(
        _ capture: inout CaptureBuilder,
        _ problem: String,
        _ members: String,
        headers: [(String, String)]
    ) {
        call(
            &capture,
            "GET",
            Self.haapiRequest,
            200,
            #"{"type":"redirection-step","actions":[]}"#,
            mediaType: "application/vnd.auth+json",
            headers: headers
        )
        call(
            &capture,
            "POST",
            Self.haapiHost + "/authn/authentication/html-form",
            400,
            #"{"type":"https://curity.se/problems/\#(problem)",\#(members)}"#,
            mediaType: "application/problem+json",
            headers: headers
        )
    }

    /// A first answer that asks for a nonce in the proof is no end: what counts is said to the request that was sent again.
    @Test(arguments: [
        ("too-many-attempts", #""title":"Too many attempts""#, "authorization-error", Outcome.failure),
        ("incorrect-credentials", #""title":"Incorrect credentials""#, "login-abandoned", .incomplete),
        (
            "error-authorization-response",
            #""properties":{"error":"access_denied","error_description":"The user denied the consent"}"#,
            "user-cancelled", .cancelled
        ),
    ])
    func goesByTheRequestThatWasSentAgain(
        problem: String,
        members: String,
        rule: String,
        outcome: Outcome
    ) {
        let haapi = [
            ("Accept", "application/vnd.auth+json"), ("Authorization", "DPoP not-a-haapi-token"),
        ]
        let problems = "https://curity.se/problems/"
        for asked in [
            #"{"type":"\#(problems)authentication-required","title":"No nonce"}"#,
            #"{"error":"use_dpop_nonce"}"#,
        ] {
            var capture = CaptureBuilder()
            call(&capture, "GET", Self.haapiRequest, 401, asked, headers: haapi)
            answerForm(&capture, problem, members, headers: haapi)
            let recording = Recording(capture.exchanges).editing {
                guard $0.response?.status == 401 else { return }
                $0.response?.headers.append("WWW-Authenticate", "DPoP error=\"use_dpop_nonce\"")
                $0.response?.headers.append("DPoP-Nonce", "nonce-of-the-provider")
            }
            #expect(recording.finding(rule)?.isPrimary == true)
            #expect(recording.outcomes == [outcome])
            let errors = recording.findings.filter { $0.severity == .error }
            #expect(errors.map(\.rule) == (outcome == .failure ? [rule] : []))
        }
    }
}
