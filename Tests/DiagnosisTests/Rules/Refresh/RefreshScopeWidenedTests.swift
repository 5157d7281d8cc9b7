import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import TestSupport
import Testing

struct RefreshScopeWidenedTests {
    private let rule = "refresh-scope-widened"
    private let broken = "refresh/refresh-scope-widened"

    @Test func namesWhatWasNotGranted() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "4 response.body scope", "6 request.body scope", "6 response.body error",
            ]
        )
        #expect(finding.notes == ["granted", "not granted: orders"])
    }

    @Test func leavesAPartOfTheGrantAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.filter { $0.severity != .note }.isEmpty)
        #expect(try Recording(broken).sending("scope", "profile").finding(rule) == nil)
    }

    @Test func leavesWhatTheProviderAcceptedAlone() throws {
        let recording = try Recording(broken).answering("/token", 200, ["access_token": "not-a-token"])
        #expect(recording.finding(rule) == nil)
    }

    @Test func takesWhatTheLoginAskedForWhereTheAnswerNamesNoScope() throws {
        let recording = try Recording(broken).editing { exchange in
            guard let text = exchange.response?.body?.text, text.contains("\"scope\"") else { return }
            exchange.response?.body = Body(
                text: text.replacing("\"scope\":\"openid profile\",", with: ""),
                mediaType: "application/json"
            )
        }
        #expect(recording.finding(rule)?.places.first?.hasSuffix("request.query scope") == true)
    }

    /// Twitch answers with an array, GitHub with commas, and some with an empty word, which names no scope.
    @Test(arguments: [["openid", "profile"], "openid,profile", "", .null] as [JSONValue])
    func grantIsReadHoweverItIsWritten(scope: JSONValue) throws {
        let recording = try Recording(broken).editing { exchange in
            guard let text = exchange.response?.body?.text, text.contains("\"scope\"") else { return }
            exchange.response?.body = .json(
                text.replacing("\"openid profile\"", with: JSONWriter.text(of: scope))
            )
        }
        #expect(recording.finding(rule)?.notes.last == "not granted: orders")
        #expect(recording.sending("scope", "profile").finding(rule) == nil)
    }

    /// Who grants with commas takes them in a request; where spaces were granted, a comma makes one scope of two.
    @Test(arguments: [
        ("openid,profile", "openid,profile", nil), ("openid,profile", "profile,openid", nil),
        ("openid,profile", "openid,orders", "not granted: orders"),
        ("openid profile", "openid,profile", "not granted: openid,profile"),
    ])
    func scopeIsAskedForAsItWasGranted(granted: String, asked: String, note: String?) throws {
        let recording = try Recording(broken).editing { exchange in
            guard let text = exchange.response?.body?.text, text.contains("\"scope\"") else { return }
            exchange.response?.body = .json(text.replacing("openid profile", with: granted))
        }.sending("scope", asked)
        #expect(recording.finding(rule)?.notes.last == note)
    }

    /// An asset management's login may have a scope for each site.
    @Test(arguments: [("site-599", false), ("site-600", true)])
    func grantIsReadToItsEnd(asked: String, fires: Bool) throws {
        let granted = (0..<600).map { "site-\($0)" }.joined(separator: " ")
        let recording = try Recording(broken).editing { exchange in
            guard let text = exchange.response?.body?.text, text.contains("\"scope\"") else { return }
            exchange.response?.body = Body(
                text: text.replacing("\"scope\":\"openid profile\"", with: "\"scope\":\"\(granted)\""),
                mediaType: "application/json"
            )
        }
        #expect((recording.sending("scope", asked).finding(rule) != nil) == fires)
    }

    /// An empty scope asks for nothing (RFC 6749, section 3.2).
    @Test(arguments: [("openid", true), ("", false)])
    func abstainsWithoutTheLogin(asked: String, abstains: Bool) throws {
        let all = try Recording(broken).sending("scope", asked)
        let recording = Recording(Array(all.exchanges.suffix(1)))
        #expect(recording.finding(rule) == nil)
        #expect((recording.abstention(rule) != nil) == abstains)
    }

    /// A refresh that comes first asked for what it asked for, be it less than the grant.
    @Test func abstainsBehindARefreshThatNamesAPartOfTheGrant() throws {
        let all = try Recording(broken)
        let granted = try #require(all.exchanges.first { $0.request.url.path == "/token" })
        let refused = try #require(all.exchanges.last)
        var first = refused
        first.startedAt = granted.startedAt
        first.response = granted.response
        let earlier = Recording([first]).sending("scope", "openid").sending("refresh_token", "an-older-token")
            .editingAnswer(of: "/token") { $0["scope"] = nil }
        let recording = Recording(earlier.exchanges + [refused])
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test func providersErrorIsItsEffect() throws {
        let recording = try Recording(broken).answering(
            "/token",
            400,
            ["error": "invalid_scope", "error_description": "Unknown/invalid scope(s): [orders]"]
        )
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.finding("token-endpoint-error")?.effectOf == rule)
    }
}
