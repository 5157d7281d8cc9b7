import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct PARRequestURIReusedTests {
    private let rule = "par-request-uri-reused"
    private let broken = "authorization-request/par-request-uri-reused"

    @Test func namesBothRequestsAndTheAnswer() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == [
                "2 request.query request_uri", "3 request.query request_uri", "3 response.body ",
            ]
        )
    }

    @Test func leavesAReloadThatIsTakenAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    /// Behind the login the user is left on that page; before its end the login goes on from its first page.
    @Test(arguments: [(60, Severity.error, Outcome.failure), (15, .note, .success)])
    func refusesItBehindTheLogin(seconds: Int, severity: Severity, outcome: Outcome) throws {
        var recording = try Recording(broken + ".near-miss")
        recording.exchanges[3].startedAt = recording.exchanges[2].startedAt + .seconds(seconds)
        recording.exchanges[3].response = RecordedResponse(
            status: 400,
            body: .html("<h1>Error</h1><p>The request_uri was used before</p>")
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == severity)
        #expect(finding.isPrimary == (severity == .error))
        #expect(recording.outcomes == [outcome])
        // What the app's server asked need not be in the capture.
        #expect(recording.frontChannel.finding(rule)?.severity == severity)
        #expect(recording.frontChannel.outcomes == [outcome])
    }

    @Test func leavesTheClientsOwnURLAlone() throws {
        #expect(
            try Recording(broken).asking("request_uri", "https://www.shop.example/r.jwt").finding(rule) == nil
        )
    }

    @Test func leavesTwoRefusalsAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/authorize" { exchange.response?.status = 400 }
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func needsNoPushInTheCapture() throws {
        #expect(try Recording(broken).frontChannel.finding(rule) != nil)
    }

    @Test func leavesTheUsersNoAlone() throws {
        let recording = try Recording(broken).redirecting(
            to: "https://www.shop.example/callback?error=access_denied"
        )
        #expect(recording.finding(rule) == nil)
    }
}
