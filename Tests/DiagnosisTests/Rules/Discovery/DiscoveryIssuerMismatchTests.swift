import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import Testing

struct DiscoveryIssuerMismatchTests {
    private let rule = "discovery-issuer-mismatch"
    private let broken = "discovery/discovery-issuer-mismatch"

    /// The document alone, asked and answered as given.
    private func document(_ url: String, issuer: String) throws -> Recording {
        try Recording(broken).editing { $0.request.url = RecordedURL(url) }
            .editingAnswer(of: RecordedURL(url).path) { $0["issuer"] = .string(issuer) }
    }

    @Test func showsBothNamesAndWhatDiffers() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["0 request.url ", "0 response.body issuer"])
        #expect(finding.notes[0].hasPrefix("scheme http instead of https; host harbour.internal.example"))
        #expect(recording.outcomes == [.failure])
    }

    /// A mark is nobody's name, be it the only one in the capture.
    @Test func abstainsWhereTheIssuerAloneWasTakenOut() throws {
        let recording = try Recording("healthy/web-code-flow")
            .stating("issuer", "[REDACTED]", at: "/.well-known/openid-configuration")
        #expect(recording.finding(rule) == nil)
        let reason = try #require(recording.abstention(rule))
        #expect(reason.hasPrefix("issuer was taken out of the capture: entry 0 "))
        #expect(recording.finding("capture-sanitized")?.places == ["0 response.body issuer"])
        #expect(recording.outcomes == [.success])
    }

    /// Providers with an issuer for each application answer at their root as well.
    @Test(arguments: [
        ("https://id.example/application/shop/", true), ("https://id.example/application", true),
        ("https://login.example/application/shop/", false), ("http://id.example/application", false),
    ])
    func saysWhatToConfigureForAnIssuerFurtherDown(issuer: String, isBelow: Bool) throws {
        let finding = try #require(
            document("https://id.example/.well-known/openid-configuration", issuer: issuer).finding(rule)
        )
        #expect(finding.fix.contains("Configure the client with the issuer") == isBelow)
    }

    /// A service that has one issuer for all its hosts (Oracle's).
    @Test(arguments: [
        ("https://idcs-1.identity.oraclecloud.com", "https://identity.oraclecloud.com/", true),
        ("https://id.shop.example", "https://id.harbour.example", false),
        ("https://id.shop.example", "http://id.shop.example", false),
    ])
    func saysWhatToDoWithTheIssuerOfAService(asked: String, issuer: String, fires: Bool) throws {
        let finding = try #require(
            document(asked + "/.well-known/openid-configuration", issuer: issuer).finding(rule)
        )
        #expect(finding.fix.contains("one issuer for all its addresses") == fires)
    }

    /// Its URL has the server's name or address, where the header field with the host is not in the capture.
    @Test func leavesAHostAloneThatIsNotKnown() throws {
        let url = "https://id.shop.example/.well-known/openid-configuration"
        let recording = try document(url, issuer: "https://id.harbour.example").editing {
            $0.unknownFields.request = 1
        }
        #expect(recording.finding(rule) != nil)
        let nameless = recording.editing { $0.request.headers.fields.removeAll { $0.name == "Host" } }
        #expect(nameless.finding(rule) == nil)
    }

    @Test(arguments: [("https", false), ("http", true), (nil, false)])
    func goesByTheSchemeThatAProxyTells(scheme: String?, fires: Bool) throws {
        let recording = try Recording("healthy/web-code-flow").behindProxy(telling: scheme)
        #expect((recording.finding(rule) != nil) == fires)
    }

    /// Captures of browser and server that were put together have no addresses: the app's answer has to have the document's name.
    @Test(arguments: [
        ("issuer did not match, expected https://id.example/ got https://id.example", "Mozilla/5.0", true),
        ("issuer did not match the issuer returned by provider", "Mozilla/5.0", false),
        (
            "issuer did not match, expected https://id.example/ got https://id.example", "Go-http-client/2.0",
            false
        ),
    ])
    func answerThatQuotesTheIssuerNeedsNoAddress(page: String, agent: String, fires: Bool) throws {
        var recording = try document(
            "https://id.example/.well-known/openid-configuration",
            issuer: "https://id.example"
        )
        recording.exchanges.removeLast(recording.exchanges.count - 1)
        recording.exchanges[0].client = ClientFacts()
        recording.exchanges[0].request.headers = HeaderFields([("User-Agent", "Go-http-client/2.0")])
        var work = recording.exchanges[0]
        work.request.url = RecordedURL("https://shop.example/auth/login")
        work.request.headers = HeaderFields([("User-Agent", agent)])
        work.startedAt = work.startedAt + .milliseconds(-5)
        work.duration = .seconds(5)
        work.response = RecordedResponse(status: 500, body: Body(text: page, mediaType: "text/plain"))
        recording.exchanges.insert(work, at: 0)
        let finding = recording.finding(rule)
        #expect((finding != nil) == fires)
        #expect(recording.outcomes == [fires ? .failure : .incomplete])
        if fires { #expect(finding?.severity == .error && finding?.places.last == "0 response.body ") }
    }

    /// The client is configured with a slash that the document has not, which no URL shows: its server says so.
    @Test(
        arguments: [
            (302, "/auth/failure?message=Issuer+mismatch", "", true),
            (302, "/auth/failure?message=Timeout", "", false),
            (500, nil, "issuer did not match the issuer returned by provider", true),
            (500, nil, "<h1>Error", false),
            (200, nil, "issuer", false),
            (500, nil, "DatabaseError: table oidc_issuer_cache: disk full", false),
        ] as [(Int, String?, String, Bool)]
    )
    func clientThatComparesToTheLetterIsBelieved(status: Int, location: String?, page: String, fires: Bool)
        throws
    {
        var recording = try document(
            "https://id.example/.well-known/openid-configuration",
            issuer: "https://id.example"
        )
        recording.exchanges.removeLast(recording.exchanges.count - 1)
        var work = recording.exchanges[0]
        recording.exchanges[0].client.process = "puma"
        work.client.process = "firefox"
        work.request.url = RecordedURL("https://shop.example/auth/openid_connect")
        work.startedAt = work.startedAt + .milliseconds(-5)
        work.duration = .seconds(5)
        work.response = RecordedResponse(status: status, body: Body(text: page, mediaType: "text/html"))
        if let location { work.response?.redirect(to: location) }
        recording.exchanges.insert(work, at: 0)
        let finding = recording.finding(rule)
        #expect((finding != nil) == fires)
        #expect(recording.outcomes == [fires ? .failure : .incomplete])
        guard fires, let finding else { return }
        #expect(finding.severity == .error && finding.isPrimary)
        #expect(finding.places.last == (location == nil ? "0 response.body " : "0 response.location message"))
    }

    /// The ID token has the name that was asked, and the app compared it with the document's.
    @Test func explainsThatTheAppRefusesATokenWithTheNameThatWasAsked() throws {
        let recording = try Recording("healthy/web-code-flow")
            .editingAnswer(of: "/.well-known/openid-configuration") {
                $0["issuer"] = .string("https://id.internal.example")
            }
            .answeringCallback(500)
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == .error)
        #expect(finding.isPrimary)
        #expect(recording.finding("callback-rejected-by-app")?.effectOf == rule)
    }

    @Test func theSlashAtTheEndDoesNotCount() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: [
        ("https://id.example/a/.well-known/openid-configuration", "https://id.example/a"),
        ("https://id.example/.well-known/oauth-authorization-server/a", "https://id.example/a"),
        ("https://id.example/.well-known/openid-configuration/a/", "https://id.example/a"),
        ("https://id.example:443/.well-known/openid-configuration", "https://id.example"),
        ("https://id.example/.well-known/openid-configuration", "https://ID.example:443/"),
        (
            "https://login.microsoftonline.com/common/v2.0/.well-known/openid-configuration",
            "https://login.microsoftonline.com/{tenantid}/v2.0"
        ),
        (
            "https://login.microsoftonline.com/contoso.com/.well-known/openid-configuration",
            "https://sts.windows.net/9188040d-6c67-4c5b-b112-36a304b66dad/"
        ),
        (
            "https://contoso.ciamlogin.com/contoso.com/v2.0/.well-known/openid-configuration",
            "https://9188040d-6c67-4c5b-b112-36a304b66dad.ciamlogin.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0"
        ),
        (
            "https://login.shop.example/shop.onmicrosoft.com/B2C_1_susi/v2.0/.well-known/openid-configuration",
            "https://login.shop.example/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0/"
        ),
        (
            "https://login.shop.example/9188040D-6C67-4C5B-B112-36A304B66DAD/B2C_1_susi/v2.0/.well-known/openid-configuration",
            "https://login.shop.example/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0/"
        ),
        (
            "https://is.example:9443/oauth2/oidcdiscovery/.well-known/openid-configuration",
            "https://is.example:9443/oauth2/token"
        ),
        (
            "https://shop.auth.eu-west-1.amazoncognito.com/.well-known/openid-configuration",
            "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_abc"
        ),
    ])
    func acceptsWhatIsTheSame(url: String, issuer: String) throws {
        #expect(try document(url, issuer: issuer).finding(rule) == nil)
    }

    @Test(arguments: [
        ("https://id.example/a/.well-known/openid-configuration", "https://id.example/b"),
        ("https://id.example/.well-known/openid-configuration", "http://id.example"),
        ("https://id.example/.well-known/openid-configuration", "https://id.example:8443"),
        ("https://id.example/A/.well-known/openid-configuration", "https://id.example/a"),
        (
            "https://login.shop.example/shop.onmicrosoft.com/B2C_1_susi/v2.0/.well-known/openid-configuration",
            "https://login.other.example/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0/"
        ),
        (
            "https://login.shop.example/9188040d-6c67-4c5b-b112-36a304b66dae/B2C_1_susi/v2.0/.well-known/openid-configuration",
            "https://login.shop.example/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0/"
        ),
        (
            "https://login.microsoftonline.com/common/v2.0/.well-known/openid-configuration",
            "https://login.microsoftonline.com/common/v2.0/x"
        ),
        (
            "https://is.example:9443/oauth2/oidcdiscovery/.well-known/openid-configuration",
            "https://localhost:9443/oauth2/token"
        ),
        (
            "https://is.example:9443/t/shop/.well-known/openid-configuration",
            "https://is.example:9443/oauth2/token"
        ),
        (
            "https://login.microsoftonline.com/common/v2.0/.well-known/openid-configuration",
            "https://id.example/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0"
        ),
        (
            "https://login.shop.example/shop/B2C_1_susi/v2.0/.well-known/openid-configuration",
            "https://login.shop.example/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0"
        ),
        (
            "https://login.shop.example/shop.onmicrosoft.com/B2C_1_susi/v3.0/.well-known/openid-configuration",
            "https://login.shop.example/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0"
        ),
    ])
    func tellsWhatIsNot(url: String, issuer: String) throws {
        #expect(try document(url, issuer: issuer).finding(rule)?.severity == .error)
    }

    /// Entra's template is none where nothing follows it but an error of the app's; else there are clients that know it.
    @Test(arguments: [(500, true), (302, false)])
    func tellsATemplateThatTheAppStoppedAt(status: Int, fires: Bool) throws {
        var recording = try document(
            "https://login.microsoftonline.com/common/v2.0/.well-known/openid-configuration",
            issuer: "https://login.microsoftonline.com/{tenantid}/v2.0"
        )
        recording.exchanges.removeLast(recording.exchanges.count - 1)
        var work = recording.exchanges[0]
        recording.exchanges[0].client.process = "gitlab"
        work.client.process = "firefox"
        work.request = RecordedRequest(method: "GET", url: RecordedURL("https://www.shop.example/login"))
        work.response = RecordedResponse(status: status)
        if status == 302 { work.response?.redirect(to: "/") }
        work.startedAt = work.startedAt - .milliseconds(5)
        work.duration = .seconds(5)
        recording.exchanges.append(work)
        let finding = recording.finding(rule)
        #expect((finding != nil) == fires)
        if let finding {
            #expect(finding.isPrimary && finding.severity == .error)
            #expect(finding.title.contains("all tenants"))
            #expect(finding.places.last == "1 response.status ")
        }
    }

    /// An app on a device tells nobody: it is seen elsewhere, and opens no login.
    @Test(
        arguments: [
            ("Shop/4.2 CFNetwork/1568.200.51 Darwin/24.1.0", nil, true),
            ("Java-http-client/21.0.5", nil, false),
            ("Shop/4.2 CFNetwork/1568.200.51 Darwin/24.1.0", "MSAL.iOS", false),
        ] as [(String, String?, Bool)]
    )
    func tellsATemplateThatAnAppOnADeviceStoppedAt(agent: String, library: String?, fires: Bool) throws {
        var recording = try document(
            "https://login.microsoftonline.com/common/v2.0/.well-known/openid-configuration",
            issuer: "https://login.microsoftonline.com/{tenantid}/v2.0"
        )
        recording.exchanges.removeLast(recording.exchanges.count - 1)
        var later = recording.exchanges[0]
        later.startedAt = later.startedAt + .seconds(40)
        later.request = RecordedRequest(method: "GET", url: RecordedURL("https://www.shop.example/offers"))
        later.response = RecordedResponse(status: 200)
        recording.exchanges.append(later)
        let seen = recording.editing { exchange in
            exchange.request.headers.replace("User-Agent", with: agent)
            if let library { exchange.request.headers.append("x-client-SKU", library) }
        }
        #expect(seen.finding(rule) == nil)
        let finding = seen.finding("discovery-missing-endpoint")
        #expect((finding?.title.contains("template, and the app stopped there") == true) == fires)
        #expect(finding?.severity ?? .note == .note)
        #expect(finding?.places.last ?? "1 request.url " == "1 request.url ")
    }

    @Test func isAWarningWhereTheLoginWentOn() throws {
        let recording = try Recording("healthy/native-app").editingAnswer(
            of: "/.well-known/openid-configuration"
        ) { $0["issuer"] = "https://harbour.internal.example" }
        #expect(recording.finding(rule)?.severity == .warning)
        #expect(recording.outcomes == [.success])
    }

    /// The provider's address was set right, or wrong, between two logins.
    @Test(arguments: [true, false]) func eachLoginHasTheMetadataOfItsTime(isFirst: Bool) throws {
        let other = try Recording("healthy/web-code-flow").editingAnswer(
            of: "/.well-known/openid-configuration"
        ) { $0["issuer"] = "http://id.harbour.example" }
        let right = try Recording("healthy/native-app")
        let recording = try isFirst ? other.followed(by: right) : right.followed(by: other)
        let fires = recording.diagnoses.map { $0.findings.contains { $0.rule == rule } }
        #expect(fires == [isFirst, !isFirst])
    }

    private func readingElsewhere(_ path: String) throws -> Recording {
        try Recording(path).withMetadata().editing { exchange in
            guard exchange.request.url.path.contains("well-known") else { return }
            exchange.request.url = RecordedURL("https://harbour.example/.well-known/openid-configuration")
        }
    }

    @Test func isAnErrorWhereTheTokenMayBeRefusedForIt() throws {
        let other = JSONValue.string("https://id.harbour.example")
        let recording = try readingElsewhere("healthy/web-code-flow").answering("/callback", 500)
        #expect(recording.finding(rule)?.evidence.last?.value == other.string)
        #expect(recording.finding(rule)?.severity == .error)
    }

    /// A client that read the metadata at an address inside of the cluster has gone on with them.
    @Test func isAWarningWhereTheTokenIsWrongOtherwise() throws {
        let recording = try readingElsewhere("id-token/id-token-nonce-mismatch")
        #expect(recording.finding(rule)?.severity == .warning)
        #expect(recording.finding("id-token-nonce-mismatch")?.isPrimary == true)
    }

    @Test func anotherProgramsDocumentIsNoneOfTheLogins() throws {
        let recording = try readingElsewhere("id-token/id-token-nonce-mismatch")
        let place = try #require(
            recording.exchanges.firstIndex { $0.request.url.path.contains("well-known") }
        )
        var own = recording.exchanges[place]
        own.request.url = RecordedURL("https://id.harbour.example/.well-known/openid-configuration")
        var exchanges = recording.exchanges
        exchanges.insert(own, at: place)
        #expect(Recording(exchanges).finding(rule) == nil)
    }
}
