import Captures
import JSON
import OAuth
import Provider
import TestSupport
import Testing

/// Pages with values in every corner, played: hidden fields, cookies, encoded addresses, scripts' calls.
struct PlayedPagesTests {
    static let authorize =
        "https://id.example/auth?response_type=code&client_id=shop&redirect_uri=https%3A%2F%2Fshop.example%2Fcb"
        + "&scope=openid&state=RecordedState1&nonce=RecordedNonce1"
    static let base = "http://127.0.0.1:8090"

    /// A login by a script of the page: it fetches a ticket, sends the password as JSON, and goes on by itself.
    private static func capture(passwords: [String] = ["open sesame"]) -> Capture {
        var builder = CaptureBuilder()
        let goto = PercentEncoding.encode(authorize)
        builder.get(
            authorize,
            302,
            answer: [
                ("Location", "https://login.id.example/ui?goto=\(goto)"),
                ("Set-Cookie", "__Host-tx=4f9c2f41aa0b4c52; Path=/; Secure; HttpOnly; SameSite=None"),
            ]
        )
        builder.get(
            "https://login.id.example/ui?goto=\(goto)",
            answer: [("Content-Security-Policy", "default-src https://login.id.example")],
            body: .html(
                "<script>const next = \"https:\\/\\/id.example\\/auth?state=RecordedState1\"</script>"
            )
        )
        builder.get("https://login.id.example/ticket", body: .json(#"{"ticket":"tkt-00a1b2c3d4e5f6a7b8"}"#))
        for (index, password) in passwords.enumerated() {
            let isRight = index == passwords.count - 1
            let body = #"{"ticket":"tkt-00a1b2c3d4e5f6a7b8","username":"alice","password":"\#(password)"}"#
            builder.add(
                Exchange(
                    startedAt: Timestamp(seconds: 0),
                    request: RecordedRequest(
                        method: "POST",
                        url: RecordedURL("https://login.id.example/check"),
                        body: Body(text: body, mediaType: "application/json")
                    ),
                    response: RecordedResponse(
                        status: isRight ? 200 : 401,
                        headers: HeaderFields(
                            isRight ? [("Set-Cookie", "sso=0a1b2c3d4e5f60718293; Path=/")] : []
                        ),
                        body: .json(
                            isRight ? #"{"goto":"\#(authorize)&resume=1"}"# : #"{"code":"bad-password"}"#
                        )
                    )
                )
            )
        }
        builder.get(
            authorize + "&resume=1",
            302,
            answer: [("Location", "https://shop.example/cb?code=0123456789abcdefABCDEF&state=RecordedState1")]
        )
        return builder.capture
    }

    private static func provider(_ capture: Capture) throws -> RecordedProvider {
        try RecordedProviderTests.provider(capture)
    }

    static func request(_ state: String) -> [(String, String)] {
        [
            ("response_type", "code"), ("client_id", "shop"), ("redirect_uri", "https://shop.example/cb"),
            ("scope", "openid"), ("state", state), ("nonce", "a-new-nonce"),
        ]
    }

    @Test func valuesAreReplacedInEveryEncoding() throws {
        let caller = Caller(try Self.provider(Self.capture()))
        let first = caller.get(Self.base + "/auth", Self.request("MyOwnState42"))
        let location = try #require(first.location)
        #expect(location.hasPrefix(Self.base + "/login.id.example/ui?goto="))
        let goto = try #require(RecordedURL(location).queryItems.first("goto"))
        #expect(
            goto.hasPrefix(Self.base + "/auth?")
                && RecordedURL(goto).queryItems.first("state") == "MyOwnState42"
        )
        #expect(!location.contains("Recorded") && !location.contains("id.example%2Fauth"))

        let page = caller.get(location, headers: [first.cookieHeader])
        #expect(page.body?.text?.contains("\"http:\\/\\/127.0.0.1:8090\\/auth?state=MyOwnState42\"") == true)
        #expect(page.headers.first("content-security-policy") == "default-src \(Self.base)/login.id.example")
    }

    @Test func bytesThatAreNoUTF8GoOutAsRecorded() throws {
        let recorded = Self.capture()
        var exchanges = recorded.indices.map { recorded[$0] }
        exchanges[0].response?.headers.fields[0].value += "&hint=é"
        exchanges[0].response?.headers.fields[0].isLatin1 = true
        exchanges[0].response?.headers.fields += [
            .init(name: "Set-Cookie", value: "note=é; Path=/", isLatin1: true),
            .init(name: "X-Note", value: "é", isLatin1: true), .init(name: "X-Other", value: "é"),
        ]
        exchanges[1].request.url = RecordedURL(exchanges[1].request.url.text + "&hint=é")
        exchanges[1].request.isURLLatin1 = true
        let caller = Caller(try Self.provider(Capture(exchanges)))
        let fields = caller.get(Self.base + "/auth", Self.request("s-1234567")).headers.fields
        func sent(_ name: String) -> [[UInt8]] { fields.filter { $0.name == name }.map(\.sentValue.bytes) }
        #expect(sent("X-Note") == [[0xe9]] && sent("X-Other") == [Array("é".utf8)])
        #expect(sent("Location").map { $0.suffix(7) } == [Array("&hint=".utf8) + [0xe9]])
        #expect(sent("Set-Cookie").contains(Array("note=".utf8) + [0xe9] + Array("; Path=/".utf8)))
    }

    /// `tz`: as a browser may read it, not as the specifications have it.
    @Test(arguments: [
        ("Fri, 31-Dec-9999 23:59:59 GMT", "lasting=1; Path=/; Max-Age=7443372036"),
        ("Fri, 31 Dec 9999 25:59:59 tz", "lasting=1; Path=/; Expires=Fri, 31 Dec 9999 25:59:59 tz"),
        ("Sun, 06 Nov 1994 08:49:37 GMT", "lasting=1; Path=/; Max-Age=0"),
    ])
    func cookieLastsAsLongAsTheRecorded(expires: String, field: String) throws {
        let recorded = Self.capture()
        var exchanges = recorded.indices.map { recorded[$0] }
        exchanges[0].response?.headers.append("Set-Cookie", "lasting=1; Path=/; Expires=\(expires)")
        let caller = Caller(try Self.provider(Capture(exchanges)))
        let fields = caller.get(Self.base + "/auth", Self.request("s-1234567")).headers.fields
        #expect(fields.contains { $0.name == "Set-Cookie" && $0.value == field }, "\(fields)")
    }

    @Test func pageOfARecordedCacheIsGivenWhole() throws {
        let recorded = Self.capture()
        var exchanges = recorded.indices.map { recorded[$0] }
        exchanges[1].response?.status = 304
        let caller = Caller(try Self.provider(Capture(exchanges)))
        let first = caller.get(Self.base + "/auth", Self.request("MyOwnState42"))
        let page = caller.get(try #require(first.location), headers: [first.cookieHeader])
        #expect(page.status == 200 && page.body?.text?.contains("MyOwnState42") == true)
    }

    /// A server that is asked to send such a field closes the connection.
    @Test func fieldsWithoutARealNameAreLeftOut() throws {
        let recorded = Self.capture()
        var exchanges = recorded.indices.map { recorded[$0] }
        exchanges[0].response?.headers.fields += ["X Note", "", "X:Note", "X-\r\nNote", "é", ":status"].map {
            .init(name: $0, value: "x")
        }
        exchanges[0].response?.headers.append("X-Real!", "y")
        let caller = Caller(try Self.provider(Capture(exchanges)))
        let headers = caller.get(Self.base + "/auth", Self.request("s-1234567")).headers
        #expect(headers.fields.filter { $0.value == "x" }.isEmpty && headers.first("x-real!") == "y")
    }

    @Test func cookiesCanBeSetWithoutTLS() throws {
        let caller = Caller(try Self.provider(Self.capture()))
        let cookie = try #require(caller.get(Self.base + "/auth", Self.request("s-1234567")).setCookies.first)
        #expect(cookie.name == "tx" && !cookie.isSecure && cookie.sameSite == nil && cookie.isHTTPOnly)
        #expect(cookie.value.utf8.count == 16 && cookie.value != "4f9c2f41aa0b4c52")
        #expect(cookie.value.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    }

    @Test func scriptOfThePageSignsInAndGoesOn() throws {
        let caller = Caller(try Self.provider(Self.capture(passwords: ["wrong", "open sesame"])))
        let first = caller.get(Self.base + "/auth", Self.request("MyOwnState42"))
        let cookie = first.cookieHeader
        // Not before somebody has signed in, also for who knows how it goes on.
        let ahead = Self.request("MyOwnState42") + [("resume", "1")]
        #expect(caller.get(Self.base + "/auth", ahead, headers: [cookie]).parameters.first("code") == nil)
        #expect(
            caller.get(Self.base + "/auth", Self.request("MyOwnState42"), headers: [cookie]).parameters.first(
                "code"
            ) == nil
        )
        let ticket = caller.json(caller.get(Self.base + "/login.id.example/ticket", headers: [cookie]))[
            "ticket"
        ]?.string
        #expect(ticket != nil && ticket != "tkt-00a1b2c3d4e5f6a7b8")
        func check(_ password: String) -> RecordedResponse {
            let body = #"{"ticket":"\#(ticket ?? "")","username":"alice","password":"\#(password)"}"#
            return caller.send(
                "POST",
                Self.base + "/login.id.example/check",
                Body(text: body, mediaType: "application/json"),
                [cookie]
            )
        }
        // As the recording answers to a wrong one.
        let refused = check("a guess")
        #expect(refused.status == 401 && caller.json(refused)["code"] == "bad-password")
        let taken = check("open sesame")
        let next = try #require(caller.json(taken)["goto"]?.string)
        #expect(RecordedURL(next).queryItems.first("state") == "MyOwnState42")
        let answer = caller.get(next, headers: [cookie, taken.cookieHeader])
        #expect(
            answer.parameters.first("code")?.utf8.count == 22
                && answer.parameters.first("state") == "MyOwnState42"
        )

        // The same browser is known from now on, another one is not.
        let silent = Self.request("another-state") + [("prompt", "none")]
        #expect(
            caller.get(Self.base + "/auth", silent, headers: [taken.cookieHeader]).parameters.first("code")
                != nil
        )
        #expect(caller.get(Self.base + "/auth", silent).parameters.first("error") == "login_required")
    }

