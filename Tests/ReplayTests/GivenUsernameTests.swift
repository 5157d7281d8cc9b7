import Captures
import Flows
import Replay
import TestSupport
import Testing

/// Who signs in may be somebody else than in the recording, also where the provider's pages are the recorded ones.
struct GivenUsernameTests {
    private static let provider = "https://id.example"
    private static let app = "https://shop.example/cb"
    private static let agent = [("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Chrome/130")]

    /// A sign-in by the form of a page, or by its script's JSON.
    private static func capture(isJSON: Bool) -> Capture {
        var builder = CaptureBuilder()
        let query = [
            ("response_type", "code"), ("client_id", "shop"), ("redirect_uri", app),
            ("state", "st-4Xr8LmPq2Kt"), ("login_hint", "alice"),
        ]
        builder.get(provider + "/authorize?" + FormBody.encode(query), headers: agent, body: page)
        var sent = RecordedRequest(
            method: "POST",
            url: RecordedURL(provider + "/sign-in"),
            headers: HeaderFields(agent)
        )
        sent.headers.append("Content-Type", isJSON ? "application/json" : FormBody.mediaType)
        sent.body =
            isJSON
            ? .json(#"{"username":"alice","password":"wonderland","account":"personal"}"#)
            : Body(
                text: "username=alice&password=wonderland&account=personal",
                mediaType: FormBody.mediaType
            )
        let target = app + "?code=code-1-0123456789&state=st-4Xr8LmPq2Kt"
        builder.add(
            Exchange(
                startedAt: Timestamp(seconds: 0),
                request: sent,
                response: RecordedResponse(status: 302, headers: HeaderFields([("Location", target)]))
            )
        )
        return builder.capture
    }

    private static let page = Body.html(
        """
        <form method="post" action="/sign-in"><input name="account" type="hidden" value="personal">
        <input name="username"><input type="password" name="password"></form>
        """
    )

    private static func asked(isJSON: Bool, _ credentials: [String: String]) async throws -> [RecordedRequest]
    {
        let options = FlowDriver.Options(credentials: ReplayCredentials(values: credentials))
        let replay = try await AskedReplay(of: capture(isJSON: isJSON), options: options) { request, first in
            request.url.path == "/authorize"
                ? RecordedResponse(status: 200, body: page)
                : AskedReplay.back(to: app, code: "code-2-9876543210", answering: first)
        }
        return replay.asked
    }

    @Test func nameThatIsGivenGoesIntoTheRecordedForm() async throws {
        let asked = try await Self.asked(isJSON: false, ["username": "bob", "password": "builder"])
        let form = try #require(asked.last { $0.method == "POST" }?.body).text ?? ""
        #expect(form.contains("username=bob") && form.contains("password=builder"), "\(form)")
        #expect(form.contains("account=personal"))
        #expect(asked.first?.url.queryItems.first("login_hint") == "bob")
    }

    @Test func nameThatIsGivenGoesIntoTheRecordedJSON() async throws {
        let asked = try await Self.asked(isJSON: true, ["username": "bob"])
        let json = try #require(asked.last { $0.method == "POST" }?.body).text
        #expect(json == #"{"username":"bob","password":"wonderland","account":"personal"}"#)
    }

    /// The recorded one signs in where nobody is named.
    @Test func nameThatIsNotGivenIsTheRecordedOne() async throws {
        let asked = try await Self.asked(isJSON: true, ["password": "builder"])
        let json = try #require(asked.last { $0.method == "POST" }?.body).text
        #expect(json == #"{"username":"alice","password":"builder","account":"personal"}"#)
        #expect(asked.first?.url.queryItems.first("login_hint") == "alice")
    }

    @Test(arguments: [
        ([:], ["username": "bob"], true), ([:], ["username": "alice"], false), ([:], [:], false),
        (["user_interaction.username": "bob"], [:], true), (["scope": "openid"], ["password": "x"], false),
    ]) func anotherNameIsAnotherPerson(parameters: [String: String], secrets: [String: String], isOther: Bool)
        throws
    {
        let flows = FlowFinder.flows(in: Self.capture(isJSON: true))
        let plan = PlanBuilder(try #require(flows.first), siblings: flows).plan()
        #expect(plan.recordedUsername == "alice")
        #expect(plan.isOfAnotherUser(GivenValues(parameters: parameters, secrets: secrets)) == isOther)
    }
}
