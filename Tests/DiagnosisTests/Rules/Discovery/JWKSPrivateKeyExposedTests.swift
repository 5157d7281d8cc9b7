import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct JWKSPrivateKeyExposedTests {
    private let rule = "jwks-private-key-exposed"
    private let broken = "discovery/jwks-private-key-exposed"

    private func serving(_ key: JSONObject) throws -> Recording {
        try Recording("healthy/web-code-flow").editingAnswer(of: "/jwks") { document in
            document["keys"] = .array((document["keys"]?.array ?? []) + [.object(key)])
        }
    }

    @Test func namesTheKeyAndTheMembers() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(finding.places == ["5 response.body keys"])
        #expect(finding.evidence[0].value == "kid 2025-11")
        #expect(finding.notes == ["private: d"])
        #expect(recording.outcomes == [.success])
        // Fetched once more, it is one key all the same.
        var again = try #require(recording.exchanges.last { $0.request.url.path == "/jwks" })
        again.startedAt = again.startedAt + .seconds(2)
        #expect(Recording(recording.exchanges + [again]).finding(rule)?.notes == ["private: d"])
    }

    @Test func leavesOtherFilesAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: [
        ("p", true), ("q", true), ("dp", true), ("dq", true), ("qi", true), ("n", false), ("k", false),
    ])
    func knowsTheMembers(name: String, fires: Bool) throws {
        let recording = try serving(["kty": "RSA", "kid": "a", name: "AQAB"])
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test func aSharedSecretIsPrivateToo() throws {
        #expect(try serving(["kty": "oct", "kid": "a", "k": "bm90LWEtc2VjcmV0"]).finding(rule) != nil)
    }

    @Test func saysNothingOfAnEmptyMember() throws {
        #expect(try serving(["kty": "EC", "kid": "a", "d": nil]).finding(rule) == nil)
    }
}
