import Captures
import Flows
import TestSupport
import Testing

@testable import Provider

/// A user's way through recorded pages: which step a request is, who signs in with it, and what it is answered.
struct ScriptWalkTests {
    private static let now = Timestamp(seconds: 1_790_000_000)

    /// A page, the name, the password on a page of its own, and where that leads to.
    private static let script: InteractionScript = {
        var script = InteractionScript(purpose: .visit)
        script.steps = [
            step("GET", "/sign-in", body: .html("<p>Who are you?</p>")),
            step("POST", "/name", ["username"], SignInCredentials(user: "alice", password: nil)),
            step(
                "POST",
                "/password",
                ["password"],
                SignInCredentials(user: nil, password: "recorded"),
                cookies: [SetCookie(name: "sso", value: "recorded-session")]
            ),
            step("GET", "/welcome", body: .html("<p>Welcome</p>")),
        ]
        return script
    }()

    private static func step(
        _ method: String,
        _ path: String,
        _ fields: Set<String> = [],
        _ credentials: SignInCredentials? = nil,
        cookies: [SetCookie] = [],
        body: Body? = nil
    ) -> InteractionScript.Step {
        InteractionScript.Step(
            method: method,
            url: RecordedURL("https://id.example" + path),
            fields: fields,
            credentials: credentials,
            status: body == nil ? 302 : 200,
            headers: HeaderFields(),
            cookies: cookies,
            body: body,
            answeredAt: now
        )
    }

    private static func user(_ name: String, _ password: String) -> ProviderConfiguration.User {
        ProviderConfiguration.User(name: name, password: password, subject: name, fullName: "", email: "")
    }

    /// The walk of somebody who has come by himself; `changing`: what is different in the script.
    private func walk(changing change: (inout InteractionScript) -> Void = { _ in }) throws -> ScriptWalk {
        var dialect = ProviderDialect()
        dialect.addresses = AddressMap([.init(old: "https://id.example", new: "http://127.0.0.1:8090")])
        dialect.scripts = [Self.script]
        change(&dialect.scripts[0])
        let context = ProviderContext(
            configuration: ProviderConfiguration(
                issuer: "http://127.0.0.1:8090",
                clients: [],
                users: [Self.user("alice", "open sesame"), Self.user("bob", "swordfish")],
                keys: []
            ),
            dialect: dialect,
            policy: ProviderPolicy(),
            random: { Array(repeating: 7, count: $0) },
            now: Self.now
        )
        #expect(ScriptWalk(Transaction(id: "built-in page", purpose: .visit), context) == nil)
        return try #require(ScriptWalk(Transaction(id: "1", purpose: .visit, script: 0), context))
    }

    private func post(
        _ path: String,
        _ body: String,
        type: String = FormBody.mediaType
    ) -> RecordedRequest {
        RecordedRequest(
            method: "POST",
            url: RecordedURL("http://127.0.0.1:8090" + path),
            body: Body(text: body, mediaType: type)
        )
    }

    private func text(_ answer: BuiltAnswer) -> String? {
        if case .body(let body) = answer.content { body.text } else { nil }
    }

    @Test func nameOfAnEarlierPageCountsWithThePassword() throws {
        var walk = try walk()
        let (name, password) = (post("/name", "username=alice"), post("/password", "password=open+sesame"))
        #expect(walk.step(for: name) == 1 && walk.step(for: password) == 2)
        var nameless = walk
        let isTaken = nameless.signIn(with: password, at: 2)
        #expect(!isTaken, "two users may have it")

        let goesOn = walk.signIn(with: name, at: 1)
        #expect(goesOn && walk.transaction.typedName == "alice" && walk.transaction.user == nil)
        let isWrongTaken = walk.signIn(with: post("/password", "password=swordfish"), at: 2)
        #expect(!isWrongTaken && walk.transaction.user == nil)
        let isRightTaken = walk.signIn(with: password, at: 2)
        #expect(isRightTaken && walk.transaction.user?.name == "alice")
        #expect(walk.transaction.signedInAt == Self.now)
    }

    @Test func stepThatChangesNothingIsNoProgress() throws {
        var walk = try walk()
        walk.serve(1)
        walk.serve(3)
        walk.serve(0)
        #expect(walk.transaction.served == [0, 1, 3] && walk.transaction.progress == 1)
        #expect(!walk.changesNothing(after: 1) && walk.changesNothing(after: 2))
    }

    @Test func wrongPasswordIsAnsweredAsRecordedElseByThePage() throws {
        let form = post("/password", "password=wrong")
        #expect(text(try walk().refusedSignIn(form, at: 2)) == "<p>Who are you?</p>")
        // A script of the page would take that for a yes.
        let scripted = post("/password", #"{"password":"wrong"}"#, type: "application/json")
        #expect(try walk().refusedSignIn(scripted, at: 2).status == 401)
        let recorded = try walk {
            var failed = Self.step("POST", "/password", body: .html("<p>No.</p>"))
            failed.isFailedSignIn = true
            $0.steps.insert(failed, at: 2)
        }
        #expect(text(recorded.refusedSignIn(form, at: 3)) == "<p>No.</p>")
    }

    @Test func formOfASignInWithNothingTypedIsRefused() throws {
        let walk = try walk()
        let empty = try #require(walk.refusedEmptySignIn(post("/password", "password=")))
        #expect(text(empty) == "<p>Who are you?</p>")
        #expect(walk.refusedEmptySignIn(post("/elsewhere", "password=")) == nil)
    }

    @Test func browserIsKnownByACookieOfOursWhereThePagesHaveNone() throws {
        let first = try walk().answer(0)
        #expect(first.cookies.map(\.name) == [MockCookies.transaction])
        #expect(first.cookies.map(\.value) == ["1"])
        #expect(try walk().answer(3).cookies.isEmpty)
        let own = try walk { $0.steps[0].cookies = [SetCookie(name: "tx", value: "recorded")] }
        #expect(own.answer(0).cookies.map(\.name) == ["tx"])
        // Nothing comes after it.
        #expect(try walk { $0.steps.removeLast(3) }.answer(0).cookies.isEmpty)
    }

    @Test func sessionIsKnownByWhatStandsForItsCookies() throws {
        var walk = try walk { $0.steps[0].cookies = [SetCookie(name: "tx", value: "recorded-visit")] }
        walk.take(["recorded-session": "first", "other": "kept"])
        walk.take(["recorded-session": "second"])
        #expect(walk.transaction.played == ["recorded-session": "second", "other": "kept"])
        #expect(walk.transaction.values.count == 2)
        #expect(walk.sessionCookieValues == ["second"])
    }
}
