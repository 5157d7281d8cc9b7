import Captures
import Replay
import TestSupport
import Testing

/// A sign-in page whose fields have other names than they had: what was typed is entered by what they are.
struct RenamedSignInTests {
    private static let app = "https://shop.example/cb"
    private static let provider = "https://id.example"
    private static let state = "s-Kq2vLx7TzB4nWm8R"

    private static func page(_ name: String, _ password: String, _ token: String) -> Body {
        .html(
            """
            <form method="post" action="/sign-in"><input type="hidden" name="csrf" value="\(token)">
            <input type="email" name="\(name)"><input type="password" name="\(password)"><button>Go</button></form>
            """
        )
    }

    private static let browser = [
        ("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Test/1"), ("Accept", "text/html"),
    ]

    private static func codePage(_ name: String) -> Body {
        .html(#"<form method="post" action="/code"><input type="password" name="\#(name)"></form>"#)
    }

    /// `code`: whether a code is asked for behind the password.
    private static func capture(asksForCode: Bool = false) -> Capture {
        var capture = CaptureBuilder()
        let query = FormBody.encode([
            ("client_id", "shop"), ("response_type", "code"), ("state", state), ("redirect_uri", app),
        ])
        capture.get(
            provider + "/authorize?" + query,
            headers: browser,
            body: page("email", "password", "t-Kq2vLx7TzB4nWm8RdYc9")
        )
        let signIn = [("csrf", "t-Kq2vLx7TzB4nWm8RdYc9"), ("email", "alice"), ("password", "wonderland")]
        let back = [("Location", app + "?code=c-Kq2vLx7TzB4nWm8R&state=" + state)]
        if asksForCode {
            capture.post(provider + "/sign-in", signIn, headers: browser, body: codePage("otp"))
            capture.post(provider + "/code", [("otp", "135790")], 302, headers: browser, answer: back)
        } else {
            capture.post(provider + "/sign-in", signIn, 302, headers: browser, answer: back)
        }
        capture.post(
            provider + "/token",
            [
                ("grant_type", "authorization_code"), ("code", "c-Kq2vLx7TzB4nWm8R"), ("client_id", "shop"),
                ("redirect_uri", app),
            ],
            body: tokens
        )
        return capture.capture
    }

    private static let tokens = Body.json(
        #"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#
    )

    /// What a provider with these pages is sent in forms, by path.
    private static func sent(
        _ capture: Capture,
        options: FlowDriver.Options = FlowDriver.Options(),
        pages: @escaping @Sendable (String) -> Body?
    ) async throws -> [String: [QueryItems]] {
        let replay = try await AskedReplay(of: capture, options: options) { request, first in
            if let page = pages(request.url.path) { return RecordedResponse(status: 200, body: page) }
            guard request.url.path != "/token" else { return RecordedResponse(status: 200, body: tokens) }
            return AskedReplay.back(to: app, code: "c-7Hq2vLx7TzB4nWm8R", answering: first)
        }
        return Dictionary(grouping: replay.asked) { $0.url.path }.mapValues {
            $0.compactMap { FormBody.items(of: $0.body) }
        }
    }

    @Test(arguments: [("email", "password"), ("mail_address", "secret_word"), ("email", "passphrase")])
    func whatWasTypedGoesIntoTheFieldsOfThePage(name: String, password: String) async throws {
        let sent = try await Self.sent(Self.capture()) {
            $0 == "/authorize" ? Self.page(name, password, "t-7Hq2vLx7TzB4nWm8RdYc9") : nil
        }
        #expect(sent["/sign-in"]?.count == 1)
        let items = try #require(sent["/sign-in"]?.first)
        #expect(items.first(name) == "alice" && items.first(password) == "wonderland")
        #expect(items.first("csrf") == "t-7Hq2vLx7TzB4nWm8RdYc9")
        #expect(sent["/token"]?.first?.first("code") == "c-7Hq2vLx7TzB4nWm8R")
    }

    /// Whose form comes first is no matter: a button that leads to another provider asks for no password.
    @Test func formThatAsksForThePasswordIsTheOne() async throws {
        let other = Body.html(
            #"<form method="post" action="/other"><button name="to" value="Continue">Other</button></form>"#
                + (Self.page("mail", "passphrase", "t-7Hq2vLx7TzB4nWm8RdYc9").text ?? "")
        )
        let sent = try await Self.sent(Self.capture()) { $0 == "/authorize" ? other : nil }
        #expect(sent["/other"] == nil)
        #expect(sent["/sign-in"]?.first?.first("passphrase") == "wonderland")
    }

    /// A field for a new password, and one for a code, get none.
    @Test(arguments: ["new_password", "totp"]) func passwordGoesIntoNoOtherField(name: String) async throws {
        let more = name == "totp" ? "" : #"<input type="password" name="confirm">"#
        let page = Body.html(
            #"<form method="post" action="/sign-in"><input type="password" name="\#(name)">\#(more)</form>"#
        )
        let sent = try await Self.sent(Self.capture()) { $0 == "/authorize" ? page : nil }
        #expect(sent.values.joined().allSatisfy { $0.first(name) != "wonderland" })
    }

    /// What was typed on one page is not sent from another.
    @Test func codeGoesIntoTheFieldForCodes() async throws {
        let options = FlowDriver.Options(credentials: ReplayCredentials(values: ["otp": "246801"]))
        let sent = try await Self.sent(Self.capture(asksForCode: true), options: options) {
            switch $0 {
            case "/authorize": Self.page("email", "passphrase", "t-7Hq2vLx7TzB4nWm8RdYc9")
            case "/sign-in": Self.codePage("totp")
            default: nil
            }
        }
        #expect(sent["/sign-in"]?.first?.first("passphrase") == "wonderland")
        #expect(sent["/code"]?.map { $0.first("totp") } == ["246801"])
    }

    /// A code that was not taken is asked for once more, and not another page shown.
    @Test func codeThatIsAskedForAgainWasNotTaken() async throws {
        let options = FlowDriver.Options(credentials: ReplayCredentials(values: ["otp": "246801"]))
        let again = #"<title>Code</title><form method="post" action="/code"><input name="otp"></form>"#
        let replay = try await AskedReplay(of: Self.capture(asksForCode: true), options: options) {
            request,
            _ in
            let isFirst = request.url.path == "/authorize"
            let page = isFirst ? Self.page("email", "password", "t-7Hq2vLx7TzB4nWm8RdYc9") : .html(again)
            return RecordedResponse(status: 200, body: page)
        }
        #expect(replay.asked.map(\.url.path) == ["/authorize", "/sign-in", "/code"])
        #expect(replay.run.stop == .secretNotTaken(url: Self.provider + "/code", title: "Code"))
        #expect(!replay.run.isHeldUpByAPage)
    }

    // MARK: - The token of the page

    /// Its name is the provider's own affair.
    @Test func hiddenFieldOfAnotherNameTakesThePlaceOfTheRecordedOne() async throws {
        let page = Body.html(
            (Self.page("email", "password", "t-7Hq2vLx7TzB4nWm8RdYc9").text ?? "").replacing(
                "csrf",
                with: "token"
            )
        )
        let sent = try await Self.sent(Self.capture()) { $0 == "/authorize" ? page : nil }
        let items = try #require(sent["/sign-in"]?.first)
        #expect(items.first("token") == "t-7Hq2vLx7TzB4nWm8RdYc9" && !items.contains("csrf"))
        #expect(items.first("email") == "alice" && items.first("password") == "wonderland")
    }

    /// Without another in its place it is missed: what the page wants now nobody knows.
    @Test func hiddenFieldThatIsGoneIsMissed() async throws {
        let page = Body.html(
            #"<form method="post" action="/sign-in"><input name="email"><input type="password" name="password"></form>"#
        )
        let sent = try await Self.sent(Self.capture()) { $0 == "/authorize" ? page : nil }
        #expect(sent["/sign-in"] == nil)
    }

    // MARK: - First who, then the password

    private static func namePage(_ name: String, _ token: String, _ value: String) -> Body {
        .html(
            """
            <form method="post" action="/identify"><input type="hidden" name="\(token)" value="\(value)">
            <input type="email" name="\(name)"><button>Next</button></form>
            """
        )
    }

    private static func captureInTwoSteps() -> Capture {
        let recorded = capture()
        var builder = CaptureBuilder()
        for index in recorded.indices {
            var exchange = recorded[index]
            if index == 0 {
                exchange.response?.body = namePage("email", "csrf", "n-Kq2vLx7TzB4nWm8RdYc9")
            }
            builder.add(exchange)
            guard index == 0 else { continue }
            builder.post(
                provider + "/identify",
                [("csrf", "n-Kq2vLx7TzB4nWm8RdYc9"), ("email", "alice")],
                headers: browser,
                body: page("email", "password", "t-Kq2vLx7TzB4nWm8RdYc9")
            )
        }
        return builder.capture
    }

    @Test(arguments: [("email", "token"), ("login_name", "csrf"), ("login_name", "token")])
    func nameIsEnteredWhereItAloneIsAskedFor(name: String, token: String) async throws {
        let sent = try await Self.sent(Self.captureInTwoSteps()) {
            switch $0 {
            case "/authorize": Self.namePage(name, token, "n-7Hq2vLx7TzB4nWm8RdYc9")
            case "/identify": Self.page("email", "password", "t-7Hq2vLx7TzB4nWm8RdYc9")
            default: nil
            }
        }
        let items = try #require(sent["/identify"]?.first)
        #expect(items.first(name) == "alice" && items.first(token) == "n-7Hq2vLx7TzB4nWm8RdYc9")
        #expect(sent["/sign-in"]?.first?.first("password") == "wonderland")
    }

    /// A code is no name, nor is where somebody works.
    @Test(arguments: ["otp", "smsPasscode", "captcha_text", "organization"])
    func nameGoesIntoNoFieldForSomethingElse(name: String) async throws {
        let page = Body.html(#"<form method="post" action="/check"><input name="\#(name)"></form>"#)
        let sent = try await Self.sent(Self.captureInTwoSteps()) { $0 == "/authorize" ? page : nil }
        #expect(sent["/check"] == nil)
    }

    // MARK: - Pages that a browser could go on from

    @Test(arguments: [
        (200, #"<div id="app"></div><script src="/app.js"></script>"#, true),
        (400, "<h1>The request is not valid</h1>", false),
        (200, page("email", "password", "t-7Hq2vLx7TzB4nWm8RdYc9").text ?? "", false),
    ]) func pageThatHoldsItUpIsTold(status: Int, text: String, isHeldUp: Bool) async throws {
        let replay = try await AskedReplay(of: Self.capture()) { request, first in
            switch request.url.path {
            case "/authorize": RecordedResponse(status: status, body: .html(text))
            case "/token": RecordedResponse(status: 200, body: Self.tokens)
            default: AskedReplay.back(to: Self.app, code: "c-7Hq2vLx7TzB4nWm8R", answering: first)
            }
        }
        #expect(replay.run.isHeldUpByAPage == isHeldUp)
    }
}
