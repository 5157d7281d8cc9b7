import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct TokenResponseCacheableTests {
    private let rule = "token-response-cacheable"
    private let broken = "token-response/token-response-cacheable"

    @Test func showsTheHeader() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.severity == .note)
        #expect(finding.places == ["4 response.header Cache-Control"])
        #expect(finding.evidence[0].value == "private, max-age=60")
    }

    @Test func readsTheHeaderInAnyCase() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    @Test func firesWithoutTheHeader() throws {
        let recording = try Recording(broken).answering("/token", header: "Cache-Control", nil)
        #expect(recording.finding(rule)?.evidence[0].value == "missing")
    }

    @Test func leavesErrorsAlone() throws {
        #expect(
            try Recording(broken).answering("/token", 400, ["error": "invalid_grant"]).finding(rule) == nil
        )
    }

    @Test func abstainsWithoutHeaders() throws {
        let recording = try Recording(broken).editingLast("/token") { $0.response?.headers = HeaderFields() }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }
}
