import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import TestSupport
import Testing

struct ProviderSessionCookieMissingTests {
    private let rule = "provider-session-cookie-missing"
    private let broken = "user-agent/provider-session-cookie-missing"

    private func answered(_ status: Int, _ text: String, cookie: String? = nil) throws -> Recording {
        try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/sign-in" else { return }
            exchange.response = RecordedResponse(
                status: status,
                body: Body(text: text, mediaType: "text/html")
            )
            if let cookie { exchange.request.headers.append("Cookie", cookie) }
        }
    }

    @Test func showsTheCookieAndTheProvidersWords() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == ["1 response.header Set-Cookie", "2 request.header Cookie", "2 response.body "]
        )
        #expect(finding.evidence[1].value == "none")
        #expect(recording.outcomes == [.failure])
    }

    @Test(arguments: [
        (200, "Your login attempt timed out. Login will start from the beginning."), (400, ""), (403, "no"),
        (200, "Authentication flow timed out"),
        (
            200,
            #"<title>Sign in</title><script>$Config={"strServiceExceptionMessage":"AADSTS165000: Invalid Request"}</script>"#
        ),
    ])
    func firesOn(status: Int, text: String) throws {
        #expect(try answered(status, text).finding(rule) != nil)
    }

    /// A link on the page, to registration say, is a step as well; its refusal has to name the reason.
    @Test(arguments: [
        (400, "<h1>Error</h1>Cookie not found. Please make sure cookies are enabled in your browser.", true),
        (400, "<h1>Error</h1>Not here", false),
        (200, "<h1>Help</h1>If your session has timed out, sign in again.", false),
    ])
    func readsALinkLikeAForm(status: Int, text: String, fires: Bool) throws {
        let recording = try answered(status, text).editing { exchange in
            guard exchange.request.url.path == "/sign-in" else { return }
            exchange.request.method = "GET"
            exchange.request.url = RecordedURL("https://id.harbour.example/registration?tab_id=a")
            exchange.request.body = nil
        }
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test(arguments: [(200, "Wrong name or password"), (500, ""), (429, "")])
    func leavesAlone(status: Int, text: String) throws {
        #expect(try answered(status, text).finding(rule) == nil)
    }

    /// A provider that its proxy does not tell of https, and whose form goes to http; what stands at another port is another program.
    @Test(arguments: [("http://id.harbour.example", true), ("http://id.harbour.example:8080", false)])
    func findsAFormThatGoesToHTTP(origin: String, fires: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/sign-in" else { return }
            exchange.request.url = RecordedURL("\(origin)/sign-in")
        }
        let finding = recording.finding(rule)
        #expect((finding != nil) == fires)
        #expect(!fires || finding?.isPrimary == true)
        #expect(!fires || recording.outcomes == [.failure])
    }

    @Test func leavesAStepWithItsCookieAlone() throws {
        #expect(try answered(400, "session has timed out", cookie: "harbour=1").finding(rule) == nil)
        #expect(try answered(400, "session has timed out", cookie: "other=1").finding(rule) != nil)
    }

    /// Keycloak's words for one of its two cookies; a bare status does not say which one was missed.
    @Test(arguments: [
        (400, "Restart login cookie not found. It may have expired.", "harbour_lang=de", true),
        (200, "Your login attempt timed out. Login will start from the beginning.", "harbour_lang=de", true),
        (403, "no", "harbour_lang=de", false),
        (400, "Restart login cookie not found. It may have expired.", "harbour=1", false),
    ])
    func missesOneCookieOfTwoWhereTheProviderSaysSo(status: Int, text: String, sent: String, fires: Bool)
        throws
    {
        let recording = try answered(status, text, cookie: sent).editing { exchange in
            guard exchange.request.url.path == "/authorize" else { return }
            exchange.response?.headers.append("Set-Cookie", "harbour_lang=de; Path=/; Secure")
            exchange.response?.headers.append("Set-Cookie", "AWSALB=1234567890ab; Path=/; Secure")
        }
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary == true) == fires)
        #expect((finding != nil) == fires)
        #expect(!fires || finding?.evidence.first?.value.hasPrefix("harbour=") == true)
        #expect(!fires || finding?.evidence[1].value == "harbour_lang")
    }

    /// Keycloak has one for a minute, for a script of its page.
    @Test func doesNotMissACookieThatWasThereForAMoment() throws {
        let words = "Your login attempt timed out. Login will start from the beginning."
        let recording = try answered(200, words, cookie: "harbour=1").editing { exchange in
            guard exchange.request.url.path == "/authorize" else { return }
            exchange.response?.headers.append("Set-Cookie", "harbour_hash=1234567890; Path=/; Max-Age=0")
            exchange.response?.headers.append("Set-Cookie", "harbour_check=1234567890; Path=/; Max-Age=1")
        }
        let slow = recording.editing { exchange in
            guard exchange.request.url.path != "/authorize", exchange.request.url.path != "/login" else {
                return
            }
            exchange.startedAt = exchange.startedAt + .seconds(300)
        }
        #expect(slow.finding(rule) == nil)
    }

    @Test func leavesACookieForAnotherPathAloneWhereOthersCame() throws {
        let recording = try answered(400, "session has timed out", cookie: "other=1").editing { exchange in
            guard exchange.request.url.path == "/authorize" else { return }
            exchange.response?.headers.replace(
                "Set-Cookie",
                with: "harbour=1234567890; Path=/authorize; Secure"
            )
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func abstainsWhereCookiesAreNotRecorded() throws {
        #expect(try Recording(broken).sanitized.abstention(rule)?.contains("stripped") == true)
        // The one cookie of the file is the one that was lost.
        let recording = try answered(400, "").without { $0.request.url.path == "/" }
        #expect(recording.finding(rule)?.isPrimary == true)
    }

    /// ForgeRock's SDK has the name of the cookie in its configuration, and tenants have names of their own.
    @Test(arguments: [
        ("iPlanetDirectoryPro", "AQIC5wM2LY4Sfcx", true), ("3f0c9ab2ab", "AQIC5wM2LY4Sfcx", false),
        ("amlbcookie", "01", false),
    ])
    func namesASessionThatIsSentAsAnotherCookie(name: String, value: String, isOne: Bool) throws {
        var exchanges = Array(try Recording("healthy/native-app").exchanges.prefix(2))
        var step = exchanges[0]
        step.request.method = "POST"
        step.request.url = RecordedURL("https://id.harbour.example/am/json/authenticate")
        step.request.body = .json(#"{"authId":"eyJ0eXAi"}"#)
        step.response = RecordedResponse(
            status: 200,
            headers: HeaderFields([("Set-Cookie", "3f0c9ab2ab=AQIC5wM2LY4Sfcx; Path=/; Secure; HttpOnly")]),
            body: .json(#"{"tokenId":"AQIC5wM2LY4Sfcx","successUrl":"/"}"#)
        )
        step.startedAt = exchanges[0].startedAt + .milliseconds(10)
        exchanges[1].request.headers.append("Cookie", "\(name)=\(value)")
        exchanges[1].response = RecordedResponse(status: 302)
        exchanges[1].response?.redirect(to: "https://id.harbour.example/XUI/?realm=/")
        let finding = Recording(exchanges + [step]).finding(rule)
        #expect((finding?.isPrimary == true) == isOne)
        #expect(finding?.evidence[1].value == (isOne ? name : nil))
    }

    @Test(
        "Hydra says it to the app, node-oidc-provider on its page.",
        arguments: [
            "The request is not allowed. No CSRF value available in the session cookie.",
            "interaction session id cookie not found",
        ]
    )
    func knowsTheWords(text: String) throws {
        #expect(try answered(400, text).without { $0.request.url.path == "/" }.finding(rule) != nil)
        let encoded = text.replacing(" ", with: "+")
        let recording = try answered(200, "").editing { exchange in
            guard exchange.request.url.path == "/sign-in" else { return }
            exchange.response?.status = 302
            exchange.response?.redirect(
                to: "https://www.shop.example/callback?error=request_forbidden&error_description=\(encoded)"
            )
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.places.last == "2 response.location error_description")
        #expect(finding.evidence.last?.value == text)
        // Where the browser came to the app with it, that is where it stands.
        var followed = recording
        var callback = try #require(recording.exchanges.first { $0.request.url.path == "/sign-in" })
        let location = try #require(callback.response?.location)
        callback.request.url = RecordedURL(location)
        callback.request.method = "GET"
        callback.request.body = nil
        callback.startedAt = callback.startedAt + .seconds(1)
        callback.response = RecordedResponse(status: 302)
        callback.response?.redirect(to: "/login-failed")
        followed.exchanges.append(callback)
        #expect(followed.finding(rule)?.places.last?.hasSuffix("request.query error_description") == true)
        #expect(followed.finding(rule)?.evidence.last?.value == text)
    }

    /// The form is taken, its answer sets a cookie with `attributes`, and its redirect leads back to the form.
    private func loop(_ attributes: String, back: String = "/sign-in") throws -> Recording {
        var recording = try Recording(broken).without { $0.request.url.path == "/" }
        var form = recording.exchanges[2]
        form.response = RecordedResponse(
            status: 302,
            headers: HeaderFields([("Set-Cookie", "sso=1234567890ab; \(attributes)")])
        )
        form.response?.redirect(to: "/resume")
        var page = recording.exchanges[1]
        page.request.url = form.request.url
        page.response = RecordedResponse(status: 200, body: Body(text: "<form>", mediaType: "text/html"))
        page.startedAt = form.startedAt + .milliseconds(-500)
        recording.exchanges[2] = form
        var resume = page
        resume.request.url = form.request.url.resolving("/resume")
        resume.request.headers.append("Cookie", "theme=dark")
        resume.startedAt = form.startedAt + .milliseconds(500)
        resume.response = RecordedResponse(status: 302)
        resume.response?.redirect(to: back)
        var again = page
        again.request.url = form.request.url.resolving(back)
        again.startedAt = form.startedAt + .seconds(1)
        recording.exchanges += [page, resume, again]
        return recording
    }

    @Test func showsTheCookieThatBrowsersDoNotKeep() throws {
        let finding = try #require(loop("Path=/; SameSite=None; HttpOnly").finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "2 response.header Set-Cookie", "5 request.header Cookie", "5 request.url ",
            ]
        )
        #expect(
            finding.notes == [
                "did not come back: browsers keep SameSite=None only with Secure", "the sign-in page again",
            ]
        )
    }

    @Test("A wrong password shows the form again, too; so does a cookie that a browser keeps.")
    func leavesAFormAloneThatComesAgain() throws {
        #expect(try loop("Path=/; Secure; SameSite=None").finding(rule) == nil)
        #expect(try loop("Path=/; SameSite=None", back: "/welcome").finding(rule) == nil)
        let told = try loop("Path=/; SameSite=None; HttpOnly").editingLast("/sign-in") {
            $0.response?.body = Body(text: "<p role=alert>Wrong password</p><form>", mediaType: "text/html")
        }
        #expect(told.finding(rule) == nil)
    }

    @Test("The token of the form is made anew with the session, and comes back all the same.")
    func othersThatComeBackDoNotHideTheOneThatDoesNot() throws {
        var recording = try loop("Path=/; Secure; SameSite=None")
        for index in recording.exchanges.indices.dropFirst(1) {
            let url = recording.exchanges[index].request.url
            recording.exchanges[index].request.url = RecordedURL(url.text.replacing("https:", with: "http:"))
            guard recording.exchanges[index].request.method == "POST" else { continue }
            recording.exchanges[index].response?.headers.append("Set-Cookie", "csrf=abcdefgh12345678; Path=/")
        }
        let last = recording.exchanges.count - 1
        recording.exchanges[last].request.headers.append("Cookie", "csrf=abcdefgh12345678")
        let finding = try #require(recording.finding(rule))
        #expect(finding.notes.first == "did not come back: Secure, and the page is on plain http")
        #expect(finding.places.filter { $0.hasSuffix("response.header Set-Cookie") }.count == 1)
    }

    /// The user was known already; the form of consent came without the session, and led back to the sign-in, or to what it asks for next.
    @Test(
        arguments: [
            (nil, "<form>", true), ("harbour=1", "<form>", false),
            (nil, "<form><input type=password name=password></form>", false),
        ] as [(String?, String, Bool)]
    )
    func laterFormThatLosesTheSession(cookie: String?, page: String, fires: Bool) throws {
        var recording = try loop("Path=/; Secure; HttpOnly").editingLast("/sign-in") {
            $0.response?.body = Body(text: page, mediaType: "text/html")
        }
        let form = try #require(recording.exchanges.firstIndex { $0.request.method == "POST" })
        recording.exchanges[form].request.body = Body(
            text: "action=grant",
            mediaType: "application/x-www-form-urlencoded"
        )
        if let cookie { recording.exchanges[form].request.headers.append("Cookie", cookie) }
        let finding = recording.finding(rule)
        #expect((finding != nil) == fires)
        if let finding {
            #expect(
                finding.places == [
                    "1 response.header Set-Cookie", "2 request.header Cookie", "5 request.url ",
                ]
            )
        }
        // Where no request has a cookie, they may not have been recorded.
        let without = recording.editing { $0.request.headers.remove("Cookie") }
        #expect(without.finding(rule) == nil)
    }

    @Test("Hydra's sign-in pages are at another host than its endpoints.")
    func followsTheSignInToItsOwnHost() throws {
        var recording = try Recording(broken)
        let endpoint = recording.exchanges[1].request.url
        let cookie = try #require(recording.exchanges[1].response?.headers.first("set-cookie"))
        recording.exchanges[1].response = RecordedResponse(
            status: 302,
            headers: HeaderFields([("Set-Cookie", cookie)])
        )
        recording.exchanges[1].response?.redirect(to: "https://pages.example/sign-in")
        var page = recording.exchanges[1]
        page.request.url = RecordedURL("https://pages.example/sign-in")
        page.startedAt = page.startedAt + .milliseconds(50)
        page.response = RecordedResponse(status: 200, body: Body(text: "<form>", mediaType: "text/html"))
        recording.exchanges[2].request.url = page.request.url
        recording.exchanges[2].response = RecordedResponse(status: 302)
        recording.exchanges[2].response?.redirect(to: endpoint.text + "&login_verifier=1")
        var back = recording.exchanges[1]
        back.request.url = RecordedURL(endpoint.text + "&login_verifier=1")
        back.startedAt = recording.exchanges[2].startedAt + .milliseconds(50)
        back.response = RecordedResponse(status: 302)
        back.response?.redirect(
            to: "https://www.shop.example/callback?error=request_forbidden"
                + "&error_description=No+CSRF+value+available+in+the+session+cookie."
        )
        recording.exchanges += [page, back]
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places.last?.hasSuffix("response.location error_description") == true)
    }

    /// Two tabs: a browser keeps one cookie of a name, and the form of the first comes with that of the second.
    @Test(arguments: [true, false])
    func tellsOfASecondLoginThatTookTheCookie(isAnotherLogin: Bool) throws {
        func form(_ number: String) -> Body {
            let field = "<input type=hidden name=txn value=\(number)>"
            return Body(
                text: "<form method=post action=/sign-in>\(field)<input name=user></form>",
                mediaType: "text/html"
            )
        }
        let recording = try answered(400, "<h1>Your session has expired</h1>").editing { exchange in
            switch exchange.request.url.path {
            case "/authorize": exchange.response?.body = form("vX8yw-rDW0welqgWHEP3l7")
            case "/sign-in":
                exchange.request.body = Body(
                    text: "txn=vX8yw-rDW0welqgWHEP3l7&user=alice",
                    mediaType: "application/x-www-form-urlencoded"
                )
            default: break
            }
        }
        let page = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/authorize" })
        var exchanges = recording.exchanges
        var second = exchanges[page]
        let state = try #require(second.request.url.queryItems.first("state"))
        if isAnotherLogin {
            let url = second.request.url.text.replacing(state, with: "another-state-of-the-second-tab")
            second.request.url = RecordedURL(url)
        }
        second.startedAt = second.endedAt + .milliseconds(1)
        second.response?.body = form("q7Rk2-mmT1aBcdZZKEP9x4")
        second.response?.headers.replace("Set-Cookie", with: "harbour=9876543210; Path=/; Secure; HttpOnly")
        exchanges[page + 1].request.headers.replace("Cookie", with: "harbour=9876543210")
        exchanges.insert(second, at: page + 1)
        let finding = Recording(exchanges).finding(rule)
        #expect((finding != nil) == isAnotherLogin)
        guard let finding else { return }
        #expect(finding.isPrimary)
        #expect(finding.title == "Another login in the same browser took the place of this one")
        #expect(
            finding.places == [
                "\(page) response.header Set-Cookie", "\(page + 1) response.header Set-Cookie",
                "\(page + 2) response.body ",
            ] || finding.places.last == "\(page + 2) response.status "
        )
    }

    @Test(arguments: [
        ("/authorize", "Your sign-in session has expired.", true), ("/authorize", "Wrong password.", false),
        ("/sign-in", "Your sign-in session has expired.", true),
    ])
    func tellsAPathThatLeavesTheFormOut(path: String, words: String, fires: Bool) throws {
        let recording = try Recording("user-agent/provider-session-cookie-missing").editing { exchange in
            switch exchange.request.url.path {
            case "/authorize":
                exchange.response?.headers.remove("Set-Cookie")
                exchange.response?.listedCookies = []
                exchange.response?.headers.append("Set-Cookie", "harbour=aeGz6kuQ; Path=\(path); Secure")
            case "/sign-in": exchange.response?.body = .html("<h1>Error</h1><p>\(words)</p>")
            default: break
            }
        }
        let finding = recording.finding("provider-session-cookie-missing")
        #expect((finding != nil) == fires)
        let isTold = finding?.notes.first == "did not come back: its Path is another"
        #expect(isTold == (fires && path == "/authorize"))
        #expect((finding?.fix.contains("section 5.1.4") ?? false) == isTold)
    }

    /// Its translations keep the word; without it nobody knows where a cookie may have gone unrecorded.
    @Test(arguments: [
        ("Cookie nicht gefunden. Bitte stellen Sie sicher, dass Cookies aktiviert sind.", true),
        ("クッキーが見つかりません。", true), ("Ungültige Anfrage", false),
    ])
    func readsKeycloaksMessageInAnyLanguage(text: String, isOne: Bool) throws {
        let recording = try answered(400, "<p>\(text)</p>").without { $0.request.url.path == "/" }
        #expect(findingInLog(recording) == nil)
        let keycloaks = recording.editing { exchange in
            let rename = { (url: String) in
                url.replacing("/authorize", with: "/realms/shop/protocol/openid-connect/auth")
            }
            exchange.request.url = RecordedURL(rename(exchange.request.url.text))
            if let location = exchange.response?.location {
                exchange.response?.redirect(to: rename(location))
            }
        }
        #expect((findingInLog(keycloaks)?.isPrimary == true) == isOne)
    }

    /// As the log of an app's own client has it, which does not know what its jar adds.
    private func findingInLog(_ recording: Recording) -> Finding? {
        var log = Capture(recording.exchanges)
        log.creator = ("OkHttp", "")
        return FlowFinder.flows(in: log).flatMap { Diagnostician.diagnose($0).findings }
            .first { $0.rule == rule }
    }

    // MARK: - The form itself

    /// A 303 behind a form that was taken leads to a page, whose address may have a slash more.
    @Test(arguments: [
        ("https://www.id.harbour.example/sign-in", 301, true),
        ("https://id.harbour.example/sign-in/", 302, true),
        ("https://id.harbour.example/sign-in/", 303, false),
        ("https://id.harbour.example/sign-in", 302, false),
        ("https://id.harbour.example/other", 302, false),
    ])
    func aFormThatIsLostAtARedirectIsNamed(address: String, status: Int, isLost: Bool) throws {
        let recording = try Recording.losingTheForm(sentTo: address, status: status)
        let finding = recording.finding("provider-session-cookie-missing")
        #expect((finding?.title == "The provider's own form was lost at a redirect") == isLost)
        #expect((recording.outcomes == [.failure]) == isLost)
    }
}
