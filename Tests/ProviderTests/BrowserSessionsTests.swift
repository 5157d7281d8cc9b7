import Captures
import Flows
import Testing

@testable import Provider

/// Sessions are found by what a browser or a token brings of them, and end together with their user's others.
struct BrowserSessionsTests {
    private func session(of subject: String) -> ProviderState.Session {
        let user = ProviderConfiguration.User(
            name: subject,
            password: "",
            subject: subject,
            fullName: "",
            email: ""
        )
        return ProviderState.Session(user: user, signedInAt: Timestamp(seconds: 1_790_000_000))
    }

    private func request(_ cookies: String) -> RecordedRequest {
        RecordedRequest(
            method: "GET",
            url: RecordedURL("https://id.example/authorize"),
            headers: HeaderFields([("Cookie", cookies)])
        )
    }

    @Test(arguments: [
        ("\(MockCookies.session)=own", "own"), ("recorded=played-value", "played"),
        // A recorded provider may have a cookie of the mock's name.
        ("\(MockCookies.session)=played-value", "played"), ("recorded=unknown", nil), ("other=own", nil),
    ])
    func sessionIsFoundByItsCookies(cookies: String, expected: String?) {
        var sessions = BrowserSessions()
        sessions["own"] = session(of: "alice")
        sessions["played"] = session(of: "bob")
        sessions.recognize("played", by: "played-value")
        #expect(sessions.session(of: request(cookies))?.id == expected)
    }

    @Test func signingOutEndsAllSessionsOfTheUserAndNoOther() {
        var sessions = BrowserSessions()
        for (id, subject) in [("1", "alice"), ("2", "bob"), ("3", "alice")] {
            sessions[id] = session(of: subject)
        }
        let ended = sessions.end("1", subject: "alice")
        #expect(ended.map(\.user.subject) == ["alice", "alice"])
        #expect(sessions["1"] == nil && sessions["3"] == nil && sessions["2"] != nil)
    }

    @Test func sessionEndsAloneWhereNobodyIsNamed() {
        var sessions = BrowserSessions()
        sessions["1"] = session(of: "alice")
        sessions["2"] = session(of: "alice")
        sessions.recognize("1", by: "token")
        #expect(sessions.end("1", subject: nil).count == 1)
        #expect(sessions["2"] != nil)
        // What was issued in it stays known as that.
        #expect(sessions.id(knownBy: "token") == "1")
        #expect(sessions.end(nil, subject: nil).isEmpty)
    }
}