    /// The page that asks for consent is at the endpoint itself, and its form keeps the request in a field of that name.
    @Test func formAtTheEndpointIsNoRequestOfAClient() throws {
        var builder = CaptureBuilder()
        builder.get(
            Self.authorize,
            body: .html(
                """
                <form method="post" action="/auth"><input name="user"><input type="password" name="password">
                <input type="hidden" name="request" value="W1sib3BlbmlkIl1d:c2lnbmVkLWhlcmU"></form>
                """
            )
        )
        let form = [
            ("user", "alice"), ("password", "open sesame"), ("scope", "openid"),
            ("request", "W1sib3BlbmlkIl1d:c2lnbmVkLWhlcmU"),
        ]
        builder.post(
            "https://id.example/auth",
            form,
            302,
            answer: [("Location", "https://shop.example/cb?code=0123456789abcdefABCDEF&state=RecordedState1")]
        )
        let caller = Caller(try Self.provider(builder.capture))
        let page = caller.get(Self.base + "/auth", Self.request("MyOwnState42"))
        let sent = HTMLForm.all(in: try #require(page.body?.bytes)).first?.fields.first {
            $0.name == "request"
        }
        let kept = try #require(sent).value
        #expect(kept != form[3].1)
        let answer = caller.post(Self.base + "/auth", form.dropLast() + [("request", kept)])
        let callback = RecordedURL(try #require(answer.location)).queryItems
        #expect(callback.contains("code"))
        #expect(callback.first("state") == "MyOwnState42")
    }

    /// A reload goes on with the login that is open; a request that would be refused without one is refused.
    @Test func openLoginTakesNoFaultyRequest() throws {
        let caller = Caller(try Self.provider(Self.capture()))
        let request = Self.request("MyOwnState42")
        func ask(_ more: (String, String)...) -> RecordedResponse {
            caller.get(Self.base + "/auth", request + more)
        }
        let first = ask()
        #expect(first.location != nil && ask().location == first.location)
        #expect(ask(("scope", "openid")).parameters.first("error") == "invalid_request")
    }

    @Test func pageWithoutARecordingIsTheBuiltInOne() throws {
        var builder = CaptureBuilder()
        builder.get(
            Self.authorize,
            302,
            headers: [("Cookie", "sso=0a1b2c3d4e5f60718293")],
            answer: [
                ("Location", "https://shop.example/cb?code=0123456789abcdefABCDEF&state=RecordedState1")
            ]
        )
        let caller = Caller(try Self.provider(builder.capture))
        let page = caller.get(Self.base + "/auth", Self.request("s-1234567"))
        #expect(
            HTMLForm.all(in: page.body?.text ?? "").first?.fields.contains { $0.name == "password" } == true
        )
        // The browser of the recording had a session that began before it.
        let known = caller.get(
            Self.base + "/auth",
            Self.request("s-1234567"),
            headers: [("Cookie", "sso=0a1b2c3d4e5f60718293")]
        )
        #expect(known.parameters.first("code") != nil)
    }

