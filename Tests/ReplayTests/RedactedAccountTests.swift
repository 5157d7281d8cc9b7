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

    /// A login whose sign-in sends a form; `page`: whether the page that it was on is there.
    private static func secrets(of form: String, page: Bool, names: [String]?) throws -> [String] {
        var builder = CaptureBuilder()
        let query = [
            ("response_type", "code"), ("client_id", "blog"), ("redirect_uri", "https://blog.example/cb"),
            ("state", "st-4Xr8LmPq2Kt"),
        ]
        let name = form.prefix { $0 != "=" }
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
        var sent = RecordedRequest(
            method: "POST",
            url: RecordedURL(provider + "/sign-in"),
            headers: HeaderFields(agent)
        )
        sent.headers.append("Content-Type", FormBody.mediaType)
        sent.body = Body(text: form, mediaType: FormBody.mediaType)
        let target = "https://blog.example/cb?code=code-1-0123456789&state=st-4Xr8LmPq2Kt"
        builder.add(
            Exchange(
                startedAt: Timestamp(seconds: 0),
                request: sent,
                response: RecordedResponse(status: 302, headers: HeaderFields([("Location", target)]))
            )
        )
        var capture = builder.capture
        if let names {
            let mark = Redaction(version: "1", date: "2026-05-01T00:00:00Z", names: Set(names))
            capture.logMembers["_authreel"] = ["redacted": mark.json]
        }
        let flows = FlowFinder.flows(in: capture)
        let plan = PlanBuilder(try #require(flows.first), siblings: flows).plan()
        return plan.secrets.filter { !$0.isRecorded }.map(\.name).sorted()
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

    @Test(arguments: [["pwd"], nil]) func accountThatWasKeptIsSentAsItIs(names: [String]?) throws {
        let asked = try Self.secrets(of: "log=erika&pwd=Qkzlw-1", page: true, names: names)
        #expect(asked == (names ?? []))
    }
}
