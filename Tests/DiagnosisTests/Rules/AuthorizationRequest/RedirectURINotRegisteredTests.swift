import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct RedirectURINotRegisteredTests {
    let rule = "redirect-uri-not-registered"
    let broken = "authorization-request/redirect-uri-not-registered"

    @Test func namesTheURIThePageAndTheNearestOther() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == [
                "3 request.query redirect_uri", "3 response.body ", "0 request.query redirect_uri",
            ]
        )
        #expect(finding.evidence[1].value == "Invalid parameter: redirect_uri")
        #expect(finding.notes.last?.hasSuffix("a \"/\" too many at the end") == true)
    }

    /// Out of a file that ends with a line break, or with the quotation marks of an environment file.
    @Test(arguments: [
        ("https://www.shop.example/callback\n", "white space around it"),
        ("\"https://www.shop.example/callback\"", "in quotation marks"),
    ])
    func saysWhatStandsAroundIt(sent: String, note: String) throws {
        let finding = try #require(Recording(broken).asking("redirect_uri", sent).finding(rule))
        #expect(finding.notes.first == note)
        #expect(finding.fix.hasPrefix("Take off what stands around the redirect URI"))
    }

    /// The client of an MCP server, or of IndieAuth.
    @Test(arguments: [("https://mcp.example/oauth/client.json", true), ("shop-app", false)])
    func namesTheDocumentThatTheClientIsNamedBy(client: String, isTold: Bool) throws {
        let recording = try Recording(broken).asking("client_id", client)
        #expect(recording.finding(rule)?.fix.contains("redirect_uris of the document") == isTold)
    }

    /// Keycloak's administrators give clients such names, too, and register their redirect URIs.
    @Test func clientOfKeycloakIsRegisteredThereByWhateverName() throws {
        let recording = try Recording(broken).asking("client_id", "https://app.harbour.example/").editing {
            let (endpoint, realms) = ("example/authorize", "example/realms/main/protocol/openid-connect/auth")
            $0.request.url = RecordedURL($0.request.url.text.replacing(endpoint, with: realms))
            if let location = $0.response?.location {
                $0.response?.redirect(to: location.replacing(endpoint, with: realms))
            }
        }
        let finding = try #require(recording.finding(rule))
        #expect(!finding.fix.contains("redirect_uris of the document"))
        #expect(finding.fix.contains("Valid redirect URIs"))
    }

    /// A server that knows its own address by a default, or by the name that a network of containers has for it.
    @Test(arguments: [
        ("http://localhost:3000/callback", true), ("http://shop:8080/callback", true),
        ("http://localhost:51004/callback", false), ("https://shop.example/callback", false),
    ])
    func namesAServerThatTakesItselfToBeHere(uri: String, isTold: Bool) throws {
        let recording = try Recording(broken).asking("redirect_uri", uri)
        let finding = try #require(recording.finding(rule))
        #expect(finding.fix.contains("Grafana: root_url") == isTold)
        #expect(finding.notes.contains { $0.hasPrefix("where the login began; ") } == isTold)
    }

    /// A command line opens its maker's page, which it tells the port at which it waits.
    @Test func programThatTellsItsMakersPageItsPortIsWhereItSays() throws {
        let recording = try Recording(broken).asking("redirect_uri", "http://localhost:8976/callback").editing
        {
            guard $0.request.url.path == "/login" else { return }
            $0.request.url = RecordedURL($0.request.url.text + "?port=8976")
        }
        #expect(try #require(recording.finding(rule)).fix.contains("root_url") == false)
    }

    /// An app builds its redirect URI from the address that it is opened at.
    @Test(arguments: ["http", "https"]) func namesALoginThatBeganOverHTTP(scheme: String) throws {
        let uri = "redirect_uri=https%3A%2F%2Fwww.shop.example%2Fcallback%2F"
        let recording = try Recording(broken).editing { exchange in
            let sent = "redirect_uri=http%3A%2F%2Fwww.shop.example%2Fcallback"
            let url = exchange.request.url.text.replacing(uri, with: sent)
            exchange.request.url = RecordedURL(
                exchange.request.url.path == "/login" ? url.replacing("https", with: scheme) : url
            )
            if let location = exchange.response?.location {
                exchange.response?.redirect(to: location.replacing(uri, with: sent))
            }
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.places.contains("2 request.url ") == (scheme == "http"))
        #expect(finding.fix.contains("opened at an http address") == (scheme == "http"))
        // Of the other one a rule of its own tells.
        #expect((recording.finding("proxy-scheme-downgrade") != nil) == (scheme == "https"))
    }

    /// Then http is not what is wrong with it.
    @Test(
        arguments: [
            ("?code=earlier-code&state=earlier", true), ("#id_token=earlier-token&state=earlier", true),
            ("?error=invalid_request&error_description=redirect_uri+has+to+be+https&state=earlier", false),
        ]
    )
    func saysNothingOfHTTPWhereItWasAnsweredBefore(answer: String, isTaken: Bool) throws {
        let sent = "redirect_uri=http%3A%2F%2Fwww.shop.example%2F"
        let uri = "redirect_uri=https%3A%2F%2Fwww.shop.example%2Fcallback%2F"
        var recording = try Recording(broken).editing { exchange in
            let url = exchange.request.url.text.replacing(uri, with: sent + "callback")
            exchange.request.url = RecordedURL(
                exchange.request.url.path == "/login" ? url.replacing("https", with: "http") : url
            )
            if let location = exchange.response?.location {
                exchange.response?.redirect(to: location.replacing(uri, with: sent + "callback"))
            }
        }
        #expect(recording.finding(rule)?.fix.contains("opened at an http address") == true)
        var earlier = recording.exchanges[3]
        earlier.startedAt = recording.exchanges[0].startedAt - .seconds(90)
        earlier.request.url = RecordedURL(
            Recording.changing(
                earlier.request.url.text.replacing(sent + "callback", with: sent + "old"),
                "state",
                "earlier"
            )
        )
        earlier.response?.status = 302
        earlier.response?.redirect(to: "http://www.shop.example/old" + answer)
        recording.exchanges.append(earlier)
        let finding = try #require(recording.finding(rule))
        #expect(finding.fix.contains("opened at an http address") != isTaken)
        #expect(!finding.fix.contains("  "))
    }

    /// Some providers have the same words for it.
    @Test(arguments: [nil, ""] as [String?]) func leavesAloneWhatWasNotSent(uri: String?) throws {
        let recording = try Recording(broken).asking("redirect_uri", uri)
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("authz-missing-parameter") != nil)
    }

    @Test func leavesAloneWhatReachedTheRedirectURI() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    /// GitHub, Twitch.
    @Test(arguments: ["redirect_uri_mismatch", "redirect_mismatch"])
    func registeredCallbackIsTold(error: String) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.response?.status == 400 else { return }
            exchange.response?.status = 302
            exchange.response?.redirect(to: "https://www.shop.example/other?error=\(error)")
        }
        #expect(recording.finding(rule) != nil)
    }

    @Test func leavesAnErrorOfThatNameAloneThatReachedTheApp() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.response?.status == 400 else { return }
            exchange.response?.status = 302
            exchange.response?.body = nil
            exchange.response?.redirect(to: "https://www.shop.example/callback/?error=redirect_uri_mismatch")
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func abstainsWithoutTheTextOfThePage() throws {
        let recording = try Recording(broken).withoutBodies(of: "/authorize")
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test func saysNothingOfAnotherRefusal() throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.response?.status == 400 {
                exchange.response?.body = Body(text: "Client not found.", mediaType: "text/html")
            }
        }
        #expect(recording.finding(rule) == nil)
    }

    /// An error without a word, of the endpoint itself.
    private func silent(_ status: Int, length: String? = "0") throws -> Recording {
        try Recording("healthy/web-code-flow").saying("", status: status).answering(
            "/authorize",
            header: "Content-Length",
            length
        )
    }

    @Test(arguments: [400, 403]) func takesAnEmptyPageForIt(status: Int) throws {
        let finding = try #require(try silent(status).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.evidence[1].value == "\(status)")
        #expect(finding.notes.contains { $0.contains("or the client is not known") })
    }

    /// Of a request that is wrong in itself an empty page says nothing more.
    @Test(arguments: ["response_type", "client_id"]) func leavesAnIncompleteRequestAlone(name: String) throws
    {
        let recording = try silent(400).asking(name, nil)
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("authz-missing-parameter")?.isPrimary == true)
    }

    @Test func leavesOtherStatusesAndUnsavedPagesAlone() throws {
        #expect(try silent(404).finding(rule) == nil)
        #expect(try silent(403, length: nil).finding(rule) == nil)
        #expect(try silent(403, length: "212").finding(rule) == nil)
    }

    /// A port that is another one each time is none that could be registered.
    @Test func saysWhatToRegisterForAPortThatIsChosenAnew() throws {
        func fix(_ uri: String) throws -> String {
            try #require(Recording(broken).asking("redirect_uri", uri).finding(rule)).fix
        }
        #expect(try fix("http://localhost:51004/callback").contains("without a port"))
        #expect(try !fix("http://localhost:8400/callback").contains("without a port"))
        #expect(try !fix("https://www.shop.example/callback").contains("without a port"))
    }

    /// Spotify, Bluesky.
    @Test(arguments: [
        ("http://localhost:8400/callback", "INVALID_CLIENT: Insecure redirect URI", true),
        ("http://localhost:8400/callback", "Invalid redirect_uri (allowed: http://127.0.0.1/callback)", true),
        ("http://localhost:8400/callback", "INVALID_CLIENT: Invalid redirect URI", false),
        ("http://shop.example/callback", "INVALID_CLIENT: Insecure redirect URI", false),
    ])
    func saysWhatToSendInPlaceOfTheNameOfTheMachine(uri: String, words: String, fires: Bool) throws {
        let recording = try Recording(broken).asking("redirect_uri", uri).saying(words)
        #expect(try #require(recording.finding(rule)).fix.contains("127.0.0.1 with the port") == fires)
    }

    @Test func saysThatTheProviderItselfRegisteredIt() throws {
        let login = try Recording("registration/registration-redirect-differs")
        let request = try #require(login.exchanges.first { $0.request.url.path == "/authorize" })
        let sent = try #require(request.request.url.queryItems.first("redirect_uri"))
        let refused = login.saying("<h1>Invalid redirect URI</h1>")
        #expect(refused.finding(rule)?.title.contains("has registered") == false)
        let finding = try #require(
            refused.editingAnswer(of: "/register") { $0["redirect_uris"] = .array([.string(sent)]) }
                .finding(rule)
        )
        #expect(finding.isPrimary)
        #expect(finding.title.contains("has registered"))
        #expect(finding.places.last == "1 response.body redirect_uris")
        #expect(finding.fix.contains("Look at the provider"))
    }

    /// Changed, deleted, at another provider, or made later.
    @Test(arguments: ["PUT", "DELETE", "elsewhere", "later"])
    func saysItOfWhatWasRegisteredThenAlone(what: String) throws {
        let login = try Recording("registration/registration-redirect-differs")
        let request = try #require(login.exchanges.first { $0.request.url.path == "/authorize" })
        let sent = try #require(request.request.url.queryItems.first("redirect_uri"))
        let refused = login.saying("<h1>Invalid redirect URI</h1>")
            .editingAnswer(of: "/register") { $0["redirect_uris"] = .array([.string(sent)]) }
        let recording =
            switch what {
            case "PUT": refused.configuring(what) { $0["redirect_uris"] = ["https://shop.example/other"] }
            case "DELETE": refused.configuring(what)
            case "elsewhere":
                refused.editingLast("/register") {
                    $0.request.url = RecordedURL("https://id.other.example/register")
                }
            default: refused.editingLast("/register") { $0.startedAt = request.startedAt + .seconds(20) }
            }
        #expect(try #require(recording.finding(rule)).title.contains("has registered") == false)
    }

    /// What no registration helps.
    @Test(arguments: [
        (
            "urn:ietf:wg:oauth:2.0:oob", "AADSTS500119: Redirect URIs with urn: schemes are prohibited.",
            "device grant"
        ),
        (
            "urn:ietf:wg:oauth:2.0:oob",
            "The out-of-band (OOB) flow has been blocked in order to keep users secure.", "device grant"
        ),
        (
            "http://127.0.0.1:6007/callback",
            "The loopback flow has been blocked in order to keep users secure.", "desktop app"
        ),
        (
            "shop://callback", "AADSTS500111: The reply uri specified in the request has an invalid scheme.",
            "Send https for a web app"
        ),
    ])
    func knowsKindsThatAreNotTaken(uri: String, words: String, fix: String) throws {
        let recording = try Recording(broken).asking("redirect_uri", uri).saying(words)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.title == "The provider takes no redirect URI of this kind")
        #expect(finding.fix.contains(fix))
        #expect(recording.finding("authorization-error") == nil)
    }

    @Test func readsTheKindInGooglesPackedError() throws {
        let packed = encoded("The loopback flow has been blocked in order to keep users secure.")
        let recording = try Recording(broken).redirecting(
            to: "https://accounts.google.com/signin/oauth/error?authError=\(packed)"
        )
        #expect(recording.finding(rule)?.evidence[1].value == "flow has been blocked")
    }

    /// A setting that lists all of an app's addresses, sent as it stands.
    @Test(arguments: [
        ("http://localhost:3000/,https://www.shop.example/callback", true),
        ("https://www.shop.example/callback,v2", false),
        ("https://www.shop.example/callback?next=a,https://www.shop.example/b", false),
    ])
    func namesAListOfAddresses(uri: String, isList: Bool) throws {
        let finding = try #require(Recording(broken).asking("redirect_uri", uri).finding(rule))
        #expect(finding.fix.contains("several addresses") == isList)
    }

    /// Of an app that signs in by Microsoft's library: which build it is decides what is to be registered.
    @Test(arguments: [
        ("msauth://com.example.shop/2pO5rXWqCabcdEFGH0123456789x%3D", true),
        ("msauth.com.example.shop://auth", true), ("msauthority://com.example.shop", false),
    ])
    func tellsOfTheSignatureInAnAddressOfABroker(uri: String, isOne: Bool) throws {
        let finding = try #require(Recording(broken).asking("redirect_uri", uri).finding(rule))
        #expect(finding.fix.contains("SHA-1 of the certificate") == isOne)
    }
}
