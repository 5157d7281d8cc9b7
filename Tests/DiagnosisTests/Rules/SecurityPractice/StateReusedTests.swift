import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct StateReusedTests {
    private let rule = "state-reused"
    private let broken = "security-practice/state-reused"

    @Test func namesBothRequestsAndWhatTellsThemApart() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(
            finding.places == [
                "1 request.query state", "6 request.query state", "1 request.query nonce",
                "6 request.query nonce",
            ]
        )
        #expect(recording.findings.filter { $0.rule == rule }.count == 1)
    }

    @Test func leavesTheNearestAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.filter { $0.severity != .note }.isEmpty)
    }

    @Test func leavesAnIdenticalRequestAlone() throws {
        let first = try Recording(broken).exchanges[1].request.url
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/authorize" { exchange.request.url = first }
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesOtherClientsAlone() throws {
        var recording = try Recording(broken)
        let url = recording.exchanges[6].request.url.text
        recording.exchanges[6].request.url = RecordedURL(Recording.changing(url, "client_id", "shop-other"))
        #expect(recording.finding(rule) == nil)
    }

    /// An empty value counts as omitted (RFC 6749, section 3.1): the two codes tell these apart, and no nonce.
    @Test(arguments: [1, 6]) func emptyNonceTellsNoLoginsApart(place: Int) throws {
        var recording = try Recording(broken).asking("code_challenge", nil)
        let url = recording.exchanges[place].request.url.text
        recording.exchanges[place].request.url = RecordedURL(Recording.changing(url, "nonce", ""))
        #expect(recording.finding(rule)?.places == ["1 request.query state", "6 request.query state"])
    }

    @Test func tellsTwoLoginsByTheirCodes() throws {
        let recording = try Recording(broken).asking("nonce", nil).asking("code_challenge", nil)
        #expect(recording.finding(rule) == nil)
        #expect(try Recording(broken).asking("nonce", nil).finding(rule) != nil)
        var prompted = recording
        let url = prompted.exchanges[6].request.url.text
        prompted.exchanges[6].request.url = RecordedURL(Recording.changing(url, "prompt", "select_account"))
        #expect(prompted.finding(rule)?.places.count == 2)
        // A code that no redirect brought may have been put in the place of the first.
        let redirect = try #require(
            prompted.exchanges.lastIndex { $0.response?.location?.contains("code=") ?? false }
        )
        prompted.exchanges[redirect].response = RecordedResponse(status: 200)
        #expect(prompted.finding(rule) == nil)
    }
}
