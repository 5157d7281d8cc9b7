import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct ScopeRejectedTests {
    private let rule = "scope-rejected"
    private let broken = "authorization-request/scope-rejected"

    @Test func namesTheScopeThatIsNotListed() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["2 request.query scope", "3 request.query error"])
        #expect(finding.notes.first == "not in scopes_supported: orders.write")
        #expect(finding.evidence[1].value == "invalid_scope: The client may not ask for orders.write")
    }

    /// itsme takes no login that names none of the client's services.
    @Test(arguments: [
        ("idp.prd.itsme.services", "openid", true),
        ("idp.prd.itsme.services", "openid service:SHOP_LOGIN", false), ("id.bank.example", "openid", false),
    ])
    func namesTheServiceThatItsmeMisses(host: String, scope: String, isMissed: Bool) throws {
        let recording = try Recording(broken).asking("scope", scope).editing { exchange in
            let url = exchange.request.url.text.replacing("//id.harbour.example/", with: "//\(host)/")
            exchange.request.url = RecordedURL(url)
            if let location = exchange.response?.location {
                exchange.response?.redirect(
                    to: location.replacing("//id.harbour.example/", with: "//\(host)/")
                )
            }
        }
        #expect(try #require(recording.finding(rule)).fix.contains("service:") == isMissed)
    }

    @Test func leavesAReducedScopeAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func readsTheTokenEndpoint() throws {
        let recording = try Recording(broken + ".near-miss").answering(
            "/token",
            400,
            ["error": "invalid_scope"]
        )
        #expect(recording.finding(rule)?.places == ["1 request.query scope", "4 response.body error"])
    }

    /// What the token endpoint answers is the same refusal.
    @Test func explainsTheTokenEndpointsAnswer() throws {
        let recording = try Recording(broken + ".near-miss")
            .sending("grant_type", "client_credentials").sending("code", nil)
            .sending("scope", "orders.write")
            .answering("/token", 400, ["error": "invalid_scope"])
            .without { $0.request.url.path != "/token" }
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.finding("token-endpoint-error")?.effectOf == rule)
    }

    /// Registered in this capture for less than it asks for, for all of it, or for no scope by name.
    @Test(arguments: [("openid", true), ("openid profile", false), (nil, false)] as [(String?, Bool)])
    func namesTheScopesThatTheClientIsRegisteredFor(scope: String?, isNamed: Bool) throws {
        let refused = "example.shop.app:/oauth2redirect?error=invalid_scope&state=Z1dIdN6XJTnKxlMYoJE6w2"
        let recording = try Recording("registration/registration-open")
            .stating("scope", scope.map { .string($0) }, at: "/register").redirecting(to: refused)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places.contains("1 response.body scope") == isNamed)
        #expect(finding.notes.contains { $0.contains("registered for, without profile") } == isNamed)
        #expect(finding.fix.contains("Register the client") == isNamed)
    }

    @Test func leavesAWidenedRefreshToItsOwnRule() throws {
        let recording = try Recording("refresh/refresh-scope-widened")
        #expect(recording.finding("refresh-scope-widened") != nil)
        #expect(recording.finding(rule) == nil)
    }

    @Test(arguments: [
        ("AADSTS70011: The provided value for scope is not valid", 200),
        ("<h1>An error has occurred</h1><p>The requested scope is invalid, unknown, or malformed.", 401),
        (
            "error:invalid_scope error_description:This client application is not allowed to use the specified scope.",
            400
        ),
        ("Invalid Scopes: email. This message is only shown to developers.", 200),
    ])
    func readsThePage(words: String, status: Int) throws {
        #expect(try Recording(broken).saying(words, status: status).finding(rule) != nil)
    }

    /// Zoom, AAIs behind a broker, Google, Kakao by its number.
    @Test(arguments: [
        ("<h1>Invalid scope (4,711)</h1>", true),
        ("<h1>Error</h1>Invalid scope: ga4gh_passport_v1; requested: [openid]", true),
        ("<h1>Error</h1>Some requested scopes were invalid. {valid=[openid], invalid=[profil]}", true),
        ("<h1>KOE205</h1>", true), ("<h1>Error</h1>The scope is needed", false),
        ("<h1>Error</h1>admin_policy_enforced: a scope is not allowed", false),
        ("<h1>Error</h1>Invalid redirect_uri for this scope", false),
    ])
    func readsASentenceOnThePage(words: String, fires: Bool) throws {
        #expect((try Recording(broken).saying(words, status: 400).finding(rule)?.isPrimary == true) == fires)
    }

    /// Another name than the fault's own is told with the refusal, in words that speak of the scope.
    @Test func refusalTellsWhatItSaysOfTheScope() throws {
        let recording = try Recording(broken).redirecting(with: [
            ("error", "invalid_request"),
            ("error_description", "The scope orders.write is not allowed for this client"),
        ])
        #expect(recording.finding(rule) == nil)
        let finding = try #require(recording.finding("authorization-error"))
        #expect(finding.isPrimary)
        #expect(finding.title == "The provider says that it does not take the scope")
        #expect(finding.evidence.contains { $0.place.name == "scope" })
        #expect(finding.fix.contains("Take the scope out"))
    }

    @Test func leavesASentenceBesideTheNameOfAnotherFault() throws {
        let recording = try Recording(broken).redirecting(with: [
            ("error", "access_denied"),
            ("error_description", "The scope orders.write is not allowed for this client"),
        ])
        #expect(recording.finding(rule) == nil)
    }

    @Test(arguments: [
        ("invalid_client", "AADSTS650053: The application asked for scope 'x' that doesn't exist"),
        ("invalid_request", "invalid_scope"),
    ])
    func readsItBesideAnotherName(error: String, text: String) throws {
        let recording = try Recording(broken).redirecting(with: [
            ("error", error), ("error_description", text),
        ])
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(!finding.explanation.contains("answered invalid_scope"))
        #expect(recording.finding("authorization-error") == nil)
    }

    @Test func readsEntrasPageBehindTheSignIn() throws {
        let recording = try Recording(Array(Recording("healthy/web-code-flow").exchanges.prefix(4)))
            .editingLast("/sign-in") {
                $0.response = RecordedResponse(status: 200)
                $0.response?.body = Body(
                    text:
                        #"<script>$Config={"m":"AADSTS500011: The resource principal was not found","n":1}</script>"#,
                    mediaType: "text/html"
                )
            }
        #expect(recording.finding(rule)?.isPrimary == true)
    }

    @Test func readsAnErrorPageWith200() throws {
        let words = "<h1>Error</h1>Sorry, there was an error : invalid_scope Request Id: 0HM"
        let recording = try errorPage(words, at: "/home/error")
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.finding("login-abandoned") == nil)
        #expect(recording.outcomes == [.failure])
        // Another page may speak of errors.
        #expect(try errorPage(words, at: "/home/terrors").finding(rule) == nil)
        #expect(try errorPage(words + "<input type=password>", at: "/home/error").finding(rule) == nil)
        #expect(try errorPage("my_invalid_scope", at: "/home/error").finding(rule) == nil)
    }

    /// The authorization endpoint sends the browser to a page of the provider.
    private func errorPage(_ words: String, at path: String) throws -> Recording {
        let url = "https://id.harbour.example\(path)?errorId=CfDJ8NrAk"
        var recording = try Recording("healthy/web-code-flow").redirecting(to: url)
        var page = try #require(recording.exchanges.last)
        page.startedAt = page.startedAt + .milliseconds(200)
        page.request.url = RecordedURL(url)
        page.response = RecordedResponse(status: 200, body: Body(text: words, mediaType: "text/html"))
        recording.exchanges.append(page)
        return recording
    }

    @Test func leavesAnotherRefusalAlone() throws {
        let recording = try Recording(broken).redirecting(
            to: "https://www.shop.example/callback?error=invalid_request"
        )
        #expect(recording.finding(rule) == nil)
    }

    /// LinkedIn has a name of its own, and Entra a number at the token endpoint.
    @Test func knowsOtherNames() throws {
        let recording = try Recording("authorization-request/scope-rejected").redirecting(
            with: [("error", "unauthorized_scope_error")]
        )
        #expect(recording.finding("scope-rejected")?.isPrimary == true)
        let text = "AADSTS28000: The scope is not valid because it contains more than one resource."
        let asked = try Recording("token-request/token-endpoint-error").answering(
            "/token",
            400,
            ["error": "invalid_request", "error_description": .string(text)]
        )
        #expect(asked.finding("scope-rejected")?.isPrimary == true)
    }

    /// Keycloak has a name of its own for it.
    @Test func readsThatOfflineAccessIsNotForThisUser() throws {
        let recording = try Recording(broken + ".near-miss").answering(
            "/token",
            400,
            [
                "error": "not_allowed",
                "error_description": "Offline tokens not allowed for the user or client",
            ]
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places == ["1 request.query scope", "4 response.body error"])
        #expect(finding.fix.contains("offline_access"))
    }
}
