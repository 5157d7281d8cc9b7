import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

/// What the app had when it refused: cookies, clocks, tokens, and what its server was refused meanwhile.
extension CallbackRejectedByAppTests {
    /// The app sets none where it begins the login, and gets none back.
    func withoutLoginCookie() throws -> Recording {
        try Recording(broken).editing { exchange in
            guard exchange.request.url.host == "www.shop.example" else { return }
            exchange.request.headers.remove("cookie")
            exchange.request.listedCookies = []
            guard exchange.request.url.path == "/login" else { return }
            exchange.response?.headers.remove("set-cookie")
            exchange.response?.listedCookies = []
        }
    }

    /// The token request that the app's server made for the callback, without its code or with another one, was refused; one that
    /// came behind the answer is of something else.
    @Test(arguments: [(nil, 0, true), ("another-code", 0, true), (nil, 60, false)] as [(String?, Int, Bool)])
    func leavesARequestWithoutItsCodeToItsRule(code: String?, later: Int, isTheCause: Bool) throws {
        let recording = try Recording("token-request/token-invalid-grant").sending("code", code)
            .editingLast("/token") { $0.startedAt = $0.startedAt + .seconds(later) }
        #expect((recording.finding(rule) == nil) == isTheCause)
        #expect((recording.finding("token-invalid-grant")?.isPrimary == true) == isTheCause)
        #expect(recording.outcomes == [.failure])
    }

