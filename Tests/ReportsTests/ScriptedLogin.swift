import Captures
import Flows
import TestSupport
import Testing

/// A login whose page's script makes a value, `print`, in a way that nobody knows here.
enum ScriptedLogin {
    static let provider = "https://id.example"
    private static let app = "https://shop.example/cb"
    private static let agent = [("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Chrome/130")]

    static let page = Body.html("<div id=app></div>")

    static func flow() throws -> Flow {
        var builder = CaptureBuilder()
        let query = [
            ("response_type", "code"), ("client_id", "shop"), ("redirect_uri", app),
            ("state", "st-4Xr8LmPq2Kt"),
            ("scope", "openid profile email address phone"),
        ]
        builder.get(provider + "/authorize?" + FormBody.encode(query), headers: agent, body: page)
        var sent = RecordedRequest(method: "POST", url: RecordedURL(provider + "/sign-in"))
        sent.headers = HeaderFields(agent + [("Content-Type", "application/json")])
        sent.body = .json(
            #"{"username":"alice","password":"wonderland","step":"one","print":"Qz7vLx7TzB4nWm8RdYc9Kq2Xr4LmPq8K"}"#
        )
        let back = app + "?code=c-Kq2vLx7TzB4nWm8R&state=st-4Xr8LmPq2Kt"
        builder.add(
            Exchange(
                startedAt: Timestamp(seconds: 0),
                request: sent,
                response: RecordedResponse(status: 200, body: .json(#"{"redirect_to":"\#(back)"}"#))
            )
        )
        builder.get(back, headers: agent)
        builder.post(
            provider + "/token",
            [
                ("grant_type", "authorization_code"), ("code", "c-Kq2vLx7TzB4nWm8R"), ("client_id", "shop"),
                ("redirect_uri", app),
            ],
            body: .json(#"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
        )
        return try #require(FlowFinder.flows(in: builder.capture).first)
    }
}
