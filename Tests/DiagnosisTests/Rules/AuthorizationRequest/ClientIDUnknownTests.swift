import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct ClientIDUnknownTests {
    private let rule = "client-id-unknown"
    private let broken = "authorization-request/client-id-unknown"

    /// Casdoor's page is made by a script, which hands the request on and is told with 200.
    ///
    /// What it asks of the client alone (its looks, say) it may do without.
    @Test(arguments: [
        ("GET", true, #"{"status":"error","msg":"Invalid client_id","data":null}"#, true),
        ("GET", true, #"{"status":"ok","msg":"","data":{"name":"shop"}}"#, false),
        ("POST", true, #"{"status":"error","msg":"Invalid client_id"}"#, false),
        ("GET", false, #"{"status":"error","msg":"Invalid client_id"}"#, false),
    ])
    func readsWhatThePagesScriptIsTold(method: String, isWhole: Bool, answer: String, fires: Bool) throws {
        let whole = try Recording("authorization-request/client-id-unknown")
        let index = try #require(whole.exchanges.firstIndex { $0.request.url.path == "/authorize" })
        var recording = Recording(Array(whole.exchanges.prefix(index + 1)))
        let asked = recording.exchanges[index]
        recording.exchanges[index].response = RecordedResponse(
            status: 200,
            body: Body(text: "<title>Casdoor</title><div id=root></div>", mediaType: "text/html")
        )
        let client = try #require(asked.request.url.queryItems.first("client_id"))
        var call = asked
        call.startedAt = call.startedAt + .milliseconds(300)
        call.request.method = method
        let target = PercentEncoding.encode(try #require(asked.request.url.queryItems.first("redirect_uri")))
        call.request.url = RecordedURL(
            "https://id.harbour.example/api/get-app-login?clientId=\(client)"
                + (isWhole ? "&responseType=code&redirectUri=\(target)" : "")
        )
        call.response = RecordedResponse(
            status: 200,
            body: .json(answer)
        )
        recording.exchanges.append(call)
        let finding = recording.finding("client-id-unknown")
        #expect((finding?.isPrimary == true) == fires)
        if fires { #expect(recording.finding("login-abandoned") == nil) }
    }

    /// Salesforce needs some minutes to know a new one.
    @Test(arguments: [("/services/oauth2/authorize", true), ("/oauth2/authorize", false)])
    func newAppAtSalesforceIsToldToWait(path: String, isTold: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            let moved = { (text: String) in text.replacing("/authorize?", with: path + "?") }
            exchange.request.url = RecordedURL(moved(exchange.request.url.text))
            if let location = exchange.response?.location { exchange.response?.redirect(to: moved(location)) }
        }
        #expect(try #require(recording.finding(rule)).fix.contains("ten minutes") == isTold)
    }

    /// Solid's servers read the document that the client's id is the address of.
    @Test(arguments: [("https://shop.example/clientid.jsonld", true), ("shop-web", false)])
    func tellsAClientsDocument(client: String, fires: Bool) throws {
        let recording = try Recording(broken).asking("client_id", client)
            .saying(
                "<h1>Error</h1>invalid_client_metadata: The client registration client_id field must match"
            )
        #expect((recording.finding(rule)?.fix.contains("Fetch the client_id yourself") == true) == fires)
    }

    /// Laravel Passport says the same of a client that it does not know and of a redirect URI; Doorkeeper and Ory say which.
    @Test(arguments: [
        ("Client authentication failed", true),
        ("Client authentication failed due to unknown client, or unsupported method.", false),
        ("Client authentication failed (e.g., unknown client).", false),
    ])
    func leavesOpenWhatTheWordsDoNotTell(words: String, isOpen: Bool) throws {
        let recording = try Recording(broken).answering(
            "/authorize",
            401,
            .object(["error": "invalid_client", "error_description": .string(words)])
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && finding.title.contains("or not with this redirect URI") == isOpen)
        #expect(finding.places.contains { $0.hasSuffix("redirect_uri") } == isOpen)
        #expect(finding.fix.contains("redirect URI") == isOpen)
    }

    /// CAS says of itself that it lets the app not in; other pages of that status say nothing of it.
    @Test(arguments: [
        ("<h2>Application Not Authorized to Use CAS</h2><p>It is not registered with CAS.</p>", true),
        ("<h2>Forbidden</h2><p>You cannot use this server.</p>", false),
    ])
    func readsThePageOfCAS(page: String, fires: Bool) throws {
        let recording = try Recording(broken).saying(page, status: 403)
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect((recording.finding(rule)?.fix.contains("serviceId") == true) == fires)
    }

    /// Microsoft's server for personal accounts is another one, to which a script hands the request on.
    @Test(arguments: [
        ("The client does not exist or is not enabled for consumers.", true), ("Try again later.", false),
    ])
    func readsWhatIsSaidWhereTheRequestWasHandedOn(words: String, fires: Bool) throws {
        var recording = try Recording(broken).saying("<title>Sign in</title><div id=app></div>", status: 200)
        var handed = try #require(recording.exchanges.last)
        handed.startedAt = handed.startedAt + .seconds(4)
        let query = handed.request.url.query ?? ""
        handed.request.url = RecordedURL("https://live.harbour.test/authorize?" + query + "&msproxy=1")
        let told = PercentEncoding.encode(words)
        handed.response = RecordedResponse(status: 302)
        handed.response?.redirect(
            to: "https://live.harbour.test/err#error=unauthorized_client&error_description=\(told)"
        )
        recording.exchanges.append(handed)
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect(recording.outcomes == [.failure])
    }

    @Test func namesTheClientThePlaceAndTheWords() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["1 request.query client_id", "1 request.url ", "1 response.body "])
        #expect(finding.evidence[0].value == "shop-web-staging")
        #expect(finding.evidence[1].value == "https://id.harbour.example/authorize")
        #expect(finding.evidence[2].value.hasSuffix("Client not found."))
    }

    @Test(arguments: [
        ("shop-web%20", "beside shop-web: white space around it"),
        ("shop-web%E2%80%8B", "beside shop-web: has U+200B"),
        ("%22shop-web%22", "beside shop-web: in quotation"),
    ])
    func saysWhatWasCopiedAlong(client: String, note: String) throws {
        let recording = try Recording(broken).editing { exchange in
            exchange.request.url = RecordedURL(
                exchange.request.url.text.replacing("client_id=shop-web-staging", with: "client_id=\(client)")
            )
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.evidence[0].note?.hasPrefix(note) == true, "\(finding.evidence[0].note ?? "")")
        #expect(finding.fix.contains("copied along"))
        #expect(try #require(Recording(broken).finding(rule)).evidence[0].note == nil)
    }

    /// A client that registers itself keeps an id that the provider may forget.
    @Test(arguments: [true, false]) func saysToRegisterAnewWhereClientsDoThat(registers: Bool) throws {
        let endpoint = "https://id.harbour.example/register"
        let recording = try Recording("authorization-request/resource-indicator-missing").withMetadata()
            .stating(
                "registration_endpoint",
                registers ? .string(endpoint) : nil,
                at: "/.well-known/openid-configuration"
            )
            .saying("<h1>Client not found</h1>")
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.fix.contains("registers anew") == registers)
        #expect((finding.evidence.last?.value == endpoint) == registers)
    }

    /// What is said in JSON beside a challenge is the endpoint's own (Laravel Passport); a challenge alone is for the browser.
    @Test(arguments: [
        #"{"error":"invalid_client","error_description":"Client authentication failed"}"#, "{}",
    ])
    func readsWhatIsSaidBesideAChallenge(body: String) throws {
        let recording = try Recording(broken).editingLast("/authorize") { exchange in
            exchange.response?.status = 401
            exchange.response?.headers.append("WWW-Authenticate", "Basic realm=\"OAuth\"")
            exchange.response?.body = .json(body)
        }
        let finding = recording.finding(rule)
        #expect((finding != nil) == (body != "{}"))
        #expect(finding?.isPrimary != false)
    }

    @Test func leavesAnErrorAtTheRedirectURIAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: [
        "AADSTS700016: Application with identifier \u{27}x\u{27} was not found in the directory",
        "AADSTS700038: 00000000-0000-0000-0000-000000000000 is not a valid application identifier.",
        "Error 401: invalid_client <p>The OAuth client was not found.",
        "Invalid value for &#39;client_id&#39; parameter.",
        "{\"error\":\"invalid_client\"}", "<h1>Unknown   client</h1>",
        "Cannot find an application associated with the given client_id",
        "Error: invalid_request Invalid client_id parameter value.", "The specified 'client_id' is invalid.",
        "error:invalid_request error_description:OAuth 2.0 Parameter: client_id",
        "error=invalid_client_id&error_description=client identifier invalid",
        "The requested OAuth 2.0 Client does not exist.", "The client 5abc does not exist here.",
        "The passed in client_id is invalid \"shop\"", "Not exist client_id [shop]", "Errors.App.NotFound",
        "Application not found (4,702)", "Client nicht gefunden.", "Client introuvable.",
        "Cliente não encontrado.", "クライアントが見つかりません。",
        "<h1>Trust chain not found for the client</h1>", "<h1>KOE101</h1>",
        "{\"status\":400,\"message\":\"invalid client\"}",
    ])
    func knowsTheWordsOfProviders(text: String) throws {
        #expect(try Recording(broken).saying(text, status: 401).finding(rule) != nil)
    }

    @Test(arguments: [
        "invalid client credentials", "invalid client: the session has run out",
        "<h1>Sorry</h1><p>The session was begun by an invalid client",
    ])
    func leavesOtherFaultsOfAClientAlone(text: String) throws {
        #expect(try Recording(broken).saying(text, status: 401).finding(rule) == nil)
    }

    /// Authlib's example of a server answers the name of the error, and no more.
    @Test(arguments: [("invalid_client", true), ("<p>Sign in</p><p>invalid_client: see the help</p>", false)])
    func readsANameThatIsAllOfAPageWith200(page: String, isOne: Bool) throws {
        let recording = try Recording(broken).saying(page, status: 200)
        #expect((recording.finding(rule)?.isPrimary == true) == isOne)
    }

    @Test func readsEntrasMessageInTheScriptOfAPageWith200() throws {
        let page =
            "<html><script>$Config={\"strServiceExceptionMessage\":\"AADSTS700016: Application x\"}</script>Sign in"
        let finding = try Recording(broken).saying(page, status: 200).finding(rule)
        #expect(finding?.evidence.last?.value.hasSuffix("AADSTS700016: Application x") == true)
    }

    @Test func readsTheErrorThatAPageLeavesToItsScript() throws {
        let page =
            "<script>pageData = {locale: \"en\", error: {description: \"Client authentication failed\", message: \"invalid_client\"}}</script>"
        let finding = try Recording(broken).saying(page, status: 401).finding(rule)
        #expect(finding?.isPrimary == true)
        #expect(finding?.evidence.last?.value == "Client authentication failed: invalid_client")
        let titled = "<title>OAuth2 Error Page</title>" + page
        #expect(try Recording(broken).saying(titled, status: 401).finding(rule)?.isPrimary == true)
        #expect(try Recording(broken).saying(page, status: 200).finding(rule) == nil)
    }

    /// There the refusal of the client tells it.
    @Test(arguments: [
        ("unauthorized_client", "token-endpoint-error"), ("invalid_client", "token-invalid-client"),
    ])
    func leavesEntrasNumberAtTheTokenEndpointToTheRefusal(error: String, told: String) throws {
        let recording = try Recording("token-request/token-invalid-client").withoutAuthorization.answering(
            "/token",
            400,
            [
                "error": .string(error),
                "error_description": "AADSTS700016: Application with identifier 'x' was not found",
            ]
        )
        #expect(recording.finding(rule) == nil)
        let finding = try #require(recording.finding(told))
        #expect(finding.isPrimary)
        #expect(finding.title == "The provider does not know this client")
        #expect(finding.places.contains { $0.hasSuffix("client_id") || $0.hasSuffix("Authorization") })
    }

    /// Whom the provider answers at the redirect URI it knows.
    @Test(arguments: [
        ("Unknown client", "The provider does not know this client"),
        (
            "The client does not exist or is not enabled for consumers",
            "The app is not registered for personal Microsoft accounts"
        ),
    ])
    func leavesUnauthorizedClientAtTheRedirectURIAlone(words: String, title: String) throws {
        let recording = try Recording("authorization-response/authorization-error")
            .redirecting(with: [("error", "unauthorized_client"), ("error_description", words)])
        #expect(recording.finding(rule) == nil)
        let finding = try #require(recording.finding("authorization-error"))
        #expect(finding.isPrimary)
        #expect(finding.title == title)
    }

    @Test func readsTheProvidersErrorPageByItsURL() throws {
        let recording = try Recording(broken).redirecting(
            to:
                "/oauth2_error.do?oauthErrorCode=invalid_client&oauthErrorMsg=A+valid+OAuth+client+could+not+be+found+for+client_id"
        )
        #expect(recording.finding(rule)?.places.last == "1 response.location oauthErrorCode")
    }

    @Test func saysNothingOfTheTokenEndpoint() throws {
        #expect(try Recording("token-request/token-invalid-client").finding(rule) == nil)
    }

    @Test func abstainsWithoutTheTextOfThePage() throws {
        let recording = try Recording(broken).withoutBodies(of: "/authorize")
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test func readsWhatADeviceIsTold() throws {
        let recording = Recording(
            Array(try Recording("logout-and-device/device-code-expired").exchanges.prefix(1))
        ).answering(
            "/device_authorization",
            400,
            ["error": "invalid_request", "error_description": "Invalid client_id parameter value."]
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == ["0 request.body client_id", "0 request.url ", "0 response.body error"]
        )
        #expect(recording.findings.count == 1)
    }

    /// Entra, where an app of one tenant asks at the address for all of them.
    @Test func tellsAnAppOfOneTenant() throws {
        let text = "AADSTS50194: Application is not configured as a multi-tenant application."
        let finding = try #require(Recording(broken).saying(text, status: 400).finding(rule))
        #expect(finding.fix.contains("tenant's own address"))
        #expect(try !#require(Recording(broken).finding(rule)).fix.contains("tenant's own address"))
    }

    @Test(arguments: ["invalid_client_id", "deleted_client"])
    func leavesOtherNamesAtTheTokenEndpointToTheRefusal(error: String) throws {
        let recording = try Recording("token-request/token-invalid-client").withoutAuthorization.answering(
            "/token",
            400,
            ["error": .string(error)]
        )
        #expect(recording.finding(rule) == nil)
        let finding = try #require(recording.finding("token-endpoint-error"))
        #expect(finding.isPrimary)
        #expect(finding.title == "The provider does not know this client")
    }

    @Test func readsJSON() throws {
        let recording = try Recording(broken).answering(
            "/authorize",
            404,
            ["message": "Unknown Application", "code": 10002]
        )
        #expect(recording.finding(rule)?.isPrimary == true)
    }

    /// Spotify's name for a redirect URI that it does not know, or does not take.
    @Test(arguments: ["Invalid redirect URI", "Insecure redirect URI"])
    func leavesARedirectURIOfThatNameAlone(words: String) throws {
        let recording = try Recording("healthy/web-code-flow").saying("INVALID_CLIENT: \(words)")
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("redirect-uri-not-registered")?.isPrimary == true)
        let client = try Recording("healthy/web-code-flow").saying("INVALID_CLIENT: Invalid client")
        #expect(client.finding(rule)?.isPrimary == true)
    }

    /// Facebook answers with 200.
    @Test(arguments: [
        ("<div>Invalid App ID</div>", true), ("<form><input name=user></form>Invalid App ID", false),
        ("<div>Sign in</div>", false),
    ])
    func readsAPageWith200ThatIsAllOfTheAnswer(page: String, isOne: Bool) throws {
        let recording = try Recording(broken).saying(page, status: 200)
        #expect((recording.finding(rule)?.isPrimary == true) == isOne)
        #expect(recording.outcomes == [isOne ? .failure : .incomplete])
    }

    /// Login.gov's page lists the parameters that it does not like.
    @Test(arguments: [("client_id: Bad client_id", true), ("acr_values: Please fill in this field.", false)])
    func readsAListOfParameters(words: String, isOne: Bool) throws {
        let recording = try Recording(broken).saying("<h1>There was an error</h1><ul><li>\(words)</li></ul>")
        #expect((recording.finding(rule)?.isPrimary == true) == isOne)
    }

    /// What MCP's servers say of a document whose client_id is another URL.
    @Test func tellsADocumentOfAnotherURL() throws {
        let recording = try Recording(broken).asking("client_id", "https://tools.shop.example/client.json")
            .saying("client_id in metadata document does not match its URL")
        #expect(
            recording.finding(rule)?.title == "The provider could not use the client's own metadata document"
        )
    }
}
