import Captures
import Diagnosis
import Flows
import JSON
import OAuth
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
