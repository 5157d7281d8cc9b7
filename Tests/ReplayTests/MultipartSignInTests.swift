import Captures
import Flows
import Replay
import TestSupport
import Testing

/// A sign-in that is sent as `multipart/form-data` (RFC 7578): its fields are planned, given and made anew as those of other forms.
struct MultipartSignInTests {
    private static let provider = "https://id.example"
    private static let app = "https://shop.example/cb"
    private static let (recordedToken, liveToken) = (
        "mUyrzbeVRltEycrz7BY5TmNpwmkf4HPp", "Zb3kQyrzbeVRltEycrz7BY5TmNpwmkf4"
    )

    private static func signIn(_ user: String, _ password: String, _ token: String) -> String {
        [("username", user), ("password", password), ("_csrf", token)].map {
            "--b1\r\nContent-Disposition: form-data; name=\"\($0.0)\"\r\n\r\n\($0.1)\r\n"
        }.joined() + "--b1--\r\n"
    }

    private static func page(_ token: String) -> Body {
        .html(
            "<form method=post action=/sign-in><input name=username><input type=password name=password>"
                + "<input type=hidden name=_csrf value=\"\(token)\"></form>"
        )
    }

    private static var capture: Capture {
        var builder = CaptureBuilder()
        let agent = [("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Chrome/130")]
        let query = [
            ("response_type", "code"), ("client_id", "shop"), ("redirect_uri", app),
            ("state", "st-4Xr8LmPq2Kt"),
        ]
        builder.get(
            provider + "/authorize?" + FormBody.encode(query),
            headers: agent,
            body: page(recordedToken)
        )
        let type = "multipart/form-data; boundary=b1"
        builder.add(
            Exchange(
                startedAt: Timestamp(seconds: 0),
                request: RecordedRequest(
                    method: "POST",
                    url: RecordedURL(provider + "/sign-in"),
                    headers: HeaderFields(agent + [("Content-Type", type)]),
                    body: Body(text: signIn("alice", "wonderland", recordedToken), mediaType: type)
                ),
                response: RecordedResponse(
                    status: 302,
                    headers: HeaderFields([
                        ("Location", app + "?code=code-1-0123456789&state=st-4Xr8LmPq2Kt")
                    ])
                )
            )
        )
        return builder.capture
    }

    @Test(arguments: [[:], ["password": "builder"], ["username": "bob", "password": "builder"]])
    func fieldsAreOfThisRun(given: [String: String]) async throws {
        let options = FlowDriver.Options(credentials: ReplayCredentials(values: given))
        let replay = try await AskedReplay(of: Self.capture, options: options) { request, first in
            request.url.path == "/authorize"
                ? RecordedResponse(status: 200, body: Self.page(Self.liveToken))
                : AskedReplay.back(to: Self.app, code: "code-2-9876543210", answering: first)
        }
        let sent = try #require(replay.asked.last { $0.method == "POST" })
        #expect(
            sent.body?.text
                == Self.signIn(
                    given["username"] ?? "alice",
                    given["password"] ?? "wonderland",
                    Self.liveToken
                )
        )
        #expect(sent.headers.first("content-type") == "multipart/form-data; boundary=b1")
    }

    @Test func passwordIsPlannedAsASecret() throws {
        let flows = FlowFinder.flows(in: Self.capture)
        let plan = PlanBuilder(try #require(flows.first), siblings: flows).plan()
        let step = try #require(plan.steps.first { $0.request.method == "POST" })
        let password = step.parameters.first { $0.name == "password" }
        #expect(password?.source == .secret("password", isRecorded: true))
    }
}
