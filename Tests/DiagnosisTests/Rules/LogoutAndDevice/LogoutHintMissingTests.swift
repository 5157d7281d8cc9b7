import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import TestSupport
import Testing

struct LogoutHintMissingTests {
    private let rule = "logout-hint-missing"
    private let broken = "logout-and-device/logout-hint-missing"

    /// The answer of the provider's logout, another one.
    private func answering(_ edit: (inout RecordedResponse) -> Void) throws -> Recording {
        try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/end-session" else { return }
            var response = RecordedResponse(status: 200)
            edit(&response)
            exchange.response = response
        }
    }

    /// The logout request with its parameters changed.
    private func asking(_ name: String, _ value: String?) throws -> Recording {
        try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/end-session" {
                exchange.request.url = RecordedURL(Recording.changing(exchange.request.url.text, name, value))
            }
            guard let location = exchange.response?.location, location.contains("/end-session") else {
                return
            }
            exchange.response?.redirect(to: Recording.changing(location, name, value))
        }
    }

    @Test func namesWhatWasSentAndTheAnswer() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == [
                "8 request.query ", "8 request.query post_logout_redirect_uri", "8 response.body ",
            ]
        )
        #expect(finding.evidence[2].value == "Missing parameters: id_token_hint")
        #expect(recording.outcomes == [.failure])
    }

    /// An app cannot keep what it never got.
    @Test(arguments: [nil, .null] as [JSONValue?])
    func saysThatThereWasNoTokenToSend(token: JSONValue?) throws {
        let recording = try Recording(broken).editingAnswer(of: "/token") { $0["id_token"] = token }
        let finding = try #require(recording.finding(rule))
        #expect(finding.places.last == "5 response.body id_token")
        #expect(finding.notes.last == "the login brought none to send")
        #expect(finding.fix.contains("scope openid"))
        #expect(try Recording(broken).finding(rule)?.fix.contains("scope openid") == false)
    }

    @Test func leavesAClientThatIsSentBackAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.filter { $0.severity != .note }.isEmpty)
        let back = try answering {
            $0.status = 302; $0.redirect(to: "https://www.shop.example/goodbye")
        }
        #expect(back.finding(rule) == nil)
    }

    @Test func takesAPageThatIsLeftOpenForARefusal() throws {
        let recording = try answering { $0.body = Body(text: "<p>Sign out?</p>", mediaType: "text/html") }
        #expect(recording.finding(rule)?.severity == .error)
        #expect(recording.finding(rule)?.places.last == "8 response.status ")
        #expect(recording.outcomes == [.failure])
    }

    @Test func warnsOfAPageThatTheUserConfirmed() throws {
        var recording = try answering { $0.body = Body(text: "<p>Sign out?</p>", mediaType: "text/html") }
        var confirmed = recording.exchanges[8]
        confirmed.startedAt = confirmed.startedAt + .seconds(3)
        confirmed.request.method = "POST"
        confirmed.request.url = RecordedURL("https://id.harbour.example/end-session/confirm")
        confirmed.response = RecordedResponse(status: 302)
        confirmed.response?.redirect(to: "https://www.shop.example/goodbye")
        recording.exchanges.append(confirmed)
        #expect(recording.finding(rule)?.severity == .warning)
        #expect(recording.outcomes == [.success])
    }

    /// As django-oidc-provider has it, which sends nobody back for a client_id alone.
    ///
    /// A revocation by the app's server confirms nothing.
    @Test(arguments: [
        ("POST", "text/html", true), ("GET", "text/html", false), ("POST", "application/json", false),
    ])
    func warnsWhereTheUserIsLeftAfterConfirming(method: String, type: String, fires: Bool) throws {
        var recording = try asking("client_id", "shop-web").editingLast("/end-session") {
            $0.response = RecordedResponse(status: 200, body: .html("<p>Sign out?</p>"))
        }
        var confirmed = try #require(recording.exchanges.last)
        confirmed.startedAt = confirmed.startedAt + .seconds(3)
        confirmed.request.method = method
        confirmed.request.url = RecordedURL("https://id.harbour.example/end-session/confirm")
        let text = type == "text/html" ? "<p>You have signed out.</p>" : "{}"
        confirmed.response = RecordedResponse(status: 200, body: Body(text: text, mediaType: type))
        recording.exchanges.append(confirmed)
        #expect(recording.finding(rule)?.severity == (fires ? .warning : nil))
        #expect(recording.finding(rule)?.notes.first == (fires ? "no id_token_hint" : nil))
        #expect(recording.outcomes == [fires ? .success : .incomplete])
    }

    @Test func followsARedirectToAnErrorPage() throws {
        let recording = try answering {
            $0.status = 302
            $0.redirect(to: "/error.do?oauthErrorCode=invalid_request&oauthErrorMsg=no+hint")
        }
        #expect(recording.finding(rule)?.severity == .error)
        #expect(recording.outcomes == [.failure])
    }

    /// OpenIddict looks among all clients for the address, and names it; another answer leaves open what was missed.
    @Test(arguments: [
        ("The specified 'post_logout_redirect_uri' is invalid.", false), ("The request is invalid.", true),
    ])
    func providerThatNamesTheAddressMissesNoHint(words: String, isHint: Bool) throws {
        let recording = try answering {
            $0.status = 400; $0.body = Body(text: words, mediaType: "text/plain")
        }
        #expect((recording.finding(rule) != nil) == isHint)
        #expect(recording.finding("logout-redirect-not-registered")?.isPrimary == (isHint ? nil : true))
        #expect(recording.outcomes == [.failure])
    }

    /// Ory Hydra, of which the capture has nothing but the logout: what it is answered with is no answer to a login.
    @Test func logoutAtAnUnknownEndpointIsNoLogin() throws {
        let error =
            "https://id.shop.example/error?error=invalid_request&error_description=Logout+failed+because+id_token_hint+is+missing."
        var logout = Exchange(
            startedAt: Timestamp(nanoseconds: 1_772_618_048_000_000_000),
            request: RecordedRequest(
                method: "GET",
                url: RecordedURL(
                    "https://hydra.shop.example/oauth2/sessions/logout?post_logout_redirect_uri=https%3A%2F%2Fwww.shop.example%2F"
                )
            ),
            response: RecordedResponse(status: 302)
        )
        logout.response?.redirect(to: error)
        let page = Exchange(
            startedAt: logout.startedAt + .seconds(1),
            request: RecordedRequest(method: "GET", url: RecordedURL(error)),
            response: RecordedResponse(status: 200, body: .html("<title>Error</title>"))
        )
        let recording = Recording([logout, page])
        #expect(recording.flows.count == 1)
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.finding("authorization-error") == nil)
    }

    @Test func leavesAHintAlone() throws {
        #expect(try asking("id_token_hint", "x.y.z").finding(rule) == nil)
    }

    /// An empty name names nobody, and an empty address is nowhere to go.
    @Test(arguments: [
        ("client_id", "shop-web", false), ("client_id", "", true), ("post_logout_redirect_uri", "", false),
    ])
    func looksForAClientWhereTheProviderIsSilent(name: String, value: String, fires: Bool) throws {
        let recording = try asking(name, value).editingLast("/end-session") {
            $0.response?.body = Body(text: "<p>No</p>", mediaType: "text/html")
        }
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test func knowsProvidersThatInsistOnTheHint() throws {
        #expect(try asking("client_id", "shop-web").finding(rule)?.severity == .error)
    }

    /// A provider that misses the hint says so, whether there is anything to return to or not.
    @Test(arguments: [("Missing parameters: id_token_hint", true), ("The request is invalid.", false)])
    func refusalWithoutAnythingToReturnToIsReadByItsWords(words: String, isHint: Bool) throws {
        let recording = try asking("post_logout_redirect_uri", nil).editingLast("/end-session") {
            $0.response?.body = Body(text: words, mediaType: "text/plain")
        }
        #expect((recording.finding(rule)?.isPrimary == true) == isHint)
        #expect(recording.outcomes == [.failure])
    }

    @Test func leavesALogoutWithoutAnythingToReturnToAlone() throws {
        let recording = try asking("post_logout_redirect_uri", nil).editing { exchange in
            if exchange.response?.status == 400 { exchange.response?.status = 200 }
            if exchange.request.url.path == "/end-session" {
                exchange.response?.body = Body(text: "<p>Signed out</p>", mediaType: "text/html")
            }
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.success])
    }

    @Test func leavesAuth0AndCognitoAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/end-session" else { return }
            exchange.request.url = RecordedURL(
                "https://id.harbour.example/v2/logout?returnTo=https%3A%2F%2Fwww.shop.example%2Fgoodbye"
            )
        }
        #expect(recording.finding(rule) == nil)
    }
}
