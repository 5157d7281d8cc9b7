import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import TestSupport
import Testing

struct AuthzMissingParameterTests {
    private let rule = "authz-missing-parameter"
    private let broken = "authorization-request/authz-missing-parameter"

    @Test func namesWhatIsMissingAndTheAnswer() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.variant == "response_type")
        #expect(finding.places == ["1 request.query response_type", "1 response.body "])
        #expect(finding.evidence[0].value == "missing")
        #expect(finding.notes.first?.hasPrefix("sent: client_id, redirect_uri, scope") == true)
        #expect(finding.evidence[1].value.hasSuffix("Missing parameter: response_type"))
    }

    /// A page with 200 that is nothing but the words; one with something to fill in is none of errors.
    @Test(
        arguments: [
            ("<p>Missing parameter: response_type</p>", true), ("Error: Missing response_type", true),
            ("<p>Missing parameter: response_type</p><form><input name=\"user\"></form>", false),
            ("<p>Welcome back</p>", false),
            ("<div id=\"app\"></div><template>Missing parameter: {name}</template>", false),
        ]
    )
    func knowsAPageOfFewWords(body: String, fires: Bool) throws {
        let recording = try Recording(broken)
            .saying("<html><body>\(body)</body></html>", status: 200)
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect(recording.outcomes == [fires ? .failure : .incomplete])
    }

    @Test func countsWhatWasPushed() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    /// Whoever opens a URL that was escaped for a page.
    @Test func namesSeparatorsThatWereEscaped() throws {
        let recording = try Recording("healthy/web-code-flow").editing { exchange in
            guard exchange.request.url.path == "/authorize" else { return }
            let parts = exchange.request.url.text.split(separator: "&").map(String.init)
            exchange.request.url = RecordedURL(parts.joined(separator: "&amp;"))
        }.saying("invalid_client: unknown client")
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.title.contains("&amp;"))
        #expect(finding.evidence[1].place.name == "amp;" + (finding.variant ?? ""))
        #expect(recording.findings.filter(\.isPrimary).count == 1)
    }

    /// Slack and others ask for no response_type.
    @Test(arguments: [
        ("slack.com", false), ("shop.myshopify.com", false), ("m.facebook.com", false),
        ("id.harbour.example", true),
    ])
    func missesNoTypeWhereNoneIsAsked(host: String, fires: Bool) throws {
        let recording = try Recording(broken).saying("invalid_request: scope", status: 400).editing {
            exchange in
            let move = { (url: String) in
                url.replacing("https://id.harbour.example/authorize", with: "https://\(host)/authorize")
            }
            exchange.request.url = RecordedURL(move(exchange.request.url.text))
            if let location = exchange.response?.location { exchange.response?.redirect(to: move(location)) }
        }
        #expect((recording.finding(rule) != nil) == fires)
    }

    /// TikTok's name for a client is another one.
    @Test func knowsTheClientUnderAnotherName() throws {
        let recording = try Recording(broken).asking("response_type", "code")
            .saying("invalid_request: something is wrong", status: 400).editing { exchange in
                let move = { (url: String) in
                    url.replacing(
                        "https://id.harbour.example/authorize",
                        with: "https://www.tiktok.com/v2/auth/authorize/"
                    )
                    .replacing("client_id=", with: "client_key=")
                }
                exchange.request.url = RecordedURL(move(exchange.request.url.text))
                if let location = exchange.response?.location {
                    exchange.response?.redirect(to: move(location))
                }
            }
        #expect(recording.flows.count == 1)
        #expect(recording.finding(rule) == nil)
    }

    /// What some providers want beside it, by their own words.
    @Test(
        arguments: [
            ("aud", "The required parameter aud is missing", true),
            ("acr_values", "acr_values: no acceptable value", true),
            ("organization", "parameter organization is required for this client", true),
            ("organization", "The approval of your organization is required", false),
            ("launch", "launch parameter is required when launch scope is requested", true),
            ("launch", "Missing scope launch/patient", false),
            ("launch", "Required scope 'launch' is missing", false),
            ("aud", "An audience was not found", false),
            ("claims", "Missing parameter: claims_locales", false),
        ]
    )
    func knowsWhatOneProviderWantsMore(name: String, words: String, fires: Bool) throws {
        let recording = try Recording("authorization-response/authorization-error").asking(name, nil)
            .redirecting(with: [("error", "invalid_request"), ("error_description", words)])
        let finding = recording.finding(rule)
        #expect((finding?.variant == name) == fires)
        #expect((recording.finding("authorization-error") == nil) == fires)
        guard fires else { return }
        #expect(finding?.isPrimary == true && finding?.title.contains("this provider wants") == true)
        // One that was sent is not missed.
        #expect(recording.asking(name, "a-value-of-it").finding(rule) == nil)
    }

    /// A login that another party had begun: the hint is looked for in what it gave to the app, at the provider's host, too, where
    /// the port is another.
    @Test(arguments: [
        ("lti_message_hint", "lti_message_hint", "www.shop.example", true),
        ("login_hint", "login_hint", "www.shop.example", true),
        ("login_hint", "login_hint", "id.harbour.example:8443", true),
        ("login_hint", "login_hint", "id.harbour.example:443", false),
        ("lti_message_hint", "client_id", "www.shop.example", false),
        ("acr_values", "acr_values", "www.shop.example", false),
    ])
    func knowsAHintThatTheAppDropped(missed: String, given: String, at app: String, isDropped: Bool) throws {
        let recording = try Recording("authorization-response/authorization-error").asking(missed, nil)
            .redirecting(with: [("error", "invalid_request"), ("error_description", "Missing \(missed)")])
        var exchanges = recording.flows[0].capture.indices.map { recording.flows[0].capture[$0] }
        var start = exchanges[0]
        start.startedAt = start.startedAt - .seconds(1)
        start.request.url = RecordedURL(
            "https://\(app)/initiate?iss=https%3A%2F%2Fid.harbour.example&target_link_uri="
                + "https%3A%2F%2Fwww.shop.example%2F&\(given)=given-4711"
        )
        start.response = RecordedResponse(status: 200)
        exchanges.insert(start, at: 0)
        let finding = try #require(Recording(exchanges).finding(rule))
        #expect(finding.variant == missed && finding.isPrimary)
        #expect((finding.places.first == "0 request.query \(given)") == isDropped)
        #expect(finding.title.contains("begun with") == isDropped)
    }

    /// A name in quotation marks is the parameter's where the scope was asked for, and is not what is spoken of.
    @Test(arguments: [
        ("openid launch", "'launch' is required", true), ("openid", "'launch' is required", false),
        ("openid launch", "The scope 'launch' must be registered for this client", false),
    ])
    func tellsTheParameterFromTheScopeOfItsName(scope: String, words: String, fires: Bool) throws {
        let recording = try Recording("authorization-response/authorization-error").asking("scope", scope)
            .redirecting(with: [("error", "invalid_request"), ("error_description", words)])
        #expect((recording.finding(rule)?.variant == "launch") == fires)
    }

    @Test func takesAnEmptyParameterForNone() throws {
        #expect(try Recording(broken).asking("response_type", "").finding(rule) != nil)
    }

    @Test(arguments: ["client_id", "redirect_uri"]) func knowsTheOthers(name: String) throws {
        let recording = try Recording(broken).asking("response_type", "code").asking(name, nil)
        #expect(recording.finding(rule)?.variant == name)
    }

    @Test func leavesAnOAuthRequestWithoutRedirectURIAlone() throws {
        let recording = try Recording(broken).asking("response_type", "code").asking("redirect_uri", nil)
            .asking("scope", "orders")
        #expect(recording.finding(rule) == nil)
    }

    @Test func saysNothingWhereTheProviderWentOn() throws {
        #expect(try Recording(broken).saying("Sign in", status: 200).finding(rule) == nil)
    }

    @Test func saysNothingOfARefusalThatNamesAnotherFault() throws {
        let recording = try Recording(broken).redirecting(
            to: "https://www.shop.example/callback?error=invalid_scope"
        )
        #expect(recording.finding(rule) == nil)
    }

    @Test(
        "Shopify and MyInfo ask for no type, and say what they mind.",
        arguments: [
            "Oauth error invalid_request: The redirect_uri is not whitelisted", "Client Id not found",
        ]
    )
    func saysNothingOfAPageThatNamesAnotherFault(words: String) throws {
        let recording = try Recording(broken).saying(words)
        #expect(recording.finding(rule) == nil)
        #expect(recording.findings.filter(\.isPrimary).count == 1)
        #expect(try Recording(broken).saying(words + ", response_type is missing").finding(rule) != nil)
    }

    @Test func leavesMyInfoWhichAsksForNoTypeAlone() throws {
        let words = "You are not logged in, or your previous session has expired."
        #expect(try Recording(broken).saying(words).finding(rule) != nil)
        let recording = try Recording(broken).saying(words).editing { exchange in
            let text = exchange.request.url.text
            exchange.request.url = RecordedURL(
                text.replacing("id.harbour.example/authorize", with: "api.myinfo.gov.sg/com/v4/authorize")
            )
        }
        #expect(recording.flows.contains { $0.provider == .myinfo })
        #expect(recording.finding(rule) == nil)
    }

    @Test func readsTheProvidersErrorPageByItsURL() throws {
        let recording = try Recording(broken).redirecting(
            to: "https://id.harbour.example/oops?oauthErrorCode=invalid_request&oauthErrorMsg=response_type"
        )
        #expect(recording.finding(rule)?.evidence.last?.place.part == .responseLocation)
    }

    @Test func abstainsWhereTheRequestStandsElsewhere() throws {
        let recording = try Recording(broken).asking("request_uri", "https://www.shop.example/request.jwt")
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    /// An address that was not sent is none that the provider does not know.
    @Test func speaksForTheAddressThatIsMissing() throws {
        let recording = try Recording(broken).asking("response_type", "code").asking("redirect_uri", nil)
            .saying("Invalid parameter: redirect_uri", status: 400)
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.finding("redirect-uri-not-registered") == nil)
    }

    /// Others have a default for it; Google says that it has none.
    @Test(
        arguments: [
            ("Missing required parameter: scope", nil, true),
            ("Missing required parameter: scope", "openid", false),
            ("Missing required parameter: nonce", nil, false),
        ] as [(String, String?, Bool)]
    )
    func believesTheProviderOfTheScope(words: String, scope: String?, fires: Bool) throws {
        let recording = try Recording(broken).asking("response_type", "code").asking("scope", scope)
            .saying(words)
        #expect((recording.finding(rule)?.variant == "scope") == fires)
        #expect((recording.finding(rule) != nil) == fires)
    }

    /// What a rule of its own does not tell of Singpass's wishes is told as any provider's.
    @Test func tellsWhatElseSingpassWants() throws {
        var capture = CaptureBuilder()
        capture.post(
            "https://stg-id.singpass.gov.sg/fapi/par",
            [
                ("client_id", "T5sM5a53Yaw3URyDEv2y"), ("response_type", "code"), ("scope", "openid"),
                ("redirect_uri", "https://www.shop.example/callback"), ("state", "af0ifjsldkj-01"),
                ("nonce", "n-0S6_WzA2Mj-01"), ("code_challenge_method", "S256"),
                ("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
            ],
            400,
            body: .json(
                #"{"error":"invalid_request","error_description":"authentication_context_type is required"}"#
            )
        )
        let recording = Recording(capture.exchanges)
        let finding = try #require(recording.finding("authz-missing-parameter"))
        #expect(finding.isPrimary)
        #expect(finding.variant == "authentication_context_type")
        #expect(recording.finding("par-rejected")?.effectOf == "authz-missing-parameter")
    }

    @Test func saysNothingOfAPushedRequestThatWasSavedWithoutItsBody() throws {
        var capture = CaptureBuilder()
        capture.get(
            "https://id.harbour.example/.well-known/openid-configuration",
            200,
            body: .json(
                """
                {"issuer":"https://id.harbour.example","authorization_endpoint":"https://id.harbour.example/authorize",\
                "token_endpoint":"https://id.harbour.example/token",\
                "pushed_authorization_request_endpoint":"https://id.harbour.example/par"}
                """
            )
        )
        capture.post(
            "https://id.harbour.example/par",
            [("client_id", "shop-web"), ("response_type", "code"), ("max_age", "-1")],
            400,
            body: .json(#"{"error":"invalid_request","error_description":"max_age has to be positive"}"#)
        )
        let recording = Recording(capture.exchanges).editing { $0.request.body = nil }
        #expect(recording.finding("authz-missing-parameter") == nil)
        #expect(recording.abstention("authz-missing-parameter")?.contains("without its body") == true)
        #expect(recording.finding("par-rejected")?.isPrimary == true)
    }
}
