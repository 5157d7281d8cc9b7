import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

/// What the provider's pages, their scripts and what stands in front of an app say.
extension AccessDeniedByPolicyTests {
    /// Matrix's server asks a policy engine, and says no on a page of its own.
    @Test(arguments: [
        ("The authorization request was denied by the policy enforced by this service", true),
        ("The authorization request was denied. See our privacy policy.", false),
        ("Unknown client. Sign-ins may also be denied by the policy of your organization.", false),
        // As firewalls have it.
        ("Your request was denied by policy. Incident 4711", false),
    ])
    func readsAPageOfAPolicyEngine(words: String, fires: Bool) throws {
        let recording = try Recording(broken).saying(
            "<h1>Authorization denied</h1><p>\(words)</p>",
            status: 403
        )
        #expect((recording.finding(rule)?.isPrimary ?? false) == fires)
    }

    /// authentik's page is made by a script, which is told the name of the next stage.
    @Test(arguments: [
        ("ak-stage-access-denied", "Request has been denied.", true), ("ak-stage-access-denied", "", true),
        ("ak-stage-access-denied", "Invalid password", false),
        ("ak-stage-identification", "Request has been denied.", false),
    ])
    func readsTheStageAtWhichASignInEnds(stage: String, words: String, fires: Bool) throws {
        var recording = try Recording(broken).saying(
            "<title>authentik</title><div id=flow></div>",
            status: 200
        )
        var call = try #require(recording.exchanges.last)
        call.startedAt = call.startedAt + .milliseconds(300)
        call.request.url = RecordedURL("https://id.harbour.example/api/v3/flows/executor/consent/?query=")
        call.response = RecordedResponse(
            status: 200,
            body: .json(#"{"component":"\#(stage)","error_message":"\#(words)"}"#)
        )
        recording.exchanges.append(call)
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect(recording.outcomes == [fires ? .failure : .incomplete])
        if fires {
            let name = words.isEmpty ? "component" : "error_message"
            #expect(recording.finding(rule)?.places == ["2 response.body \(name)"])
            #expect(recording.finding("login-abandoned") == nil)
        }
    }

    /// Google's proxy has signed the user in by then, and marks what it answers itself.
    @Test(arguments: [(403, true, true), (403, false, false), (200, true, false)])
    func readsTheProxysAnswerInTheAppsPlace(status: Int, isMarked: Bool, fires: Bool) throws {
        let recording = try Recording("healthy/web-code-flow").frontChannel.editingLast("/") { exchange in
            exchange.response?.status = status
            if isMarked { exchange.response?.headers.append("x-goog-iap-generated-response", "true") }
        }
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect(recording.outcomes == [fires ? .failure : .success])
    }

    /// Okta's page posts by script, and is answered in JSON.
    @Test(arguments: ["security.access_denied", "errors.E0000004"])
    func readsTheAnswerToTheSignInsScript(key: String) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.method == "POST" else { return }
            exchange.request.url = RecordedURL("https://id.harbour.example/idp/idx/identify")
            exchange.response = RecordedResponse(
                status: 403,
                body: Body(
                    text: #"{"messages":{"value":[{"i18n":{"key":"\#(key)"},"class":"ERROR"}]}}"#,
                    mediaType: "application/ion+json"
                )
            )
        }.without { $0.request.url.path == "/callback" }
        #expect((recording.finding(rule)?.isPrimary == true) == (key == "security.access_denied"))
    }

    /// A redirect that has only the error's name leads to the provider's page, which has the words.
    @Test func readsThePageThatARedirectAfterTheSignInLeadsTo() throws {
        var recording = try Recording(Array(Recording(broken).exchanges.prefix(3)))
        let location = "https://id.harbour.example/oauth/error?error=access_denied"
        recording = recording.editingLast("/sign-in") { $0.response?.redirect(to: location) }
        var page = try #require(recording.exchanges.last)
        page.startedAt = page.startedAt + .seconds(1)
        page.request.method = "GET"
        page.request.url = RecordedURL(location)
        page.request.body = nil
        page.response = RecordedResponse(status: 403)
        page.response?.body = Body(
            text: "<h1>Access blocked: Shop has not completed the Google verification process</h1>",
            mediaType: "text/html"
        )
        recording.exchanges.append(page)
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.finding("authorization-error") == nil)
    }

    @Test(arguments: [("Account Inactive", true), ("Account", false)])
    func readsThePageThatSaysThatTheAccountMayNotBeUsed(heading: String, fires: Bool) throws {
        let page = Body.html("<title>Harbour</title><h1>\(heading)</h1><p>Ask us.</p>")
        let recording = try Recording(broken).endingSignIn(with: .init(status: 200, body: page))
        #expect((recording.finding(rule) != nil) == fires)
        #expect(recording.outcomes == [fires ? .failure : .incomplete])
        if fires { #expect(recording.findings.filter(\.isPrimary).map(\.rule) == [rule]) }
    }

    @Test func readsThePageAfterTheSignIn() throws {
        let page = Body.html("<p>AADSTS50105: Your administrator has configured it</p>")
        let recording = try Recording(broken).endingSignIn(with: .init(status: 200, body: page))
        let finding = try #require(recording.finding(rule))
        #expect(finding.places == ["2 response.body "])
        #expect(recording.finding("authorization-error") == nil)
    }

    @Test func readsAPageThatIsNoSignIn() throws {
        let page =
            "<title>Permission denied - authentik</title><ak-stage-access-denied>Request has been denied.</ak-stage-access-denied>"
        let recording = try Recording("healthy/web-code-flow").saying(page, status: 200)
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.finding("authorization-error") == nil)
        #expect(recording.outcomes == [.failure])
        let withForm = page + "<form action=/logout><input name=reason></form>"
        #expect(try Recording("healthy/web-code-flow").saying(withForm, status: 200).finding(rule) != nil)
        let signIn = try Recording("healthy/web-code-flow").saying(
            page + "<input type='password'>",
            status: 200
        )
        #expect(signIn.finding(rule) == nil)
    }

    @Test func readsWhatGooglesPageOfErrorsIsTold() throws {
        let words = "The developer hasn’t given you access to this app. It’s currently being tested."
        var record: [UInt8] = []
        for (number, text) in [(1, "access_denied"), (2, words)] {
            record += [UInt8(number << 3 | 2), UInt8(text.utf8.count)]
            record += Array(text.utf8)
        }
        let query = FormBody.encode([("authError", Base64.encode(record)), ("client_id", "shop-web")])
        let recording = try Recording("healthy/web-code-flow").redirecting(
            to: "https://accounts.google.com/signin/oauth/error?\(query)"
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.evidence[0].value == "access_denied \(words)")
        #expect(finding.places == ["2 response.location authError"])
    }

    /// Facebook answers so with 200, and shows no heading.
    @Test(arguments: [("App not active", true), ("Continue as Jane", false)])
    func readsThePageThatSaysThatTheAppIsNotLive(words: String, fires: Bool) throws {
        let recording = try Recording(broken).saying(
            "<title>Harbour</title><div>\(words)</div><div>Try again later.</div>",
            status: 200
        )
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
    }
}
