import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import Testing

struct SupersededLoginTests {
    private let rule = "login-abandoned"
    private let broken = "authorization-response/login-abandoned"

    /// A login that was left so many seconds before a whole one of the same app.
    private func leaving(_ left: [Exchange], seconds: Int64) throws -> Recording {
        let whole = try Recording("healthy/web-code-flow")
        let start = try #require(whole.exchanges.first { $0.request.url.path == "/authorize" }).startedAt
        let first = Recording(left).asking("state", "another-state-0123").asking(
            "nonce",
            "another-nonce-0123"
        )
        .asking("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM").exchanges.enumerated().map {
            offset,
            exchange in
            var exchange = exchange
            exchange.startedAt = start + .milliseconds(100 * offset) + .seconds(-seconds)
            return exchange
        }
        return Recording(first + whole.exchanges)
    }

    private func request(_ edit: (inout Exchange) -> Void = { _ in }) throws -> [Exchange] {
        let whole = try Recording("healthy/web-code-flow")
        var request = try #require(whole.exchanges.first { $0.request.url.path == "/authorize" })
        edit(&request)
        return [request]
    }

    private let anew = "The login was begun anew before it was finished"

    @Test func saysThatAnotherLoginTookThePlaceOfOneThatWasBrokenOff() throws {
        let broken = try request { exchange in
            exchange.response = nil
            exchange.failure = "net::ERR_ABORTED"
        }
        let recording = try leaving(broken, seconds: 2)
        let finding = try #require(recording.finding(rule))
        #expect(finding.title == anew && finding.severity == .note)
        #expect(finding.places.first == "0 response.status ")
        #expect(
            finding.notes.last?.hasSuffix("begun 2 s after this one, which the provider answered") == true
        )
        #expect(recording.outcomes == [.incomplete, .success])
        let blocked = try request { exchange in
            exchange.response = nil
            exchange.failure = "net::ERR_BLOCKED_BY_CLIENT"
        }
        #expect(try leaving(blocked, seconds: 2).finding(rule) == nil)
        let alone = try leaving(broken, seconds: 300)
        #expect(alone.finding(rule) == nil)
        #expect(alone.outcomes == [.incomplete, .success])
    }

    @Test func saysSoOfOneThatWasLeftAtThePage() throws {
        let finding = try #require(leaving(request(), seconds: 20).finding(rule))
        #expect(finding.title == anew && finding.severity == .note)
        #expect(finding.places.first == "0 request.url ")
        #expect(finding.notes.last?.contains("the next login of this app") == true)
        let before = try #require(leaving(request(), seconds: 300).finding(rule))
        #expect(before.title != anew)
    }

    /// What the provider answered to a password is more than that the user tried once more.
    @Test func keepsWhatTheUserWasToldOfAPassword() throws {
        let left = try Recording(broken).exchanges.filter { $0.request.url.path != "/login" }
        let alone = try #require(Recording(left).finding(rule))
        let recording = try leaving(left, seconds: 20)
        let finding = try #require(recording.finding(rule))
        #expect(finding.title == alone.title)
        #expect(finding.evidence.count == alone.evidence.count + 1)
    }

    /// The same request loaded again, a login at another provider, and one on another device took no place.
    @Test(arguments: ["state", "provider", "device"]) func whatIsNoNextLoginIsNone(what: String) throws {
        var recording = try leaving(request(), seconds: 20)
        let left = recording.exchanges[0].request.url.text
        let state = recording.exchanges.lazy.compactMap { $0.request.url.queryItems.first("state") }.last
        switch what {
        case "state":
            recording.exchanges[0].request.url = RecordedURL(Recording.changing(left, "state", state))
        case "provider":
            recording.exchanges[0].request.url = RecordedURL(
                left.replacing("id.harbour", with: "login.harbour")
            )
        default:
            let phone =
                "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1"
            recording.exchanges[0].request.headers.replace("User-Agent", with: phone)
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.title != anew)
        #expect(!finding.notes.contains { $0.contains("the next login of this app") })
    }

    @Test func anErrorIsNoAnswerToTheNextLogin() throws {
        let recording = try leaving(request(), seconds: 20).without { $0.request.url.path == "/token" }
            .redirecting(with: [("code", nil), ("error", "access_denied")])
        let note = try #require(recording.finding(rule)?.notes.last)
        #expect(note.hasSuffix("begun 20 s after this one"))
    }
}