    @Test func tellsThatTheAppSetNoCookie() throws {
        let recording = try withoutLoginCookie()
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places.suffix(2) == ["3 request.header Cookie", "0 response.header Set-Cookie"])
        #expect(finding.evidence.suffix(2).map(\.value) == ["none", "none"])
        #expect(
            finding.explanation.contains("without setting a cookie") && finding.fix.contains("trust proxy")
        )
    }

    /// A program that opened the browser with the state (rclone) has nothing in the browser's keeping.
    @Test(
        arguments: [("state", nil, false), ("next", "/orders", true), ("next", "", true)]
            as [(String, String?, Bool)]
    )
    func programThatBroughtTheStateNeedsNoCookie(name: String, value: String?, isTold: Bool) throws {
        var recording = try withoutLoginCookie()
        let state = try #require(recording.flows.first?.authorizationRequests.first?.state)
        let value = value ?? state
        // Without a state no empty parameter is it.
        if value.isEmpty { recording = recording.asking("state", "").redirecting(with: [("state", "")]) }
        recording = recording.editing { exchange in
            guard exchange.request.url.path == "/login" else { return }
            exchange.request.url = RecordedURL(Recording.changing(exchange.request.url.text, name, value))
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.places.contains("0 response.header Set-Cookie") == isTold)
        #expect(finding.explanation.contains("without setting a cookie") == isTold)
    }

    /// A program opened the browser, and another one's server has its port.
    ///
    /// Of a login that a page began the capture may lack that.
    @Test(arguments: [
        (true, nil, true), (true, "none", true), (true, "same-site", false), (false, nil, false),
    ])
    func tellsOfAServerThatWasThereFirst(isFirst: Bool, site: String?, isBegunByProgram: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            func moved(_ text: String) -> String {
                text.replacing("https://www.shop.example", with: "http://localhost")
                    .replacing("https%3A%2F%2Fwww.shop.example", with: "http%3A%2F%2Flocalhost")
            }
            exchange.request.url = RecordedURL(moved(exchange.request.url.text))
            if let location = exchange.response?.location {
                exchange.response?.redirect(to: moved(location))
            }
            if let site, exchange.request.url.path == "/authorize" {
                exchange.request.headers.append("Sec-Fetch-Site", site)
            }
            guard exchange.request.url.path == "/callback" else { return }
            exchange.response?.status = 404
            exchange.response?.headers.append("Server", "Apache/2.4")
        }.without { isFirst && $0.request.url.path == "/login" }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.explanation.contains("another program's server") == isBegunByProgram)
        #expect((finding.evidence.last?.value == "Apache/2.4") == isBegunByProgram)
    }

    /// A browser keeps two cookies of a name where their Domain or Path differs, and sends both.
    @Test(
        arguments: [
            (["an-older-one", nil], "that of this login stands behind another's value"),
            ([nil, "an-older-one"], "that of this login stands first"),
        ] as [([String?], String)]
    )
    func tellsThatAnotherCookieOfTheNameCame(values: [String?], note: String) throws {
        let recording = try Recording(broken)
        let sent = try #require(recording.exchanges[3].request.headers.first("cookie"))
        let header = values.map { $0.map { "shop_login=\($0)" } ?? sent }.joined(separator: "; ")
        let doubled = recording.replacing("Cookie", with: header, at: 3).editing {
            $0.request.listedCookies = []
        }
        let finding = try #require(doubled.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places.last == "3 request.header Cookie")
        #expect(finding.evidence.last?.value == "shop_login, 2 times")
        #expect(finding.notes.last == note)
        #expect(finding.explanation.contains("another one of the same name"))
    }

    /// A library without leeway refuses a token that was issued two seconds later by the app's clock.
    @Test(arguments: [(1, false), (2, true), (90, true), (-60, false)])
    func comparesTheTokensTimeWithTheAppsClock(ahead: Int64, isEarly: Bool) throws {
        let login = try Recording("healthy/web-code-flow").without { $0.request.url.path == "/userinfo" }
        let callback = try #require(login.exchanges.last { $0.request.url.path == "/callback" })
        let recording = login.answeringCallback(
            with: RecordedResponse(
                status: 401,
                headers: HeaderFields([("Date", callback.endedAt.httpDate)])
            )
        ).editingIDToken { claims in
            claims["iat"] = .number(JSONNumber(callback.endedAt.seconds + ahead))
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.explanation.contains("the provider's clock is ahead of the app's") == isEarly)
        #expect(finding.places.contains { $0.hasSuffix("jwt.claims iat") } == isEarly)
    }

    /// A page that is made on the server begins the login, and the cookie stays there.
    @Test(
        arguments: [
            ("node", "", true), (nil, "", false), ("node", "over later", false), ("node", "elsewhere", false),
            ("node", "without the state", false), ("node", "taken back", false), ("node", "came back", false),
        ] as [(String?, String, Bool)]
    )
    func tellsACookieThatTheServerKept(agent: String?, way: String, isTold: Bool) throws {
        var recording = try withoutLoginCookie()
        let begun = recording.exchanges[0]
        let location = try #require(begun.response?.location)
        var asked = begun
        let host = way == "elsewhere" ? "auth" : "www"
        asked.request.url = RecordedURL("https://\(host).shop.example/api/auth/signin/harbour")
        asked.request.method = "POST"
        if let agent {
            asked.request.headers.replace("User-Agent", with: agent)
        }
        asked.response = RecordedResponse(
            status: 200,
            headers: HeaderFields([
                (
                    "Set-Cookie",
                    "shop.state=q2w3e4r5t6z7u8; Path=/" + (way == "taken back" ? "; Max-Age=0" : "")
                )
            ]),
            body: way == "without the state" ? .json("{}") : .json(#"{"url":"\#(location)"}"#)
        )
        asked.startedAt = begun.startedAt + .milliseconds(5)
        asked.duration = .milliseconds(way == "over later" ? 100 : 10)
        recording.exchanges.insert(asked, at: 1)
        if way == "came back" {
            recording = recording.sendingHeader("Cookie", "shop.state=another", to: "/callback")
        }
        let finding = try #require(recording.finding(rule))
        // What a page of the browser's was given is lost on the way.
        #expect(finding.isPrimary == (agent != nil))
        #expect(finding.notes.contains("given to the app's own server, and not to the browser") == isTold)
        #expect(finding.fix.contains("Pass the Set-Cookie fields") == isTold)
    }

    /// Instances that share no keys, a login that took too long: the cookie was there.
    @Test(arguments: [true, false]) func saysThatTheCookieCameBack(isSame: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            if !isSame {
                exchange.request.headers.replace("Cookie", with: "shop_login=another-value-0123456789")
                exchange.request.listedCookies = []
            }
            exchange.response?.body = Body(
                text: "<h1>Correlation failed. Unable to unprotect the message.State.",
                mediaType: "text/html"
            )
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.explanation.contains("came back as it was") == isSame)
        #expect((finding.places.last == "0 response.header Set-Cookie") == isSame)
        #expect(finding.notes.contains { $0.contains("Data Protection keys are not shared") })
        #expect(!finding.notes.contains { $0.contains("correlation cookie did not come") })
    }

    /// A proxy sends the browser to the same address with a slash at the end.
    @Test func saysWhereTheAnswerGotLost() throws {
        let recording = try sentOn(to: "no code", at: "/callback/").answering("/callback/", 400)
        let finding = try #require(recording.finding(rule))
        #expect(recording.outcomes == [.failure])
        #expect(finding.isPrimary)
        #expect(
            finding.places == ["4 response.status ", "4 request.header Cookie", "3 response.location "]
        )
        #expect(finding.notes.first == "refused: the redirect brought nothing of the answer here")
        #expect(finding.notes.last == "sent on by 302, without the query")
        #expect(finding.fix.hasPrefix("Register and send the redirect URI in the spelling"))
    }

    /// One state for a session: the second login takes the place of the first; to begin the same one again changes nothing.
    @Test(
        arguments: [
            ("shop_login=pVGP5w-8_6mn-ziY4JWDfn", "t7Qm2XbW0kLr9sVd", nil, true),
            ("shop_login=other", "t7Qm2XbW0kLr9sVd", nil, false),
            ("shop_login=pVGP5w-8_6mn-ziY4JWDfn", nil, nil, false),
            ("shop_login=pVGP5w-8_6mn-ziY4JWDfn", "t7Qm2XbW0kLr9sVd", "https://www.shop.example/wait", false),
        ] as [(String, String?, String?, Bool)]
    )
    func namesALoginThatWasBegunMeanwhile(cookie: String, state: String?, target: String?, isNamed: Bool)
        throws
    {
        var recording = try Recording(broken)
        let callback = try #require(recording.exchanges.last)
        var second = try #require(recording.exchanges.first)
        second.startedAt = callback.startedAt - .milliseconds(200)
        second.request.headers.append("Cookie", cookie)
        let own = try #require(second.response?.location)
        let location = state.map { Recording.changing(target ?? own, "state", $0) } ?? own
        second.response = RecordedResponse(status: 302)
        second.response?.redirect(to: location)
        recording.exchanges.insert(second, at: recording.exchanges.count - 1)
        let finding = try #require(recording.finding(rule))
        #expect(finding.places.contains("3 response.location state") == isNamed)
        #expect(finding.explanation.contains("another login") == isNamed)
    }

    /// A refused call during the callback is what stopped the app, be it UserInfo's or of a server behind the app that asks about
    /// the token.
    @Test(arguments: [
        ("/userinfo", 403, #"{"error":"insufficient_scope"}"#, "insufficient-scope"),
        ("/introspect", 401, #"{"error":"invalid_client"}"#, "token-invalid-client"),
    ])
    func leavesACallThatWasRefusedMeanwhileToItsRule(
        path: String,
        status: Int,
        body: String,
        cause: String
    ) throws {
        let recording = try Recording("healthy/web-code-flow").editing { exchange in
            if exchange.request.url.path == "/userinfo" {
                if path == "/introspect" {
                    let token = exchange.request.headers.first("authorization")?.dropFirst(7) ?? ""
                    exchange.request = RecordedRequest(
                        method: "POST",
                        url: RecordedURL("https://id.harbour.example/introspect"),
                        headers: HeaderFields([("Authorization", "Basic YXBpOndyb25n")]),
                        body: Body(text: "token=\(token)", mediaType: FormBody.mediaType)
                    )
                }
                exchange.response = RecordedResponse(
                    status: status,
                    body: .json(body)
                )
            }
            guard exchange.request.url.path == "/callback" else { return }
            exchange.duration = .seconds(20)
            exchange.response = RecordedResponse(status: 500)
        }
        #expect(recording.finding(cause)?.isPrimary == true)
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.failure])
    }

    /// The app's server wanted something of the provider meanwhile.
    @Test func namesWhatTheServerWasRefusedMeanwhile() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.duration = .seconds(2)
            exchange.client = ClientFacts(process: "firefox", processID: 7)
        }
        let callback = try #require(recording.exchanges.last)
        let provider = try #require(recording.flows.first?.authorizationRequests.first?.endpoint.host)
        var keys = Exchange(
            startedAt: callback.startedAt + .seconds(1),
            duration: .milliseconds(9),
            request: RecordedRequest(method: "GET", url: RecordedURL("https://\(provider)/old/keys")),
            response: RecordedResponse(status: 404)
        )
        keys.client = ClientFacts(process: "python", processID: 8)
        let finding = try #require(Recording(recording.exchanges + [keys]).finding(rule))
        #expect(finding.places.suffix(2) == ["4 request.url ", "4 response.status "])
        #expect(finding.explanation.contains("its own server asked"))
        keys.client = callback.client
        #expect(try #require(Recording(recording.exchanges + [keys]).finding(rule)).places.count == 4)
    }

    /// The code was exchanged: neither cookies nor state are the reason.
    @Test(
        arguments: [
            ([String](), "7 request.url ", "the code was exchanged"),
            (["/userinfo"], "6 request.url ", "the code was exchanged"),
            (
                ["/userinfo", "/jwks"], nil,
                "the code was exchanged, and nothing fetched after it, neither keys nor user data"
            ),
        ] as [([String], String?, String)]
    )
    func showsWhatTheAppHadWhenItRefused(left: [String], last: String?, note: String) throws {
        let recording = try Recording("healthy/web-code-flow").without { left.contains($0.request.url.path) }
            .answeringCallback(500)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places.dropFirst(2) == ["5 response.status ", "5 jwt.header alg"]
                + (last.map { [$0] } ?? [])
        )
        #expect(finding.notes.contains(note))
        #expect(finding.explanation.contains("exchanged its code"))
    }

    /// What there is to compare depends on what came for the code.
    @Test(arguments: [
        ("signed", "the algorithm of its signature"), ("sealed", "private key"),
        ("none", "There is no ID token"),
    ])
    func saysWhatToCompare(token: String, words: String) throws {
        var recording = try Recording("healthy/web-code-flow").answeringCallback(500)
        if token == "sealed" { recording = recording.withEncryptedIDToken }
        if token == "none" {
            recording = recording.asking("scope", "orders").asking("nonce", nil)
                .editingAnswer(of: "/token") { $0["id_token"] = nil }
        }
        #expect(try #require(recording.finding(rule)).fix.contains(words))
    }

    /// Libraries that name themselves otherwise for each kind of request; and a page in place of the user's data.
    @Test(arguments: [
        ("library-userinfo/1.0", false, "7 request.url "),
        ("library-userinfo/1.0", true, "7 response.status "),
        (nil, false, "6 request.url "),
    ])
    func whatWasFetchedByAnotherNameCounts(agent: String?, isPage: Bool, last: String) throws {
        let login = try Recording("healthy/web-code-flow")
        // What the browser itself fetches is not the server's.
        let browsers = login.exchanges.first { $0.request.url.path == "/callback" }?.request.userAgent
        let name = try #require(agent ?? browsers)
        let recording = login.editing { exchange in
            if exchange.request.url.path == "/callback" { exchange.response = RecordedResponse(status: 500) }
            guard exchange.request.url.path == "/userinfo" else { return }
            exchange.request.headers.replace("User-Agent", with: name)
            guard isPage else { return }
            exchange.response?.body = Body(text: "<html>Maintenance</html>", mediaType: "text/html")
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.places.last == last)
        #expect(finding.notes.contains("the code was exchanged"))
        #expect(finding.notes.contains("a page, where data was asked for") == isPage)
        #expect(finding.explanation.contains("its own server asked") == isPage)
    }

    @Test func saysNothingOfCookiesThatWereStripped() throws {
        #expect(try Recording(broken).sanitized.finding(rule)?.places.count == 2)
    }

    /// Cognito and others go on to a page of their own with the same parameters, and set a cookie on the way.
    @Test func cookiesOfTheProviderAreNotTheApps() throws {
        var recording = try Recording(broken)
        let index = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/authorize" })
        var page = recording.exchanges[index]
        let query = try #require(page.request.url.query)
        page.startedAt = page.startedAt + .milliseconds(50)
        page.request.url = RecordedURL("https://id.harbour.example/login?" + query)
        recording.exchanges[index].response = RecordedResponse(
            status: 302,
            headers: HeaderFields([
                ("Set-Cookie", "XSRF-TOKEN=0123456789; Path=/; Secure"), ("Location", page.request.url.text),
            ])
        )
        recording.exchanges.insert(page, at: index + 1)
        #expect(recording.findings.filter { $0.severity == .error }.map(\.rule) == [rule])
    }

    @Test(arguments: [true, false])
    func addressThatIsNotConfirmedIsShown(isVerified: Bool) throws {
        let recording = try Recording("healthy/web-code-flow").answeringCallback(500).editingIDToken(claims: {
            $0["email_verified"] = .bool(isVerified)
        })
        let finding = try #require(recording.finding(rule))
        #expect(finding.evidence.contains { $0.place.name == "email_verified" } == !isVerified)
    }

    @Test(arguments: [JSONValue.bool(true), .bool(false), "false"])
    func addressThatUserInfoCallsUnconfirmedIsShown(isVerified: JSONValue) throws {
        let recording = try Recording("healthy/web-code-flow").answeringCallback(
            500,
            lasting: .seconds(5)
        ).editingAnswer(of: "/userinfo") { $0["email_verified"] = isVerified }
        let finding = try #require(recording.finding(rule))
        #expect(
            finding.evidence.contains { $0.place.name == "email_verified" && $0.place.part == .responseBody }
                == (isVerified != .bool(true))
        )
    }

    @Test(arguments: [true, false]) func userOfWhomNothingIsToldIsShown(isNamed: Bool) throws {
        let recording = try Recording("healthy/web-code-flow").answeringCallback(
            500,
            lasting: .seconds(5)
        ).editingAnswer(of: "/userinfo") { if !isNamed { $0["name"] = nil } }
        let finding = try #require(recording.finding(rule))
        #expect(finding.notes.contains { $0.hasPrefix("all that UserInfo tells") } == !isNamed)
        let known = recording.editingIDToken(claims: { $0["email"] = "ada@shop.example" })
        #expect(known.finding(rule)?.notes.contains { $0.hasPrefix("all that UserInfo tells") } != true)
    }

    @Test func nonceThatNobodyAskedForIsShown() throws {
        let recording = try Recording("healthy/web-code-flow").answeringCallback(500)
        #expect(recording.finding(rule)?.evidence.contains { $0.place.name == "nonce" } == false)
        let unasked = recording.asking("nonce", nil)
        #expect(unasked.finding(rule)?.evidence.contains { $0.place.name == "nonce" } == true)
    }

    /// What the login asked for and did not get may be what the app refuses.
    @Test func showsAContextThatTheLoginDidNotHave() throws {
        let recording = try Recording("id-token/acr-not-satisfied").editingLast("/callback") {
            $0.response = RecordedResponse(status: 403)
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.evidence.contains { $0.place.name == "acr_values" && $0.value == "two-factor" })
        #expect(finding.notes.contains { $0.hasPrefix("not what the login asked for") })
    }
}
