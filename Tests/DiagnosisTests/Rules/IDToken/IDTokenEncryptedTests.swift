import Captures
import Diagnosis
import Flows
import JSON
import OAuth
import Testing

struct IDTokenEncryptedTests {
    private let rule = "id-token-encrypted"
    private let broken = "id-token/id-token-encrypted"

    @Test func namesWhatTheHeaderSays() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.severity == .note)
        #expect(finding.places == ["4 jwt.header alg", "4 jwt.header enc", "4 jwt.header kid"])
        #expect(finding.evidence.map(\.value) == ["RSA-OAEP-256", "A256GCM", "shop-enc"])
    }

    @Test func leavesASignedTokenAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    @Test func saysSoWhereTheHeaderNamesNoKey() throws {
        #expect(try Recording(broken).withEncryptedIDToken.finding(rule)?.evidence[2].value == "none")
    }
}
