import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct PARRequestURIExpiredTests {
    private let rule = "par-request-uri-expired"
    private let broken = "authorization-request/par-request-uri-expired"

    @Test func namesTheLifetimeAndTheAge() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == [
                "0 response.body expires_in", "2 request.query request_uri", "2 response.body ",
            ]
        )
        #expect(finding.evidence[0].value == "90")
        #expect(finding.evidence[1].note == "used 180 seconds after it was issued")
    }

    @Test func leavesOneInTimeAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func leavesAnAcceptedOneAlone() throws {
        #expect(try Recording(broken).saying("Sign in", status: 200).finding(rule) == nil)
    }

    @Test func goesByTheProvidersClock() throws {
        let recording = try Recording(broken).editing { exchange in
            exchange.response?.headers.replace("Date", with: "Sat, 14 Mar 2026 09:15:00 GMT")
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func goesByTheRecordersClockWithoutOne() throws {
        let recording = try Recording(broken).editing { exchange in
            exchange.response?.headers.remove("Date")
        }
        #expect(recording.finding(rule) != nil)
    }

    /// Who said no has seen the request in time.
    @Test func leavesAUsersNoAlone() throws {
        let recording = try Recording(broken).redirecting(
            to: "https://www.shop.example/callback?error=access_denied"
        )
        #expect(recording.finding(rule) == nil)
    }

    @Test(arguments: [nil, "soon", -1, 4_294_967_296] as [JSONValue?])
    func abstainsWithoutALifetime(value: JSONValue?) throws {
        let recording = try Recording(broken).stating("expires_in", value, at: "/par")
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }
}
