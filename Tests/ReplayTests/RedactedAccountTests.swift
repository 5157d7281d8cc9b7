import Captures
import Flows
import JSON
import Replay
import TestSupport
import Testing

/// A shared capture has a stand-in for who signed in, whatever its field is called.
struct RedactedAccountTests {
    private static let provider = "https://id.example"
    private static let agent = [("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Chrome/130")]

    private static func secrets(of form: String, page: Bool, names: [String]?) throws -> [String] {
        try plan(of: [form], page: page, names: names).secrets.filter { !$0.isRecorded }.map(\.name).sorted()
    }

    /// A login whose sign-in sends forms, one after the other; `page`: whether the page that the first was on is there.
    private static func plan(of forms: [String], page: Bool, names: [String]?) throws -> ReplayPlan {
        var builder = CaptureBuilder()
        let query = [
            ("response_type", "code"), ("client_id", "blog"), ("redirect_uri", "https://blog.example/cb"),
            ("state", "st-4Xr8LmPq2Kt"),
        ]
        let name = forms[0].prefix { $0 != "=" }
        builder.get(
            provider + "/authorize?" + FormBody.encode(query),
            headers: agent,
            body: .html(
                page
                    ? """
                    <form method="post" action="/sign-in"><input name="\(name)">
                    <input type="password" name="pwd"><input name="go" type="submit"></form>
                    """ : "<p>Signing in</p>"
            )
        )
        let target = "https://blog.example/cb?code=code-1-0123456789&state=st-4Xr8LmPq2Kt"
        for (index, form) in forms.enumerated() {
            var sent = RecordedRequest(
                method: "POST",
                url: RecordedURL(provider + (index == 0 ? "/sign-in" : "/password")),
                headers: HeaderFields(agent)
            )
            sent.headers.append("Content-Type", FormBody.mediaType)
            sent.body = Body(text: form, mediaType: FormBody.mediaType)
            let answer =
                index < forms.count - 1
                ? RecordedResponse(status: 200, body: .html("<p>Next</p>"))
                : RecordedResponse(status: 302, headers: HeaderFields([("Location", target)]))
            builder.add(Exchange(startedAt: Timestamp(seconds: 0), request: sent, response: answer))
        }
        var capture = builder.capture
        if let names {
            let mark = Redaction(version: "1", date: "2026-05-01T00:00:00Z", names: Set(names))
            capture.logMembers["_authreel"] = ["redacted": mark.json]
        }
        let flows = FlowFinder.flows(in: capture)
        return PlanBuilder(try #require(flows.first), siblings: flows).plan()
    }

    @Test(arguments: ["log=hbvqz&pwd=Qkzlw-1&go=In", "sap-user=hbvqz&pwd=Qkzlw-1"], [true, false])
    func accountOfAnyNameIsAskedFor(form: String, page: Bool) throws {
        #expect(
            try Self.secrets(of: form, page: page, names: ["pwd", "username"]) == ["pwd", "username"]
        )
    }

    /// What is known by its own name is the account, and what is before the password something else.
    @Test func accountThatIsCalledSoIsTheOneThatIsAskedFor() throws {
        let form = "username=hbvqz&room=harbour&pwd=Qkzlw-1"
        #expect(try Self.secrets(of: form, page: false, names: ["pwd", "username"]) == ["pwd", "username"])
    }

    /// Who was named on the page before is nobody in another field, and what is before a code that was sent to somebody is no name.
    @Test func fieldBeforeAPasswordIsNoAccountWhereThatIsKnown() throws {
        let plan = try Self.plan(
            of: ["username=hbvqz", "realm=customers&pwd=Qkzlw-1"],
            page: false,
            names: ["pwd", "username"]
        )
        let realm = try #require(plan.steps.flatMap(\.parameters).first { $0.name == "realm" })
        #expect(realm.source == .literal)
        #expect(plan.secrets.filter { !$0.isRecorded }.map(\.name).sorted() == ["pwd", "username"])
        let code = try Self.secrets(of: "ctx=customers&otp=123456", page: false, names: ["otp", "username"])
        #expect(code == ["otp"])
    }

    @Test(arguments: [["pwd"], nil]) func accountThatWasKeptIsSentAsItIs(names: [String]?) throws {
        let asked = try Self.secrets(of: "log=erika&pwd=Qkzlw-1", page: true, names: names)
        #expect(asked == (names ?? []))
    }
}
