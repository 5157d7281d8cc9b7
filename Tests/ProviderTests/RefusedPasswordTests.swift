import Captures
import OAuth
import Provider
import TestSupport
import Testing

/// A login that was recorded with a wrong password, and nothing else: the page asked for it once more.
struct RefusedPasswordTests {
    private static let app = "https://shop.example/cb"
    private static let base = RecordedProviderTests.base

    private static func query(_ state: String) -> [(String, String)] {
        [("response_type", "code"), ("client_id", "shop"), ("redirect_uri", app), ("state", state)]
    }

    private static let form =
        "<form method=post action=/sign-in><input name=username><input type=password name=password></form>"

    private static var capture: Capture {
        var builder = CaptureBuilder()
        let request = "https://id.example/authorize?" + FormBody.encode(query("st-4Xr8LmPq2Kt"))
        builder.get(request, body: .html(form))
        for _ in 1...2 {
            builder.post(
                "https://id.example/sign-in",
                [("username", "alice"), ("password", "wunderland")],
                body: .html("<p>Wrong password</p>" + form)
            )
        }
        return builder.capture
    }

    /// What a browser is answered that signs in with a password on the page that it is shown.
    private static func answer(
        to password: String,
        _ change: (inout RecordedProviderOptions) -> Void = { _ in }
    ) throws -> RecordedResponse {
        let provider = try RecordedProviderTests.provider(capture, change)
        #expect(provider.issuers[0].users.map(\.name) == ["alice"])
        let caller = Caller(provider)
        let page = caller.get(base + "/authorize", query("state-of-mine"))
        #expect(page.status == 200)
        let forms = HTMLForm.all(in: page.body?.bytes ?? [])
        let shown = try #require(forms.first)
        let fields = shown.fields.filter { $0.name != "action" }.map { field in
            (field.name, ["username": "alice", "password": password][field.name] ?? field.value)
        }
        let target = RecordedURL(base + "/authorize").resolving(shown.action)
        return caller.post(target.text, fields, headers: [page.cookieHeader])
    }

    /// What the password is nobody knows, so that any is taken.
    @Test(arguments: ["wunderland", "wonderland"]) func anyPasswordIsTaken(password: String) throws {
        let answer = try Self.answer(to: password)
        #expect(answer.parameters.first("code") != nil)
        #expect(answer.parameters.first("state") == "state-of-mine")
    }

    @Test(arguments: [("wunderland", false), ("wonderland", true)])
    func givenPasswordIsTheRightOne(password: String, isTaken: Bool) throws {
        let answer = try Self.answer(to: password) { $0.users = [("alice", "wonderland")] }
        #expect((answer.parameters.first("code") != nil) == isTaken)
    }

    /// Whoever got in at another time is the same user, and has the password of then.
    @Test(arguments: [true, false]) func laterLoginKnowsTheUser(isLater: Bool) throws {
        var good = CaptureBuilder()
        let request = "https://id.example/authorize?" + FormBody.encode(Self.query("st-9Kq2vLx7TzB"))
        good.get(request, body: .html(Self.form))
        good.post(
            "https://id.example/sign-in",
            [("username", "alice"), ("password", "wonderland")],
            302,
            answer: [("Location", Self.app + "?code=c-Kq2vLx7TzB4nWm8R&state=st-9Kq2vLx7TzB")]
        )
        good.redeem("c-Kq2vLx7TzB4nWm8R", subject: "248289761001")
        let captures = isLater ? [Self.capture, good.capture] : [good.capture, Self.capture]
        var options = RecordedProviderOptions()
        options.keys = [RecordedProviderTests.rsa].compactMap(\.self)
        let provider = try RecordedProvider(captures: captures, baseURL: Self.base, options: options)
        let users = provider.issuers[0].users
        #expect(users.map(\.name) == ["alice"] && users.map(\.subject) == ["248289761001"])
        #expect(users.map(\.password) == ["wonderland"] && !users[0].acceptsAnyPassword)
    }

    @Test(arguments: ["wunderland", "wonderland"]) func asRecordedNoneIs(password: String) throws {
        let answer = try Self.answer(to: password) { $0.isAsRecorded = true }
        #expect(answer.status == 200 && answer.body?.text?.contains("Wrong password") == true)
    }
}

extension CaptureBuilder {
    /// The token request for a code, answered with tokens, and what userinfo says of the user.
    fileprivate mutating func redeem(_ code: String, subject: String) {
        post(
            "https://id.example/token",
            [
                ("grant_type", "authorization_code"), ("code", code), ("client_id", "shop"),
                ("redirect_uri", "https://shop.example/cb"),
            ],
            body: .json(#"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
        )
        get(
            "https://id.example/userinfo",
            headers: [("Authorization", "Bearer at-7Hq2vLx7TzB4nWm8RdYc9Kq2")],
            body: .json(#"{"sub":"\#(subject)"}"#)
        )
    }
}
