import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct CodeMissingTests {
    private let rule = "code-missing"
    private let broken = "authorization-response/code-missing"

    private func moved(to target: String) throws -> Recording {
        try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/callback" {
                exchange.request.url = RecordedURL(RecordedURL(target).withoutQuery)
            } else if let location = exchange.response?.location, RecordedURL(location).path == "/callback" {
                exchange.response?.redirect(to: target)
            }
        }
    }

    @Test func showsTheRedirect() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["1 request.query redirect_uri", "2 response.location "])
        #expect(finding.notes == ["no parameters"])
        #expect(recording.outcomes == [.failure])
    }

    /// A code or an error without a value counts as omitted (RFC 6749, section 3.1), in a form as well.
    @Test(arguments: [
        ("state=1&session=2", "only state, session"), ("code=&state=1", "only code, state"),
        ("error=&error_description=", "only error, error_description"), ("response=", "only response"),
    ])
    func namesWhatIsThereInstead(query: String, note: String) throws {
        let recording = try moved(to: "https://www.shop.example/callback?" + query)
        #expect(recording.finding(rule)?.notes == [note])
        #expect(recording.outcomes == [.failure])
    }

    /// A logout that is sent to the redirect URI, too, answers no login.
    @Test func leavesTheRedirectOfALogoutAlone() throws {
        let recording = try Recording(broken).editingLast("/sign-in") { exchange in
            exchange.request.url = RecordedURL("https://id.harbour.example/oauth2/logout")
        }
        #expect(recording.finding(rule) == nil)
    }

    /// A fragment that is in the capture hides no code.
    @Test func fragmentThatIsRecordedIsRead() throws {
        let recording = try moved(to: "https://www.shop.example/callback#state=1")
            .asking("response_mode", "fragment")
        #expect(recording.finding(rule)?.notes == ["only state"])
    }

    @Test(arguments: [
        "https://www.shop.example/callback?error=x", "https://www.shop.example/callback?response=x",
        "https://www.shop.example/", "https://id.harbour.example/callback",
    ])
    func leavesAlone(target: String) throws { #expect(try moved(to: target).finding(rule) == nil) }

    @Test func leavesOtherResponseTypesAlone() throws {
        #expect(try Recording(broken).asking("response_type", "none").finding(rule) == nil)
    }

    @Test(arguments: [("code", "fragment"), ("code id_token", nil)])
    func abstainsWhereTheFragmentMayHaveBeenLeftOut(type: String, mode: String?) throws {
        let recording = try Recording(broken).asking("response_type", type).asking("response_mode", mode)
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule)?.contains("fragment") == true)
    }

    /// Some sign-ins end by loading the address of the request again, which then redirects.
    @Test func readsTheAnswerOfTheSameRequestSentAgain() throws {
        var recording = try Recording(broken)
        let page = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/sign-in" })
        let request = try #require(recording.exchanges.first { $0.request.url.path == "/authorize" })
        recording.exchanges[page].request = request.request
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.outcomes == [.failure])
    }

    /// RFC 6749, section 3.1.2: to a query that is there the answer is added behind an ampersand.
    @Test(arguments: ["code=SplxlOBeZQQYbYS6WxSbIA", "error=access_denied"])
    func answerBehindASecondQuestionMarkIsToldAsThat(answer: String) throws {
        let asked = "https://www.shop.example/callback?tenant=7"
        let recording = try moved(to: "\(asked)?\(answer)&state=1").asking("redirect_uri", asked)
        let finding = try #require(recording.finding(rule))
        #expect(finding.title.contains("second question mark"))
        #expect(finding.notes == ["a second \"?\" before the answer"])
        #expect(!finding.evidence.contains { $0.value.contains("SplxlOBeZQQYbYS6WxSbIA") })
    }

    /// One behind another value is what the app, or its provider, keeps there.
    @Test func questionMarkInAnotherParameterIsNoAnswer() throws {
        let asked = "https://www.shop.example/callback?tenant=7"
        let recording = try moved(to: asked + "&next=7?state=1").asking("redirect_uri", asked)
        #expect(recording.finding(rule)?.notes == ["only tenant, next"])
    }

    /// A value of the redirect URI's own may hold an address with a query.
    @Test func questionMarkOfTheRedirectURIsOwnIsNone() throws {
        let asked = "https://www.shop.example/callback?return_to=%2Fx%3Fstate%3Dopen"
        let recording = try moved(to: asked).asking("redirect_uri", asked)
        let finding = try #require(recording.finding(rule))
        #expect(finding.title == "The provider's answer has neither a code nor an error")
        #expect(finding.notes == ["only return_to"])
    }

    /// The `state` of the broken capture's request.
    private func state() throws -> String {
        let request = try Recording(broken).exchanges.first { $0.request.url.path == "/authorize" }
        return try #require(request?.request.url.queryItems.first("state"))
    }

    /// What stands beside the code in a hybrid answer is none.
    @Test func aHybridAnswerWithoutACodeIsNone() throws {
        let answer =
            "https://www.shop.example/callback#id_token=eyJhbGciOiJub25lIn0.e30.&state=\(try state())"
        let recording = try moved(to: answer).asking("response_type", "code id_token")
        let finding = try #require(recording.finding(rule))
        #expect(finding.places == ["1 request.query response_type", "2 response.location "])
        #expect(finding.notes == ["no code"])
        #expect(finding.severity == .error)
        for type in ["id_token", "id_token token"] {
            #expect(try moved(to: answer).asking("response_type", type).finding(rule) == nil)
        }
        let whole = answer + "&code=SplxlOBeZQQYbYS6WxSbIA"
        #expect(try moved(to: whole).asking("response_type", "code id_token").finding(rule) == nil)
    }

    /// JARM, section 2.1: the code stands in what is signed.
    @Test func aSignedAnswerWithoutACodeIsNone() throws {
        func answering(_ claims: String) throws -> Recording {
            let token = "\(encoded("{\"alg\":\"RS256\"}")).\(encoded(claims)).AA"
            return try moved(to: "https://www.shop.example/callback?response=" + token)
                .asking("response_mode", "query.jwt")
        }
        let claims = "{\"iss\":\"https://id.harbour.example\",\"state\":\"\(try state())\"}"
        let finding = try #require(answering(claims).finding(rule))
        #expect(finding.places == ["1 request.query response_type", "2 jwt.claims "])
        #expect(finding.evidence[1].value == "iss, state")
        #expect(try answering("{\"code\":\"SplxlOBeZQQYbYS6WxSbIA\"}").finding(rule) == nil)
        #expect(try answering("{\"error\":\"access_denied\"}").finding(rule) == nil)
    }

    /// The page's form brings the request's state to the redirect URI, and nothing else.
    @Test func aFormThatBringsTheStateAloneIsNone() throws {
        let state = try state()
        func posting(_ fields: [(String, String)], mode: String? = "form_post") throws -> Recording {
            try Recording(broken).editing { exchange in
                if exchange.request.url.path == "/callback" {
                    exchange.request.method = "POST"
                    exchange.request.url = RecordedURL("https://www.shop.example/callback")
                    exchange.request.body = Body(text: FormBody.encode(fields), mediaType: FormBody.mediaType)
                } else if let location = exchange.response?.location,
                    RecordedURL(location).path == "/callback"
                {
                    exchange.response = RecordedResponse(status: 200)
                    exchange.response?.body = Body(text: "<title>On the way</title>", mediaType: "text/html")
                }
            }.asking("response_mode", mode)
        }
        let finding = try #require(posting([("state", state)]).finding(rule))
        #expect(finding.isPrimary && finding.severity == .error)
        #expect(finding.places == ["1 request.query redirect_uri", "3 request.body "])
        #expect(finding.notes == ["only state"])
        let empty = try posting([("state", state), ("code", ""), ("error", "")])
        #expect(empty.finding(rule)?.notes == ["only state, code, error"])
        #expect(try posting([("state", state), ("code", "SplxlOBeZQQYbYS6WxSbIA")]).finding(rule) == nil)
        #expect(try posting([("state", state), ("error", "access_denied")]).finding(rule) == nil)
        #expect(try posting([("user", "alice"), ("state", "another")]).finding(rule) == nil)
        #expect(try posting([("state", state)], mode: nil).finding(rule) == nil)
    }

    /// What stands before the app took the code out of the address.
    private func stripped(_ status: Int, to location: String? = nil, keeping state: Bool = true) throws
        -> Recording
    {
        try Recording(broken + ".near-miss")
            .without { ["/token", "/jwks", "/end-session"].contains($0.request.url.path) }
            .editing { exchange in
                guard exchange.request.url.path == "/callback" else { return }
                let url = exchange.request.url
                exchange.request.url = RecordedURL(
                    state ? Recording.changing(url.text, "code", nil) : url.withoutQuery
                )
                exchange.response = RecordedResponse(status: status)
                if let location { exchange.response?.redirect(to: location) }
            }
    }

    @Test(arguments: [
        (500, nil), (400, nil), (302, "https://www.shop.example/login"),
        (302, "https://www.shop.example/?error=no_code"),
        (302, "https://id.harbour.example/authorize?response_type=code&client_id=shop-web&state=another"),
    ])
    func codeThatWasLostOnTheWayIsToldAsThat(status: Int, location: String?) throws {
        let recording = try stripped(status, to: location)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && finding.severity == .error)
        #expect(finding.title == "The code was lost on the way to the redirect URI")
        #expect(finding.places.prefix(2) == ["2 response.location ", "3 request.url "])
        #expect(finding.notes.prefix(2) == ["with a code", "came with state alone"])
        #expect(recording.outcomes.first == .failure)
        #expect(!finding.evidence.contains { $0.value.contains("i79pRzmKcsHinYy7hSGh7nuyf2LJgLm4") })
    }

    @Test func lostCodeIsToldOfWithoutAQueryToo() throws {
        #expect(try stripped(400, keeping: false).finding(rule)?.notes[1] == "came without a query")
    }

    @Test func errorBehindTheRequestRefusesItToo() throws {
        var recording = try stripped(302, to: "https://www.shop.example/start")
        var page = try #require(recording.exchanges.last)
        page.request.url = RecordedURL("https://www.shop.example/start")
        page.startedAt = page.endedAt + .milliseconds(10)
        page.response = RecordedResponse(status: 403)
        recording.exchanges.append(page)
        #expect(recording.finding(rule)?.places.last == "4 response.status ")
    }

    /// A program listens for one answer, and has no other way to its code; a web app on the same machine may have one.
    @Test(arguments: [
        (200, "", "", true), (204, "", "", true), (400, "", "", true), (302, "", "", false),
        (200, "", "redirect", false), (200, "", "page", false),
        (200, "?code=code-0123456789&state=state-0123456789", "", false),
    ])
    func codeThatDidNotComeToAProgramIsLost(status: Int, query: String, before: String, isLost: Bool) {
        let address = "http://127.0.0.1:53219/callback"
        let request =
            "https://idp.example/authorize?"
            + FormBody.encode([
                ("response_type", "code"), ("client_id", "shop-cli"), ("redirect_uri", address),
                ("state", "state-0123456789"),
            ])
        var capture = CaptureBuilder()
        if before == "redirect" { capture.redirect("http://127.0.0.1:53219/login", to: request) }
        if before == "page" { capture.get("http://127.0.0.1:53219/", body: .html("Sign in")) }
        capture.redirect(request, to: address + "?code=code-0123456789&state=state-0123456789")
        capture.get(address + query, status, body: .html("You may close this window."))
        let recording = Recording(capture.exchanges)
        let finding = recording.finding(rule)
        #expect((finding?.title == "The code was lost on the way to the program") == isLost)
        #expect((finding?.isPrimary == true) == isLost)
        #expect((recording.outcomes == [.failure]) == isLost)
    }

    /// An app that goes on got its code in another way.
    @Test(arguments: [(200, nil), (302, "https://www.shop.example/")])
    func callbackThatGoesOnIsLeftAlone(status: Int, location: String?) throws {
        #expect(try stripped(status, to: location).finding(rule) == nil)
    }

    /// An app took the code at an address that no recorder sees; its user comes to the same address later, or by another program, or
    /// with another answer.
    @Test(arguments: [
        "later", "behind another page", "in another browser", "by another program", "with a form",
        "state=of-another-login", "error=access_denied",
    ])
    func requestThatNoRedirectLedToTellsOfNoLostCode(way: String) throws {
        var recording = try stripped(302, to: "https://www.shop.example/login", keeping: false)
        let callback = try #require(recording.exchanges.last)
        switch way {
        case "later": recording.exchanges[3].startedAt = callback.startedAt + .seconds(30)
        case "by another program": recording.exchanges[3].client = ClientFacts(process: "safari")
        case "with a form": recording.exchanges[3].request.method = "POST"
        case _ where way.contains("="):
            recording.exchanges[3].request.url = RecordedURL("https://www.shop.example/callback?\(way)")
        case "in another browser":
            recording.exchanges[3].request.headers = HeaderFields([("User-Agent", "Mozilla/5.0 (iPhone)")])
        default:
            recording.exchanges[3].request.url = RecordedURL("https://www.shop.example/home")
            recording.exchanges[3].response = RecordedResponse(status: 200)
            recording.exchanges.append(callback)
            recording.exchanges[4].startedAt = callback.startedAt + .milliseconds(500)
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes.first != .failure)
    }

    @Test(arguments: [(nil, true), ("shop_session=7d1f4a", false)] as [(String?, Bool)])
    func appThatTakesItsCookiesBackHasNotGoneOn(sent: String?, fires: Bool) throws {
        var recording = try stripped(302, to: "https://www.shop.example/")
            .answering("/callback", header: "Set-Cookie", "shop_login=; Max-Age=0; Path=/")
        var page = try #require(recording.exchanges.last)
        page.startedAt = page.startedAt + .seconds(1)
        page.request.url = RecordedURL("https://www.shop.example/")
        page.request.headers.remove("cookie")
        page.request.listedCookies = []
        if let sent { page.request.headers.append("Cookie", sent) }
        page.response = RecordedResponse(status: 200)
        recording.exchanges.append(page)
        #expect((recording.finding(rule) != nil) == fires)
    }

    /// The page sends the code itself.
    @Test func codeThatIsHandedOnIsNotLost() throws {
        var recording = try stripped(400)
        var exchange = try #require(recording.exchanges.last)
        exchange.request.method = "POST"
        exchange.request.url = RecordedURL("https://www.shop.example/api/session")
        exchange.request.body = .json("{\"code\":\"i79pRzmKcsHinYy7hSGh7nuyf2LJgLm4\"}")
        exchange.response = RecordedResponse(status: 204)
        recording.exchanges.append(exchange)
        #expect(recording.finding(rule) == nil)
    }

    /// Go's oauth2 sends whatever the app has read of its callback, be it nothing.
    @Test(arguments: [
        ("", "", "The provider's answer has neither a code nor an error"),
        ("code=code-0123456789&", "", "The code was lost on the way to the redirect URI"),
        ("", "code-9876543210", nil), ("code=code-0123456789&", "code-0123456789", nil),
    ])
    func appThatAsksForTokensWithoutACodeDoesNotHideIt(given: String, sent: String, title: String?) {
        let address = "https://shop.example/auth/callback"
        let request =
            "https://idp.example/authorize?"
            + FormBody.encode([
                ("response_type", "code"), ("client_id", "shop"), ("redirect_uri", address),
                ("scope", "openid email"), ("nonce", "nonce-0123456789"), ("state", "state-0123456789"),
            ])
        var capture = CaptureBuilder()
        capture.redirect("https://shop.example/", to: request)
        capture.redirect(request, to: "\(address)?\(given)state=state-0123456789")
        capture.get("\(address)?state=state-0123456789", 500, body: .html("Failed to exchange token"))
        capture.post(
            "https://idp.example/token",
            [("grant_type", "authorization_code"), ("code", sent), ("redirect_uri", address)],
            400,
            headers: [("Authorization", "Basic c2hvcDpzZWNyZXQ=")],
            body: .json(#"{"error":"invalid_request","error_description":"a parameter is missing"}"#)
        )
        let recording = Recording(capture.exchanges)
        let finding = recording.finding(rule)
        #expect(finding?.title == title)
        #expect((finding?.isPrimary == true) == (title != nil))
        #expect((recording.finding("token-endpoint-error")?.isPrimary == true) == (title == nil))
        #expect(recording.outcomes == [.failure])
    }
}
