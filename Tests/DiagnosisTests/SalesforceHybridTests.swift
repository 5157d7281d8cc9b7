import Diagnosis
import DiagnosisTestSupport
import Flows
import Testing

/// Salesforce's own names for the code grant and the refresh, which its SDKs for phones send.
struct SalesforceHybridTests {
    @Test func exchangeOfACodeBelongsToItsLogin() throws {
        let recording = try Recording("healthy/native-app").sending("grant_type", "hybrid_auth_code")
        #expect(recording.flows.count == 1)
        #expect(recording.outcomes == [.success])
        #expect(recording.findings.filter { $0.severity != .note }.isEmpty)
    }

    @Test func refreshIsOne() throws {
        let refused = try Recording("refresh/refresh-token-expired")
        let recording = refused.sending("grant_type", "hybrid_refresh")
        #expect(recording.findings.map(\.rule) == refused.findings.map(\.rule))
        #expect(recording.finding("refresh-token-expired")?.isPrimary == true)
    }
}
