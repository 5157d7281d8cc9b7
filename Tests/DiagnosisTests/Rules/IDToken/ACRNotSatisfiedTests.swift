import Captures
import Diagnosis
import Flows
import JSON
import OAuth
import Testing

struct ACRNotSatisfiedTests {
    private let rule = "acr-not-satisfied"
    private let broken = "id-token/acr-not-satisfied"

    @Test func namesBoth() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(finding.places == ["1 request.query acr_values", "4 jwt.claims acr"])
        #expect(finding.evidence.map(\.value) == ["two-factor", "0"])
    }

    @Test func leavesOneOfSeveralAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    @Test func aTokenWithoutItDoesNotSay() throws {
        #expect(
            try Recording(broken).editingIDToken { $0["acr"] = nil }.finding(rule)?.evidence[1].value
                == "missing"
        )
    }

    @Test func saysNothingWhereNothingWasAsked() throws {
        #expect(try Recording(broken).asking("acr_values", nil).finding(rule) == nil)
        #expect(try Recording(broken).asking("acr_values", "").finding(rule) == nil)
    }

    private func essential(_ flag: Bool) throws -> Recording {
        let claims = #"{"id_token":{"acr":{"essential":\#(flag),"values":["two-factor"]}}}"#
        return try Recording(broken).asking("acr_values", nil).asking("claims", claims)
    }

    @Test func readsTheClaimsParameter() throws {
        #expect(try essential(false).finding(rule)?.places.first == "1 request.query claims")
        #expect(try essential(true).finding(rule)?.severity == .warning)
        #expect(try essential(true).finding(rule)?.notes == ["essential"])
    }

    @Test func anEssentialOneIsAnErrorWhereTheAppRefusedIt() throws {
        let refused = { (recording: Recording) in
            recording.editingLast("/callback") { $0.response?.status = 403 }.finding(rule)?.severity
        }
        #expect(try refused(essential(true)) == .error)
        #expect(try refused(essential(false)) == .warning)
    }

    @Test func leavesARefreshAlone() throws {
        #expect(try Recording(broken).sending("grant_type", "refresh_token").finding(rule) == nil)
    }

    @Test func abstainsOnAnEncryptedToken() throws {
        let recording = try Recording(broken).withEncryptedIDToken
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }
}
