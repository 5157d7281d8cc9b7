import Captures
import Flows
import Replay
import TestSupport
import Testing

/// What a page was sent as recorded, where the provider does not let the user in with it.
struct StaleValuesTests {
    private static let provider = "https://id.example"
    private static let app = "https://shop.example/cb"
    private static let agent = [("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Chrome/130")]
    private static let client = "0f3c1f5e-6a3b-4a7e-9c55-2b1d7c1e9a10"
    private static let state = "st-4Xr8LmPq2Kt"
    private static let page = #"<html><div id="app" data-tenant="Hq2vLx7TzB4nWm8RdYc9Kq2Xr4LmPq81"></div>"#

    private static func told(code: String, state: String) -> RecordedResponse {
        let body = Body.json(#"{"redirect_to":"\#(app)?code=\#(code)&state=\#(state)"}"#)
        return RecordedResponse(
            status: 200,
            headers: HeaderFields([("Content-Type", "application/json")]),
            body: body
        )
    }

    private static func capture() -> Capture {
        var builder = CaptureBuilder()
        let query = [
            ("response_type", "code"), ("client_id", client), ("redirect_uri", app), ("state", state),
        ]
        let asked = provider + "/authorize?" + FormBody.encode(query)
        builder.get(asked, headers: agent, body: .html(page))
        var sent = RecordedRequest(method: "POST", url: RecordedURL(provider + "/sign-in"))
        sent.headers = HeaderFields(
            agent + [("Content-Type", "application/json"), ("X-Proof", "YNJcAvgx0BTS990vyrEJD6ysHUrEEawO")]
        )
        sent.body = .json(
            #"{"username":"alice","password":"mUyrzbeVRltEycrz7BY5","client":"\#(client)","#
                + #""tenant":"Hq2vLx7TzB4nWm8RdYc9Kq2Xr4LmPq81","device":{"print":"Qz7vLx7TzB4nWm8RdYc9Kq2Xr4LmPq8K"}}"#
        )
        builder.add(
            Exchange(
                startedAt: Timestamp(seconds: 0),
                request: sent,
                response: told(code: "c-Kq2vLx7TzB4nWm8R", state: state)
            )
        )
        builder.get(app + "?code=c-Kq2vLx7TzB4nWm8R&state=\(state)", headers: agent)
        builder.post(
            provider + "/token",
            [
                ("grant_type", "authorization_code"), ("code", "c-Kq2vLx7TzB4nWm8R"), ("client_id", client),
                ("redirect_uri", app),
            ],
            body: .json(#"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
        )
        builder.get(
            provider + "/userinfo",
            headers: [("Authorization", "Bearer at-7Hq2vLx7TzB4nWm8RdYc9Kq2")],
            body: .json(#"{"sub":"alice"}"#)
        )
        return builder.capture
    }

    /// What the page says is none, nor what the client is called, nor a secret.
    @Test(arguments: [true, false]) func areNamedWhereTheUserIsNotLetIn(isRefused: Bool) async throws {
        let replay = try await AskedReplay(of: Self.capture()) { request, first in
            switch request.url.path {
            case "/authorize": return RecordedResponse(status: 200, body: .html(Self.page))
            case "/sign-in" where isRefused:
                return RecordedResponse(status: 403, body: .json(#"{"error":"forbidden"}"#))
            case "/sign-in":
                let state = first.url.queryItems.first("state") ?? ""
                return Self.told(code: "c-9Zq7vLx3TzB8nWm2R", state: state)
            default:
                return RecordedResponse(
                    status: 200,
                    body: .json(#"{"access_token":"at-8Kq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
                )
            }
        }
        #expect(replay.run.isComplete == !isRefused)
        let stale = replay.run.staleValues
        #expect(stale.map(\.names) == (isRefused ? [["print"]] : []))
        #expect(stale.map(\.headers) == (isRefused ? [["X-Proof"]] : []))
        #expect(stale.allSatisfy { $0.step.request.url.path == "/sign-in" })
    }

    /// The pages let the user in with them: what ends the login is something else.
    @Test func areNoneWhereTheTokenRequestIsRefused() async throws {
        let replay = try await AskedReplay(of: Self.capture()) { request, first in
            switch request.url.path {
            case "/authorize": return RecordedResponse(status: 200, body: .html(Self.page))
            case "/sign-in":
                let state = first.url.queryItems.first("state") ?? ""
                return Self.told(code: "c-9Zq7vLx3TzB8nWm2R", state: state)
            default: return RecordedResponse(status: 400, body: .json(#"{"error":"invalid_grant"}"#))
            }
        }
        let token = try #require(replay.asked.first { $0.url.path == "/token" })
        #expect(FormBody.items(of: token.body)?.first("code") == "c-9Zq7vLx3TzB8nWm2R")
        #expect(!replay.run.isComplete && replay.run.staleValues.isEmpty)
    }
}
