import Captures
import OAuth
import Provider
import TestSupport
import Testing

/// A sign-in page whose form, or whose script's `FormData`, is sent as `multipart/form-data` (RFC 7578).
struct MultipartSignInTests {
    private static let app = "https://shop.example/cb"

    private static func signIn(_ password: String) -> Body {
        let fields = [("username", "alice"), ("password", password)].map {
            "--b1\r\nContent-Disposition: form-data; name=\"\($0.0)\"\r\n\r\n\($0.1)\r\n"
        }
        return Body(text: fields.joined() + "--b1--\r\n", mediaType: "multipart/form-data; boundary=b1")
    }

    private static func query(_ state: String) -> [(String, String)] {
        [("response_type", "code"), ("client_id", "shop"), ("redirect_uri", app), ("state", state)]
    }

    private static var capture: Capture {
        var builder = CaptureBuilder()
        builder.get(
            "https://id.example/authorize?" + FormBody.encode(query("st-4Xr8LmPq2Kt")),
            body: .html(
                "<form method=post action=/sign-in><input name=username><input type=password name=password></form>"
            )
        )
        builder.add(
            Exchange(
                startedAt: Timestamp(seconds: 0),
                request: RecordedRequest(
                    method: "POST",
                    url: RecordedURL("https://id.example/sign-in"),
                    body: signIn("wonderland")
                ),
                response: RecordedResponse(
                    status: 302,
                    headers: HeaderFields([
                        ("Location", app + "?code=c-Kq2vLx7TzB4nWm8R&state=st-4Xr8LmPq2Kt")
                    ])
                )
            )
        )
        builder.post(
            "https://id.example/token",
            [
                ("grant_type", "authorization_code"), ("code", "c-Kq2vLx7TzB4nWm8R"), ("client_id", "shop"),
                ("redirect_uri", app),
            ],
            body: .json(#"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
        )
        return builder.capture
    }

    @Test func nameAndPasswordAreThoseOfTheRecording() throws {
        let provider = try RecordedProviderTests.provider(Self.capture) { _ in }
        #expect(provider.issuers[0].users.map(\.name) == ["alice"])
        let caller = Caller(provider)
        let page = caller.get(RecordedProviderTests.base + "/authorize", Self.query("state-of-mine"))
        #expect(page.status == 200)
        for (password, code) in [("wrong", false), ("wonderland", true)] {
            let answer = caller.send(
                "POST",
                RecordedProviderTests.base + "/sign-in",
                Self.signIn(password),
                [page.cookieHeader]
            )
            #expect((answer.parameters.first("code") != nil) == code)
            #expect(answer.parameters.first("state") == (code ? "state-of-mine" : nil))
        }
    }
}
