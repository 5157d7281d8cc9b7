import Captures
import Diagnosis
import Flows
import OAuth
import Testing

struct RateLimitedTests {
    private let rule = "rate-limited"
    private let broken = "transport/rate-limited"

    @Test func tellsHowLongToWait() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["5 response.status ", "5 response.header Retry-After"])
        #expect(finding.notes == ["https://id.harbour.example/token, 2 times"])
        #expect(recording.outcomes == [.failure])
    }

    @Test func leavesARetryThatSucceededAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func saysNothingOfOtherHosts() throws {
        let recording = try Recording("healthy/web-code-flow").answering("/", 429)
        #expect(recording.finding(rule) == nil)
    }

    @Test func saysNothingOfOtherRefusals() throws {
        #expect(try Recording(broken).answering("/token", 503).finding(rule) != nil)
        let recording = try Recording(broken).editing { exchange in
            if exchange.response?.status == 429 { exchange.response?.status = 503 }
        }
        #expect(recording.finding(rule) == nil)
    }

    /// django-axes answers so.
    @Test func findsASignInThatIsTakenNoMore() throws {
        let recording = try Recording("authorization-response/login-abandoned").editingLast("/sign-in") {
            exchange in
            exchange.response = RecordedResponse(
                status: 429,
                body: Body(text: "Account locked: too many login attempts.", mediaType: "text/html")
            )
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.evidence.last?.value == "Account locked: too many login attempts.")
    }
}
