import Captures
import Diagnosis
import Flows
import JSON
import OAuth
import Testing

struct InsufficientScopeTests {
    private let rule = "insufficient-scope"
    private let broken = "resource-calls/insufficient-scope"

    @Test func namesTheScopeThatIsNeededAndTheOneThatWasGranted() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "6 response.header WWW-Authenticate", "6 request.url ", "6 response.header WWW-Authenticate",
                "4 response.body scope",
            ]
        )
        #expect(finding.evidence[2].value == "orders.read")
        #expect(finding.evidence[3].value == "openid profile")
    }

    @Test func leavesAPlainNoAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func readsTheBody() throws {
        let recording = try Recording(broken + ".near-miss").answering(
            "/orders",
            403,
            ["error": "insufficient_scope"]
        )
        #expect(recording.finding(rule) != nil)
    }

    @Test func knowsUserInfoOfKeycloak() throws {
        let recording = try Recording(broken + ".near-miss").editingLast("/orders") {
            $0.request.url = RecordedURL("https://id.harbour.example/userinfo")
        }
        #expect(recording.finding(rule) == nil)
        let answer: JSONValue = ["error": "access_denied", "error_description": "Missing openid scope"]
        #expect(recording.answering("/userinfo", 403, answer).finding(rule) != nil)
    }

    @Test func leavesALaterSuccessAlone() throws {
        var recording = try Recording(broken)
        var later = recording.exchanges[6]
        later.startedAt = later.startedAt + .seconds(60)
        later.response?.status = 200
        recording.exchanges.append(later)
        #expect(recording.finding(rule) == nil)
    }
}
