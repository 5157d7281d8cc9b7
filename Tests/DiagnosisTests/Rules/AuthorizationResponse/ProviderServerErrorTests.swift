import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct ProviderServerErrorTests {
    private let rule = "provider-server-error"
    private let broken = "authorization-response/provider-server-error"

    @Test func showsStatusWordsAndCorrelation() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == ["4 response.status ", "4 response.body ", "4 response.header x-request-id"]
        )
        #expect(finding.evidence[1].value == "503 Service Unavailable")
        #expect(finding.evidence[2].value == "7f9c0b52")
        #expect(recording.outcomes == [.failure])
    }

    @Test func explainsTheTokenEndpointsAnswer() throws {
        let recording = try Recording("token-request/token-endpoint-error").editing { exchange in
            guard exchange.request.url.path == "/token" else { return }
            exchange.response = RecordedResponse(
                status: 500,
                body: Body(text: "Sorry", mediaType: "text/plain")
            )
        }
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.finding("token-endpoint-error")?.effectOf == rule)
    }

    /// The same request, made once more, got the sign-in page: what is left of it is a login that nobody finished.
    @Test func aRequestThatWasServedAtTheNextTryIsNoFailure() throws {
        var recording = try Recording("authorization-response/login-abandoned")
        var first = recording.exchanges[1]
        first.startedAt = first.startedAt + .milliseconds(-10)
        first.response = RecordedResponse(status: 503, body: .html("<h1>Service Unavailable</h1>"))
        recording.exchanges.insert(first, at: 1)
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("login-abandoned")?.isPrimary == true)
        #expect(recording.outcomes == [.incomplete])
    }

    /// A device that polls was answered later, and what ended its wait is in that answer.
    @Test(arguments: [(400, false), (503, true)])
    func pollThatFailedIsForgottenWhereTheNextIsAnswered(last: Int, fires: Bool) throws {
        var recording = try Recording("logout-and-device/device-code-expired")
        recording.exchanges[1].response = RecordedResponse(status: 503)
        if last == 503 { recording.exchanges[2].response = RecordedResponse(status: 503) }
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect((recording.finding("device-code-expired")?.isPrimary == true) == !fires)
        // Its user has not decided yet.
        let waiting = recording.answering("/token", last, ["error": "authorization_pending"])
        #expect(waiting.outcomes == [fires ? .failure : .incomplete])
    }

    @Test(arguments: [(500, true), (503, true), (400, false)])
    func tellsALogoutThatBrokeDown(status: Int, fires: Bool) throws {
        let path = "logout-and-device/logout-redirect-not-registered"
        let recording = try Recording(path).without { $0.request.url.path == "/register" }
            .answering("/end-session", status)
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect(recording.outcomes == [.failure])
        #expect(recording.findings.contains { $0.severity == .error })
    }

    /// Some say with 500 what they miss in a logout.
    @Test(arguments: [
        ("<h1>Error</h1>Invalid redirect uri", "logout-redirect-not-registered"),
        ("<h1>Error</h1>Sorry", "provider-server-error"),
    ])
    func leavesALogoutToTheRuleThatKnowsWhatIsWrong(text: String, primary: String) throws {
        let path = "logout-and-device/logout-redirect-not-registered"
        let recording = try Recording(path).without { $0.request.url.path == "/register" }
            .editingLast("/end-session") { exchange in
                exchange.response = RecordedResponse(status: 500, body: .html(text))
            }
        #expect(recording.findings.filter(\.isPrimary).map(\.rule) == [primary])
        #expect((recording.finding(rule) != nil) == (primary == rule))
    }

    /// Sent back to where the provider knows that the app is, the browser met an app that broke down.
    @Test(arguments: [("https://id.harbour.example/bye", true), ("https://www.shop.example/bye", false)])
    func leavesAnAppAloneThatBrokeDownBehindALogout(next: String, fires: Bool) throws {
        var recording = try Recording("logout-and-device/logout-redirect-not-registered")
            .without { $0.request.url.path == "/register" }
            .editingLast("/end-session") { exchange in
                exchange.response = RecordedResponse(status: 302)
                exchange.response?.redirect(to: next)
            }
        var landing = try #require(recording.exchanges.last)
        landing.startedAt = landing.endedAt + .milliseconds(1)
        landing.request.url = RecordedURL(next)
        landing.response = RecordedResponse(status: 500)
        recording.exchanges.append(landing)
        #expect((recording.finding(rule)?.places == ["8 response.status "]) == fires)
        #expect((recording.finding(rule) != nil) == fires)
    }

    /// Other servers of the provider's end sessions, too; where the app is at the same site, one may be its own.
    @Test(arguments: [
        ("sessions.harbour.example", "www.shop.example", true),
        ("sessions.harbour.example", "shop.harbour.example", false),
        ("sessions.quay.example", "www.shop.example", false),
    ])
    func tellsAnotherServerOfTheProviderThatBrokeDownBehindALogout(host: String, app: String, fires: Bool)
        throws
    {
        var recording = try Recording("logout-and-device/logout-redirect-not-registered")
            .without { $0.request.url.path == "/register" }
            .editingLast("/end-session") { exchange in
                exchange.response = RecordedResponse(status: 302)
                exchange.response?.redirect(to: "https://\(host)/slo?id=7")
            }
        for index in recording.exchanges.indices {
            let request = recording.exchanges[index].request
            let url = request.url.text.replacing("www.shop.example", with: app)
            recording.exchanges[index].request.url = RecordedURL(url)
            if let location = recording.exchanges[index].response?.location {
                recording.exchanges[index].response?.redirect(
                    to: location.replacing("www.shop.example", with: app)
                )
            }
        }
        var landing = try #require(recording.exchanges.last)
        landing.startedAt = landing.endedAt + .milliseconds(1)
        landing.request.url = RecordedURL("https://\(host)/slo?id=7")
        landing.response = RecordedResponse(status: 500)
        recording.exchanges.append(landing)
        #expect((recording.finding(rule)?.places == ["8 response.status "]) == fires)
        #expect((recording.finding(rule) != nil) == fires)
    }

    /// ServiceNow calls it so when it refuses a client.
    @Test(arguments: [(401, false), (400, true)])
    func refusedClientIsNoFailure(status: Int, fires: Bool) throws {
        let recording = try Recording("token-request/token-endpoint-error").answering(
            "/token",
            status,
            ["error": "server_error", "error_description": "access_denied"]
        )
        #expect((recording.finding(rule) != nil) == fires)
        #expect((recording.finding("token-invalid-client") != nil) == !fires)
    }

    @Test(arguments: ["server_error", "temporarily_unavailable"])
    func knowsTheErrors(error: String) throws {
        let recording = try Recording("authorization-response/authorization-error").editing { exchange in
            if exchange.request.url.path == "/callback" {
                exchange.request.url = RecordedURL(
                    Recording.changing(exchange.request.url.text, "error", error)
                )
            } else if let location = exchange.response?.location, RecordedURL(location).path == "/callback" {
                exchange.response?.redirect(to: Recording.changing(location, "error", error))
            }
        }
        #expect(recording.finding(rule)?.places == ["3 request.query error"])
        #expect(recording.finding("authorization-error") == nil)
    }

    /// MyInfo hands the app a number in the place of a name.
    @Test(arguments: [
        ("https://api.myinfo.gov.sg/com/v4/authorize", "503", true),
        ("https://api.myinfo.gov.sg/com/v4/authorize", "401", false),
        ("https://id.harbour.example/authorize", "503", false),
    ])
    func knowsMyInfosNumbers(endpoint: String, number: String, fires: Bool) {
        var capture = CaptureBuilder()
        capture.redirect(
            "\(endpoint)?client_id=shop-app&response_type=code&redirect_uri=https%3A%2F%2Fapp.shop.example%2Frp&scope=name&purpose_id=demonstration",
            to: "https://app.shop.example/rp?error=\(number)&error_description=MyInfo+under+maintenance"
        )
        #expect((Recording(capture.exchanges).finding(rule) != nil) == fires)
    }

    @Test(arguments: ["authentication_expired", "maintenance"]) func knowsAPageThatStoodOpenTooLong(
        words: String
    ) throws {
        let recording = try Recording("authorization-response/authorization-error").editing { exchange in
            func changed(_ url: String) -> String {
                Recording.changing(
                    Recording.changing(url, "error", "temporarily_unavailable"),
                    "error_description",
                    words
                )
            }
            if exchange.request.url.path == "/callback" {
                exchange.request.url = RecordedURL(changed(exchange.request.url.text))
            } else if let location = exchange.response?.location, RecordedURL(location).path == "/callback" {
                exchange.response?.redirect(to: changed(location))
            }
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.explanation.contains("begin anew") == (words == "authentication_expired"))
        #expect(finding.title.contains("run out") == (words == "authentication_expired"))
    }

    @Test func findsAPageThatFailed() throws {
        let failed = RecordedResponse(status: 500, body: .html("<p>Error occurred when processing</p>"))
        let recording = try Recording(broken).endingSignIn(with: failed)
        #expect(recording.finding(rule)?.places == ["2 response.status ", "2 response.body "])
    }

    /// A form that the browser sent leads to a page, whatever the answer calls itself.
    @Test func findsAFormThatFailed() throws {
        let failed = RecordedResponse(status: 500, body: Body(text: "Oops", mediaType: "text/plain"))
        let recording = try Recording(broken).endingSignIn(with: failed)
        #expect(recording.finding(rule)?.places == ["2 response.status ", "2 response.body "])
    }

    /// What fails may well not come to name its media type.
    @Test(arguments: [("<!doctype html><title>Sorry</title>", true), ("{}", false)])
    func aPageIsOneWithoutItsMediaType(body: String, fires: Bool) throws {
        var recording = try Recording(Array(Recording(broken).exchanges.prefix(2)))
        var page = recording.exchanges[1]
        page.request.url = RecordedURL("https://id.harbour.example/sign-in/method")
        page.startedAt = page.startedAt + .seconds(1)
        page.response = RecordedResponse(status: 503, body: Body(text: body))
        recording.exchanges.append(page)
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test func leavesWhatAPageFetchedAlone() throws {
        var recording = try Recording(Array(Recording(broken).exchanges.prefix(2)))
        var fetched = recording.exchanges[1]
        fetched.request.url = RecordedURL("https://id.harbour.example/telemetry")
        fetched.startedAt = fetched.startedAt + .seconds(1)
        fetched.response = RecordedResponse(
            status: 503,
            body: .json("{}")
        )
        recording.exchanges.append(fetched)
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesTheAppsOwnFailureAlone() throws {
        #expect(try Recording("user-agent/callback-rejected-by-app").finding(rule) == nil)
    }

    @Test func findsUserInfo() throws {
        let recording = try Recording("healthy/web-code-flow").answering("/userinfo", 502)
        #expect(recording.finding(rule)?.isPrimary == true)
    }

    @Test func leavesThrottlingAlone() throws {
        #expect(try Recording("transport/rate-limited").finding(rule) == nil)
    }

    /// The redirect URI stands in the token request alone, and not as it was used.
    @Test func leavesTheAppsFailureAloneWhereNobodyNamesItsAddress() throws {
        let recording = try Recording("healthy/web-code-flow").asking("redirect_uri", nil)
            .sending("redirect_uri", "https://www.shop.example/callback/").answeringCallback(
                500,
                Body(text: "<h1>Sorry", mediaType: "text/html")
            )
        #expect(recording.finding(rule) == nil)
    }

    @Test func knowsKeycloaksNameForTheRest() throws {
        let recording = try Recording("healthy/web-code-flow").answering(
            "/token",
            400,
            ["error": "unknown_error"]
        )
        #expect(recording.finding(rule)?.isPrimary == true)
    }

    @Test(arguments: [("Error occurred when processing the request", true), ("No such client", false)])
    func knowsThePageOfWSO2(words: String, isOne: Bool) throws {
        let recording = try Recording("authorization-request/redirect-uri-not-registered").editing {
            exchange in
            let url = exchange.request.url.text
            exchange.request.url = RecordedURL(
                url.replacing("example/authorize", with: "example/oauth2/authorize")
            )
            if exchange.request.url.path == "/oauth2/authorize" {
                exchange.request.headers.append("Cookie", "commonAuthId=5f2c")
            }
            guard exchange.response?.status == 400 else { return }
            exchange.response = RecordedResponse(
                status: 400,
                body: Body(text: "<h1>Error</h1><p>\(words)</p>", mediaType: "text/html")
            )
        }
        #expect((recording.finding(rule) != nil) == isOne)
    }

    /// Keycloak's 502 for an answer in SAML that it cannot use.
    @Test(arguments: [("SAMLResponse", true), ("password", false)])
    func tellsAnAnswerOfAnIdentityProviderBehind(field: String, isBehind: Bool) throws {
        let page = Body.html(
            "<h1>We are sorry</h1><p>Unexpected error when authenticating with identity provider</p>"
        )
        let recording = try Recording("authorization-response/access-denied-by-policy")
            .sending(field, "PHNhbWxwOlJlc3BvbnNlPg==", to: "/sign-in")
            .endingSignIn(with: RecordedResponse(status: 502, body: page))
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.title.contains("behind it") == isBehind)
        #expect(!finding.evidence.contains { $0.value.contains("PHNhbWxwOlJlc3BvbnNlPg==") })
    }

    /// Beside a login it fails nothing; by itself it is all that was asked.
    @Test(arguments: [([503], true), ([503, 200], false), ([200], false)])
    func tellsARevocationThatTheProviderCouldNotServe(statuses: [Int], fires: Bool) throws {
        let host = "https://id.harbour.example"
        var capture = CaptureBuilder()
        capture.get(
            host + "/.well-known/openid-configuration",
            body: .json(
                """
                {"issuer":"\(host)","authorization_endpoint":"\(host)/authorize","token_endpoint":"\(host)/token",
                "revocation_endpoint":"\(host)/revoke","jwks_uri":"\(host)/jwks","response_types_supported":["code"],
                "subject_types_supported":["public"],"id_token_signing_alg_values_supported":["RS256"]}
                """
            )
        )
        let form = [
            ("token", "a-refresh-token-8675309"), ("token_type_hint", "refresh_token"), ("client_id", "shop"),
        ]
        for status in statuses { capture.post(host + "/revoke", form, status) }
        let recording = Recording(capture.exchanges)
        #expect(recording.finding(rule)?.isPrimary == (fires ? true : nil))
        #expect(recording.outcomes == [fires ? .failure : .success])
    }
}