    @Test func nothingOfTheRecordedHostIsLeft() throws {
        let provider = try Self.provider(Self.capture())
        let caller = Caller(provider)
        #expect(Set(provider.mapping.map(\.old)) == ["https://id.example", "https://login.id.example"])
        #expect(provider.furtherHosts.map(\.recorded) == ["https://login.id.example"])
        #expect(provider.furtherHosts.map(\.played) == [RecordedProviderTests.base + "/login.id.example"])
        let first = caller.get(Self.base + "/auth", Self.request("MyOwnState42"))
        let page = caller.get(first.location ?? "", headers: [first.cookieHeader])
        for text in [first.location, page.body?.text] {
            #expect(text?.contains("https://id.example") == false)
        }
    }

    /// What a page hides while it is typed is the password, whatever it is called.
    @Test func passwordOfAnotherNameHasToBeTheRecordedOne() throws {
        let page = """
            <form method="post" action="/signin"><input type="hidden" name="txn" value="fn9XuTpvcIcNfxfsd23A">
            <input name="login"><input type="password" name="pw"></form>
            """
        var builder = CaptureBuilder()
        builder.redirect(Self.authorize, to: "https://id.example/signin?txn=fn9XuTpvcIcNfxfsd23A")
        builder.get("https://id.example/signin?txn=fn9XuTpvcIcNfxfsd23A", body: .html(page))
        builder.post(
            "https://id.example/signin",
            [("txn", "fn9XuTpvcIcNfxfsd23A"), ("login", "alice"), ("pw", "open sesame")],
            302,
            answer: [("Location", "https://shop.example/cb?code=0123456789abcdefABCDEF&state=RecordedState1")]
        )
        let provider = try Self.provider(builder.capture)
        let caller = Caller(provider)
        func answer(to password: String) throws -> RecordedResponse {
            let first = caller.get(Self.base + "/auth", Self.request("MyOwnState42"))
            let shown = caller.get(try #require(first.location))
            let forms = HTMLForm.all(in: shown.body?.text ?? "")
            let form = try #require(forms.first)
            let transaction = try #require(form.fields.first { $0.name == "txn" }?.value)
            return caller.post(
                Self.base + "/signin",
                [("txn", transaction), ("login", "alice"), ("pw", password)]
            )
        }
        #expect(try answer(to: "a guess").parameters.first("code") == nil)
        #expect(try answer(to: "open sesame").parameters.first("code") != nil)
    }

    /// Clients on the command line listen at whatever port is free, MSAL's by the name.
    @Test(arguments: [
        ("http://localhost:36183", "http://localhost:41999", true),
        ("http://localhost:8400", "http://localhost:8401", false),
        ("http://localhost:36183", "http://localhost:41999/cb", false),
        ("http://localhost/cb", "http://localhost:8401/cb", true),
        ("http://localhost/cb", "http://localhost:8401/other", false),
        ("http://127.0.0.1:8400/cb", "http://127.0.0.1:8401/cb", true),
    ])
    func portThatIsChosenAnewMayBeAnother(recorded: String, asked: String, isTaken: Bool) throws {
        let request = { (uri: String) in
            Self.request("RecordedState1").map { $0.0 == "redirect_uri" ? ($0.0, uri) : $0 }
        }
        var builder = CaptureBuilder()
        builder.redirect(
            "https://id.example/auth?" + FormBody.encode(request(recorded)),
            to: recorded + "?code=0123456789abcdefABCDEF&state=RecordedState1"
        )
        let caller = Caller(try Self.provider(builder.capture))
        let answer = caller.get(Self.base + "/auth", request(asked))
        #expect((answer.location?.hasPrefix(asked + "?code=") ?? false) == isTaken)
        #expect((answer.status == 400) != isTaken)
    }
}
