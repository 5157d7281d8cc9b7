import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import TestSupport
import Testing

struct LoginAbandonedTests {
    private let rule = "login-abandoned"
    private let broken = "authorization-response/login-abandoned"

    @Test func showsTheLastPage() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .note)
        #expect(finding.places == ["2 request.url ", "2 response.body ", "- request.body credentials"])
        #expect(finding.evidence[1].value == "Sign in Wrong name or password")
        #expect(finding.evidence[2].value == "posted once")
        #expect(recording.outcomes == [.incomplete])
    }

    /// Where the page has a box for it; before anything was posted there may be one that waits for a script.
    @Test func showsWhatTheUserWasTold() throws {
        let page =
            "<nav>Menu of the site</nav><form><p role=alert>Wrong password</p><input type=password></form>"
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/sign-in" else { return }
            exchange.response?.body = Body(text: page, mediaType: "text/html")
        }
        let told = try #require(recording.finding(rule)).evidence[1]
        #expect(told.value == "Wrong password" && told.note == "what the page tells the user")
        let first = try Recording(Array(Recording(broken).exchanges.prefix(2))).editing { exchange in
            exchange.response?.body = Body(text: page, mediaType: "text/html")
        }
        let start = try #require(first.finding(rule)).evidence[1]
        #expect(start.value == "Menu of the site Wrong password" && start.note == nil)
    }

    /// The sign-in page is shown once more, with a message.
    private func warning(_ words: String) throws -> Recording {
        try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/sign-in" else { return }
            exchange.response?.body = Body(
                text: "<form method=post><p role=alert>\(words)</p><input type=password></form>",
                mediaType: "text/html"
            )
        }
    }

    /// Keycloak shows its form once more, with a message.
    @Test(arguments: [
        (
            "Your login attempt timed out. Login will start from the beginning.",
            "The login had run out at the provider"
        ),
        ("Invalid username or password.", "The provider did not let the user in, and the login ended there"),
    ])
    func tellsALoginThatHadRunOutFromAWrongPassword(words: String, title: String) throws {
        let recording = try warning(words)
        #expect(recording.finding(rule)?.title == title)
        #expect(recording.outcomes == [.incomplete])
    }

    /// Browsers show no page in a frame whose provider forbids it; a policy that names sites may name this one.
    @Test(arguments: [
        ("X-Frame-Options", "DENY", "iframe", "cross-site", true),
        ("X-Frame-Options", "sameorigin", "iframe", "cross-site", true),
        ("X-Frame-Options", "DENY", "document", "cross-site", false),
        ("X-Frame-Options", "DENY", "iframe", "same-origin", false),
        ("Content-Security-Policy", "frame-src 'self'; frame-ancestors 'self'", "iframe", "cross-site", true),
        (
            "Content-Security-Policy", "frame-ancestors 'self' https://www.shop.example", "iframe",
            "cross-site", false
        ),
        ("Content-Security-Policy", "frame-src 'none'", "iframe", "cross-site", false),
    ])
    func tellsAPageThatMayNotBeFramed(
        name: String,
        value: String,
        target: String,
        site: String,
        isTold: Bool
    ) throws {
        let recording = try Recording(Array(Recording(broken).exchanges.prefix(2))).editing { exchange in
            guard exchange.request.url.path == "/authorize" else { return }
            exchange.request.headers.append("Sec-Fetch-Dest", target)
            exchange.request.headers.append("Sec-Fetch-Site", site)
            exchange.response?.headers.append(name, value)
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.title.contains("not shown in the frame") == isTold)
        #expect(finding.places.contains("1 response.header \(name)") == isTold)
        #expect(recording.outcomes == [.incomplete])
    }

    /// PingFederate has a name of its own for the password.
    @Test(arguments: [("pf.pass", true), ("pf.adapterId", false)]) func knowsTheFieldOfAPassword(
        name: String,
        isOne: Bool
    ) throws {
        let recording = try Recording(broken).editingLast("/sign-in") {
            $0.request.body = Body(
                text: "pf.username=alice&\(name)=not-the-password",
                mediaType: "application/x-www-form-urlencoded"
            )
        }
        let credentials = try #require(recording.finding(rule)).evidence.last
        #expect((credentials?.value == "posted once") == isOne)
    }

    /// Keycloak shows its form beside the question for the user's ticket, which not every browser has.
    @Test(arguments: [("<form method=post><input name=user></form>", true), ("<h1>Unauthorized</h1>", false)])
    func formBesideAQuestionForATicketIsAPage(html: String, fires: Bool) throws {
        let recording = try Recording(broken).saying(html, status: 401).editingLast("/authorize") {
            $0.response?.headers.append("WWW-Authenticate", "Negotiate")
        }
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect(recording.outcomes == [.incomplete])
    }

    /// A page looks first whether its user is signed in, and is told that they have to sign in.
    @Test func silentTryBeforeThePageIsNoAnswer() throws {
        var exchanges = try Array(Recording(broken).exchanges.prefix(2))
        var probe = exchanges[1]
        let asked = probe.request.url.text
        let state = try #require(probe.request.url.queryItems.first("state"))
        probe.startedAt = exchanges[0].startedAt - .seconds(3)
        probe.request.url = RecordedURL(
            asked.replacing("state=\(state)", with: "state=silent-\(state)") + "&prompt=none"
        )
        probe.response = RecordedResponse(status: 302)
        probe.response?.redirect(
            to: "https://www.shop.example/callback?error=login_required&state=silent-\(state)"
        )
        exchanges.insert(probe, at: 0)
        let recording = Recording(exchanges)
        #expect(recording.flows.count == 1)
        #expect(recording.finding(rule)?.places.first == "2 request.url ")
        #expect(recording.outcomes == [.incomplete])
    }

    /// Logto's page is made by a script, which is told in data that the login is not known any more.
    @Test(arguments: [
        ("Session not found. Please go back and sign in again.", true),
        ("self-service flow expired", true), ("Incorrect password.", false),
    ])
    func readsWhatThePagesScriptWasAnswered(words: String, isTold: Bool) throws {
        var exchanges = try Array(Recording(broken).exchanges.prefix(2))
        var call = exchanges[1]
        call.startedAt = call.endedAt + .seconds(5)
        call.request.method = "PUT"
        call.request.headers.append("Sec-Fetch-Mode", "cors")
        call.request.headers.append("Sec-Fetch-Dest", "empty")
        call.request.url = RecordedURL("https://id.harbour.example/api/experience")
        call.response = RecordedResponse(
            status: 400,
            body: Body(text: #"{"code":"x","message":"\#(words)"}"#, mediaType: "application/json")
        )
        exchanges.append(call)
        let finding = try #require(Recording(exchanges).finding(rule))
        #expect((finding.title == "The login had run out at the provider") == isTold)
        #expect(finding.places.contains("2 response.body ") == isTold)
    }

    /// A message of which it is known what is set where.
    @Test(arguments: [
        (
            "Application you are trying to access does not allow users from your organization.",
            "SaaS application"
        ),
        ("Invalid username or password.", "Go by the message on the page"),
    ])
    func saysWhatAProvidersMessageMeans(words: String, fix: String) throws {
        let recording = try warning(words)
        let finding = try #require(recording.finding(rule))
        #expect(finding.title == "The provider did not let the user in, and the login ended there")
        #expect(finding.fix.contains(fix))
    }

    /// Rails answers a form that was not in order with 422 and the form.
    @Test(arguments: [
        (422, "<p class=alert>Wrong</p><form method=post><input name=user></form>", true),
        (422, "<p>Wrong</p>", false),
        (429, "<form method=post><input name=user></form>", false),
    ])
    func formThatComesAgainIsAPage(status: Int, page: String, fires: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/sign-in" else { return }
            exchange.response = RecordedResponse(
                status: status,
                body: Body(text: page, mediaType: "text/html")
            )
        }
        #expect((recording.finding(rule) != nil) == fires)
        if fires { #expect(recording.finding(rule)?.evidence[1].value == "Wrong") }
    }

    /// The form of a page of consent, refused in JSON, is shown to the user as it is; what a script gets it reads itself.
    @Test(arguments: [
        ("navigate", "document", true), ("navigate", "iframe", false), ("cors", "empty", false),
    ])
    func refusalThatTheBrowserShowsIsTheEnd(mode: String, destination: String, isEnd: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/sign-in" else { return }
            exchange.request.headers.append("Sec-Fetch-Mode", mode)
            exchange.request.headers.append("Sec-Fetch-Dest", destination)
            exchange.response = RecordedResponse(
                status: 400,
                body: Body(
                    text: #"{"status":400,"error":"Bad Request","message":"OAuth 2.0 Parameter: state"}"#,
                    mediaType: "application/json"
                )
            )
        }
        #expect((recording.finding("authorization-error")?.isPrimary == true) == isEnd)
        #expect((recording.finding(rule) == nil) == isEnd)
    }

    /// An app's library for HTTP shows nobody a page; ForgeRock's for consent is one that can be switched off.
    @Test(arguments: [
        ("Shop/4.2 CFNetwork/1568.200.51 Darwin/24.1.0", "Sign in", "has no browser"),
        (
            "okhttp/4.12.0", #"<script>pageData={"oauth2Data":{"displayScopes":["openid"]}}</script>"#,
            "consent"
        ),
        ("Mozilla/5.0 (iPhone) Mobile Safari/604.1", "Sign in", ""),
    ])
    func saysThatNobodySeesThePage(agent: String, page: String, title: String) throws {
        let request = try #require(
            Recording("healthy/native-app").exchanges.first { $0.request.url.path == "/authorize" }
        )
        let recording = Recording([request]).editing { exchange in
            exchange.request.url = RecordedURL(
                exchange.request.url.text.replacing("/authorize", with: "/am/oauth2/realms/root/authorize")
            )
            exchange.request.headers.replace("User-Agent", with: agent)
            exchange.response?.body = Body(text: "<html><body>\(page)</body></html>", mediaType: "text/html")
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == .note)
        #expect(title.isEmpty ? !finding.title.contains("no browser") : finding.title.contains(title))
        #expect(finding.title.contains("ForgeRock") == (title == "consent"))
    }

    @Test func countsThePageAlone() throws {
        let recording = try Recording(Array(Recording(broken).exchanges.prefix(2)))
        #expect(recording.finding(rule)?.evidence.last?.value == "never posted")
    }

    /// The sign-in was taken, and its end loaded the request once more, which asks for consent.
    @Test func countsWhatWasPostedBeforeTheRequestWasLoadedAgain() throws {
        var recording = try Recording(broken)
        var again = recording.exchanges[1]
        recording = recording.editingLast("/sign-in") {
            $0.response = RecordedResponse(status: 302)
            $0.response?.redirect(to: again.request.url.text)
        }
        again.startedAt = recording.exchanges[2].endedAt + .milliseconds(20)
        recording.exchanges.append(again)
        #expect(recording.finding(rule)?.evidence.last?.value == "posted once")
    }

    /// What the browser asks for by itself is no page that anybody left.
    @Test(arguments: [
        "/.well-known/appspecific/com.chrome.devtools.json", "/.well-known/webauthn",
        "/.well-known/change-password",
    ])
    func countsNoPageThatTheBrowserAsksForItself(path: String) throws {
        var recording = try Recording(broken)
        var asked = try #require(recording.exchanges.last)
        asked.startedAt = asked.endedAt + .seconds(1)
        asked.request.method = "GET"
        asked.request.url = RecordedURL("https://id.harbour.example" + path)
        asked.request.body = nil
        asked.response = RecordedResponse(status: 404, body: .html("<h1>Not Found</h1>"))
        recording.exchanges.append(asked)
        #expect(recording.finding(rule)?.places.first == "2 request.url ")
    }

    @Test func leavesASilentRequestAlone() throws {
        let recording = try Recording(broken).asking("prompt", "none")
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
        #expect(try Recording(broken).asking("response_mode", "web_message").finding(rule) == nil)
    }

    @Test func leavesAFailedConnectionAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/sign-in" else { return }
            exchange.response = nil
            exchange.failure = "net::ERR_CONNECTION_REFUSED"
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func triesThatTheNextOneMadeUpForAreNoFailure() throws {
        var exchanges = try Recording(broken).withMetadata().exchanges
        var lost = try #require(exchanges.first { $0.request.url.path.contains("openid-configuration") })
        let start = try #require(exchanges.map(\.startedAt).min())
        exchanges = exchanges.map { exchange in
            var later = exchange
            later.startedAt = later.startedAt + .seconds(1)
            return later
        }
        lost.startedAt = start
        lost.response = nil
        lost.failure = "net::ERR_CONNECTION_RESET"
        exchanges.insert(lost, at: 0)
        #expect(Recording(exchanges).finding(rule)?.isPrimary == true)
    }

    @Test func leavesAnErrorPageAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/sign-in" else { return }
            exchange.response?.status = 400
            exchange.response?.body = Body(text: "<h1>Bad request</h1>", mediaType: "text/html")
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesAPageThatHandsTheAnswerOnAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/sign-in" else { return }
            exchange.response?.body = Body(
                text: "<script>location='https://www.shop.example/callback?code=1'</script>",
                mediaType: "text/html"
            )
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func isNotSaidBesideAnError() throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/sign-in" { exchange.response?.status = 503 }
        }
        #expect(recording.findings.map(\.rule) == ["provider-server-error"])
    }

    /// The page's script asks for itself, and shows what it is told.
    private func script(answered status: Int, _ answer: String = "{}") throws -> Recording {
        try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/sign-in" else { return }
            exchange.response?.status = status
            exchange.response?.body = Body(text: answer, mediaType: "application/json")
        }
    }

    /// Home Assistant answers with the form once more and status 200.
    @Test(arguments: [
        (#"{"type":"form","step_id":"mfa","errors":{"base":"invalid_code"}}"#, true),
        (#"{"type":"form","step_id":"mfa","errors":{}}"#, false),
        (#"{"type":"form","step_id":"mfa","errors":{"base":""}}"#, false),
    ])
    func whatWasEnteredIsRefusedToTheScriptWithSuccess(answer: String, isRefused: Bool) throws {
        let finding = try #require(try script(answered: 200, answer).finding(rule))
        #expect(
            (finding.title == "The provider did not let the user in, and the login ended there") == isRefused
        )
        #expect((finding.evidence.last?.value == "invalid_code") == isRefused)
    }

    @Test func aWrongPasswordIsNoFailureOfTheProvider() throws {
        let finding = try #require(try script(answered: 401).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.notes.last == "last in exchange 2, answered 401")
        #expect(finding.title == "The provider did not let the user in, and the login ended there")
        #expect(finding.fix.hasPrefix("Look at the credentials first"))
        #expect(try script(answered: 500).finding(rule) == nil)
        #expect(try script(answered: 429).finding(rule) == nil)
    }

    @Test func saysWhoWasTurnedAwayAndHow() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/sign-in" else { return }
            exchange.response?.body = Body(
                text:
                    "<form method=post><p role=alert>Your account has been locked.</p><input type=password></form>",
                mediaType: "text/html"
            )
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.title == "The provider did not let the user in, and the login ended there")
        #expect(!finding.fix.contains("Nothing in the traffic is wrong"))
        #expect(try Recording(broken).finding(rule)?.title == "The login page was opened and never completed")
    }

    /// A window of Google's hands its answer to the page that opened it, by script.
    @Test(arguments: [("storagerelay://https/www.shop.example?id=auth1", false), ("com.shop.app:/in", true)])
    func leavesAWindowThatHandsItsAnswerOnAlone(uri: String, fires: Bool) throws {
        let recording = try Recording(broken).asking("redirect_uri", uri)
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test(arguments: [
        ("<p>We are busy with something else.</p>", false),
        ("<form method=post><input name=user></form>Sign in", true), ("<div id=root></div>", true),
    ])
    func saysThatNothingIsWrongOnlyWhereThePageAsks(page: String, isSaid: Bool) throws {
        let recording = try Recording("healthy/web-code-flow").saying(page, status: 200)
        let finding = try #require(recording.finding(rule))
        #expect(finding.fix.contains("Nothing in the traffic is wrong") == isSaid)
    }
}
